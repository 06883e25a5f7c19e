/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advice.h"

#include "bench/results.h"

#include <math.h>

static void
advice_free (gpointer data)
{
  TallAdvice *self = data;
  g_free (self->value);
  g_free (self->reason);
  g_free (self->overturned);
  g_free (self);
}

/* Returns: (transfer full) (element-type TallAdvice): empty */
static GPtrArray *
advice_list_new (void)
{
  return g_ptr_array_new_with_free_func (advice_free);
}

/* @value: its texts are taken over from it
 * @reason: (transfer full) and @overturned: (transfer full): the rest of it */
static void
advice_add (GPtrArray *advice, const TallAdvice *value, char *reason, char *overturned)
{
  TallAdvice *added = g_memdup2 (value, sizeof *value);
  added->reason = reason;
  added->overturned = overturned;
  g_ptr_array_add (advice, added);
}

/**
 * tall_advice_find:
 *
 * Returns: (nullable): what is recommended under this name
 */
const TallAdvice *
tall_advice_find (const GPtrArray *advice, const char *name)
{
  for (guint i = 0; i < advice->len; i++)
    if (g_str_equal (((TallAdvice *)g_ptr_array_index (advice, i))->name, name))
      return g_ptr_array_index (advice, i);
  return NULL;
}

/* How often the mix has operations of this name. */
static guint
advice_count_parts (const TallBenchMix *mix, const char *name)
{
  for (guint i = 0; i < mix->n_parts; i++)
    if (g_str_equal (mix->parts[i]->name, name))
      return mix->weights[i];
  return 0;
}

/* Rules of HBase's reference guide and its defaults. */
#define REGION_BYTES (10.0 * 1024 * 1024 * 1024) /* hbase.hregion.max.filesize */
#define MEMSTORE_MIB 128                         /* hbase.hregion.memstore.flush.size */
#define MEMSTORE_SHARE 0.4                       /* of the heap: global.memstore.size */
#define BLOCK_BYTES 65536
#define BITS_A_KEY 9.585 /* of a Bloom filter with one error in 100: -ln (0.01) / ln (2)^2 */
#define MIB (1024.0 * 1024)
#define GIB (1024.0 * MIB)
#define PERCENT 100.0

static guint
count_tables (const TallAdviceCase *about)
{
  guint n = about->lists ? 1 : 0; /* of the index */
  for (const TallLayoutTable *table = about->layout->layout->tables; table->name != NULL; table++)
    n++;
  return n;
}

/* Regions of each table for which the servers have memory: each has a memstore. */
static double
find_most_regions (const TallAdviceCase *about)
{
  const TallAdviceFacts *facts = about->facts;
  double memstores = floor (facts->heap * MEMSTORE_SHARE / MEMSTORE_MIB) * facts->n_servers;
  return MAX (floor (memstores / count_tables (about)), 1);
}

/* From how many orders on there would be more regions than @n. */
static char *
describe_more_regions (const TallAdviceCase *about, double n, double by_size)
{
  if (n < by_size)
    return n < TALL_MAX_REGIONS
               ? g_strdup_printf ("more --servers or --heap: up to %.0f", by_size)
               : g_strdup ("nothing: init makes no more, and HBase splits regions that grow");
  return g_strdup_printf ("another --total, --servers or --heap: from %.3g orders on, size asks "
                          "for more",
                          n * REGION_BYTES / about->order_bytes);
}

static void
add_regions (GPtrArray *advice, const TallAdviceCase *about)
{
  const TallAdviceFacts *facts = about->facts;
  double bytes = about->order_bytes * facts->total;
  double by_size = MAX (ceil (bytes / REGION_BYTES), 1);
  double most = find_most_regions (about);
  double n = CLAMP (MAX (by_size, facts->n_servers), 1, MIN (most, TALL_MAX_REGIONS));
  const TallAdvice value = {
    .name = "regions", .option = "regions", .hbase = TRUE, .value = g_strdup_printf ("%.0f", n)
  };
  g_autofree char *few =
      by_size > most ? g_strdup_printf ("; these servers are too few: their regions will be "
                                        "larger than 10 GiB")
                     : g_strdup ("");
  advice_add (advice, &value,
              g_strdup_printf (
                  "%.3g orders of %.0f bytes on disk are %.3g GiB: %.0f of at most 10 GiB, and "
                  "one a server (%u); memory for memstores (%u MiB each, 40 %% of %u MiB a "
                  "server) is there for %.0f in each of %u tables%s",
                  facts->total, about->order_bytes, bytes / GIB, by_size, facts->n_servers,
                  MEMSTORE_MIB, facts->heap, most, count_tables (about), few),
              describe_more_regions (about, n, by_size));
}

/* A filter says that a file has no such row: it helps gets, of what is there and what is not. */
static void
add_bloom (GPtrArray *advice, const TallAdviceCase *about)
{
  double mib = about->shape->rows * about->facts->total * BITS_A_KEY / 8 / MIB;
  double wide = about->shape->cells * about->facts->total * BITS_A_KEY / 8 / MIB;
  const TallAdvice value = { .name = "bloom",
                             .option = "bloom",
                             .hbase = TRUE,
                             .value = g_strdup (about->gets ? "row" : "none") };
  advice_add (
      advice, &value,
      about->gets
          ? g_strdup_printf ("%s, and a filter keeps them from files without the row; %.3g rows an "
                             "order with one error in 100 take %.3g MiB for all orders",
                             about->writes ? "stores look their root row up by its key"
                                           : "an order is fetched by the key of its row",
                             about->shape->rows, mib)
          : g_strdup_printf ("the mix scans, which no filter by row helps; it would take %.3g MiB",
                             mib),
      g_strdup_printf ("rowcol pays only where single columns are read, and takes %.3g MiB; "
                       "%s",
                       wide,
                       about->gets ? "a table of one file a region needs none"
                                   : "stores, or fetches of orders that are not there: row"));
}

static void
add_encoding (GPtrArray *advice, const TallAdviceCase *about)
{
  const TallShape *shape = about->shape;
  const TallAdvice value = { .name = "block-encoding",
                             .option = "block-encoding",
                             .hbase = TRUE,
                             .value = g_strdup (about->encode ? "fast_diff" : "none") };
  advice_add (advice, &value,
              g_strdup_printf (
                  "%.0f %% of the %.0f bytes of an order are keys of its %.3g cells; fast_diff "
                  "leaves %.0f bytes, %.0f %%",
                  shape->key_bytes * PERCENT / shape->bytes, shape->bytes, shape->cells,
                  shape->encoded, shape->encoded * PERCENT / shape->bytes),
              g_strdup (
                  about->encode
                      ? "processors that are busy while disk and cache have room: a read decodes a "
                        "block from its beginning"
                      : "shorter values or more cells, so that it leaves 80 % or less"));
}

static void
add_compression (GPtrArray *advice, const TallAdviceCase *about)
{
  const TallShape *shape = about->shape;
  const TallAdvice value = { .name = "compression",
                             .option = "compression",
                             .value = g_strdup (about->compress ? "snappy" : "none") };
  advice_add (
      advice, &value,
      g_strdup_printf ("after encoding, GZ packs these orders to %.0f %%%s",
                       shape->packed * PERCENT / shape->encoded,
                       about->compress ? "; snappy packs less and costs much less time" : ""),
      g_strdup (about->compress
                    ? "orders that are hardly read any more: gz; a server without the native "
                      "library: gz, which every Java has"
                    : "texts instead of numbers that say little, or data that are not packed yet"));
}

static void
add_block_size (GPtrArray *advice, const TallAdviceCase *about)
{
  gsize largest = about->shape->largest_row;
  gboolean fits = largest <= BLOCK_BYTES;
  const TallAdvice value = { .name = "block-size",
                             .hbase = TRUE,
                             .value = g_strdup_printf ("%d", BLOCK_BYTES) };
  advice_add (
      advice, &value,
      g_strdup_printf ("the largest row has %" G_GSIZE_FORMAT " bytes: %s", largest,
                       fits ? "a get reads one block, two at most"
                            : "a get of it reads several blocks; HBase cuts blocks between cells, "
                              "so a cell larger than a block is read whole"),
      g_strdup (fits ? "rows larger than a block"
                     : "no gets of parts of a row, which larger blocks slow down: the size of "
                       "most rows"));
}

static void
add_families (GPtrArray *advice, const TallAdviceCase *about)
{
  const TallAdvice value = { .name = "families", .hbase = TRUE, .value = g_strdup ("1") };
  advice_add (
      advice, &value,
      g_strdup_printf ("an order is read and written as a whole; each further family would be "
                       "a memstore of up to %u MiB more for each region of %u tables, and all of a "
                       "region are flushed together",
                       MEMSTORE_MIB, count_tables (about)),
      g_strdup ("nothing in tallorder: its layouts have one"));
}

/* Adds how tables are to be kept. */
static void
advice_add_tables (GPtrArray *advice, const TallAdviceCase *about)
{
  add_regions (advice, about);
  add_bloom (advice, about);
  add_encoding (advice, about);
  add_compression (advice, about);
  add_block_size (advice, about);
  add_families (advice, about);
}

#define AS_FAST 0.95  /* of the best rate: no difference that anybody notices */
#define BY_CHANCE 0.5 /* of the best rate: what a busy machine may do to a few turns */
#define EVEN 1.5      /* times as full as with hashed keys: still even */
#define SHORTER 0.9   /* of the bytes with hashed keys: worth other keys */
#define PERCENT 100.0

static gboolean
is_as_fast (const TallSpread *rate, const TallSpread *best)
{
  if (rate->n < TALL_BENCH_ENOUGH_TURNS)
    return rate->median >= BY_CHANCE * best->median;
  return tall_spread_overlaps (rate, best) && rate->median >= AS_FAST * best->median;
}

static const TallAdviceLayout *
find_fastest (const TallAdviceFacts *facts)
{
  const TallAdviceLayout *best = &facts->layouts[0];
  for (guint i = 1; i < facts->n_layouts; i++)
    if (facts->layouts[i].rate.median > best->rate.median)
      best = &facts->layouts[i];
  return best;
}

/**
 * tall_advice_choose_layout:
 *
 * Returns: the fastest; of those that are as fast, the one that takes the fewest bytes
 */
const TallAdviceLayout *
tall_advice_choose_layout (const TallAdviceFacts *facts)
{
  const TallAdviceLayout *best = find_fastest (facts);
  const TallAdviceLayout *chosen = best;
  for (guint i = 0; i < facts->n_layouts; i++)
    if (is_as_fast (&facts->layouts[i].rate, &best->rate)
        && facts->layouts[i].shape.bytes < chosen->shape.bytes)
      chosen = &facts->layouts[i];
  return chosen;
}

/* Hashes spread as evenly as so few or so different customers can be. */
static gboolean
spreads_evenly (const TallAdviceFacts *facts, const TallKeySpread *spread)
{
  const TallKeySpread *hashed = &facts->keys[0].spread;
  return spread->all <= EVEN * hashed->all && spread->newest <= EVEN * hashed->newest;
}

/* Returns: of the strategies that spread about as evenly as the first, hashed, and are as fast as
 *   the fastest of them, the first, unless another saves a tenth of the bytes */
static const TallAdviceKey *
advice_choose_key (const TallAdviceFacts *facts)
{
  const TallAdviceKey *best = &facts->keys[0];
  const TallAdviceKey *chosen = NULL;
  for (guint i = 1; i < facts->n_keys; i++)
    if (spreads_evenly (facts, &facts->keys[i].spread)
        && facts->keys[i].rate.median > best->rate.median)
      best = &facts->keys[i];
  for (guint i = 0; i < facts->n_keys; i++)
    if (spreads_evenly (facts, &facts->keys[i].spread)
        && is_as_fast (&facts->keys[i].rate, &best->rate)
        && (chosen == NULL || facts->keys[i].shape.encoded < SHORTER * chosen->shape.encoded))
      chosen = &facts->keys[i];
  return chosen;
}

/* Seconds an operation of the mix, as its parts take alone; without the part at @left_out. */
static double
add_times (const TallAdviceLayout *layout, const TallBenchMix *mix, guint left_out)
{
  double sum = 0;
  guint total = 0;
  for (guint i = 0; i < mix->n_parts; i++)
    if (i != left_out)
      {
        sum += mix->weights[i] * layout->times[i];
        total += mix->weights[i];
      }
  return total > 0 ? sum / total : 0;
}

/* The share of a part from which on the other layout is faster; 0: at none that is larger than now.
 * Where the parts, which are measured alone, say that it is faster now, they differ by chance. */
static double
find_turn (const TallAdviceLayout *chosen,
           const TallAdviceLayout *other,
           const TallBenchMix *mix,
           guint part)
{
  double gain = chosen->times[part] - other->times[part];
  double loss = add_times (other, mix, part) - add_times (chosen, mix, part);
  if (!(gain > 0) || !(other->times[part] > 0) || mix->n_parts < 2 || loss <= 0)
    return 0;
  double share = loss / (loss + gain);
  return share > (double)mix->weights[part] / mix->total ? share : 0;
}

/* Whether its rows have fields and lines. */
static gboolean
is_readable (const TallLayout *layout)
{
  return layout == &tall_layout_record_type || layout == &tall_layout_denormalized
         || layout == &tall_layout_normalized;
}

/* A line about each part of which more would make another layout the faster one. */
static char *
describe_turns (const TallAdviceFacts *facts, const TallAdviceLayout *chosen)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint part = 0; part < facts->mix->n_parts; part++)
    {
      const TallAdviceLayout *first = NULL;
      double least = 1;
      for (guint i = 0; i < facts->n_layouts; i++)
        {
          double share = find_turn (chosen, &facts->layouts[i], facts->mix, part);
          if (share > 0 && share < least)
            {
              least = share;
              first = &facts->layouts[i];
            }
        }
      if (first != NULL)
        g_string_append_printf (text, "more than %.0f %% %s (now %.0f %%): %s; ",
                                ceil (least * PERCENT), facts->mix->parts[part]->name,
                                facts->mix->weights[part] * PERCENT / facts->mix->total,
                                first->layout->name);
    }
  g_string_append (text, is_readable (chosen->layout)
                             ? "other operations, or orders of another size"
                             : "other programs that read single fields or lines of the rows: "
                               "record-type, denormalized or normalized");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
describe_rates (const TallAdviceFacts *facts, const TallAdviceLayout *chosen)
{
  GString *text = g_string_new ("operations of the mix a second: ");
  for (guint i = 0; i < facts->n_layouts; i++)
    {
      g_autofree char *rate = tall_spread_format (&facts->layouts[i].rate);
      g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", facts->layouts[i].layout->name,
                              rate);
    }
  g_string_append_printf (text, "; %s takes %.3g calls to fetch and %.0f bytes an order",
                          chosen->layout->name, chosen->shape.get_calls, chosen->shape.bytes);
  if (chosen != find_fastest (facts))
    g_string_append_printf (text, ", fewer bytes than %s, which is not faster in each turn",
                            find_fastest (facts)->layout->name);
  return g_string_free (text, FALSE);
}

static void
add_layout (GPtrArray *advice, const TallAdviceFacts *facts, const TallAdviceLayout *chosen)
{
  const TallAdvice value = { .name = "layout",
                             .option = "layout",
                             .is_measured = TRUE,
                             .value = g_strdup (chosen->layout->name) };
  advice_add (advice, &value, describe_rates (facts, chosen), describe_turns (facts, chosen));
}

static char *
describe_keys (const TallAdviceFacts *facts)
{
  GString *text = g_string_new ("operations of the mix a second, bytes of a row key, and how many "
                                "times its share the fullest of ");
  g_string_append_printf (text, "%u regions has of all orders, and of the newest tenth: ",
                          facts->n_regions);
  for (guint i = 0; i < facts->n_keys; i++)
    {
      const TallAdviceKey *key = &facts->keys[i];
      g_autofree char *rate = tall_spread_format (&key->rate);
      g_string_append_printf (text, "%s%s %s, %.0f, %.1f and %.1f", i > 0 ? "; " : "",
                              key->key_strategy->name, rate, key->spread.key_bytes, key->spread.all,
                              key->spread.newest);
    }
  return g_string_free (text, FALSE);
}

/* What asks for keys other than the chosen ones. */
static char *
describe_other_keys (const TallKeyStrategy *chosen)
{
  if (chosen == &tall_key_raw)
    return g_strdup ("numbers that rise, or some of which are much more frequent: hashed, which "
                     "spreads them evenly");
  return g_strdup_printf (
      "other programs that find rows by number or scan a range of them: raw%s; customers with many "
      "more orders than here: one customer always lies in one region",
      chosen == &tall_key_salted ? "" : ", or salted where numbers rise");
}

static void
add_key (GPtrArray *advice, const TallAdviceFacts *facts, const TallAdviceKey *chosen)
{
  const TallAdvice value = { .name = "key",
                             .option = "key",
                             .is_measured = TRUE,
                             .value = g_strdup (chosen->key_strategy->name) };
  advice_add (advice, &value, describe_keys (facts), describe_other_keys (chosen->key_strategy));
}

static void
add_index (GPtrArray *advice, const TallAdviceCase *about)
{
  TallAdvice value = { .name = "index", .option = "index", .is_measured = FALSE };
  double calls = about->shape->put_calls;
  value.value = g_strdup (about->lists ? "date" : "none");
  advice_add (
      advice, &value,
      about->lists
          ? g_strdup_printf ("the mix lists orders by date; that costs 1 of the %.3g calls of a "
                             "new order",
                             calls)
          : g_strdup_printf ("the mix lists nothing; a new order then takes %.3g calls instead of "
                             "%.3g",
                             calls - 1, calls),
      g_strdup (about->lists ? "nobody lists a customer's orders: none"
                             : "a listing by date, or pages of a customer's orders by date: date"));
}

/* Decides what several recommendations are about. */
static void
advice_case_init (TallAdviceCase *self, const TallAdviceFacts *facts)
{
  const TallAdviceKey *key = advice_choose_key (facts);
  *self = (TallAdviceCase){
    .facts = facts,
    .layout = tall_advice_choose_layout (facts),
    .shape = &key->shape,
    .writes = advice_count_parts (facts->mix, "store") > 0
              || advice_count_parts (facts->mix, "replace") > 0,
    .lists = advice_count_parts (facts->mix, "list") > 0,
  };
  self->gets = self->writes || self->layout->layout->single_row || self->shape->n_tables > 1
               || advice_count_parts (facts->mix, "list") > 0;
  self->encode = key->shape.encoded <= TALL_ADVICE_WORTH * key->shape.bytes;
  self->compress = key->shape.packed <= TALL_ADVICE_WORTH * key->shape.encoded;
  self->order_bytes = self->compress ? key->shape.packed
                      : self->encode ? key->shape.encoded
                                     : key->shape.bytes;
}

/**
 * tall_advise:
 *
 * Returns: (transfer full) (element-type TallAdvice): what to choose at `init`, each with why
 */
GPtrArray *
tall_advise (const TallAdviceFacts *facts)
{
  GPtrArray *advice = advice_list_new ();
  TallAdviceCase about;
  advice_case_init (&about, facts);
  add_layout (advice, facts, about.layout);
  add_key (advice, facts, advice_choose_key (facts));
  add_index (advice, &about);
  advice_add_tables (advice, &about);
  return advice;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advice.h"

#include "bench/results.h"

#include <math.h>

#define AS_FAST 0.95  /* of the best rate: no difference that anybody notices */
#define BY_CHANCE 0.5 /* of the best rate: what a busy machine may do to a few turns */
#define EVEN 1.5      /* times as full as with hashed keys: still even */
#define SHORTER 0.9   /* of the bytes with hashed keys: worth other keys */
#define WORTH 80      /* per cent: what leaves at most so much of the bytes is worth its price */

/* Rules of HBase's reference guide and its defaults. */
#define REGION_BYTES (10.0 * 1024 * 1024 * 1024) /* hbase.hregion.max.filesize */
#define MEMSTORE_MIB 128                         /* hbase.hregion.memstore.flush.size */
#define MEMSTORE_SHARE 0.4                       /* of the heap: global.memstore.size */
#define BLOCK_BYTES 65536
#define BITS_A_KEY 9.585 /* of a Bloom filter with one error in 100: -ln (0.01) / ln (2)^2 */

/* What several recommendations are about. */
typedef struct
{
  const TallAdviceFacts *facts;
  GPtrArray *advice;
  const TallMeasured *layout; /* that was chosen */
  const TallMeasured *key;    /* the same */
  const TallShape *shape;     /* of both */
  gboolean writes;            /* the mix does */
  gboolean lists;
  gboolean finds;
  gboolean gets; /* something of it looks rows up by their keys */
  gboolean encode;
  gboolean compress;
} Case;

static void
advice_free (gpointer data)
{
  TallAdvice *self = data;
  g_free (self->value);
  g_free (self->reason);
  g_free (self->overturned);
  g_free (self);
}

/* @value, @reason and @overturned: (transfer full) */
static void
add (const Case *self,
     const char *name,
     TallAdviceFlags flags,
     char *value,
     char *reason,
     char *overturned)
{
  const TallAdvice advice = { name, flags, value, reason, overturned };
  g_ptr_array_add (self->advice, g_memdup2 (&advice, sizeof advice));
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

/* Whether the turns cannot decide which is faster. */
static gboolean
are_few (const TallSpread *rate, const TallSpread *other)
{
  return MIN (rate->n, other->n) < TALL_BENCH_ENOUGH_TURNS;
}

static gboolean
is_as_fast (const TallSpread *rate, const TallSpread *best)
{
  if (are_few (rate, best))
    return rate->median >= BY_CHANCE * best->median;
  return tall_spread_overlaps (rate, best) && rate->median >= AS_FAST * best->median;
}

static const TallMeasured *
find_fastest (const TallAdviceFacts *facts)
{
  const TallMeasured *best = &facts->layouts[0];
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
const TallMeasured *
tall_advice_choose_layout (const TallAdviceFacts *facts)
{
  const TallMeasured *best = find_fastest (facts);
  const TallMeasured *chosen = best;
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

/* Returns: of the strategies that spread about as evenly as the first, hashed, the first, unless
 * the fastest of them is faster in each turn, or another that is as fast as that saves a tenth of
 * the bytes. Few turns have other medians by chance, and leave the first */
static const TallMeasured *
choose_key (const TallAdviceFacts *facts)
{
  const TallMeasured *hashed = &facts->keys[0], *best = hashed;
  if (hashed->rate.n < TALL_BENCH_ENOUGH_TURNS)
    return hashed;
  for (guint i = 1; i < facts->n_keys; i++)
    if (spreads_evenly (facts, &facts->keys[i].spread)
        && facts->keys[i].rate.median > best->rate.median
        && !tall_spread_overlaps (&facts->keys[i].rate, &hashed->rate))
      best = &facts->keys[i];
  const TallMeasured *chosen = best;
  for (guint i = 0; i < facts->n_keys; i++)
    if (spreads_evenly (facts, &facts->keys[i].spread)
        && tall_spread_overlaps (&facts->keys[i].rate, &best->rate)
        && facts->keys[i].shape.encoded < SHORTER * chosen->shape.encoded)
      chosen = &facts->keys[i];
  return chosen;
}

/* Seconds an operation of the mix, as its parts take alone; without the part at @left_out. */
static double
add_times (const TallMeasured *layout, const TallBenchMix *mix, guint left_out)
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

/* The share of a part from which on the other layout is faster; 1: at none that is larger than now.
 * Where the parts, which are measured alone, say that it is faster now, they differ by chance. */
static double
find_turn (const TallMeasured *chosen,
           const TallMeasured *other,
           const TallBenchMix *mix,
           guint part)
{
  double gain = chosen->times[part] - other->times[part];
  double loss = add_times (other, mix, part) - add_times (chosen, mix, part);
  if (!(gain > 0) || !(other->times[part] > 0) || mix->n_parts < 2 || loss <= 0)
    return 1;
  double share = loss / (loss + gain);
  return share > (double)mix->weights[part] / mix->total ? share : 1;
}

/* Of which part of the mix more would make another layout the faster one. */
static char *
describe_turns (const TallAdviceFacts *facts, const TallMeasured *chosen)
{
  const TallBenchMix *mix = facts->mix;
  GString *text = g_string_new (NULL);
  for (guint part = 0; part < mix->n_parts; part++)
    {
      const TallMeasured *first = chosen;
      double least = 1;
      for (guint i = 0; i < facts->n_layouts; i++)
        if (find_turn (chosen, &facts->layouts[i], mix, part) < least)
          {
            first = &facts->layouts[i];
            least = find_turn (chosen, first, mix, part);
          }
      double now = round (mix->weights[part] * 100.0 / mix->total);
      double wanted = MAX (ceil (least * 100), now + 1); /* as far as one sees */
      if (wanted < 100)
        g_string_append_printf (text, "more than %.0f %% %s (now %.0f %%): %s; ", wanted,
                                mix->parts[part]->name, now, first->layout->name);
    }
  gboolean is_readable = chosen->layout == &tall_layout_record_type
                         || chosen->layout == &tall_layout_denormalized
                         || chosen->layout == &tall_layout_normalized;
  g_string_append (text, is_readable
                             ? "other operations, or orders of another size"
                             : "other programs that read single fields or lines of the rows: "
                               "record-type, denormalized or normalized");
  return g_string_free (text, FALSE);
}

/* Returns: (transfer full): why the fastest is chosen, and what may be as fast */
static char *
describe_fastest (const TallAdviceFacts *facts, const TallMeasured *fastest)
{
  GString *text = g_string_new ("the most operations of the mix a second");
  guint n = 0;
  if (fastest->rate.n < TALL_BENCH_ENOUGH_TURNS)
    g_string_append (text, ", which so few turns may show by chance");
  for (guint i = 0; i < facts->n_layouts; i++)
    if (&facts->layouts[i] != fastest && !are_few (&facts->layouts[i].rate, &fastest->rate)
        && tall_spread_overlaps (&facts->layouts[i].rate, &fastest->rate))
      g_string_append_printf (text, "%s%s",
                              n++ > 0 ? ", " : " in the median; the turns do not tell it from ",
                              facts->layouts[i].layout->name);
  return g_string_free (text, FALSE);
}

static void
add_layout (const Case *self)
{
  const TallMeasured *chosen = self->layout;
  const TallMeasured *fastest = find_fastest (self->facts);
  add (self, "layout", TALL_ADVICE_MEASURED | TALL_ADVICE_OPTION, g_strdup (chosen->layout->name),
       chosen == fastest ? describe_fastest (self->facts, fastest)
                         : g_strdup_printf ("fewer bytes than %s, %s", fastest->layout->name,
                                            are_few (&chosen->rate, &fastest->rate)
                                                ? "and so few turns cannot decide which is faster"
                                                : "which is not faster in each turn"),
       describe_turns (self->facts, chosen));
}

/* Returns: (transfer full): why these keys, as the turns tell it */
static char *
explain_key (const TallAdviceFacts *facts, const TallMeasured *chosen)
{
  const TallMeasured *hashed = &facts->keys[0];
  if (hashed->rate.n < TALL_BENCH_ENOUGH_TURNS)
    return g_strdup_printf ("so few turns cannot decide which is faster; from %u turns on, others "
                            "that fill regions as evenly are looked at",
                            TALL_BENCH_ENOUGH_TURNS);
  if (chosen == hashed)
    return g_strdup ("no other that fills regions as evenly is faster in each turn, or as fast "
                     "with a tenth fewer bytes");
  return g_strdup (tall_spread_overlaps (&hashed->rate, &chosen->rate)
                       ? "it fills regions as evenly as hashed keys, and is as fast with a tenth "
                         "fewer bytes"
                       : "it fills regions as evenly as hashed keys, and is faster in each turn");
}

static void
add_key (const Case *self)
{
  const TallKeyStrategy *chosen = self->key->key_strategy;
  add (self, "key", TALL_ADVICE_MEASURED | TALL_ADVICE_OPTION, g_strdup (chosen->name),
       explain_key (self->facts, self->key),
       chosen == &tall_key_raw
           ? g_strdup ("numbers that rise, or some of which are much more frequent: "
                       "hashed, which spreads them evenly")
           : g_strdup_printf ("other programs that find rows by number or scan a range of "
                              "them: raw%s; customers with many more orders than here: one "
                              "customer always lies in one region",
                              chosen == &tall_key_salted ? "" : ", or salted where numbers rise"));
}

static char *
explain_no_list (const Case *self)
{
  double calls = self->shape->put_calls;
  return self->finds
             ? g_strdup ("the mix lists nothing")
             : g_strdup_printf ("the mix lists nothing; a new order then takes %.3g instead "
                                "of %.3g calls",
                                calls - 1, calls);
}

/* Of a new order it is one call, however many indexes there are. */
static void
add_index (const Case *self)
{
  double calls = self->shape->put_calls;
  add (self, "index", TALL_ADVICE_OPTION, g_strdup (self->lists ? "date" : "none"),
       self->lists ? g_strdup_printf ("the mix lists orders by date; that costs 1 of the %.3g "
                                      "calls of a new order",
                                      calls)
                   : explain_no_list (self),
       g_strdup (self->lists ? "nobody lists a customer's orders: none"
                             : "a listing by date, or pages of a customer's orders by date: date"));
  if (self->finds)
    add (self, "index", TALL_ADVICE_OPTION,
         g_strdup (tall_bench_mix_get_indexes (self->facts->mix)),
         self->lists ? g_strdup ("the mix finds orders by their numbers alone; for a new order "
                                 "that travels with its entry by date, and an order in the place "
                                 "of another takes 1 call more")
                     : g_strdup_printf ("the mix finds orders by their numbers alone; that costs 1 "
                                        "of the %.3g calls of a new order",
                                        calls),
         g_strdup ("orders are looked for by items, status or dates, too: an index for each, as "
                   "find --help shows"));
}

/* Returns: (transfer full): for people, in the unit in which it has one to three digits */
static char *
format_bytes (double bytes)
{
  static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB" };
  guint i = 0;
  for (; bytes >= 999.5 && i + 1 < G_N_ELEMENTS (units); i++)
    bytes /= 1024;
  return g_strdup_printf ("%.3g %s", bytes, units[i]);
}

static guint
count_tables (const Case *self)
{
  guint n = (self->lists ? 1 : 0) + (self->finds ? 1 : 0); /* of the indexes */
  for (const TallLayoutTable *table = self->layout->layout->tables; table->name != NULL; table++)
    n++;
  return n;
}

/* From how many orders on there would be more regions than @n. */
static char *
describe_more_regions (double order_bytes, double n, double by_size)
{
  if (n >= by_size)
    return g_strdup_printf ("another --total, --servers or --heap: from %.3g orders on, size asks "
                            "for more",
                            n * REGION_BYTES / order_bytes);
  return n < TALL_MAX_REGIONS
             ? g_strdup_printf ("more --servers or --heap: up to %.0f", by_size)
             : g_strdup ("nothing: init makes no more, and HBase splits regions that grow");
}

/* Each region of each table has a memstore, for which the servers have memory. */
static void
add_regions (const Case *self)
{
  const TallAdviceFacts *facts = self->facts;
  double order_bytes = self->compress ? self->shape->packed
                       : self->encode ? self->shape->encoded
                                      : self->shape->bytes;
  double bytes = order_bytes * facts->total;
  double by_size = MAX (ceil (bytes / REGION_BYTES), 1);
  double memstores = floor (facts->heap * MEMSTORE_SHARE / MEMSTORE_MIB) * facts->n_servers;
  double most = MAX (floor (memstores / count_tables (self)), 1);
  g_autofree char *size = format_bytes (bytes);
  double n = CLAMP (MAX (by_size, facts->n_servers), 1, MIN (most, TALL_MAX_REGIONS));
  add (self, "regions", TALL_ADVICE_OPTION | TALL_ADVICE_HBASE, g_strdup_printf ("%.0f", n),
       g_strdup_printf (
           "%.3g orders of %.0f bytes on disk are %s: %.0f of at most 10 GiB, and one a "
           "server (%u); memory for memstores (%u MiB each, 40 %% of %u MiB a server) is there "
           "for %.0f in each of %u tables%s",
           facts->total, order_bytes, size, by_size, facts->n_servers, MEMSTORE_MIB, facts->heap,
           most, count_tables (self),
           by_size > most ? "; these servers are too few: their regions will be larger than "
                            "10 GiB"
                          : ""),
       describe_more_regions (order_bytes, n, by_size));
}

/* A filter says that a file has no such row: it helps gets, of what is there and what is not. */
static void
add_bloom (const Case *self)
{
  g_autofree char *row = format_bytes (self->shape->rows * self->facts->total * BITS_A_KEY / 8);
  g_autofree char *cell = format_bytes (self->shape->cells * self->facts->total * BITS_A_KEY / 8);
  gboolean is_one = self->shape->rows == 1;
  add (self, "bloom", TALL_ADVICE_OPTION | TALL_ADVICE_HBASE,
       g_strdup (self->gets ? "row" : "none"),
       self->gets
           ? g_strdup_printf ("%s, and a filter keeps them from files without the row; "
                              "%.3g %s an order with one error in 100 take%s %s for all "
                              "orders",
                              self->writes ? "stores look their root row up by its key"
                                           : "an order is fetched by the key of its row",
                              self->shape->rows, is_one ? "row" : "rows", is_one ? "s" : "", row)
           : g_strdup_printf ("the mix scans, which no filter by row helps; it would take %s", row),
       g_strdup_printf ("rowcol pays only where single columns are read, and takes %s; %s", cell,
                        self->gets ? "a table of one file a region needs none"
                                   : "stores, or fetches of orders that are not there: row"));
}

/* Per cent, as they are printed: what is decided by them agrees with what one reads. */
static double
get_share (double part, double whole)
{
  return round (part * 100 / whole);
}

static void
add_packing (const Case *self)
{
  const TallShape *shape = self->shape;
  add (self, "block-encoding", TALL_ADVICE_OPTION | TALL_ADVICE_HBASE,
       g_strdup (self->encode ? "fast_diff" : "none"),
       g_strdup_printf (
           "%.0f %% of the %.0f bytes of an order are keys of its %.3g cells; fast_diff leaves "
           "%.0f bytes, %.0f %%",
           get_share (shape->key_bytes, shape->bytes), shape->bytes, shape->cells, shape->encoded,
           get_share (shape->encoded, shape->bytes)),
       g_strdup (self->encode ? "processors that are busy while disk and cache have room: a read "
                                "decodes a block from its beginning"
                              : "shorter values or more cells, so that it leaves 80 % or less"));
  add (self, "compression", TALL_ADVICE_OPTION, g_strdup (self->compress ? "snappy" : "none"),
       g_strdup_printf ("after encoding, GZ packs these orders to %.0f %%%s",
                        get_share (shape->packed, shape->encoded),
                        self->compress ? "; snappy packs less and costs much less time" : ""),
       g_strdup (
           self->compress
               ? "orders that are hardly read any more: gz; a server without the native "
                 "library: gz, which every Java has"
               : "texts instead of numbers that say little, or data that are not packed yet"));
}

/* What tallorder leaves to HBase, or fixes. */
static void
add_given (const Case *self)
{
  gsize largest = self->shape->largest_row;
  gboolean fits = largest <= BLOCK_BYTES;
  add (self, "block-size", TALL_ADVICE_HBASE, g_strdup_printf ("%d", BLOCK_BYTES),
       g_strdup_printf (
           "the largest row has %" G_GSIZE_FORMAT " bytes: %s", largest,
           fits ? "a get reads one block, two at most"
                : "a get of it reads several blocks; HBase cuts blocks between cells, so a "
                  "cell larger than a block is read whole"),
       g_strdup (fits ? "rows larger than a block"
                      : "no gets of parts of a row, which larger blocks slow "
                        "down: the size of most rows"));
  add (self, "families", TALL_ADVICE_HBASE, g_strdup ("1"),
       g_strdup_printf (
           "an order is read and written as a whole; each further family would be a memstore "
           "of up to %u MiB more for each region of %u tables, and all of a region are flushed "
           "together",
           MEMSTORE_MIB, count_tables (self)),
       g_strdup ("nothing in tallorder: its layouts have one"));
}

/**
 * tall_advise:
 *
 * Returns: (transfer full) (element-type TallAdvice): what to choose at `init`, each with why
 */
GPtrArray *
tall_advise (const TallAdviceFacts *facts)
{
  Case about = {
    .facts = facts,
    .advice = g_ptr_array_new_with_free_func (advice_free),
    .layout = tall_advice_choose_layout (facts),
    .key = choose_key (facts),
    .writes =
        tall_bench_mix_has (facts->mix, "store") || tall_bench_mix_has (facts->mix, "replace"),
    .lists = tall_bench_mix_has (facts->mix, "list"),
    .finds = tall_bench_mix_has (facts->mix, TALL_BENCH_FIND),
  };
  about.shape = &about.key->shape;
  about.gets = about.writes || about.lists || about.finds || about.layout->layout->single_row
               || about.shape->n_tables > 1;
  about.encode = get_share (about.shape->encoded, about.shape->bytes) <= WORTH;
  about.compress = get_share (about.shape->packed, about.shape->encoded) <= WORTH;
  add_layout (&about);
  add_key (&about);
  add_index (&about);
  add_regions (&about);
  add_bloom (&about);
  add_packing (&about);
  add_given (&about);
  return about.advice;
}

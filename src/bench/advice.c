/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advice-private.h"
#include "bench/results.h"

#include <math.h>

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

/**
 * tall_advice_choose_key:
 *
 * Returns: of the strategies that spread about as evenly as the first, hashed, and are as fast as
 *   the fastest of them, the first, unless another saves a tenth of the bytes
 */
const TallAdviceKey *
tall_advice_choose_key (const TallAdviceFacts *facts)
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
  tall_advice_add (advice, &value, describe_rates (facts, chosen), describe_turns (facts, chosen));
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
  tall_advice_add (advice, &value, describe_keys (facts),
                   describe_other_keys (chosen->key_strategy));
}

static void
add_index (GPtrArray *advice, const TallAdviceCase *about)
{
  TallAdvice value = { .name = "index", .option = "index", .is_measured = FALSE };
  double calls = about->shape->put_calls;
  value.value = g_strdup (about->lists ? "date" : "none");
  tall_advice_add (
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

/**
 * tall_advice_case_init:
 *
 * Decides what several recommendations are about.
 */
void
tall_advice_case_init (TallAdviceCase *self, const TallAdviceFacts *facts)
{
  const TallAdviceKey *key = tall_advice_choose_key (facts);
  *self = (TallAdviceCase){
    .facts = facts,
    .layout = tall_advice_choose_layout (facts),
    .shape = &key->shape,
    .writes = tall_advice_count_parts (facts->mix, "store") > 0
              || tall_advice_count_parts (facts->mix, "replace") > 0,
    .lists = tall_advice_count_parts (facts->mix, "list") > 0,
  };
  self->gets = self->writes || self->layout->layout->single_row || self->shape->n_tables > 1
               || tall_advice_count_parts (facts->mix, "list") > 0;
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
  GPtrArray *advice = tall_advice_list_new ();
  TallAdviceCase about;
  tall_advice_case_init (&about, facts);
  add_layout (advice, facts, about.layout);
  add_key (advice, facts, tall_advice_choose_key (facts));
  add_index (advice, &about);
  tall_advice_add_tables (advice, &about);
  return advice;
}

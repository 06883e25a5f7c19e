/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advice.h"
#include "bench/orders.h"
#include "bench/summary.h"

#include <string.h>

/* A case, with usual values where a field is 0. */
typedef struct
{
  const char *what;
  const char *mix;
  double rates[2];     /* of blob and record-type; the first ± 1 % */
  double bytes[2];     /* of an order in them */
  double key_rates[2]; /* of hashed and salted */
  double encoded[2];   /* bytes of an order with them, encoded */
  double newest;       /* spread of salted keys, where hashed has 1.2 */
  double noise;        /* of all rates: 0.01 */
  guint n_turns;       /* 5 */
  double packed;       /* of the encoded bytes: the part that GZ leaves */
  double plain;        /* times the encoded bytes, that are not */
  double times[2][2];  /* microseconds of the mix's first two parts in blob and record-type */
  double total;
  guint n_servers;
  guint heap;
  const char *name;    /* the advice that is looked at … */
  guint nth;           /* … of those of this name, from 0 … */
  const char *value;   /* … is this; NULL: there is none … */
  const char *because; /* … and its texts have this; NULL: anything … */
  const char *without; /* … and not this; NULL: nothing is looked for */
} Case;

static const Case cases[] = {
  { "the fastest", .rates = { 100, 50 }, .name = "layout", .value = "blob",
    .because = "the most operations of the mix a second", .without = "tell it from" },
  { "the fastest, the other way round", .rates = { 50, 100 }, .name = "layout",
    .value = "record-type" },
  { "as fast, with fewer bytes", .rates = { 100, 99 }, .bytes = { 900, 800 }, .name = "layout",
    .value = "record-type", .because = "fewer bytes than blob" },
  { "as fast, with more bytes", .rates = { 99, 100 }, .bytes = { 800, 900 }, .name = "layout",
    .value = "blob", .because = "fewer bytes than record-type" },
  { "slower, though not in each turn", .rates = { 100, 90 }, .noise = 0.2, .bytes = { 900, 1 },
    .name = "layout", .value = "blob", .because = "the turns do not tell it from record-type" },
  { "slower in a few turns, with fewer bytes", .rates = { 100, 51 }, .n_turns = 2,
    .bytes = { 900, 800 }, .name = "layout", .value = "record-type",
    .because = "so few turns cannot decide", .without = "in each turn" },
  { "the fastest in a few turns", .rates = { 100, 80 }, .n_turns = 2, .name = "layout",
    .value = "blob", .because = "by chance", .without = "tell it from" },
  { "much slower in a few turns, however few bytes", .rates = { 100, 49 }, .n_turns = 2,
    .bytes = { 900, 1 }, .name = "layout", .value = "blob" },
  { "slower in enough turns", .rates = { 100, 51 }, .n_turns = 3, .bytes = { 900, 800 },
    .name = "layout", .value = "blob" },
  { "slower, however few bytes", .rates = { 100, 94 }, .bytes = { 900, 1 }, .name = "layout",
    .value = "blob" },
  /* 90 % at 10 and 20 µs, 10 % at 30 and 15: equal where s is 10 / 25 of the mix */
  { "where it turns", .mix = "get=90,store=10", .rates = { 100, 50 },
    .times = { { 10, 30 }, { 20, 15 } }, .name = "layout", .value = "blob",
    .because = "more than 40 % store (now 10 %): record-type" },
  { "where nothing turns", .mix = "get=90,store=10", .rates = { 100, 50 },
    .times = { { 10, 15 }, { 20, 30 } }, .name = "layout", .value = "blob",
    .because = "record-type, denormalized or normalized", .without = "more than" },
  { "what is chosen is no other", .rates = { 50, 100 }, .name = "layout", .value = "record-type",
    .because = "orders of another size", .without = "normalized" },
  /* 9.6 % and 9.8 %, which look alike */
  { "where it turns at once", .mix = "get=47,store=5", .rates = { 100, 50 },
    .times = { { 10, 30 }, { 12, 11.6 } }, .name = "layout", .value = "blob",
    .because = "more than 11 % store (now 10 %): record-type" },
  { "where it would have turned", .mix = "get=90,store=10", .rates = { 100, 50 },
    .times = { { 10, 30 }, { 10.2, 15 } }, .name = "layout", .value = "blob",
    .because = "other programs", .without = "more than" },
  { "the usual keys", .name = "key", .value = "hashed" },
  { "shorter keys", .encoded = { 100, 85 }, .name = "key", .value = "salted" },
  { "hardly shorter keys", .encoded = { 100, 95 }, .name = "key", .value = "hashed" },
  { "shorter keys that are slower", .encoded = { 100, 50 }, .key_rates = { 100, 80 }, .name = "key",
    .value = "hashed" },
  { "faster keys, though not in each turn", .key_rates = { 80, 100 }, .noise = 0.2, .name = "key",
    .value = "hashed", .because = "faster in each turn" },
  { "faster keys", .key_rates = { 80, 100 }, .name = "key", .value = "salted",
    .because = "a range of them: raw;", .without = "or salted" },
  { "shorter, faster keys that pile up", .encoded = { 100, 50 }, .key_rates = { 80, 100 },
    .newest = 16, .name = "key", .value = "hashed", .because = "fills regions as evenly" },
  { "shorter, faster keys in a few turns", .encoded = { 100, 50 }, .key_rates = { 50, 100 },
    .n_turns = 2, .name = "key", .value = "hashed", .because = "so few turns cannot decide",
    .without = "no other" },
  { "faster keys in enough turns", .key_rates = { 50, 100 }, .n_turns = 3, .name = "key",
    .value = "salted", .because = "faster in each turn" },
  { "nobody lists", .mix = "get=1", .name = "index", .value = "none",
    .because = "2 instead of 3 calls" },
  { "somebody lists", .mix = "get=9,list=1", .name = "index", .value = "date",
    .because = "1 of the 3 calls" },
  { "somebody lists, and nobody finds", .mix = "list=1", .name = "index", .nth = 1 },
  { "somebody finds", .mix = "find=1", .name = "index", .value = "none", .without = "instead of" },
  { "by numbers", .mix = "find=1", .name = "index", .nth = 1, .value = "number=order_number",
    .because = "1 of the 3 calls" },
  { "by numbers, too", .mix = "find=1,list=1", .name = "index", .nth = 1,
    .value = "number=order_number", .because = "1 call more" },
  { "both have memstores", .mix = "list=1,find=1", .total = 1e9, .n_servers = 4, .heap = 1024,
    .name = "regions", .value = "3", .because = "4 tables" },
  { "a filter for finds", .rates = { 50, 100 }, .mix = "find=1", .name = "bloom", .value = "row" },
  { "few orders", .total = 1000, .n_servers = 1, .name = "regions", .value = "1",
    .because = "bytes on disk are 62.5 KiB:" },
  { "one a server", .total = 1000, .n_servers = 5, .name = "regions", .value = "5" },
  /* 10^9 orders of 64 bytes packed: 59.6 GiB */
  { "by size", .total = 1e9, .n_servers = 1, .name = "regions", .value = "6",
    .because = "59.6 GiB" },
  /* 40 % of 512 MiB: one memstore a server, for blob's two tables */
  { "by memory", .total = 1e9, .n_servers = 4, .heap = 512, .name = "regions", .value = "2",
    .because = "more --servers or --heap: up to 6", .without = "asks for more" },
  { "an index has memstores, too", .mix = "list=1", .total = 1e9, .n_servers = 4, .heap = 1024,
    .name = "regions", .value = "4", .because = "3 tables" },
  { "a filter", .name = "bloom", .value = "row", .total = 1e6,
    .because = "1 row an order with one error in 100 takes 1.14 MiB" },
  { "no filter for scans", .rates = { 50, 100 }, .mix = "get=1", .name = "bloom", .value = "none" },
  { "a filter for stores", .rates = { 50, 100 }, .mix = "get=9,store=1", .name = "bloom",
    .value = "row" },
  { "long keys", .plain = 2, .name = "block-encoding", .value = "fast_diff" },
  { "short keys", .plain = 1.2, .name = "block-encoding", .value = "none", .because = "83 %" },
  { "hardly long keys", .plain = 1.245, .name = "block-encoding", .value = "fast_diff",
    .because = "80 %" },
  { "texts", .packed = 0.5, .name = "compression", .value = "snappy", .because = "50 %" },
  { "noise", .packed = 0.9, .name = "compression", .value = "none" },
  { "small rows", .name = "block-size", .value = "65536", .because = "one block" },
  { "one family", .name = "families", .value = "1" },
};

static double
or_usual (double value, double usual)
{
  return value > 0 ? value : usual;
}

static TallSpread
make_rate (const Case *self, double median)
{
  double noise = or_usual (self->noise, 0.01);
  return (TallSpread){ median, (1 - noise) * median, (1 + noise) * median,
                       self->n_turns > 0 ? self->n_turns : 5 };
}

static TallShape
make_shape (const Case *self, double encoded)
{
  return (TallShape){ .n_orders = 1,
                      .n_tables = 1,
                      .rows = 1,
                      .cells = 3,
                      .get_calls = 1,
                      .put_calls = 3,
                      .bytes = encoded * or_usual (self->plain, 1.5),
                      .key_bytes = 10,
                      .encoded = encoded,
                      .packed = encoded * or_usual (self->packed, 0.64),
                      .largest_row = 500 };
}

static void
fill_layouts (const Case *self, TallMeasured *layouts)
{
  static const TallLayout *const of[] = { &tall_layout_blob, &tall_layout_record_type };
  for (guint i = 0; i < 2; i++)
    {
      layouts[i] =
          (TallMeasured){ .layout = of[i],
                          .shape = make_shape (self, 100),
                          .rate = make_rate (self, or_usual (self->rates[i], 100 - 20 * i)) };
      layouts[i].shape.bytes = or_usual (self->bytes[i], 500);
      for (guint k = 0; k < 2; k++)
        layouts[i].times[k] = self->times[i][k] / 1e6;
    }
}

static void
fill_keys (const Case *self, TallMeasured *keys)
{
  static const TallKeyStrategy *const of[] = { &tall_key_hashed, &tall_key_salted };
  for (guint i = 0; i < 2; i++)
    keys[i] = (TallMeasured){ .key_strategy = of[i],
                              .shape = make_shape (self, or_usual (self->encoded[i], 100)),
                              .rate = make_rate (self, or_usual (self->key_rates[i], 100)),
                              .spread = { 1.2, i > 0 ? or_usual (self->newest, 1.2) : 1.2, 32 } };
}

static const TallAdvice *
find_nth (const GPtrArray *advice, const char *name, guint n)
{
  for (guint i = 0; i < advice->len; i++)
    if (g_str_equal (((const TallAdvice *)advice->pdata[i])->name, name) && n-- == 0)
      return advice->pdata[i];
  return NULL;
}

static void
test_case (gconstpointer data)
{
  const Case *self = data;
  TallMeasured layouts[2];
  TallMeasured keys[2];
  TallBenchMix mix = { .n_parts = 0 };
  g_assert_true (tall_bench_mix_parse (&mix, self->mix != NULL ? self->mix : "get=1", NULL));
  fill_layouts (self, layouts);
  fill_keys (self, keys);
  const TallAdviceFacts facts = {
    .layouts = layouts,
    .n_layouts = 2,
    .keys = keys,
    .n_keys = 2,
    .mix = &mix,
    .total = or_usual (self->total, 1000),
    .n_servers = self->n_servers > 0 ? self->n_servers : 3,
    .heap = self->heap > 0 ? self->heap : 8192,
  };
  g_autoptr (GPtrArray) advice = tall_advise (&facts);
  const TallAdvice *found = find_nth (advice, self->name, self->nth);
  g_assert_cmpstr (found != NULL ? found->value : NULL, ==, self->value);
  if (found == NULL)
    return;
  g_autofree char *texts = g_strjoin ("\n", found->reason, found->overturned, NULL);
  if (self->because != NULL && strstr (texts, self->because) == NULL)
    g_error ("%s\nhas no “%s”", texts, self->because);
  if (self->without != NULL && strstr (texts, self->without) != NULL)
    g_error ("%s\nhas “%s”", texts, self->without);
  g_assert_null (tall_advice_find (advice, "taste"));
}

/* Orders of a sample: @n_customers customers with @each orders of one line. */
static GPtrArray *
make_orders (guint n_customers, guint each)
{
  GPtrArray *orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  const TallWorkload workload = { .prefix = "", .n_lines = 1 };
  for (guint i = 0; i < n_customers * each; i++)
    {
      TallOrder *order = tall_workload_make_order (&workload, i);
      order->customer_number =
          tall_arena_printf (tall_order_get_arena (order), "C%u", i % n_customers);
      g_ptr_array_add (orders, order);
    }
  return orders;
}

static guint
count_customers (const GPtrArray *orders)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < orders->len; i++)
    g_hash_table_add (seen, ((TallOrder *)g_ptr_array_index (orders, i))->customer_number);
  return g_hash_table_size (seen);
}

/* Within its bounds a sample has whole customers; where there are too few of them, single orders.
 */
static void
test_sample (void)
{
  g_autoptr (GPtrArray) many = make_orders (500, 4);
  g_autoptr (GPtrArray) all = tall_bench_sample (many, 2000, 2000);
  g_assert_cmpuint (all->len, ==, 2000);
  g_autoptr (GPtrArray) some = tall_bench_sample (many, 400, 2000);
  g_assert_cmpuint (some->len, <=, 400);
  g_assert_cmpuint (some->len, >=, 100);
  g_assert_cmpuint (some->len, ==, 4 * count_customers (some));
  g_autoptr (GPtrArray) again = tall_bench_sample (many, 400, 2000);
  g_assert_cmpmem (again->pdata, again->len * sizeof (gpointer), some->pdata,
                   some->len * sizeof (gpointer));
  g_autoptr (GPtrArray) by_lines = tall_bench_sample (many, 2000, 400);
  g_assert_cmpmem (by_lines->pdata, by_lines->len * sizeof (gpointer), some->pdata,
                   some->len * sizeof (gpointer));

  g_autoptr (GPtrArray) one = make_orders (1, 100);
  g_autoptr (GPtrArray) few = tall_bench_sample (one, 10, 2000);
  g_assert_cmpuint (few->len, ==, 10);
  g_autoptr (GPtrArray) large = tall_bench_sample (one, 10, 0);
  g_assert_cmpuint (large->len, ==, 1);
}

/* What can be counted by hand. */
static void
test_shape (void)
{
  g_autoptr (GError) error = NULL;
  TallShape blob, lines;
  const TallWorkload workload = { .prefix = "", .n_lines = 20 };
  g_autoptr (GPtrArray) orders = tall_workload_make_orders (&workload, 0, 5);
  gboolean ok =
      tall_shape_measure (&blob, &tall_layout_blob, &tall_key_hashed, orders, &error)
      && tall_shape_measure (&lines, &tall_layout_normalized, &tall_key_hashed, orders, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  g_assert_cmpfloat (blob.rows, ==, 1);
  g_assert_cmpfloat (blob.cells, ==, 3);
  g_assert_cmpuint (blob.n_tables, ==, 1);
  g_assert_cmpfloat (blob.put_calls, ==, 2);
  /* 20 bytes that each cell has, key, family, and `s`, `summary` or `order` */
  g_assert_cmpfloat (blob.key_bytes, ==, 3 * (20 + 32 + 1) + 1 + 7 + 5);
  g_assert_cmpuint (blob.largest_row, >=, (guint)blob.bytes);
  g_assert_cmpfloat (lines.rows, ==, 22);
  g_assert_cmpuint (lines.n_tables, ==, 3);
  g_assert_cmpfloat (lines.get_calls, ==, 3);
  /* Keys repeat in the cells of a row, and values are much alike in lines. */
  g_assert_cmpfloat (lines.key_bytes, >, lines.bytes / 2);
  g_assert_cmpfloat (lines.encoded, <, lines.bytes / 2);
  g_assert_cmpfloat (lines.packed, <, lines.encoded);
  g_assert_cmpfloat (blob.encoded, >, blob.bytes - blob.key_bytes);
}

/* Numbers that rise pile up at the end with raw keys, and nowhere with hashed ones. */
static void
test_spread (void)
{
  TallKeySpread raw, hashed;
  const TallWorkload workload = { .prefix = "", .n_lines = 1 };
  g_autoptr (GPtrArray) orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  for (guint i = 0; i < 2000; i++)
    {
      TallOrder *order = tall_workload_make_order (&workload, i);
      order->customer_number = tall_arena_printf (tall_order_get_arena (order), "%06u", 100000 + i);
      order->has_sales_date = TRUE;
      /* the oldest are from everywhere */
      order->sales_date = i < 1800 ? i * 7919 % 1800 : i;
      g_ptr_array_add (orders, order);
    }
  tall_key_spread_measure (&raw, &tall_key_raw, orders, 8);
  tall_key_spread_measure (&hashed, &tall_key_hashed, orders, 8);
  g_assert_cmpfloat (raw.all, <, 1.1);
  g_assert_cmpfloat (raw.newest, ==, 8);
  g_assert_cmpfloat (hashed.all, <, 1.5);
  g_assert_cmpfloat (hashed.newest, <, 2);
  g_assert_cmpfloat (hashed.key_bytes, ==, 32);
  g_ptr_array_set_size (orders, 3);
  tall_key_spread_measure (&raw, &tall_key_raw, orders, 8); /* three do not make eight regions */
  g_assert_cmpfloat (raw.all, ==, 8);
  g_assert_cmpfloat (raw.newest, ==, 8);
  g_assert_cmpfloat (raw.key_bytes, >, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/bench/advice/%s/%s", cases[i].name, cases[i].what);
      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/bench/advice/sample", test_sample);
  g_test_add_func ("/bench/advice/shape", test_shape);
  g_test_add_func ("/bench/advice/spread", test_spread);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "key/strategy.h"
#include "tall-test-orders.h"

/* Tests where tables are split: every region gets orders, and none gets more than its share. */

#define N_ORDERS 10000

static GPtrArray *
make_splits (const TallKeyStrategy *strategy, guint n_regions, const char *const *sample)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *splits = tall_key_strategy_make_splits (strategy, n_regions, sample, &error);
  g_assert_no_error (error);
  g_assert_nonnull (splits);
  return splits;
}

/* The split points in hex, with spaces between them. */
static char *
print_splits (const GPtrArray *splits)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < splits->len; i++)
    {
      g_autofree char *hex = tall_slice_to_hex (tall_slice_array (splits->pdata[i]));
      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", hex);
    }
  return g_string_free (text, FALSE);
}

static void
test_golden (void)
{
  static const struct
  {
    const TallKeyStrategy *strategy;
    guint n_regions;
    const char *hex;
  } cases[] = {
    { &tall_key_hashed, 1, "" },
    { &tall_key_hashed, 2, "80" },
    { &tall_key_hashed, 3, "55555555 aaaaaaaa" },
    { &tall_key_hashed, 4, "40 80 c0" },
    { &tall_key_numeric, 2, "80" },
    { &tall_key_numeric, 5, "33333333 66666666 99999999 cccccccc" },
    { &tall_key_salted, 2, "80" },
    { &tall_key_salted, 3, "55 aa" },
    { &tall_key_salted, 7, "24 49 6d 92 b6 db" },
    { &tall_key_reversed, 2, "35" },                                /* 5 */
    { &tall_key_reversed, 3, "3333333333333333 3636363636363636" }, /* 33333333 66666666 */
    { &tall_key_reversed, 4, "3235 35 3735" },                      /* 25 5 75 */
    { &tall_key_reversed, 10, "31 32 33 34 35 36 37 38 39" },       /* 1 … 9 */
    { &tall_key_raw, 1, "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) splits = make_splits (cases[i].strategy, cases[i].n_regions, NULL);
      g_autofree char *hex = print_splits (splits);
      g_assert_cmpstr (hex, ==, cases[i].hex);
    }
}

static void
assert_ascending (const GPtrArray *splits)
{
  for (guint i = 0; i < splits->len; i++)
    {
      g_assert_cmpuint (((const GByteArray *)splits->pdata[i])->len, >, 0);
      if (i > 0)
        g_assert_cmpint (tall_slice_compare (tall_slice_array (splits->pdata[i - 1]),
                                             tall_slice_array (splits->pdata[i])),
                         <, 0);
    }
}

static void
test_every_count (gconstpointer data)
{
  const TallKeyStrategy *strategy = data;
  guint most = strategy == &tall_key_salted ? 256 : TALL_MAX_REGIONS;
  for (guint n = 1; n <= most; n = n < 300 ? n + 1 : n * 2 - n / 3)
    {
      g_autoptr (GPtrArray) splits = make_splits (strategy, n, NULL);
      g_assert_cmpuint (splits->len, ==, n - 1);
      assert_ascending (splits);
    }
  g_autoptr (GPtrArray) splits = make_splits (strategy, most, NULL);
  g_assert_cmpuint (splits->len, ==, most - 1);
  assert_ascending (splits);
}

/* The region that a key lies in: as many splits as are not above it. */
static guint
find_region (const GPtrArray *splits, TallSlice key)
{
  guint first = 0, last = splits->len;
  while (first < last)
    {
      guint middle = (first + last) / 2;
      if (tall_slice_compare (tall_slice_array (splits->pdata[middle]), key) <= 0)
        first = middle + 1;
      else
        last = middle;
    }
  return first;
}

typedef void (*NameCustomer) (guint i, char name[32]);

static void
name_by_number (guint i, char name[32])
{
  g_snprintf (name, 32, "%u", 1 + i);
}

static void
name_by_fixed_width (guint i, char name[32])
{
  g_snprintf (name, 32, "%06u", 424242 + i);
}

static void
name_with_letter (guint i, char name[32])
{
  g_snprintf (name, 32, "C-%u", 10000 + i);
}

static const NameCustomer names[] = { name_by_number, name_by_fixed_width, name_with_letter };

static void
append_part (const TallKeyStrategy *strategy, NameCustomer name, guint customer, GByteArray *key)
{
  char number[32];
  name (customer, number);
  strategy->append_customer (number, strategy->needs_id ? customer + 1 : 0, key);
}

/* Sequential customers, with 1 or 4 orders each. */
static void
assert_spread (const TallKeyStrategy *strategy,
               const GPtrArray *splits,
               NameCustomer name,
               guint orders_each)
{
  guint n_regions = splits->len + 1;
  g_autofree guint *counts = g_new0 (guint, n_regions);
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autoptr (GByteArray) key = g_byte_array_new ();
      append_part (strategy, name, i / orders_each, key);
      strategy->append_order ("1", key);
      counts[find_region (splits, tall_slice_array (key))]++;
    }
  for (guint i = 0; i < n_regions; i++)
    {
      g_assert_cmpuint (counts[i], >, 0);
      g_assert_cmpuint (counts[i], <=, 2 * N_ORDERS / n_regions);
    }
}

static void
test_spread (gconstpointer data)
{
  static const guint counts[] = { 2, 3, 4, 7, 10, 16, 31, 64, 100, 128 };
  const TallKeyStrategy *strategy = data;
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autoptr (GPtrArray) splits = make_splits (strategy, counts[i], NULL);
      for (guint j = 0; j < G_N_ELEMENTS (names); j++)
        {
          assert_spread (strategy, splits, names[j], 1);
          if (counts[i] <= 31)
            assert_spread (strategy, splits, names[j], 4);
        }
    }
}

/* If the number of regions is a power of two, as many customers are enough to reach all of them. */
static void
test_few_ids (void)
{
  for (guint n = 2; n <= TALL_MAX_REGIONS; n *= 2)
    {
      g_autoptr (GPtrArray) splits = make_splits (&tall_key_numeric, n, NULL);
      g_autoptr (GHashTable) reached = g_hash_table_new (NULL, NULL);
      for (guint64 id = 1; id <= n; id++)
        {
          g_autoptr (GByteArray) key = g_byte_array_new ();
          tall_key_numeric.append_customer ("?", id, key);
          guint region = find_region (splits, tall_slice_array (key));
          g_assert_true (g_hash_table_add (reached, GUINT_TO_POINTER (region)));
        }
      g_assert_cmpuint (g_hash_table_size (reached), ==, n);
    }
}

/* A split that begins with a whole customer part would lie among the customer's rows. */
static void
assert_splits_no_customer (const TallKeyStrategy *strategy,
                           const GPtrArray *splits,
                           const char *number,
                           guint64 id)
{
  g_autoptr (GByteArray) key = g_byte_array_new ();
  strategy->append_customer (number, id, key);
  TallSlice part = tall_slice_array (key);
  for (guint i = 0; i < splits->len; i++)
    {
      TallSlice split = tall_slice_array (splits->pdata[i]);
      g_assert_false (split.len > part.len && tall_slice_has_prefix (split, part));
    }
}

static void
test_customers_stay_whole (gconstpointer data)
{
  const TallKeyStrategy *strategy = data;
  static const char *const numbers[] = { "1", "3", "33", "333", "3333333", "33333333", "5", "05" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  static const guint counts[] = { 2, 3, 7, 100, 256 };
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autoptr (GPtrArray) splits = make_splits (strategy, counts[i], NULL);
      for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
        assert_splits_no_customer (strategy, splits, numbers[j], j + 1);
      for (guint j = 0; j < 200; j++)
        assert_splits_no_customer (strategy, splits, tall_test_random_number (rand, arena),
                                   g_rand_int (rand));
    }
}

/* A third of the orders above, drawn at random: every third or every tenth of sequential numbers
 * would misrepresent reversed keys. */
static GStrv
make_sample (NameCustomer name)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  GStrvBuilder *builder = g_strv_builder_new ();
  for (guint i = 0; i < N_ORDERS; i++)
    {
      if (g_rand_int_range (rand, 0, 3) > 0)
        continue;
      char number[32];
      name (i, number);
      g_strv_builder_add (builder, number);
    }
  GStrv sample = g_strv_builder_end (builder);
  g_strv_builder_unref (builder);
  return sample;
}

static void
test_sample (gconstpointer data)
{
  const TallKeyStrategy *strategy = data;
  static const guint counts[] = { 2, 3, 16, 100, 300 };
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (names); j++)
      {
        g_auto (GStrv) sample = make_sample (names[j]);
        g_autoptr (GPtrArray) splits =
            make_splits (strategy, counts[i], (const char *const *)sample);
        g_assert_cmpuint (splits->len, ==, counts[i] - 1);
        assert_ascending (splits);
        if (counts[i] <= 100)
          assert_spread (strategy, splits, names[j], 1);
      }
}

/* Customers with more orders take more of the regions; a customer alone in a region stays so. */
static void
test_sample_weights (void)
{
  static const struct
  {
    const char *sample[12];
    guint n_regions;
    const char *splits;
  } cases[] = {
    { { "A", "B", "C", "D" }, 2, "4300" },
    { { "D", "C", "B", "A" }, 4, "4200 4300 4400" },
    { { "A", "A", "A", "A", "A", "B", "C", "D" }, 2, "4200" },
    { { "A", "A", "A", "A", "A", "B", "C", "D" }, 4, "4200 4300 4400" },
    { { "A", "B", "C", "D", "D", "D", "D", "D" }, 2, "4400" },
    { { "A", "B", "C", "D", "D", "D", "D", "D" }, 3, "4300 4400" },
    { { "A", "B", "C", "D", "D", "D", "D", "D" }, 4, "4200 4300 4400" },
    { { "é", "z", "é", "z" }, 2, "c3a900" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) splits =
          make_splits (&tall_key_raw, cases[i].n_regions, cases[i].sample);
      g_autofree char *hex = print_splits (splits);
      g_assert_cmpstr (hex, ==, cases[i].splits);
    }
}

static void
assert_refused (const TallKeyStrategy *strategy,
                guint n_regions,
                const char *const *sample,
                const char *field,
                const char *what)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (tall_key_strategy_make_splits (strategy, n_regions, sample, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, field);
  g_assert_nonnull (strstr (error->message, what));
}

static void
test_refused (void)
{
  static const char *const two[] = { "A", "B", "A", "B", NULL };
  static const char *const bad[] = { "A", "B", "\n", NULL };
  static const char *const none[] = { NULL };
  guint n;
  const TallKeyStrategy *const *all = tall_key_strategies (&n);
  for (guint i = 0; i < n; i++)
    {
      assert_refused (all[i], 0, two, "regions", "0 regions: choose 1 to 4096");
      assert_refused (all[i], TALL_MAX_REGIONS + 1, two, "regions", "4097 regions: choose 1");
      assert_refused (all[i], G_MAXUINT, NULL, "regions", "choose 1 to 4096");
    }

  assert_refused (&tall_key_raw, 2, NULL, "regions", "give a sample of the input");
  assert_refused (&tall_key_raw, 3, two, "sample", "3 regions, but the sample has 2 different");
  assert_refused (&tall_key_raw, 2, none, "sample", "0 different customers");
  assert_refused (&tall_key_raw, 2, bad, "sample", "");
  assert_refused (&tall_key_salted, 257, NULL, "regions", "salted keys have 256 buckets");
  assert_refused (&tall_key_salted, 257, two, "sample", "257 regions, but the sample has 2");
  assert_refused (&tall_key_reversed, 3, two, "sample", "3 regions, but the sample has 2");
}

static void
add (const TallKeyStrategy *strategy, const char *name, GTestDataFunc function)
{
  g_autofree char *path = g_strdup_printf ("/key/splits/%s/%s", name, strategy->name);
  g_test_add_data_func (path, strategy, function);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key/splits/golden", test_golden);
  guint n;
  const TallKeyStrategy *const *all = tall_key_strategies (&n);
  for (guint i = 0; i < n; i++)
    {
      if (all[i] == &tall_key_raw) /* it needs a sample */
        continue;
      add (all[i], "every-count", test_every_count);
      add (all[i], "spread", test_spread);
      add (all[i], "customers-stay-whole", test_customers_stay_whole);
    }
  g_test_add_func ("/key/splits/few-ids", test_few_ids);
  add (&tall_key_raw, "sample", test_sample);
  add (&tall_key_reversed, "sample", test_sample);
  add (&tall_key_salted, "sample", test_sample);
  g_test_add_func ("/key/splits/sample-weights", test_sample_weights);
  g_test_add_func ("/key/splits/refused", test_refused);
  return g_test_run ();
}

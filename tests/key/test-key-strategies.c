/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "key/strategy.h"
#include "tall-must.h"
#include "tall-test-orders.h"

/* What every strategy in the list must do. */

#define N_RANDOM 400

/* Prefixes of each other, neighbours, and the longest numbers. */
static const char *const edges[] = {
  "0",    "00",    "000",    "1",          "10",
  "1024", "10248", "10249",  "1025",       "A",
  "AB",   "ABC",   "AC",     "a",          "~",
  " ",    "  ",    "é",      "éa",         "ÿ",
  "日",   "日本",  "日本語", "\U0010FFFF", "\U0010FFFF\U0010FFFF",
};

/* Different numbers: the edges, one of 128 bytes and its prefix, and random ones. */
static GPtrArray *
make_numbers (GRand *rand, TallArena *arena)
{
  GPtrArray *numbers = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (edges); i++)
    g_ptr_array_add (numbers, tall_arena_strdup (arena, edges[i]));

  g_autofree char *longest = g_strnfill (128, 'z');
  g_ptr_array_add (numbers, tall_arena_strdup (arena, longest));
  g_ptr_array_add (numbers, tall_arena_strndup (arena, longest, 127));

  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < numbers->len; i++)
    g_hash_table_add (seen, numbers->pdata[i]);
  for (guint i = 0; i < N_RANDOM; i++)
    {
      char *number = tall_test_random_number (rand, arena);
      if (g_hash_table_add (seen, number))
        g_ptr_array_add (numbers, number);
    }
  return numbers;
}

typedef void (*AppendPart) (const TallKeyStrategy *strategy,
                            const char *number,
                            guint64 id,
                            GByteArray *key);

static void
append_customer (const TallKeyStrategy *strategy, const char *number, guint64 id, GByteArray *key)
{
  strategy->append_customer (number, id, key);
}

static void
append_order (const TallKeyStrategy *strategy,
              const char *number,
              guint64 id G_GNUC_UNUSED,
              GByteArray *key)
{
  strategy->append_order (number, key);
}

static GPtrArray *
make_parts (const TallKeyStrategy *strategy, AppendPart append, const GPtrArray *numbers)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  for (guint i = 0; i < numbers->len; i++)
    {
      GByteArray *part = g_byte_array_new ();
      append (strategy, numbers->pdata[i], strategy->needs_id ? i + 1 : 0, part);
      g_assert_cmpuint (part->len, >, 0);
      g_ptr_array_add (parts, part);
    }
  return parts;
}

static int
compare_parts (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare (tall_slice_array (*(GByteArray *const *)a),
                             tall_slice_array (*(GByteArray *const *)b));
}

/* In a sorted list, only other extensions of a prefix lie between it and an extension. So comparing
 * neighbours is enough. */
static void
assert_prefix_free (GPtrArray *parts)
{
  g_ptr_array_sort (parts, compare_parts);
  for (guint i = 1; i < parts->len; i++)
    g_assert_false (tall_slice_has_prefix (tall_slice_array (parts->pdata[i]),
                                           tall_slice_array (parts->pdata[i - 1])));
}

static void
test_prefix_free (gconstpointer data)
{
  const TallKeyStrategy *strategy = data;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GPtrArray) numbers = make_numbers (rand, arena);

  g_autoptr (GPtrArray) customers = make_parts (strategy, append_customer, numbers);
  assert_prefix_free (customers);
  g_autoptr (GPtrArray) orders = make_parts (strategy, append_order, numbers);
  assert_prefix_free (orders);
}

/* Measuring finds where appending ended, whatever follows, and never reads beyond the end. */
static void
assert_measured (gssize (*measure) (TallSlice key), const GByteArray *part)
{
  static const guint8 tails[] = { 0x00, 0x01, 'A', 0xff };
  g_assert_cmpint (measure (tall_slice_array (part)), ==, part->len);

  for (guint i = 0; i < G_N_ELEMENTS (tails); i++)
    {
      g_autoptr (GByteArray) longer = g_byte_array_new ();
      tall_bytes_append (longer, tall_slice_array (part));
      tall_bytes_append_u8 (longer, tails[i]);
      g_assert_cmpint (measure (tall_slice_array (longer)), ==, part->len);
    }

  for (gsize len = 0; len < part->len; len++)
    {
      g_autofree guint8 *exact = g_memdup2 (part->data, len);
      g_assert_cmpint (measure (tall_slice (exact, len)), ==, -1);
    }
}

static void
test_measure (gconstpointer data)
{
  const TallKeyStrategy *strategy = data;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  g_autoptr (GPtrArray) numbers = make_numbers (rand, arena);

  g_autoptr (GPtrArray) customers = make_parts (strategy, append_customer, numbers);
  g_autoptr (GPtrArray) orders = make_parts (strategy, append_order, numbers);
  for (guint i = 0; i < numbers->len; i++)
    {
      assert_measured (strategy->measure_customer, customers->pdata[i]);
      assert_measured (strategy->measure_order, orders->pdata[i]);
    }
}

/* For any bytes the result is a length within them, or -1. */
static void
test_measure_damaged (gconstpointer data)
{
  const TallKeyStrategy *strategy = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < 5000; i++)
    {
      gsize len = g_rand_int_range (rand, 0, 200);
      g_autofree guint8 *bytes = g_malloc (len);
      for (gsize j = 0; j < len; j++)
        bytes[j] = g_rand_int_range (rand, 0, i % 2 == 0 ? 256 : 128);

      TallSlice key = tall_slice (bytes, len);
      gssize customer = strategy->measure_customer (key);
      gssize order = strategy->measure_order (key);
      g_assert_true (customer == -1 || (customer > 0 && (gsize)customer <= len));
      g_assert_true (order == -1 || (order > 0 && (gsize)order <= len));
    }
}

static void
test_order_key (gconstpointer data)
{
  const TallKeyStrategy *strategy = data;
  g_autoptr (GByteArray) customer = g_byte_array_new ();
  g_autoptr (GByteArray) order = g_byte_array_new ();
  strategy->append_customer ("VINET", strategy->needs_id ? 7 : 0, customer);
  strategy->append_order ("10248", order);

  g_auto (TallOrderKey) key = { NULL };
  tall_order_key_init (&key, strategy, "VINET", strategy->needs_id ? 7 : 0, "10248");
  g_assert_true (tall_slice_equal (key.customer, tall_slice_array (customer)));
  g_assert_true (tall_slice_equal (key.order, tall_slice_array (order)));
  g_assert_cmpuint (key.whole.len, ==, customer->len + order->len);
  g_assert_true (tall_slice_has_prefix (key.whole, key.customer));

  g_auto (TallOrderKey) alone = { NULL };
  tall_order_key_init (&alone, strategy, "VINET", strategy->needs_id ? 7 : 0, NULL);
  g_assert_true (tall_slice_equal (alone.whole, tall_slice_array (customer)));
  g_assert_cmpuint (alone.order.len, ==, 0);
}

/* A key says which id it was made from. */
static void
test_parse_id (gconstpointer data)
{
  static const guint64 ids[] = { 1, 2, 6, 0x123456789abcdef0, G_MAXINT64 };
  const TallKeyStrategy *strategy = data;
  if (!strategy->needs_id)
    return g_test_skip ("its keys are made from numbers");
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (GByteArray) part = g_byte_array_new ();
      strategy->append_customer ("VINET", ids[i], part);
      g_assert_cmpuint (strategy->parse_id (tall_slice_array (part)), ==, ids[i]);
    }
}

static void
test_find (void)
{
  guint n;
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n);
  g_assert_cmpstr (strategies[0]->name, ==, "hashed");
  g_assert_true (tall_key_strategy_choose (NULL, NULL) == strategies[0]);
  g_assert_true (tall_key_strategy_choose (strategies[n - 1]->name, NULL) == strategies[n - 1]);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      const TallKeyStrategy *found = tall_key_strategy_find (strategies[i]->name, &error);
      g_assert_no_error (error);
      g_assert_true (found == strategies[i]);
      g_assert_nonnull (found->summary);
    }
}

static void
test_find_unknown (void)
{
  static const char *const unknown[] = { "", "Hashed", "hashed ", "md5", NULL };
  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    {
      must_fail (tall_key_strategy_find (unknown[i], &error), TALL_ERROR_INVALID, "hashed, raw");
    }
}

/* A strategy that lacks a slot ends the process at its first use: each slot in a process of its
 * own, also one that is added to the contract later. */
static void
test_missing_slot (gconstpointer data)
{
  gsize offset = GPOINTER_TO_SIZE (data);
  if (g_test_subprocess ())
    {
      TallKeyStrategy broken = tall_key_numeric; /* which has all of them */
      memset ((guint8 *)&broken + offset, 0, sizeof (gpointer));
      tall_key_strategy_check (&broken);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*does not implement every slot of TallKeyStrategy*");
}

static void
add_missing_slots (void)
{
  for (gsize offset = 0; offset < sizeof (TallKeyStrategy); offset += sizeof (gpointer))
    {
      g_autofree char *path = g_strdup_printf ("/key/missing-slot/%" G_GSIZE_FORMAT, offset);
      if (offset != G_STRUCT_OFFSET (TallKeyStrategy, needs_id))
        g_test_add_data_func (path, GSIZE_TO_POINTER (offset), test_missing_slot);
    }
}

static void
add_for_strategy (const TallKeyStrategy *strategy, const char *name, GTestDataFunc function)
{
  g_autofree char *path = g_strdup_printf ("/key/%s/%s", strategy->name, name);
  g_test_add_data_func (path, strategy, function);
}

static void
add_strategy (const TallKeyStrategy *strategy)
{
  add_for_strategy (strategy, "prefix-free", test_prefix_free);
  add_for_strategy (strategy, "measure", test_measure);
  add_for_strategy (strategy, "measure-damaged", test_measure_damaged);
  add_for_strategy (strategy, "order-key", test_order_key);
  add_for_strategy (strategy, "parse-id", test_parse_id);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  guint n;
  gboolean has_numeric = FALSE;
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n);
  for (guint i = 0; i < n; i++)
    {
      add_strategy (strategies[i]);
      has_numeric = has_numeric || strategies[i] == &tall_key_numeric;
    }
  if (!has_numeric) /* it is tested in any case */
    add_strategy (&tall_key_numeric);
  add_missing_slots ();
  g_test_add_func ("/key/find", test_find);
  g_test_add_func ("/key/find-unknown", test_find_unknown);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/forwarding-table.h"
#include "table/memory-table.h"
#include "tall-bytes.h"
#include "tall-error.h"
#include "tall-must.h"

/* Where reading goes on behind rows that cannot be read. */

#define NAME "orders"
#define N_ROWS 200
#define N_TABLES 40
#define MOST_PROBES (2 * 8 * 256 + 9)

/* A table some of whose rows cannot be read. */
#define TEST_TYPE_TABLE (test_table_get_type ())
G_DECLARE_FINAL_TYPE (TestTable, test_table, TEST, TABLE, TallForwardingTable)

struct _TestTable
{
  TallForwardingTable parent_instance;
  GByteArray *keys[N_ROWS]; /* ascending */
  gboolean damaged[N_ROWS];
  guint n_reads;
  guint fails_at; /* the read that ends with another error; 0: none */
};

G_DEFINE_FINAL_TYPE (TestTable, test_table, TALL_TYPE_FORWARDING_TABLE)

static TallReadResult *
read_unless_damaged (TallTable *base, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  TestTable *self = TEST_TABLE (base);
  if (++self->n_reads == self->fails_at)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "gone");
      return NULL;
    }
  TallReadResult *result =
      tall_table_read (tall_forwarding_table_get_table (TALL_FORWARDING_TABLE (base)), plan,
                       deadline, error);
  const TallRows *rows = &result->results[0];
  for (guint i = 0; i < rows->n_rows; i++)
    for (guint j = 0; j < N_ROWS; j++)
      if (self->damaged[j]
          && tall_slice_equal (rows->rows[i].key, tall_slice_array (self->keys[j])))
        {
          tall_read_result_free (result);
          g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "row %u", j);
          return NULL;
        }
  return result;
}

static void
test_table_finalize (GObject *object)
{
  for (guint i = 0; i < N_ROWS; i++)
    g_byte_array_unref (TEST_TABLE (object)->keys[i]);
  G_OBJECT_CLASS (test_table_parent_class)->finalize (object);
}

static void
test_table_class_init (TestTableClass *klass)
{
  TALL_TABLE_CLASS (klass)->read = read_unless_damaged;
  G_OBJECT_CLASS (klass)->finalize = test_table_finalize;
}

static void
test_table_init (TestTable *self G_GNUC_UNUSED)
{
}

static gint
compare_keys (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare (tall_slice_array (*(GByteArray *const *)a),
                             tall_slice_array (*(GByteArray *const *)b));
}

/* Keys of any bytes, among them the least and the greatest, some of which begin others. */
static GByteArray *
make_key (GRand *random, guint i, const GByteArray *before)
{
  GByteArray *key = g_byte_array_new ();
  gboolean goes_on = i % 3 == 1 && before->len < 30;
  if (goes_on)
    tall_bytes_set (key, tall_slice_array (before));
  for (gint n = g_rand_int_range (random, 1, goes_on ? 4 : 17); n > 0; n--)
    tall_bytes_append_u8 (key, (guint8)(i % 7 == 0 ? 0xff : g_rand_int_range (random, 0, 256)));
  tall_bytes_append_u8 (key, (guint8)(i + 1)); /* no two are equal */
  return key;
}

static TestTable *
make_table (GRand *random)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (NAME);
  TestTable *self = g_object_new (TEST_TYPE_TABLE, NULL);
  for (guint i = 0; i < N_ROWS; i++)
    self->keys[i] = make_key (random, i, i == 0 ? NULL : self->keys[i - 1]);
  qsort (self->keys, N_ROWS, sizeof *self->keys, compare_keys);
  g_assert_true (tall_table_create_table (memory, spec, TALL_NO_DEADLINE, NULL));
  for (guint i = 0; i < N_ROWS; i++)
    {
      g_autoptr (TallBatch) batch = tall_batch_new ();
      TallMutation *mutation = tall_batch_add (batch, NAME, tall_slice_array (self->keys[i]));
      tall_mutation_put (batch, mutation, tall_slice_str ("s"), 5, tall_slice_str ("v"));
      g_assert_true (tall_table_apply (memory, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, NULL));
    }
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (self), memory);
  return self;
}

static void
damage (TestTable *self, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    self->damaged[i] = TRUE;
}

/* The first row that a scan from @next on finds; N_ROWS if it finds none. */
static guint
find_first (const TestTable *self, const GByteArray *next)
{
  guint i = 0;
  while (i < N_ROWS && (next->len == 0 || compare_keys (&self->keys[i], &next) < 0))
    i++;
  return i;
}

static gboolean
find (TestTable *self, guint from, TallSlice stop, GByteArray *next, GError **error)
{
  g_autoptr (GByteArray) start = g_byte_array_new ();
  if (from > 0)
    tall_bytes_set_after (start, tall_slice_array (self->keys[from - 1]));
  self->n_reads = 0;
  g_auto (TallGap) gap = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, NAME, tall_slice_array (start), stop)->limit = 16;
  g_autoptr (TallReadResult) result =
      tall_table_scan_past (TALL_TABLE (self), plan, TALL_NO_DEADLINE, &gap, error);
  g_assert_cmpuint (self->n_reads, <=, MOST_PROBES);
  if (result != NULL)
    tall_bytes_set (next, result->results[0].rows[0].key);
  else if (gap.cause != NULL)
    tall_bytes_set (next, tall_slice_array (gap.next));
  return result != NULL || gap.cause != NULL;
}

static void
test_one_place (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  for (guint i = 0; i < N_TABLES; i++)
    {
      g_autoptr (TestTable) self = make_table (random);
      g_autoptr (GByteArray) next = g_byte_array_new ();
      guint from = (guint)g_rand_int_range (random, 0, N_ROWS);
      guint to = i % 5 == 0 ? N_ROWS : (guint)g_rand_int_range (random, (gint)from + 1, N_ROWS + 1);
      damage (self, from, to);
      must (find (self, from, (TallSlice)TALL_SLICE_INIT, next, &error));
      g_assert_cmpuint (find_first (self, next), ==, to);
      g_assert_true (next->len > 0 || to == N_ROWS);
    }
}

/* Up to a row that is not wanted any more, which may lie in the middle of the damage. */
static void
test_stop (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (2);
  for (guint i = 0; i < N_TABLES; i++)
    {
      g_autoptr (TestTable) self = make_table (random);
      g_autoptr (GByteArray) next = g_byte_array_new ();
      guint from = (guint)g_rand_int_range (random, 0, N_ROWS - 20);
      guint to = from + (guint)g_rand_int_range (random, 1, 15);
      guint stop = from + (guint)g_rand_int_range (random, 1, 19);
      damage (self, from, to);
      must (find (self, from, tall_slice_array (self->keys[stop]), next, &error));
      if (stop > to)
        g_assert_cmpuint (find_first (self, next), ==, to);
      else if (next->len > 0) /* a place behind the last damaged row before it */
        g_assert_cmpuint (find_first (self, next), ==, stop);
    }
}

/* Whoever goes on from place to place comes to the end, past each damaged row once. */
static void
test_many_places (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  for (guint i = 0; i < N_TABLES; i++)
    {
      g_autoptr (TestTable) self = make_table (random);
      g_autoptr (GByteArray) next = g_byte_array_new ();
      for (guint n = 0; n < 5; n++)
        {
          guint from = (guint)g_rand_int_range (random, 0, N_ROWS);
          guint n_rows = (guint)g_rand_int_range (random, 1, 9);
          damage (self, from, MIN (from + n_rows, N_ROWS));
        }
      for (guint at = 0; at < N_ROWS;)
        {
          if (!self->damaged[at])
            {
              at++;
              continue;
            }
          must (find (self, at, (TallSlice)TALL_SLICE_INIT, next, &error));
          guint found = find_first (self, next);
          g_assert_cmpuint (found, >, at);
          g_assert_true (found == N_ROWS || !self->damaged[found]);
          at = found;
        }
    }
}

static void
test_nothing_damaged (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (4);
  g_autoptr (TestTable) self = make_table (random);
  g_autoptr (GByteArray) next = g_byte_array_new ();
  g_assert_true (find (self, 7, (TallSlice)TALL_SLICE_INIT, next, NULL));
  g_assert_cmpuint (find_first (self, next), ==, 7);
  g_assert_cmpuint (self->n_reads, ==, 1);
}

static void
test_other_errors (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  g_autoptr (TestTable) self = make_table (random);
  g_autoptr (GByteArray) next = g_byte_array_new ();
  damage (self, 50, 60);
  g_assert_true (find (self, 50, (TallSlice)TALL_SLICE_INIT, next, NULL));
  for (guint i = self->n_reads; i > 0; i--)
    {
      self->fails_at = i;
      must_fail (find (self, 50, (TallSlice)TALL_SLICE_INIT, next, &error), TALL_ERROR_UNAVAILABLE);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/readable/one-place", test_one_place);
  g_test_add_func ("/table/readable/stop", test_stop);
  g_test_add_func ("/table/readable/many-places", test_many_places);
  g_test_add_func ("/table/readable/nothing-damaged", test_nothing_damaged);
  g_test_add_func ("/table/readable/other-errors", test_other_errors);
  return g_test_run ();
}

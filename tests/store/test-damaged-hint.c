/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A hint that the disk has spoilt keeps nobody from replacing its order, or from deleting it. */
#include "tall-error.h"
#include "store/read/index.h"
#include "table/rocksdb/database.h"
#include "tall-test-cells.h"
#include "tall-test-directory.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define LINES 3
#define TOO_MANY_LINES 300 /* more rows than one step changes */
#define DAY G_GINT64_CONSTANT (86400000)

typedef struct
{
  char *directory;
  TallTestClock clock;
  TallTable *table;
  TallStore *store;
} Fixture;

static void
set_up (Fixture *self, gconstpointer layout)
{
  self->directory = tall_test_directory_new ();
  self->clock = (TallTestClock){ .now = G_GINT64_CONSTANT (1700000000000) };
  self->table = tall_test_open_table (self->directory);
  tall_test_create (self->table, ((const TallLayout *)layout)->name, "hashed", 0);
  self->store = tall_test_open (self->table, &self->clock);
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_clear_object (&self->store);
  g_clear_object (&self->table);
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
}

static void
put (Fixture *self, guint sequence, guint n_lines, gint64 date)
{
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, sequence, n_lines);
  order->has_sales_date = TRUE;
  order->sales_date = date;
  must (tall_front_put_order (TALL_FRONT (self->store), order, NULL, NULL, &error));
}

static guint
get (Fixture *self, GError **error)
{
  guint writer, sequence;
  g_autoptr (TallOrder) order =
      tall_front_get_order (TALL_FRONT (self->store), TALL_TEST_CUSTOMER, "1", NULL, error);
  if (order == NULL)
    return 0;
  tall_test_read_mark (order, &writer, &sequence);
  return sequence;
}

/* It is found by its date. */
static void
expect_listed (Fixture *self, gint64 date)
{
  const TallListOptions options = {
    .has_from = TRUE, .from = date, .has_to = TRUE, .to = date + 1
  };
  g_autoptr (TallOrderList) list = must (
      tall_front_list_orders (TALL_FRONT (self->store), TALL_TEST_CUSTOMER, &options, &error));
  g_assert_cmpuint (list->n_entries, ==, 1);
}

/* Writes what is not a row over the only row of the index. */
static void
spoil_hint (Fixture *self)
{
  char *failure = NULL;
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (self->table);
  g_autoptr (TallReadResult) result = tall_test_scan (self->table, TALL_INDEX_TABLE);
  g_assert_cmpuint (result->results[0].n_rows, ==, 1);
  TallSlice key = result->results[0].rows[0].key;
  TallRocksdbFamily *family =
      must (tall_rocksdb_table_find_family (table, TALL_INDEX_TABLE, &error));
  rocksdb_writeoptions_t *options = rocksdb_writeoptions_create ();
  rocksdb_put_cf (tall_rocksdb_table_get_handle (table), options, family->handle,
                  (const char *)key.data, key.len, "x", 1, &failure);
  g_assert_null (failure);
  rocksdb_writeoptions_destroy (options);
  tall_rocksdb_family_unref (family);
}

static void
test_replace (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  put (self, 1, LINES, DAY);
  spoil_hint (self);
  put (self, 2, LINES, 2 * DAY);
  g_assert_cmpuint (get (self, &error), ==, 2);
  g_assert_no_error (error);
  expect_listed (self, 2 * DAY);
}

/* The same where the order has to be claimed. */
static void
test_replace_long (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  put (self, 1, TOO_MANY_LINES, DAY);
  spoil_hint (self);
  put (self, 2, TOO_MANY_LINES, 2 * DAY);
  expect_listed (self, 2 * DAY);
}

static void
test_delete (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  put (self, 1, LINES, DAY);
  spoil_hint (self);
  must (tall_front_delete_order (TALL_FRONT (self->store), TALL_TEST_CUSTOMER, "1", NULL, &error));
  g_assert_cmpuint (get (self, &error), ==, 0);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
}

static void
test_delete_long (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  put (self, 1, TOO_MANY_LINES, DAY);
  spoil_hint (self);
  must (tall_front_delete_order (TALL_FRONT (self->store), TALL_TEST_CUSTOMER, "1", NULL, &error));
  g_assert_cmpuint (get (self, &error), ==, 0);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
}

/* An erase leaves the hint, and no order. */
static void
test_erase (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const TallEraseRequest request = { .customer_number = TALL_TEST_CUSTOMER };
  g_autoptr (GError) error = NULL;
  put (self, 1, LINES, DAY);
  spoil_hint (self);
  g_autoptr (TallErasePart) part =
      must (tall_front_erase_some (TALL_FRONT (self->store), &request, &error));
  g_assert_cmpuint (part->counts.n_orders, ==, 1);
  g_assert_cmpuint (get (self, &error), ==, 0);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
}

int
main (int argc, char *argv[])
{
  static const struct
  {
    const char *name;
    void (*test) (Fixture *self, gconstpointer layout);
  } tests[] = {
    { "replace", test_replace },
    { "delete", test_delete },
    { "replace-long", test_replace_long },
    { "delete-long", test_delete_long },
    { "erase", test_erase },
  };
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < G_N_ELEMENTS (tests); j++)
      {
        g_autofree char *path =
            g_strdup_printf ("/damaged-hint/%s/%s", layouts[i]->name, tests[j].name);
        g_test_add (path, Fixture, layouts[i], set_up, tests[j].test, tear_down);
      }
  return g_test_run ();
}

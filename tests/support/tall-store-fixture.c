/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-store-fixture.h"

#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-test-cells.h"
#include "tall-test-directory.h"
#include "tall-test-pairs.h"
#include "tall-must.h"

static void
remove_directory (gpointer path)
{
  tall_test_directory_remove (path);
  g_free (path);
}

/**
 * tall_store_fixture_open_table:
 *
 * Returns: (transfer full): another table of this kind, with nothing in it
 */
TallTable *
tall_store_fixture_open_table (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  if (kind->open != NULL)
    return kind->open (kind);
  if (!kind->rocksdb)
    return tall_memory_table_new ();

  char *directory = tall_test_directory_new ();
  g_ptr_array_add (self->directories, directory);
  return tall_test_open_table (directory);
}

static void
set_up (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  self->clock = (TallTestClock){ .now = TALL_TEST_NOW };
  self->directories = g_ptr_array_new_with_free_func (remove_directory);
  self->table = tall_store_fixture_open_table (self, kind);
  tall_test_create (self->table, kind->layout->name, kind->key_strategy->name, 0);
  self->store = tall_test_open (self->table, &self->clock);
  self->front = TALL_FRONT (self->store);
}

static void
close_store (TallStoreFixture *self)
{
  g_clear_object (&self->store);
  g_clear_object (&self->table);
}

static void
tear_down (TallStoreFixture *self, gconstpointer data G_GNUC_UNUSED)
{
  close_store (self);
  g_clear_pointer (&self->directories, g_ptr_array_unref);
}

gint64
tall_fixture_put (TallStoreFixture *self, TallOrder *order, const TallWriteOptions *options)
{
  gint64 revision = 0;
  must (tall_front_put_order (self->front, order, options, &revision, &error));
  return revision;
}

TallOrder *
tall_fixture_get (TallStoreFixture *self, const char *order_number, gint64 *revision)
{
  TallOrder *order =
      must (tall_front_get_order (self->front, TALL_TEST_CUSTOMER, order_number, revision, &error));
  return order;
}

void
tall_fixture_delete (TallStoreFixture *self,
                     const char *order_number,
                     const TallWriteOptions *options)
{
  must (tall_front_delete_order (self->front, TALL_TEST_CUSTOMER, order_number, options, &error));
}

void
tall_fixture_assert_absent (TallStoreFixture *self, const char *order_number)
{
  must_fail (tall_front_get_order (self->front, TALL_TEST_CUSTOMER, order_number, NULL, &error),
             TALL_ERROR_NOT_FOUND);
}

/* Checks that its message begins with @prefix. */
void
tall_fixture_assert_prefix (const GError *error, const char *prefix)
{
  if (!g_str_has_prefix (error->message, prefix))
    g_error ("“%s” does not begin with “%s”", error->message, prefix);
}

/**
 * tall_fixture_write_state_cell:
 * @customer: one that has its id, if it needs one
 * @order_number: (nullable): NULL: the customer's own row
 * @value: anything
 *
 * Writes a state cell that is newer than what is there.
 */
void
tall_fixture_write_state_cell (TallStoreFixture *self,
                               const char *customer,
                               const char *order_number,
                               TallSlice value)
{
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_auto (TallOrderKey) key = { 0 };
  guint64 id;
  must (tall_store_find_id (self->store, customer, &id, &error));
  tall_order_key_init (&key, tall_store_get_key_strategy (self->store), customer, id, order_number);
  const TallLayout *layout = tall_store_get_layout (self->store);
  const char *table =
      order_number != NULL ? layout->locate_order (&key, row) : layout->locate_customer (&key, row);
  tall_test_put (self->table, table, tall_slice_array (row),
                 (TallCell){ tall_slice ("s", 1), self->clock.now + 1000, value });
}

guint
tall_fixture_count_cells (TallStoreFixture *self)
{
  guint n = 0;
  for (const TallLayoutTable *table = tall_store_get_layout (self->store)->tables;
       table->name != NULL; table++)
    {
      g_autoptr (TallReadResult) result = tall_test_scan (self->table, table->name);
      for (guint i = 0; i < result->results[0].n_rows; i++)
        n += result->results[0].rows[i].n_cells;
    }
  return n;
}

/**
 * tall_store_fixture_reset:
 * @table: (transfer full): where a deployment is
 *
 * Goes on with another deployment.
 */
void
tall_store_fixture_reset (TallStoreFixture *self,
                          gconstpointer kind G_GNUC_UNUSED,
                          TallTable *table)
{
  close_store (self);
  self->table = table;
  self->store = tall_test_open (table, &self->clock);
  self->front = TALL_FRONT (self->store);
}

/* Layouts with key strategies, on one kind of table and then on the other. */
static const TallStoreKind *
list_kinds (guint *n)
{
  static TallStoreKind *kinds; /* tests keep them */
  guint n_layouts, n_strategies;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);
  guint n_pairs = n_layouts * n_strategies;

  *n = 0;
  if (kinds == NULL)
    kinds = g_new0 (TallStoreKind, 2 * n_pairs);
  for (guint i = 0; i < 2 * n_pairs; i++)
    {
      guint layout = i % n_pairs / n_strategies, strategy = i % n_strategies;
      gboolean rocksdb = i >= n_pairs;
      if (tall_test_takes_pair (layout, n_layouts, strategy, n_strategies, rocksdb))
        kinds[(*n)++] =
            (TallStoreKind){ layouts[layout], strategies[strategy], .rocksdb = rocksdb };
    }
  return kinds;
}

static void
add_tests (const TallStoreKind *kind, const char *group, const TallStoreTest *tests, guint n_tests)
{
  for (guint i = 0; i < n_tests; i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/%s/%s/%s%s/%s", group, kind->layout->name, kind->key_strategy->name,
                           kind->rocksdb ? "/rocksdb" : "", tests[i].name);
      g_test_add (path, TallStoreFixture, kind, set_up, tests[i].test, tear_down);
    }
}

/**
 * tall_store_fixture_add:
 * @group: what the tests are about
 * @tests: @n_tests of them, static
 *
 * Adds the tests for layouts with key strategies, in memory: see tall-test-pairs.h.
 */
void
tall_store_fixture_add (const char *group, const TallStoreTest *tests, guint n_tests)
{
  guint n;
  const TallStoreKind *kinds = list_kinds (&n);
  for (guint i = 0; i < n; i++)
    if (!kinds[i].rocksdb)
      add_tests (&kinds[i], group, tests, n_tests);
}

/**
 * tall_store_fixture_add_everywhere:
 * @group: what the tests are about
 * @tests: @n_tests of them, static
 *
 * Adds the tests for layouts with key strategies, on each table that needs no server.
 */
void
tall_store_fixture_add_everywhere (const char *group, const TallStoreTest *tests, guint n_tests)
{
  guint n;
  const TallStoreKind *kinds = list_kinds (&n);
  for (guint i = 0; i < n; i++)
    add_tests (&kinds[i], group, tests, n_tests);
}

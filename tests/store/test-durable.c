/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What the store has acknowledged is on the disk: the embedded table counts how often it synced its
 * write-ahead log, and every acknowledged write of the store is at least one. */
#include "tall-bulk.h"
#include "table/rocksdb/table.h"
#include "tall-test-directory.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define N_WRITES 20

typedef struct
{
  const char *layout;
  gboolean sync;
} Kind;

static const Kind kinds[] = {
  { "blob", TRUE },
  { "blob", FALSE },
  { "record-type", TRUE },
  { "record-type", FALSE },
};

typedef struct
{
  char *directory;
  TallTable *table;
  TallFront *front;
  gboolean sync;
  guint64 n_syncs; /* after the last write */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  const Kind *kind = data;
  self->directory = tall_test_directory_new ();
  self->sync = kind->sync;
  TallRocksdbOptions options = { .directory = self->directory,
                                 .sync = kind->sync,
                                 .statistics = TRUE };
  self->table = must (tall_rocksdb_table_open (&options, &error));
  tall_test_create (self->table, kind->layout, "hashed", 0);
  self->front = TALL_FRONT (tall_test_open (self->table, NULL));
  self->n_syncs = tall_rocksdb_table_count (TALL_ROCKSDB_TABLE (self->table), "rocksdb.wal.synced");
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_clear_object (&self->front);
  g_clear_object (&self->table);
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
}

/* Nobody else writes, so every sync since the last call is this one's. */
static void
assert_synced (Fixture *self)
{
  guint64 before = self->n_syncs;
  self->n_syncs = tall_rocksdb_table_count (TALL_ROCKSDB_TABLE (self->table), "rocksdb.wal.synced");
  if (self->sync)
    g_assert_cmpuint (self->n_syncs, >, before);
  else
    g_assert_cmpuint (self->n_syncs, ==, before);
}

static void
put_order (Fixture *self, const char *number, guint n_lines)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, number, n_lines);
  must (tall_front_put_order (self->front, order, NULL, NULL, &error));
  assert_synced (self);
}

static void
test_orders (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < N_WRITES; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      put_order (self, number, i % 5); /* new */
      put_order (self, number, 3);     /* in its place */
      must (tall_front_delete_order (self->front, TALL_TEST_CUSTOMER, number, NULL, &error));
      assert_synced (self);
    }
}

static void
test_customers (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < N_WRITES; i++)
    {
      g_autoptr (TallCustomer) customer = tall_test_plain_customer (TALL_TEST_CUSTOMER);
      must (tall_front_put_customer (self->front, customer, NULL, NULL, &error));
      assert_synced (self);
    }
}

static void
load_order (TallBulk *bulk, guint i)
{
  g_autofree char *number = g_strdup_printf ("%u", i);
  g_autoptr (TallOrder) order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, number, i % 5);
  TallBulkResult result = { 0 };
  must (tall_bulk_put_orders (bulk, &order, 1, &result, &error));
  g_assert_no_error (result.error);
  g_assert_cmpint (result.outcome, ==, TALL_BULK_STORED);
}

/* A load promises it when it is asked to. */
static void
test_load (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallBulk) bulk = must (tall_bulk_begin (self->front, NULL, &error));
  for (guint i = 0; i < N_WRITES; i++)
    {
      load_order (bulk, i);
      self->n_syncs =
          tall_rocksdb_table_count (TALL_ROCKSDB_TABLE (self->table), "rocksdb.wal.synced");
      must (tall_bulk_sync (bulk, &error));
      assert_synced (self);
    }
  load_order (bulk, N_WRITES);
  self->n_syncs = tall_rocksdb_table_count (TALL_ROCKSDB_TABLE (self->table), "rocksdb.wal.synced");
  must (tall_bulk_end (bulk, &error));
  assert_synced (self);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const char *sync = kinds[i].sync ? "sync" : "no-sync";
      g_autofree char *orders = g_strdup_printf ("/durable/%s/%s/orders", kinds[i].layout, sync);
      g_autofree char *customers =
          g_strdup_printf ("/durable/%s/%s/customers", kinds[i].layout, sync);
      g_autofree char *load = g_strdup_printf ("/durable/%s/%s/load", kinds[i].layout, sync);
      g_test_add (orders, Fixture, &kinds[i], set_up, test_orders, tear_down);
      g_test_add (customers, Fixture, &kinds[i], set_up, test_customers, tear_down);
      g_test_add (load, Fixture, &kinds[i], set_up, test_load, tear_down);
    }
  return g_test_run ();
}

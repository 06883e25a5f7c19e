/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/deployment.h"
#include "tall-error.h"
#include "tall-failing-table.h"
#include "table/memory-table.h"
#include "tall-test-orders.h"
#include "tall-test-record.h"
#include "tall-must.h"

static gboolean
create (TallTable *table, const TallLayout *layout, GError **error)
{
  TallStoreSettings settings = { .layout = layout, .key_strategy = &tall_key_raw, .ttl = 0 };
  return tall_store_create (table, &settings, error);
}

static TallTable *
new_deployment (void)
{
  TallTable *table = tall_memory_table_new ();
  must (create (table, &tall_layout_record_type, &error));
  return table;
}

static void
assert_opens (TallTable *table, const char *layout, const char *key_strategy)
{
  g_autoptr (TallStore) store = must (tall_store_open (table, layout, key_strategy, NULL, &error));
  g_assert_true (tall_store_get_table (store) == table);
}

/* The message names all of @words. */
static void
assert_refused (TallTable *table,
                const char *layout,
                const char *key_strategy,
                TallError code,
                const char *words)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) all = g_strsplit (words, " ", -1);
  g_assert_null (tall_store_open (table, layout, key_strategy, NULL, &error));
  g_assert_error (error, TALL_ERROR, (gint)code);
  for (guint i = 0; all[i] != NULL; i++)
    if (strstr (error->message, all[i]) == NULL)
      g_error ("“%s” does not say “%s”", error->message, all[i]);
}

static void
test_open (void)
{
  g_autoptr (TallTable) table = new_deployment ();
  assert_opens (table, NULL, NULL);
  assert_opens (table, "record-type", NULL);
  assert_opens (table, NULL, "raw");
  assert_opens (table, "record-type", "raw");
}

static void
test_open_nothing (void)
{
  g_autoptr (TallTable) table = tall_memory_table_new ();
  assert_refused (table, NULL, NULL, TALL_ERROR_NOT_FOUND, "init");

  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("meta");
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
  assert_refused (table, NULL, NULL, TALL_ERROR_NOT_FOUND, "init");
}

static void
test_other_settings (void)
{
  g_autoptr (TallTable) table = new_deployment ();
  assert_refused (table, "blob", NULL, TALL_ERROR_CONFLICT, "layout blob record-type");
  assert_refused (table, "record-type", "hashed", TALL_ERROR_CONFLICT, "key hashed raw");
  assert_refused (table, "nonsense", NULL, TALL_ERROR_CONFLICT, "layout nonsense record-type");
}

static void
test_newer_format (void)
{
  g_autoptr (TallTable) table = new_deployment ();
  tall_test_record_write (table, "format", "4", 0);
  tall_test_record_write (table, "layout", "of a later century", 0);
  assert_refused (table, NULL, NULL, TALL_ERROR_NEWER_VERSION, "3 newer");

  must_fail (create (table, &tall_layout_blob, &error), TALL_ERROR_NEWER_VERSION);
}

static void
test_damaged (void)
{
  static const char *const columns[][2] = {
    { "format", "one" },
    { "format", "-1" },
    { "mode", "sleeping" },
    { "ttl", "1 hour" },
    { "bulk_revision", "0x1" },
    { "layout", "\xff\xfe" },
    { "key_strategy", "" },
    { "index", "by name" },
    { "migration", "1 none" },
    { "format", "2" },
    { "migration", "2 none 0 2 - -" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (TallTable) table = new_deployment ();
      tall_test_record_write (table, columns[i][0], columns[i][1], 0);
      assert_refused (table, NULL, NULL, TALL_ERROR_DAMAGED, columns[i][0]);
    }

  g_autoptr (TallTable) table = new_deployment ();
  tall_test_record_write (table, "index", "by name", 0);
  assert_refused (table, NULL, NULL, TALL_ERROR_DAMAGED, "index “by name” date none");
}

static void
test_record (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_memory_table_new ();
  TallStoreSettings settings = { .layout = &tall_layout_blob,
                                 .key_strategy = &tall_key_hashed,
                                 .ttl = 86400 };
  must (tall_store_create (table, &settings, &error));
  g_autoptr (TallDeployment) record = must (tall_deployment_read (table, TALL_NO_DEADLINE, &error));
  g_assert_cmpstr (record->layout, ==, "blob");
  g_assert_cmpstr (record->key_strategy, ==, "hashed");
  g_assert_cmpuint (record->format, ==, TALL_FORMAT);
  g_assert_cmpuint (record->ttl, ==, 86400);
  g_assert_false (record->read_only);
  g_assert_cmpint (record->bulk_revision, ==, 0);
  g_assert_true (g_uuid_string_is_valid (record->id));

  /* A TTL is for tables of nothing but orders, and all versions are kept of these. */
  g_autoptr (TallTableSpec) orders =
      tall_table_describe_table (table, "orders", TALL_NO_DEADLINE, &error);
  g_autoptr (TallTableSpec) customers =
      tall_table_describe_table (table, "customers", TALL_NO_DEADLINE, &error);
  g_autoptr (TallTableSpec) meta =
      must (tall_table_describe_table (table, "meta", TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (orders->ttl, ==, 86400);
  g_assert_cmpuint (orders->max_versions, ==, 0);
  g_assert_cmpuint (customers->ttl, ==, 0);
  g_assert_cmpuint (meta->max_versions, ==, 1);
}

/* A record as the first version of format 1 wrote it, and its tables: there was no index yet. */
static TallTable *
old_deployment (void)
{
  static const char *const columns[][2] = {
    { "format", "1" },        { "id", "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b" },
    { "layout", "blob" },     { "key_strategy", "hashed" },
    { "ttl", "0" },           { "mode", "normal" },
    { "bulk_revision", "0" },
  };
  static const char *const names[] = { "meta", "customers", "orders" };
  TallTable *table = tall_memory_table_new ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (TallTableSpec) spec = tall_table_spec_new (names[i]);
      must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
    }
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    tall_test_record_write (table, columns[i][0], columns[i][1], 0);
  return table;
}

static void
test_old_record (void)
{
  g_autoptr (TallTable) table = old_deployment ();
  g_autoptr (TallStore) store = must (tall_store_open (table, "blob", "hashed", NULL, &error));
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "1", 1);
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
  g_autoptr (TallOrder) got =
      must (tall_front_get_order (TALL_FRONT (store), "VINET", "1", NULL, &error));
  must_fail (tall_front_list_orders (TALL_FRONT (store), "VINET", NULL, &error),
             TALL_ERROR_UNSUPPORTED);
  g_autoptr (TallDescription) description = must (tall_front_describe (TALL_FRONT (store), &error));
  g_assert_cmpstr (description->index, ==, "none");
}

/* Columns of a record that somebody else has written. */
static TallTable *
new_record (const char *const (*columns)[2], guint n)
{
  TallTable *table = new_deployment ();
  for (guint i = 0; i < n; i++)
    tall_test_record_write (table, columns[i][0], columns[i][1], 0);
  return table;
}

/* A record as it is while a migration is going on. */
static const char *const migrating[][2] = {
  { "migration", "1 copying 2 2 - -" },
  { "next_layout", "wide" },
  { "next_key_strategy", "numeric" },
  { "next_index", "none" },
  { "next_regions", "3" },
  { "next_compression", "-" },
  { "next_bloom_filter", "rowcol" },
  { "next_block_encoding", "-" },
};

static void
test_next (void)
{
  g_autoptr (TallTable) table = new_record (migrating, G_N_ELEMENTS (migrating));
  g_autoptr (TallDeployment) record = must (tall_deployment_read (table, TALL_NO_DEADLINE, &error));
  g_assert_cmpint (record->migration.phase, ==, TALL_MIGRATION_COPYING);
  g_assert_cmpuint (record->format, ==, TALL_FORMAT);
  g_assert_cmpstr (record->layout, ==, "record-type");

  const TallDeployment *next = record->next;
  g_assert_cmpstr (next->id, ==, record->id);
  g_assert_cmpstr (next->layout, ==, "wide");
  g_assert_cmpstr (next->key_strategy, ==, "numeric");
  g_assert_cmpint (next->index, ==, TALL_INDEX_NONE);
  g_assert_cmpuint (next->regions, ==, 3);
  g_assert_null (next->compression);
  g_assert_cmpstr (next->bloom_filter, ==, "rowcol");
  g_assert_null (next->block_encoding);
  g_assert_cmpuint (next->format, ==, TALL_FORMAT_OF_GENERATIONS);
  g_assert_cmpuint (next->migration.generation, ==, 2);
  g_assert_cmpuint (next->migration.last, ==, 2);
  g_assert_cmpint (next->migration.phase, ==, TALL_MIGRATION_NONE);
  g_assert_null (next->next);
  assert_opens (table, "record-type", "raw");
}

/* Each of the next settings has to be there, and to make sense. */
static void
test_damaged_next (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (migrating); i++)
    {
      const char *columns[G_N_ELEMENTS (migrating)][2];
      guint n = 0;
      for (guint j = 0; j < G_N_ELEMENTS (migrating); j++)
        if (j != i)
          {
            columns[n][0] = migrating[j][0];
            columns[n++][1] = migrating[j][1];
          }
      g_autoptr (TallTable) table = new_record ((const char *const(*)[2])columns, n);
      if (i == 0)
        assert_opens (table, "record-type", "raw");
      else
        assert_refused (table, NULL, NULL, TALL_ERROR_DAMAGED, migrating[i][0]);
      tall_test_record_write (table, migrating[i][0], "", 0);
      assert_refused (table, NULL, NULL, TALL_ERROR_DAMAGED, migrating[i][0]);
    }
}

/* A record of format 2, as the switch leaves it. */
static void
test_moved (void)
{
  static const char *const columns[][2] = {
    { "format", "2" },         { "migration", "2 none 0 3 - -" }, { "layout", "wide" },
    { "compression", "-" },    { "bloom_filter", "-" },           { "next_layout", "gone" },
    { "block_encoding", "-" },
  };
  g_autoptr (TallTable) table = new_record (columns, G_N_ELEMENTS (columns));
  g_autoptr (TallDeployment) record = must (tall_deployment_read (table, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (record->format, ==, 2);
  g_assert_cmpuint (record->migration.generation, ==, 2);
  g_assert_cmpstr (record->layout, ==, "wide");
  g_assert_null (record->compression);
  g_assert_null (record->bloom_filter);
  g_assert_null (record->block_encoding);
  g_assert_null (record->next);
}

/* The description shows what it was made with. */
static void
test_describe (void)
{
  g_autoptr (TallTable) table = tall_memory_table_new ();
  TallStoreSettings settings = { .layout = &tall_layout_blob,
                                 .key_strategy = &tall_key_hashed,
                                 .ttl = 86400,
                                 .index = TALL_INDEX_NONE,
                                 .regions = 1,
                                 .compression = "zstd",
                                 .bloom_filter = "row",
                                 .block_encoding = "diff" };
  must (tall_store_create (table, &settings, &error));
  g_autoptr (TallStore) store = must (tall_store_open (table, NULL, NULL, NULL, &error));
  g_autoptr (TallDescription) description = must (tall_front_describe (TALL_FRONT (store), &error));
  g_assert_cmpstr (description->index, ==, "none");
  g_assert_cmpuint (description->ttl, ==, 86400);
  g_assert_cmpuint (description->regions, ==, 1);
  g_assert_cmpstr (description->compression, ==, "zstd");
  g_assert_cmpstr (description->bloom_filter, ==, "row");
  g_assert_cmpstr (description->block_encoding, ==, "diff");
}

static void
test_create_twice (void)
{
  g_autoptr (TallTable) table = new_deployment ();
  must_fail (create (table, &tall_layout_record_type, &error), TALL_ERROR_CONFLICT, "record-type");
  assert_opens (table, "record-type", "raw");
}

static void
test_table_in_use (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = new_deployment ();
  g_autoptr (TallStore) store = tall_store_open (table, NULL, NULL, NULL, &error);
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "1", 1);
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
  must (tall_table_drop_table (table, "meta", TALL_NO_DEADLINE, &error));

  must_fail (create (table, &tall_layout_blob, &error), TALL_ERROR_CONFLICT, "orders");
}

/* Returns whether @call was reached. */
static gboolean
create_with_failure (guint call, TallFailure failure)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_memory_table_new ();
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  TallFailingTable *fails = TALL_FAILING_TABLE (failing);

  tall_failing_table_fail_at (fails, call, failure);
  gboolean created = create (failing, &tall_layout_record_type, &error);
  gboolean reached = tall_failing_table_count_calls (fails) > call;
  g_assert_true (created == (error == NULL));
  if (!created)
    {
      g_autoptr (GError) again = NULL;
      created = create (failing, &tall_layout_blob, &again);
      if (!created)
        g_assert_error (again, TALL_ERROR, TALL_ERROR_CONFLICT);
    }
  tall_failing_table_deliver_late (fails);
  assert_opens (table, NULL, "raw");

  g_clear_error (&error);
  must_fail (create (table, &tall_layout_blob, &error), TALL_ERROR_CONFLICT);
  return reached;
}

/* Every call of `init` fails, in every way; done again, also with another layout, it is there. */
static void
test_cut_short (void)
{
  const TallFailure failures[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_LOST, TALL_FAILURE_LATE,
                                   TALL_FAILURE_FALSE };
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      guint call = 0;
      while (create_with_failure (call, failures[i]))
        call++;
      g_assert_cmpuint (call, >, 3);
    }
}

static void
test_read_only (void)
{
  g_autoptr (TallTable) table = new_deployment ();
  tall_test_record_write (table, "mode", "read-only", 0);
  g_autoptr (TallStore) store = must (tall_store_open (table, NULL, NULL, NULL, &error));
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "1", 1);
  must_fail (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error),
             TALL_ERROR_UNSUPPORTED);
  must_fail (tall_front_delete_order (TALL_FRONT (store), "VINET", "1", NULL, &error),
             TALL_ERROR_UNSUPPORTED);
  must_fail (tall_front_get_order (TALL_FRONT (store), "VINET", "1", NULL, &error),
             TALL_ERROR_NOT_FOUND);
}

static void
assert_writes (TallFront *store, gboolean expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "1", 1);
  g_assert_true (tall_front_put_order (store, order, NULL, NULL, &error) == expected);
  must_be (error, expected ? 0 : TALL_ERROR_UNSUPPORTED);
}

/* After a client has seen a mode, writes obey it, also if it was changed since the store was
 * opened. */
static void
test_mode_is_renewed (void)
{
  g_autoptr (TallTable) table = new_deployment ();
  g_autoptr (TallStore) store = must (tall_store_open (table, NULL, NULL, NULL, &error));
  TallFront *front = TALL_FRONT (store);
  assert_writes (front, TRUE);

  tall_test_record_write (table, "mode", "read-only", 0);
  g_autoptr (TallDescription) description = must (tall_front_describe (front, &error));
  g_assert_true (description->read_only);
  assert_writes (front, FALSE);

  tall_test_record_write (table, "mode", "normal", 0);
  must (tall_front_ping (front, &error));
  assert_writes (front, TRUE);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/deployment/open", test_open);
  g_test_add_func ("/deployment/open-nothing", test_open_nothing);
  g_test_add_func ("/deployment/other-settings", test_other_settings);
  g_test_add_func ("/deployment/newer-format", test_newer_format);
  g_test_add_func ("/deployment/damaged", test_damaged);
  g_test_add_func ("/deployment/record", test_record);
  g_test_add_func ("/deployment/old-record", test_old_record);
  g_test_add_func ("/deployment/next", test_next);
  g_test_add_func ("/deployment/damaged-next", test_damaged_next);
  g_test_add_func ("/deployment/moved", test_moved);
  g_test_add_func ("/deployment/describe", test_describe);
  g_test_add_func ("/deployment/create-twice", test_create_twice);
  g_test_add_func ("/deployment/table-in-use", test_table_in_use);
  g_test_add_func ("/deployment/cut-short", test_cut_short);
  g_test_add_func ("/deployment/read-only", test_read_only);
  g_test_add_func ("/deployment/mode-is-renewed", test_mode_is_renewed);
  return g_test_run ();
}

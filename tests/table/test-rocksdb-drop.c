/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-rocksdb-table.h"
#include "tall-test-directory.h"

static void
create (TallTable *table, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (name);
  gboolean created = tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_true (created);
}

/* Until the table is dropped. */
static gpointer
write_until_dropped (gpointer table)
{
  for (guint i = 0;; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallBatch) batch = tall_batch_new ();
      const char *row = tall_arena_printf (batch->arena, "%u", i);
      TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (row));
      tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str ("y"));
      if (!tall_table_apply (table, &mutation, 1, TALL_DURABLE_LATER, TALL_NO_DEADLINE, NULL,
                             &error))
        {
          g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
          return NULL;
        }
    }
}

static void
drop (TallTable *table, const char *name)
{
  g_autoptr (GError) error = NULL;
  gboolean dropped = tall_table_drop_table (table, name, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_true (dropped);
}

static void
apply_other (TallTable *table)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "other", tall_slice_str ("a"));
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str ("y"));
  g_autoptr (GError) error = NULL;
  gboolean applied =
      tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (applied);
}

/* A table that is dropped beside its writers keeps nobody from writing to others, and from dropping
 * them. */
static void
test_drop_beside_writers (void)
{
  g_autoptr (GError) error = NULL;
  char *directory = tall_test_directory_new ();
  const TallRocksdbOptions options = { .directory = directory, .sync = FALSE };
  g_autoptr (TallTable) table = tall_rocksdb_table_open (&options, &error);
  g_assert_no_error (error);
  for (guint round = 0; round < 3; round++)
    {
      GThread *writers[3];
      create (table, "orders");
      create (table, "other");
      for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
        writers[i] = g_thread_new ("writer", write_until_dropped, table);
      drop (table, "orders");
      for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
        g_thread_join (writers[i]);
      apply_other (table);
      drop (table, "other");
    }
  g_auto (GStrv) names = tall_table_list_tables (table, TALL_NO_DEADLINE, NULL);
  g_assert_cmpuint (g_strv_length (names), ==, 0);
  g_clear_object (&table);
  tall_test_directory_remove (directory);
  g_free (directory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/rocksdb-drop/beside-writers", test_drop_beside_writers);
  return g_test_run ();
}

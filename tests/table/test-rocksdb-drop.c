/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <rocksdb/c.h>
#include <sys/statvfs.h>

#include "tall-error.h"
#include "table/rocksdb/families.h"
#include "table/rocksdb/database.h"
#include "tall-must.h"
#include "tall-test-cells.h"
#include "tall-test-directory.h"

#define WAIT (20 * G_USEC_PER_SEC)
#define N_DROPS 50

#define ROOM (32 * 1024 * 1024)

/* The program's own function comes before that of the C library: the disk is small, so the store's
 * buffers are. */
int
statvfs (const char *path G_GNUC_UNUSED, struct statvfs *info)
{
  *info = (struct statvfs){ .f_bavail = ROOM / 4096, .f_frsize = 4096 };
  return 0;
}

static void
create (TallTable *table, const char *name)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (name);
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
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
      if (!tall_table_apply (table, &mutation, 1, TALL_DURABLE_LATER, TALL_NO_DEADLINE, &error))
        {
          g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
          return NULL;
        }
    }
}

static void
drop (TallTable *table, const char *name)
{
  must (tall_table_drop_table (table, name, TALL_NO_DEADLINE, &error));
}

static void
apply_to (TallTable *table, const char *name)
{
  tall_test_put (table, name, tall_slice_str ("a"),
                 (TallCell){ tall_slice_str ("x"), 1, tall_slice_str ("y") });
}

/* A table that is dropped beside its writers keeps nobody from writing to others, and from dropping
 * them. */
static void
test_drop_beside_writers (void)
{
  char *directory = tall_test_directory_new ();
  const TallRocksdbOptions options = { .directory = directory, .sync = FALSE };
  g_autoptr (TallTable) table = must (tall_rocksdb_table_open (&options, &error));
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
      apply_to (table, "other");
      drop (table, "other");
    }
  g_auto (GStrv) names = tall_table_list_tables (table, TALL_NO_DEADLINE, NULL);
  g_assert_cmpuint (g_strv_length (names), ==, 0);
  g_clear_object (&table);
  tall_test_directory_remove (directory);
  g_free (directory);
}

static TallTable *
open_store (const char *directory)
{
  g_autoptr (GError) error = NULL;
  const TallRocksdbOptions options = { .directory = directory, .sync = FALSE };
  TallTable *table = tall_rocksdb_table_open (&options, &error);
  g_assert_no_error (error);
  return table;
}

/* A thread that drops. */
typedef struct
{
  TallTable *table;
  GMutex mutex;
  GCond cond;
  gboolean done;
} Dropper;

static void
end_drop (Dropper *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->done = TRUE;
  g_cond_signal (&self->cond);
}

static gpointer
drop_orders (gpointer data)
{
  Dropper *self = data;
  drop (self->table, "orders");
  end_drop (self);
  return NULL;
}

static gboolean
wait_for_drop (Dropper *self, gint64 time)
{
  gint64 until = g_get_monotonic_time () + time;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  while (!self->done && g_cond_wait_until (&self->cond, &self->mutex, until))
    ;
  return self->done;
}

static guint64
count_unflushed (TallTable *table, const TallRocksdbFamily *family)
{
  guint64 n = G_MAXUINT64;
  g_assert_cmpint (
      rocksdb_property_int_cf (tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (table)),
                               family->handle, "rocksdb.num-entries-active-mem-table", &n),
      ==, 0);
  return n;
}

static void
set_access (TallTable *table, TallTableAccess access)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (tall_table_set_access (table, "orders", access,
                                        access == TALL_ACCESS_SEALED ? "seal" : NULL,
                                        TALL_NO_DEADLINE, &error));
  g_assert_no_error (error);
}

static void
drop_beside_a_lock (TallTable *table)
{
  Dropper dropper = { .table = table };
  guint stripe = 7, n = 1;
  TallRocksdbStripes *stripes = tall_rocksdb_table_get_stripes (TALL_ROCKSDB_TABLE (table));
  must (tall_rocksdb_stripes_lock (stripes, &stripe, &n, TALL_NO_DEADLINE, &error));
  g_mutex_init (&dropper.mutex);
  g_cond_init (&dropper.cond);
  GThread *thread = g_thread_new ("dropper", drop_orders, &dropper);
  g_assert_true (wait_for_drop (&dropper, WAIT));
  tall_rocksdb_stripes_unlock (stripes, &stripe, n);
  g_thread_join (thread);
  g_mutex_clear (&dropper.mutex);
  g_cond_clear (&dropper.cond);
}

/* A table that nobody can write to is dropped beside a write that has a row of another one. The log
 * has nothing of it then; nor of the next one. */
static void
test_drop_shut (gconstpointer data)
{
  g_autofree char *directory = tall_test_directory_new ();
  g_autoptr (TallTable) table = open_store (directory);
  create (table, "other");
  for (guint i = 0; i < 2; i++)
    {
      create (table, "orders");
      apply_to (table, "other");
      apply_to (table, "orders");
      g_autoptr (TallRocksdbFamily) family =
          tall_rocksdb_table_find_family (TALL_ROCKSDB_TABLE (table), "orders", NULL);
      g_assert_cmpuint (count_unflushed (table, family), >, 0);
      set_access (table, (TallTableAccess)GPOINTER_TO_INT (data));
      drop_beside_a_lock (table);
      g_assert_cmpuint (count_unflushed (table, family), ==, 0);
    }
  g_clear_object (&table);
  table = open_store (directory);
  create (table, "orders");
  apply_to (table, "other");
  g_clear_object (&table);
  tall_test_directory_remove (directory);
}

#define LONG_VALUE (16 * 1024)

/* Long rows, so that RocksDB moves the log all the time, by itself. */
static gpointer
fill (gpointer data)
{
  g_autofree char *value = g_strnfill (LONG_VALUE, 'v');
  Dropper *self = data;
  for (guint i = 0; !wait_for_drop (self, 0); i++)
    {
      g_autoptr (TallBatch) batch = tall_batch_new ();
      const char *row = tall_arena_printf (batch->arena, "%u", i % 100);
      TallMutation *mutation =
          tall_batch_add (batch, i % 2 == 0 ? "other" : "third", tall_slice_str (row));
      tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str (value));
      must (tall_table_apply (self->table, &mutation, 1, TALL_DURABLE_LATER, TALL_NO_DEADLINE,
                              &error));
    }
  return NULL;
}

/* A drop, a compaction and RocksDB itself move the log. If they do not move it of all tables, an
 * assertion of RocksDB's ends the process. */
static void
test_drop_beside_full_buffers (void)
{
  g_autofree char *directory = tall_test_directory_new ();
  g_autoptr (TallTable) table = open_store (directory);
  Dropper dropper = { .table = table };
  g_mutex_init (&dropper.mutex);
  g_cond_init (&dropper.cond);
  create (table, "other");
  create (table, "third");
  GThread *writer = g_thread_new ("writer", fill, &dropper);
  for (guint i = 0; i < N_DROPS; i++)
    {
      guint64 ticket = 0;
      gboolean done;
      create (table, "orders");
      apply_to (table, "orders");
      must (tall_table_compact (table, TRUE, &ticket, &done, &error));
      drop (table, "orders");
    }
  end_drop (&dropper);
  g_thread_join (writer);
  g_mutex_clear (&dropper.mutex);
  g_cond_clear (&dropper.cond);
  g_clear_object (&table);
  tall_test_directory_remove (directory);
}

int
main (int argc, char **argv)
{
  /* Logs are moved all the time: not the disk's syncs are of interest here. */
  if (g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR))
    g_setenv ("TMPDIR", "/dev/shm", FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/rocksdb-drop/beside-writers", test_drop_beside_writers);
  g_test_add_data_func ("/table/rocksdb-drop/sealed", GINT_TO_POINTER (TALL_ACCESS_SEALED),
                        test_drop_shut);
  g_test_add_data_func ("/table/rocksdb-drop/closed", GINT_TO_POINTER (TALL_ACCESS_CLOSED),
                        test_drop_shut);
  g_test_add_func ("/table/rocksdb-drop/beside-full-buffers", test_drop_beside_full_buffers);
  return g_test_run ();
}

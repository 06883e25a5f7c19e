/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tall-error.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/database.h"
#include "table/rocksdb/settings.h"
#include "tall-test-directory.h"
#include "tall-must.h"

/* Sealing and closing on disk. What a call sees is checked by the conformance suite. This program
 * starts itself a second time: with `--seal DIR` it seals beside writers, says how many rows there
 * are, and waits to be killed; with `--fill DIR` it seals until the log can not grow. */

#define SEAL "0b8ff1f3-5d4f-4a4a-a7a7-0c7a3f0a7f01"
#define KEY "table/tallorder.orders"

static char *program; /* path of this one */

typedef struct
{
  char *directory; /* has a table `orders`; removed after the test */
} Fixture;

static TallTable *
try_open (const char *directory, GError **error)
{
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = directory;
  options.sync = FALSE;
  options.statistics = TRUE;
  return tall_rocksdb_table_open (&options, error);
}

static TallTable *
open_store (const char *directory)
{
  return must (try_open (directory, &error));
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->directory = tall_test_directory_new ();
  g_autoptr (TallTable) table = open_store (self->directory);
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
}

/* Returns: the code of the error, 0 for success */
static int
set_access (TallTable *table, TallTableAccess access, const char *seal)
{
  g_autoptr (GError) error = NULL;
  gboolean set = tall_table_set_access (table, "orders", access, seal, TALL_NO_DEADLINE, &error);
  g_assert_true (set == (error == NULL));
  return error == NULL ? 0 : error->code;
}

static int
put (TallTable *table, const char *row, TallSlice value)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (row));
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, value);
  gboolean done =
      tall_table_apply (table, &mutation, 1, TALL_DURABLE_LATER, TALL_NO_DEADLINE, &error);
  g_assert_true (done == (error == NULL));
  return error == NULL ? 0 : error->code;
}

/* Returns: how many rows there are, or the negative code of the error */
static int
count_rows (TallTable *table)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, "orders", (TallSlice)TALL_SLICE_INIT, (TallSlice)TALL_SLICE_INIT);
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, TALL_NO_DEADLINE, &error);
  return result == NULL ? -error->code : (int)result->results[0].n_rows;
}

static void
expect_access (TallTable *table, TallTableAccess access, const char *seal)
{
  g_autoptr (TallTableSpec) spec =
      tall_table_describe_table (table, "orders", TALL_NO_DEADLINE, NULL);
  g_assert_nonnull (spec);
  g_assert_cmpint (spec->access, ==, access);
  g_assert_cmpstr (spec->seal, ==, seal);
}

/* What was set is there when the directory is opened again, and on disk before that, although this
 * store syncs nothing else. */
static void
test_reopened (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    TallTableAccess access, described;
    const char *seal, *kept;
    int write, read;
  } steps[] = {
    { TALL_ACCESS_CLOSED, TALL_ACCESS_CLOSED, NULL, NULL, TALL_ERROR_SHUT, -TALL_ERROR_SHUT },
    { TALL_ACCESS_SEALED, TALL_ACCESS_CLOSED, SEAL, SEAL, TALL_ERROR_SHUT, -TALL_ERROR_SHUT },
    { TALL_ACCESS_UNCLOSED, TALL_ACCESS_SEALED, NULL, SEAL, TALL_ERROR_SHUT, 1 },
    { TALL_ACCESS_CLOSED, TALL_ACCESS_CLOSED, NULL, SEAL, TALL_ERROR_SHUT, -TALL_ERROR_SHUT },
    { TALL_ACCESS_OPEN, TALL_ACCESS_CLOSED, NULL, NULL, TALL_ERROR_SHUT, -TALL_ERROR_SHUT },
    { TALL_ACCESS_UNCLOSED, TALL_ACCESS_OPEN, NULL, NULL, 0, 1 },
  };
  g_autoptr (TallTable) table = open_store (self->directory);
  g_assert_cmpint (put (table, "a", tall_slice_str ("v")), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      guint64 n_syncs = tall_rocksdb_table_count (TALL_ROCKSDB_TABLE (table), "rocksdb.wal.synced");
      g_assert_cmpint (set_access (table, steps[i].access, steps[i].seal), ==, 0);
      g_assert_cmpuint (tall_rocksdb_table_count (TALL_ROCKSDB_TABLE (table), "rocksdb.wal.synced"),
                        >, n_syncs);
      for (guint round = 0; round < 2; round++)
        {
          expect_access (table, steps[i].described, steps[i].kept);
          g_assert_cmpint (put (table, "a", tall_slice_str ("w")), ==, steps[i].write);
          g_assert_cmpint (count_rows (table), ==, steps[i].read);
          g_clear_object (&table);
          table = open_store (self->directory);
        }
    }
}

/* Puts settings of the table behind the store's back, and opens it. */
static void
expect_open_fails (Fixture *self, GByteArray *settings, TallError code)
{
  char *message = NULL;
  g_autoptr (TallTable) table = open_store (self->directory);
  rocksdb_t *db = tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (table));
  g_autoptr (rocksdb_writeoptions_t) options = rocksdb_writeoptions_create ();
  rocksdb_put (db, options, KEY, strlen (KEY), (const char *)settings->data, settings->len,
               &message);
  g_assert_null (message);
  g_clear_object (&table);

  g_autoptr (GError) error = NULL;
  table = try_open (self->directory, &error);
  g_assert_null (table);
  g_assert_error (error, TALL_ERROR, (int)code);
  g_assert_nonnull (strstr (error->message, "orders"));
}

static void
test_damaged (Fixture *self, gconstpointer data)
{
  const int damage = GPOINTER_TO_INT (data);
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  g_autoptr (GByteArray) settings = g_byte_array_new ();
  spec->access = TALL_ACCESS_SEALED;
  spec->seal = g_strdup (SEAL);
  tall_spec_encode (spec, settings);
  guint at = settings->len - strlen (SEAL) - 3; /* of the access */
  g_assert_cmpuint (settings->data[at], ==, TALL_ACCESS_SEALED);
  if (damage == 0)
    settings->data[at] = 3;
  else if (damage == 1)
    g_byte_array_set_size (settings, settings->len - 1);
  else
    settings->data[0] = TALL_SPEC_FORMAT + 1;
  expect_open_fails (self, settings, damage == 2 ? TALL_ERROR_NEWER_VERSION : TALL_ERROR_DAMAGED);
}

/* A write that does not end keeps a change of access from coming, until its deadline only. */
static void
test_deadline (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) table = open_store (self->directory);
  TallRocksdbStripes *stripes = tall_rocksdb_table_get_stripes (TALL_ROCKSDB_TABLE (table));
  guint held = TALL_ROCKSDB_STRIPES / 2;
  guint n = 1;
  g_assert_true (tall_rocksdb_stripes_lock (stripes, &held, &n, TALL_NO_DEADLINE, NULL));
  must_fail (tall_table_set_access (table, "orders", TALL_ACCESS_SEALED, SEAL,
                                    g_get_monotonic_time () + 20000, &error),
             TALL_ERROR_TIMED_OUT);
  tall_rocksdb_stripes_unlock (stripes, &held, n);
  expect_access (table, TALL_ACCESS_OPEN, NULL);
  g_assert_cmpint (put (table, "a", tall_slice_str ("v")), ==, 0);
  g_assert_cmpint (set_access (table, TALL_ACCESS_SEALED, SEAL), ==, 0);
}

/* Until the table is shut. */
static gpointer
write_until_shut (gpointer table)
{
  g_autofree char *value = g_strnfill (100, 'v');
  static gint next;
  int code;
  do
    {
      g_autofree char *row = g_strdup_printf ("%08d", g_atomic_int_add (&next, 1));
      code = put (table, row, tall_slice_str (value));
    }
  while (code == 0);
  g_assert_cmpint (code, ==, TALL_ERROR_SHUT);
  return NULL;
}

static int
run_seal (const char *directory)
{
  g_autoptr (TallTable) table = open_store (directory);
  for (guint i = 0; i < 3; i++)
    g_thread_unref (g_thread_new ("writer", write_until_shut, table));
  while (count_rows (table) < 100)
    ;
  g_assert_cmpint (set_access (table, TALL_ACCESS_SEALED, SEAL), ==, 0);
  printf ("%d\n", count_rows (table));
  fflush (stdout);
  for (;;)
    pause ();
  return 1;
}

static FILE *
start (const char *option, const char *directory, GPid *pid)
{
  const char *arguments[] = { program, option, directory, NULL };
  int output = -1;
  must (g_spawn_async_with_pipes (NULL, (char **)arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                  NULL, pid, NULL, &output, NULL, &error));
  return fdopen (output, "r");
}

/* All that the killed process could see after the seal, and no more. */
static void
test_killed (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  GPid pid = 0;
  int n_rows = 0, status;
  FILE *output = start ("--seal", self->directory, &pid);
  g_assert_cmpint (fscanf (output, "%d", &n_rows), ==, 1);
  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  fclose (output);

  g_autoptr (TallTable) table = open_store (self->directory);
  expect_access (table, TALL_ACCESS_SEALED, SEAL);
  g_assert_cmpint (count_rows (table), ==, n_rows);
  g_assert_cmpint (put (table, "a", tall_slice_str ("v")), ==, TALL_ERROR_SHUT);
}

/* Prints the number of the last seal that was set, how the next two ended, and the seal that there
 * is. */
static int
run_fill (const char *directory)
{
  g_autoptr (TallTable) table = open_store (directory);
  const struct rlimit limit = { 1024 * 1024, 1024 * 1024 };
  g_assert_true (signal (SIGXFSZ, SIG_IGN) != SIG_ERR);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_autofree char *value = g_strnfill (1024 * 1024 - 4000, 'v');
  g_assert_cmpint (put (table, "big", tall_slice_str (value)), ==, 0);

  int code;
  guint n = 0;
  do
    {
      g_autofree char *seal = g_strdup_printf ("seal-%u", ++n);
      code = set_access (table, TALL_ACCESS_SEALED, seal);
    }
  while (code == 0);
  g_autoptr (TallTableSpec) spec =
      tall_table_describe_table (table, "orders", TALL_NO_DEADLINE, NULL);
  printf ("%u %d %d %s\n", n - 1, code, set_access (table, TALL_ACCESS_OPEN, NULL), spec->seal);
  return 0;
}

/* A change whose write fails is neither done nor said not to be. */
static void
test_no_room (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  GPid pid = 0;
  guint last = 0;
  int code = 0, next = 0, status;
  char seal[65] = "";
  FILE *output = start ("--fill", self->directory, &pid);
  g_assert_cmpint (fscanf (output, "%u %d %d %64s", &last, &code, &next, seal), ==, 4);
  fclose (output);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);

  g_autofree char *kept = g_strdup_printf ("seal-%u", last);
  g_autofree char *lost = g_strdup_printf ("seal-%u", last + 1);
  g_assert_cmpuint (last, >, 0);
  g_assert_cmpint (code, ==, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpint (next, ==, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpstr (seal, ==, kept);
  g_autoptr (TallTable) table = open_store (self->directory);
  g_autoptr (TallTableSpec) spec =
      tall_table_describe_table (table, "orders", TALL_NO_DEADLINE, NULL);
  g_assert_cmpint (spec->access, ==, TALL_ACCESS_SEALED);
  g_assert_true (g_str_equal (spec->seal, kept) || g_str_equal (spec->seal, lost));
}

#define ADD(path, data, function) g_test_add (path, Fixture, data, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  if (argc == 3 && g_str_equal (argv[1], "--seal"))
    return run_seal (argv[2]);
  if (argc == 3 && g_str_equal (argv[1], "--fill"))
    return run_fill (argv[2]);

  g_test_init (&argc, &argv, NULL);
  /* A write that was cut off is dropped with a warning. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  program = g_file_read_link ("/proc/self/exe", NULL);
  ADD ("/table/rocksdb-access/reopened", NULL, test_reopened);
  ADD ("/table/rocksdb-access/damaged/access", GINT_TO_POINTER (0), test_damaged);
  ADD ("/table/rocksdb-access/damaged/cut", GINT_TO_POINTER (1), test_damaged);
  ADD ("/table/rocksdb-access/damaged/newer", GINT_TO_POINTER (2), test_damaged);
  ADD ("/table/rocksdb-access/deadline", NULL, test_deadline);
  ADD ("/table/rocksdb-access/killed", NULL, test_killed);
  ADD ("/table/rocksdb-access/no-room", NULL, test_no_room);
  int failed = g_test_run ();
  g_free (program);
  return failed;
}

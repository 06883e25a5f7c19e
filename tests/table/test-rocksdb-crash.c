/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <rocksdb/c.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tall-error.h"
#include "table/rocksdb/table.h"
#include "tall-test-cells.h"
#include "tall-test-directory.h"
#include "tall-must.h"

/* This program starts itself a second time: with `--write DIR FIRST` it writes rows until it is
 * killed and says on its standard output which are acknowledged; with `--open DIR` it only opens
 * the store and prints how that ends; with `--fill DIR` it writes until the log can not grow; with
 * `--few-files DIR` it writes with hardly any descriptors. */

#define N_WRITERS 4
#define N_ACKNOWLEDGED 300
#define N_CHILDREN 3

static char *program; /* path of this one */

static TallTable *
open_store (const char *directory, GError **error)
{
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = directory;
  return tall_rocksdb_table_open (&options, error);
}

typedef struct
{
  TallTable *table;
  guint32 next; /* atomic */
} Writers;

/* Like an order: children that may wait, then the row that makes everything durable. */
static void
write_rows (TallTable *table, guint32 number)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const char *text = tall_arena_printf (batch->arena, "value of %u", number);
  for (guint i = 0; i < N_CHILDREN + 1; i++)
    {
      const char *row = tall_arena_printf (batch->arena, "%08u/%u", number, i);
      tall_mutation_put (batch, tall_batch_add (batch, "orders", tall_slice_str (row)),
                         tall_slice_str ("x"), 1, tall_slice_str (text));
    }

  TallMutation *const *rows = (TallMutation *const *)batch->mutations->pdata;
  gboolean matched = FALSE;
  gboolean written =
      tall_table_apply (table, rows + 1, N_CHILDREN, TALL_DURABLE_LATER, TALL_NO_DEADLINE, &error)
      && tall_table_apply_if (table,
                              &(TallConditionalWrite){ .mutations = &rows[0],
                                                       .n = 1,
                                                       .qualifier = tall_slice_str ("x"),
                                                       .durability = TALL_DURABLE,
                                                       .deadline = TALL_NO_DEADLINE },
                              &matched, &error);
  g_assert_no_error (error);
  g_assert_true (written);
  g_assert_true (matched);
}

static gpointer
run_writer (gpointer data)
{
  Writers *writers = data;
  for (;;)
    {
      guint32 number = g_atomic_int_add (&writers->next, 1);
      write_rows (writers->table, number);
      if (write (STDOUT_FILENO, &number, sizeof number) != sizeof number)
        exit (1); /* nobody listens any more */
    }
  return NULL;
}

static int
run_write (const char *directory, const char *first)
{
  g_autoptr (GError) error = NULL;
  Writers writers = { open_store (directory, &error), (guint32)g_ascii_strtoull (first, NULL, 10) };
  g_assert_no_error (error);
  GThread *threads[N_WRITERS];
  for (guint i = 0; i < N_WRITERS; i++)
    threads[i] = g_thread_new ("writer", run_writer, &writers);
  for (guint i = 0; i < N_WRITERS; i++)
    g_thread_join (threads[i]);
  return 1;
}

static int
run_open (const char *directory)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = open_store (directory, &error);
  if (table != NULL)
    puts ("opened");
  else
    printf ("%d %s\n", error->code, error->message);
  return 0;
}

static int
put_big_row (TallTable *table, guint32 number, gboolean conditional, gboolean *restart)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree char *value = g_strnfill (10000, 'v');
  const char *row = tall_arena_printf (batch->arena, "%08u", number);
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (row));
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str (value));
  gboolean matched;
  gboolean written =
      conditional ? tall_table_apply_if (table,
                                         &(TallConditionalWrite){ .mutations = &mutation,
                                                                  .n = 1,
                                                                  .qualifier = tall_slice_str ("x"),
                                                                  .durability = TALL_DURABLE,
                                                                  .deadline = TALL_NO_DEADLINE },
                                         &matched, &error)
                  : tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error);
  *restart = !written && strstr (error->message, "restart the process") != NULL;
  return written ? 0 : error->code;
}

/* Prints how many rows are acknowledged, and how the first failing calls end. */
static int
run_fill (const char *directory)
{
  g_autoptr (TallTable) table = must (open_store (directory, &error));
  const struct rlimit limit = { 1024 * 1024, 1024 * 1024 };
  g_assert_true (signal (SIGXFSZ, SIG_IGN) != SIG_ERR);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);

  guint32 acknowledged = 0;
  gboolean restart[2];
  int code;
  while ((code = put_big_row (table, acknowledged, TRUE, &restart[0])) == 0)
    acknowledged++;
  int next = put_big_row (table, 99999999, FALSE, &restart[1]);
  printf ("%u %d %d %d\n", acknowledged, code, next, restart[0] && restart[1]);
  return 0; /* closing and exiting must not abort */
}

static GPid
start (const char *const *arguments, int *output)
{
  GPid pid = 0;
  must (g_spawn_async_with_pipes (NULL, (char **)arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                  NULL, &pid, NULL, output, NULL, &error));
  return pid;
}

/* Reads what was acknowledged, kills the writer in the midst, and reads the rest. */
static GArray *
collect_and_kill (GPid pid, int output)
{
  GArray *acknowledged = g_array_new (FALSE, FALSE, sizeof (guint32));
  FILE *stream = fdopen (output, "r");
  guint32 number;
  while (fread (&number, sizeof number, 1, stream) == 1)
    {
      g_array_append_val (acknowledged, number);
      if (acknowledged->len == N_ACKNOWLEDGED)
        g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
    }
  fclose (stream);
  int status;
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFSIGNALED (status));
  g_assert_cmpint (WTERMSIG (status), ==, SIGKILL);
  return acknowledged;
}

static void
expect_rows (TallTable *table, guint32 number)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autofree char *prefix = g_strdup_printf ("%08u/", number);
  g_autofree char *value = g_strdup_printf ("value of %u", number);
  tall_read_plan_add_prefix_scan (plan, "orders", tall_slice_str (prefix));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (result->results[0].n_rows, ==, N_CHILDREN + 1);
  for (guint i = 0; i <= N_CHILDREN; i++)
    {
      TallSlice stored = result->results[0].rows[i].cells[0].value;
      g_assert_cmpmem (stored.data, stored.len, value, strlen (value));
    }
}

static void
create_orders (const char *directory)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  g_autoptr (TallTable) table = must (open_store (directory, &error));
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
}

static void
test_kill (void)
{
  g_autofree char *directory = tall_test_directory_new ();
  create_orders (directory);
  guint32 first = 0;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint round = 0; round < 3; round++)
    {
      g_autofree char *number = g_strdup_printf ("%u", first);
      const char *arguments[] = { program, "--write", directory, number, NULL };
      int output = -1;
      GPid pid = start (arguments, &output);
      g_autoptr (GArray) acknowledged = collect_and_kill (pid, output);
      g_assert_cmpuint (acknowledged->len, >=, N_ACKNOWLEDGED);
      g_array_append_vals (all, acknowledged->data, acknowledged->len);

      g_autoptr (TallTable) table = must (open_store (directory, &error));
      for (guint i = 0; i < all->len; i++)
        expect_rows (table, g_array_index (all, guint32, i));
      first += 1000000;
    }
  tall_test_directory_remove (directory);
}

static char *
ask_second_process (const char *option, const char *directory)
{
  const char *arguments[] = { program, option, directory, NULL };
  int output = -1;
  char line[1024] = "";
  GPid pid = start (arguments, &output);
  FILE *stream = fdopen (output, "r");
  g_assert_nonnull (fgets (line, sizeof line, stream));
  fclose (stream);
  int status;
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  return g_strdup (line);
}

static const char *asked_about; /* directory of the store that is closed next; NULL: none */
static char *meanwhile;         /* answer of a second process when that began; owned */

/* RocksDB still removes files of its own here. */
void
rocksdb_close (rocksdb_t *db)
{
  void (*real) (rocksdb_t *) = dlsym (RTLD_NEXT, "rocksdb_close");
  if (asked_about != NULL)
    meanwhile = ask_second_process ("--open", asked_about);
  asked_about = NULL;
  real (db);
}

static void
test_second_process (void)
{
  g_autofree char *directory = tall_test_directory_new ();
  g_autoptr (TallTable) table = must (open_store (directory, &error));

  g_autofree char *refused = ask_second_process ("--open", directory);
  g_autofree char *expected = g_strdup_printf (
      "%d Opening the store: another process has it open. Stop that process*--server*",
      TALL_ERROR_UNAVAILABLE);
  if (!g_pattern_match_simple (expected, refused))
    g_error ("\"%s\" is not like \"%s\"", refused, expected);

  /* It is free as soon as it is closed, and not before. */
  asked_about = directory;
  g_clear_object (&table);
  g_assert_cmpstr (meanwhile, ==, refused);
  g_clear_pointer (&meanwhile, g_free);
  g_autofree char *opened = ask_second_process ("--open", directory);
  g_assert_cmpstr (opened, ==, "opened\n");
  tall_test_directory_remove (directory);
}

/* The file LOCK looks like something to tidy away, and is not what keeps others out. */
static void
test_without_lock (void)
{
  g_autofree char *directory = tall_test_directory_new ();
  g_autofree char *lock = g_build_filename (directory, "LOCK", NULL);
  g_autoptr (TallTable) table = must (open_store (directory, &error));
  g_assert_cmpint (unlink (lock), ==, 0);
  g_autofree char *refused = ask_second_process ("--open", directory);
  g_assert_nonnull (strstr (refused, "another process has it open"));
  g_clear_object (&table);
  g_autofree char *opened = ask_second_process ("--open", directory);
  g_assert_cmpstr (opened, ==, "opened\n");
  tall_test_directory_remove (directory);
}

static int
run_few_files (const char *directory)
{
  const struct rlimit limit = { 48, 48 };
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  g_autoptr (TallTable) table = must (open_store (directory, &error));
  gboolean restart;
  int code = 0;
  for (guint32 i = 0; i < 20 && code == 0; i++)
    code = put_big_row (table, i, TRUE, &restart);
  printf ("%d\n", code);
  return 0;
}

/* Each time it is opened the store gets another file; they are not all open at once. */
static void
test_few_files (void)
{
  g_autofree char *directory = tall_test_directory_new ();
  create_orders (directory);
  for (guint i = 0; i < 60; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) table = open_store (directory, &error);
      gboolean restart;
      g_assert_no_error (error);
      g_assert_cmpint (put_big_row (table, 1000 + i, TRUE, &restart), ==, 0);
    }
  g_autofree char *answer = ask_second_process ("--few-files", directory);
  g_assert_cmpstr (answer, ==, "0\n");
  tall_test_directory_remove (directory);
}

/* The file system gives no more room: what was acknowledged stays, and what may come back from the
 * log is not said to be undone. */
static void
test_no_room (void)
{
  g_autofree char *directory = tall_test_directory_new ();
  create_orders (directory);
  g_autofree char *answer = ask_second_process ("--fill", directory);
  guint acknowledged;
  int apply_if_code, apply_code;
  gboolean restart;
  g_assert_cmpint (
      sscanf (answer, "%u %d %d %d", &acknowledged, &apply_if_code, &apply_code, &restart), ==, 4);
  g_assert_true (restart);
  g_assert_cmpuint (acknowledged, >, 50);
  g_assert_cmpint (apply_if_code, ==, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpint (apply_code, ==, TALL_ERROR_UNAVAILABLE);

  g_autoptr (TallTable) table = must (open_store (directory, &error));
  g_autoptr (TallReadResult) result = tall_test_scan (table, "orders");
  g_assert_cmpuint (result->results[0].n_rows, >=, acknowledged);
  for (guint i = 0; i < acknowledged; i++)
    {
      g_autofree char *row = g_strdup_printf ("%08u", i);
      g_assert_cmpmem (result->results[0].rows[i].key.data, 8, row, 8);
      g_assert_cmpuint (result->results[0].rows[i].cells[0].value.len, ==, 10000);
    }
  g_assert_cmpint (put_big_row (table, 5000, TRUE, &restart), ==, 0);
  g_clear_object (&table);
  tall_test_directory_remove (directory);
}

int
main (int argc, char **argv)
{
  if (argc == 3 && g_str_equal (argv[1], "--fill"))
    return run_fill (argv[2]);
  if (argc == 3 && g_str_equal (argv[1], "--few-files"))
    return run_few_files (argv[2]);
  if (argc == 4 && g_str_equal (argv[1], "--write"))
    return run_write (argv[2], argv[3]);
  if (argc == 3 && g_str_equal (argv[1], "--open"))
    return run_open (argv[2]);

  g_test_init (&argc, &argv, NULL);
  /* A write that was cut off is dropped with a warning. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  program = g_file_read_link ("/proc/self/exe", NULL);
  g_test_add_func ("/table/rocksdb/kill", test_kill);
  g_test_add_func ("/table/rocksdb/second-process", test_second_process);
  g_test_add_func ("/table/rocksdb/without-lock", test_without_lock);
  g_test_add_func ("/table/rocksdb/no-room", test_no_room);
  g_test_add_func ("/table/rocksdb/few-files", test_few_files);
  int failed = g_test_run ();
  g_free (program);
  return failed;
}

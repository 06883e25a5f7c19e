/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tall-error.h"
#include "table/rocksdb/table.h"
#include "tall-test-directory.h"
#include "tall-must.h"

/* Every kind of file of a store is damaged in every way, after a clean stop and after a kill. An
 * acknowledged row may be missing only where opening or reading fails, and no process aborts or
 * hangs.
 *
 * With `--bytes STRIDE` it is not a test: of a small store it changes, and cuts at, each STRIDE-th
 * byte of each file in turn. With `--write DIR` it writes rows and kills itself. */

#define N_ROWS 400  /* half of them in tables, half in the log if it was killed */
#define FEW_ROWS 12 /* the same with `--bytes` */
#define VALUE_SIZE 300
#define SECONDS 60 /* for one damage */

static char *program; /* path of this one */
static guint n_rows = N_ROWS;

static TallTable *
open_store (const char *directory, GError **error)
{
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = directory;
  options.cache_bytes = 1024 * 1024;
  return tall_rocksdb_table_open (&options, error);
}

static const char *
make_value (TallArena *arena, guint number)
{
  char *value = tall_arena_printf (arena, "%0*u", VALUE_SIZE, number);
  return value;
}

static gboolean
try_write_row (TallTable *table, const char *name, guint number, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const char *key = tall_arena_printf (batch->arena, "%06u", number);
  TallMutation *mutation = tall_batch_add (batch, name, tall_slice_str (key));
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1,
                     tall_slice_str (make_value (batch->arena, number)));
  return tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, error);
}

static void
write_row (TallTable *table, const char *name, guint number)
{
  must (try_write_row (table, name, number, &error));
}

static void
write_rows (const char *directory, guint first, guint n, gboolean killed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = must (open_store (directory, &error));
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  gboolean made = first > 0 || tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_true (made);
  for (guint i = first; i < first + n; i++)
    write_row (table, "orders", i);
  if (killed)
    kill (getpid (), SIGKILL);
}

static void
write_and_kill (const char *directory)
{
  g_autofree char *n = g_strdup_printf ("%u", n_rows);
  const char *arguments[] = { program, "--write", directory, n, NULL };
  int status = 0;
  must (g_spawn_sync (NULL, (char **)arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                      &status, &error));
  g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
}

/* In a child, so that this process has no threads of RocksDB, and children do not miss them. */
static char *
make_store (gboolean killed)
{
  char *directory = tall_test_directory_new ();
  int status;
  pid_t pid = fork ();
  if (pid == 0)
    {
      write_rows (directory, 0, n_rows / 2, FALSE);
      if (!killed)
        write_rows (directory, n_rows / 2, n_rows / 2, FALSE);
      _exit (0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  if (killed)
    write_and_kill (directory);
  return directory;
}

static GBytes *
read_file (const char *directory, const char *name)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  char *data;
  gsize len;
  must (g_file_get_contents (path, &data, &len, &error));
  return g_bytes_new_take (data, len);
}

static void
write_file (const char *directory, const char *name, gconstpointer data, gsize len)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  must (g_file_set_contents (path, data, (gssize)len, &error));
}

static char *
copy_store (const char *from)
{
  char *to = tall_test_directory_new ();
  g_autoptr (GDir) dir = g_dir_open (from, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autoptr (GBytes) content = read_file (from, name);
      write_file (to, name, g_bytes_get_data (content, NULL), g_bytes_get_size (content));
    }
  return to;
}

/* Links to all files but one: opening a store changes none of them. */
static char *
link_store (const char *from, const char *but)
{
  char *to = tall_test_directory_new ();
  g_autoptr (GDir) dir = g_dir_open (from, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *source = g_build_filename (from, name, NULL);
      g_autofree char *target = g_build_filename (to, name, NULL);
      if (!g_str_equal (name, but))
        g_assert_cmpint (link (source, target), ==, 0);
    }
  return to;
}

typedef enum
{
  REFUSED,  /* it can not be opened */
  REPORTED, /* rows that are not there can not be read */
  HARMLESS, /* every row is there */
  SILENT,   /* a row is missing, or another */
  ABORTED,  /* the process was ended, or took too long */
  N_OUTCOMES,
} Outcome;

static Outcome
read_row (TallTable *table, guint number)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  const char *key = tall_arena_printf (plan->arena, "%06u", number);
  const char *value = make_value (plan->arena, number);
  tall_read_plan_add_get (plan, "orders", tall_slice_str (key));
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, TALL_NO_DEADLINE, &error);
  if (result == NULL)
    return REPORTED;
  if (result->results[0].n_rows == 0)
    return SILENT;
  TallSlice stored = result->results[0].rows[0].cells[0].value;
  return tall_slice_equal (stored, tall_slice_str (value)) ? HARMLESS : SILENT;
}

static Outcome
open_and_read (const char *directory, char **message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = open_store (directory, &error);
  if (table == NULL)
    {
      *message = g_strdup (error->message);
      return REFUSED;
    }
  Outcome worst = HARMLESS;
  for (guint i = 0; i < n_rows && worst != SILENT; i++)
    {
      Outcome outcome = read_row (table, i);
      if (outcome != HARMLESS)
        worst = outcome;
    }
  (void)try_write_row (table, "orders", n_rows, &error); /* which may be refused */
  return worst;
}

/* The same in a child. */
static Outcome
judge (const char *directory, char **message)
{
  int pipes[2], status;
  char text[4096] = "";
  g_assert_cmpint (pipe (pipes), ==, 0);
  pid_t pid = fork ();
  if (pid == 0)
    {
      alarm (SECONDS);
      Outcome outcome = open_and_read (directory, message);
      gsize len = *message == NULL ? 0 : strlen (*message);
      _exit (write (pipes[1], *message, len) == (gssize)len ? (int)outcome : (int)ABORTED);
    }
  close (pipes[1]);
  (void)!read (pipes[0], text, sizeof text - 1); /* written in one piece */
  close (pipes[0]);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  *message = g_strdup (text);
  return WIFEXITED (status) ? (Outcome)WEXITSTATUS (status) : ABORTED;
}

/* What was damaged, and how often it came to what. */
typedef struct
{
  const char *store; /* the whole one */
  guint counts[N_OUTCOMES];
} Damages;

/* An error without a way out is none. */
static gboolean
says_what_to_do (const char *message)
{
  static const char *const words[] = { "backup", "Write this line", "write this line", "remove",
                                       "use a newer tallorder" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (message, words[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* @data NULL: the file is removed. */
static void
try_damage (Damages *self, const char *name, const char *how, gconstpointer data, gsize len)
{
  g_autofree char *copy = link_store (self->store, name);
  g_autofree char *message = NULL;
  if (data != NULL)
    write_file (copy, name, data, len);
  Outcome outcome = judge (copy, &message);
  self->counts[outcome]++;
  if (outcome == SILENT || outcome == ABORTED)
    {
      g_test_message ("%s, %s: %s", name, how,
                      outcome == SILENT ? "rows are missing without a word" : "ended or hung");
      g_test_fail ();
    }
  if (outcome == REFUSED && !says_what_to_do (message))
    {
      g_test_message ("%s, %s: “%s” does not say what to do", name, how, message);
      g_test_fail ();
    }
  tall_test_directory_remove (copy);
}

static void
try_flip (Damages *self, const char *name, GBytes *content, gsize at)
{
  static const guint8 masks[] = { 0x01, 0x80 };
  gsize len = g_bytes_get_size (content);
  for (guint i = 0; at < len && i < G_N_ELEMENTS (masks); i++)
    {
      g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (content, NULL), len);
      g_autofree char *how = g_strdup_printf ("byte %" G_GSIZE_FORMAT " ^ %02x", at, masks[i]);
      data[at] ^= masks[i];
      try_damage (self, name, how, data, len);
    }
}

static void
try_cut (Damages *self, const char *name, GBytes *content, gsize len)
{
  g_autofree char *how = g_strdup_printf ("cut to %" G_GSIZE_FORMAT, len);
  if (len < g_bytes_get_size (content))
    try_damage (self, name, how, g_bytes_get_data (content, NULL), len);
}

/* Where each record of a log begins: header of 7 bytes, little-endian length at 4, type at 6. */
static GArray *
find_records (GBytes *content)
{
  GArray *starts = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize len;
  const guint8 *data = g_bytes_get_data (content, &len);
  for (gsize at = 0; at + 7 <= len;)
    {
      if (32768 - at % 32768 < 7)
        at += 32768 - at % 32768;
      g_array_append_val (starts, at);
      at += 7 + (gsize)(data[at + 4] | data[at + 5] << 8);
    }
  return starts;
}

/* Each field of some records, and some bytes of what they hold; cuts at, in and after a header. */
static void
damage_records (Damages *self, const char *name, GBytes *content)
{
  static const gsize fields[] = { 0, 3, 4, 5, 6, 7, 14, 15, 19, 24, 60, 200 };
  g_autoptr (GArray) starts = find_records (content);
  const guint n = starts->len;
  const guint chosen[] = { 0, 1, n / 3, 2 * n / 3, n - 2, n - 1 };
  for (guint i = 0; i < G_N_ELEMENTS (chosen) && n > 2; i++)
    {
      gsize start = g_array_index (starts, gsize, chosen[i]);
      for (guint k = 0; k < G_N_ELEMENTS (fields); k++)
        try_flip (self, name, content, start + fields[k]);
      try_cut (self, name, content, start);
      try_cut (self, name, content, start + 3);
      try_cut (self, name, content, start + 20);
    }
}

static void
damage_file (Damages *self, const char *name)
{
  g_autoptr (GBytes) content = read_file (self->store, name);
  gsize len = g_bytes_get_size (content);
  for (guint i = 0; len > 0 && i <= 8; i++)
    try_flip (self, name, content, (len - 1) * i / 8);
  try_cut (self, name, content, len - 1);
  try_cut (self, name, content, len / 2);
  try_cut (self, name, content, 1);
  try_damage (self, name, "emptied", "", 0);
  try_damage (self, name, "removed", NULL, 0);
  if (len > 0 && (g_str_has_suffix (name, ".log") || g_str_has_prefix (name, "MANIFEST-")))
    damage_records (self, name, content);
}

static char *
find_file (const char *directory, const char *suffix)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  char *largest = NULL;
  gsize most = 0;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autoptr (GBytes) content = read_file (directory, name);
      if (!g_str_has_suffix (name, suffix) || g_bytes_get_size (content) < most)
        continue;
      most = g_bytes_get_size (content);
      g_free (largest);
      largest = g_strdup (name);
    }
  return largest;
}

static void
report (const char *name, const guint *counts, const guint *before)
{
  g_test_message ("%s: %u refused, %u reported, %u harmless, %u silent, %u aborted", name,
                  counts[REFUSED] - before[REFUSED], counts[REPORTED] - before[REPORTED],
                  counts[HARMLESS] - before[HARMLESS], counts[SILENT] - before[SILENT],
                  counts[ABORTED] - before[ABORTED]);
}

/* Of one store, each file by @damage. */
static Damages
damage_files (const char *store, void (*damage) (Damages *self, const char *name))
{
  static const guint none[N_OUTCOMES] = { 0 };
  Damages damages = { .store = store };
  g_autoptr (GDir) dir = g_dir_open (store, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      Damages before = damages;
      damage (&damages, name);
      report (name, damages.counts, before.counts);
    }
  report ("all files", damages.counts, none);
  return damages;
}

static void
test_damages (gconstpointer data)
{
  const gboolean killed = GPOINTER_TO_INT (data);
  g_autofree char *store = make_store (killed);
  g_autofree char *log = find_file (store, ".log");
  g_autoptr (GBytes) logged = read_file (store, log);
  g_assert_true (killed == (g_bytes_get_size (logged) > 0)); /* a clean stop needs none */
  Damages damages = damage_files (store, damage_file);
  g_assert_cmpuint (damages.counts[REFUSED], >, 20);
  tall_test_directory_remove (store);
}

static gsize stride; /* from one byte that is damaged to the next */

static void
damage_bytes (Damages *self, const char *name)
{
  g_autoptr (GBytes) content = read_file (self->store, name);
  for (gsize at = 0; at < g_bytes_get_size (content); at += stride)
    {
      try_flip (self, name, content, at);
      try_cut (self, name, content, at);
    }
  try_damage (self, name, "removed", NULL, 0);
}

/* The first bit of the last number of each table's block of properties, see check_table(). */
static void
test_properties (void)
{
  static const guint places = 53; /* from the end of the file */
  g_autofree char *store = make_store (FALSE);
  Damages damages = { .store = store };
  g_autofree char *name = find_file (store, ".sst");
  g_autoptr (GBytes) content = read_file (store, name);
  gsize len, end = 0;
  const guint8 *data = g_bytes_get_data (content, &len);
  for (guint i = 0; i == 0 || (data[len - places + i] & 0x80) != 0; i++)
    end |= (gsize)(data[len - places + 1 + i] & 0x7f) << 7 * i;
  try_flip (&damages, name, content, end - 6);
  g_assert_cmpuint (damages.counts[REFUSED] + damages.counts[REPORTED], >, 0);
  tall_test_directory_remove (store);
}

static void
test_bytes (gconstpointer data)
{
  g_autofree char *store = make_store (GPOINTER_TO_INT (data));
  (void)damage_files (store, damage_bytes);
  tall_test_directory_remove (store);
}

#define NO_FLIP G_MAXSIZE

static void
change_log (const char *directory, gssize added, gsize flipped)
{
  g_autofree char *name = find_file (directory, ".log");
  g_autoptr (GBytes) content = read_file (directory, name);
  gsize len = g_bytes_get_size (content);
  g_autofree guint8 *data = g_malloc0 (len + 64);
  memcpy (data, g_bytes_get_data (content, NULL), len);
  memcpy (data + len, data, 32); /* the beginning of a record */
  if (flipped != NO_FLIP)
    data[flipped] ^= 0x10;
  write_file (directory, name, data, (gsize)((gssize)len + added));
}

static void
expect_losses (const char *directory, const char *pattern)
{
  g_autoptr (TallTable) table = must (open_store (directory, &error));
  g_auto (GStrv) losses = tall_table_list_losses (table);
  if (pattern == NULL)
    {
      g_assert_null (losses);
      return;
    }
  g_assert_nonnull (losses);
  g_autofree char *all = g_strjoinv ("\n", losses);
  if (!g_pattern_match_simple (pattern, all))
    g_error ("\"%s\" is not like \"%s\"", all, pattern);
}

/* A write that was not finished is dropped; that is said until somebody removes the file. */
static void
test_torn_tail (void)
{
  g_autofree char *message = NULL;
  g_autofree char *store = make_store (TRUE);
  g_autofree char *whole = copy_store (store);
  change_log (store, 20, NO_FLIP);
  expect_losses (store, "20*Z dropped 20 bytes at the end of 0000*.log, from byte *, after write "
                        "*nothing that was acknowledged as synced is in them*remove /*LOSSES");
  g_assert_cmpint (open_and_read (store, &message), ==, HARMLESS);
  expect_losses (store, "*dropped 20 bytes*");
  g_autofree char *losses = g_build_filename (store, "LOSSES", NULL);
  g_assert_cmpint (g_unlink (losses), ==, 0);
  expect_losses (store, NULL);
  g_assert_false (g_file_test (losses, G_FILE_TEST_EXISTS));
  expect_losses (whole, NULL);
  tall_test_directory_remove (store);
  tall_test_directory_remove (whole);
}

static guint
count_lines (const char *text, const char *word)
{
  guint n = 0;
  for (const char *at = strstr (text, word); at != NULL; at = strstr (at + 1, word))
    n++;
  return n;
}

/* Two crashes, each of which leaves a torn end: both are said. */
static void
test_torn_twice (void)
{
  g_autofree char *store = make_store (TRUE);
  g_autofree char *losses = g_build_filename (store, "LOSSES", NULL);
  g_autofree char *text = NULL;
  change_log (store, 20, NO_FLIP);
  expect_losses (store, "*dropped 20 bytes*");
  write_and_kill (store);
  change_log (store, 21, NO_FLIP);
  expect_losses (store, "*dropped 20 bytes*dropped 21 bytes*");
  must (g_file_get_contents (losses, &text, NULL, &error));
  g_assert_cmpuint (count_lines (text, "dropped"), ==, 2);
  tall_test_directory_remove (store);
}

/* A store of a version that had no SYNCED: damage before later writes is reported; damage at the
 * end of the log is not noticed. */
static void
test_without_proof (void)
{
  g_autofree char *message = NULL;
  g_autofree char *store = make_store (TRUE);
  g_autofree char *synced = g_build_filename (store, "SYNCED", NULL);
  g_assert_cmpint (g_unlink (synced), ==, 0);
  g_autofree char *flipped = copy_store (store);
  g_autofree char *cut = copy_store (store);
  change_log (flipped, 0, 10000);
  g_assert_cmpint (open_and_read (flipped, &message), ==, REFUSED);
  g_assert_true (g_pattern_match_simple (
      "*.log is damaged before later writes.*backup*copy the directory of the store, cd into the "
      "copy and run: truncate -s * 0000*.log; rm -f SYNCED*",
      message));
  change_log (cut, -10, NO_FLIP);
  expect_losses (cut, "*bytes at the end of*an older version wrote them*");
  g_clear_pointer (&message, g_free);
  g_assert_cmpint (open_and_read (store, &message), ==, HARMLESS);
  g_assert_true (g_file_test (synced, G_FILE_TEST_EXISTS));
  tall_test_directory_remove (store);
  tall_test_directory_remove (flipped);
  tall_test_directory_remove (cut);
}

/* The way out that the error names leads to a store that has what came before the damage. */
static void
test_way_out (void)
{
  g_autofree char *message = NULL;
  g_autofree char *store = make_store (TRUE);
  change_log (store, 0, 20000);
  g_assert_cmpint (open_and_read (store, &message), ==, REFUSED);
  const char *command = strstr (message, "truncate -s ");
  g_assert_nonnull (command);
  g_autofree char *until = g_strndup (command, strcspn (command, "("));
  g_autofree char *script = g_strdup_printf ("cd %s && %s", store, until);
  const char *arguments[] = { "/bin/sh", "-c", script, NULL };
  int status = -1;
  g_spawn_sync (NULL, (char **)arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status,
                NULL);
  g_assert_cmpint (status, ==, 0);

  g_autoptr (TallTable) table = must (open_store (store, &error));
  g_assert_cmpint (read_row (table, N_ROWS / 2 + 10), ==, HARMLESS);
  g_assert_cmpint (read_row (table, N_ROWS - 1), ==, SILENT);
  g_clear_object (&table);
  tall_test_directory_remove (store);
}

/* Where SYNCED cannot be written, as on a disk that RocksDB has just filled, the store is read. */
static void
test_no_new_proof (void)
{
  g_autofree char *message = NULL;
  g_autofree char *store = make_store (TRUE);
  g_autofree char *fresh = g_build_filename (store, "SYNCED.new", NULL);
  g_assert_cmpint (g_mkdir (fresh, 0700), ==, 0);
  g_autoptr (TallTable) table = must (open_store (store, &error));
  g_assert_cmpint (read_row (table, N_ROWS - 1), ==, HARMLESS);
  must_fail (try_write_row (table, "orders", N_ROWS, &error), TALL_ERROR_UNAVAILABLE);
  g_clear_object (&table);
  g_assert_cmpint (g_rmdir (fresh), ==, 0);
  g_assert_cmpint (open_and_read (store, &message), ==, HARMLESS);
  tall_test_directory_remove (store);
}

static void
close_orders (TallTable *table)
{
  must (
      tall_table_set_access (table, "orders", TALL_ACCESS_CLOSED, NULL, TALL_NO_DEADLINE, &error));
}

/* What a process leaves that ends now. */
static void
expect_whole_copy (const char *store)
{
  g_autofree char *copy = copy_store (store);
  g_autoptr (TallTable) table = must (open_store (copy, &error));
  g_clear_object (&table);
  tall_test_directory_remove (copy);
}

/* The same with one that is shut, whose writes were in the log when it was shut. */
static void
test_dropped_shut (void)
{
  static const char *const names[] = { "orders", "other", "later" };
  g_autoptr (GError) error = NULL;
  g_autofree char *store = tall_test_directory_new ();
  g_autoptr (TallTable) table = open_store (store, &error);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (TallTableSpec) spec = tall_table_spec_new (names[i]);
      must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
    }
  for (guint i = 0; i < 10; i++)
    write_row (table, names[i % 2], i);
  close_orders (table);
  write_row (table, "other", 10);
  must (tall_table_drop_table (table, "orders", TALL_NO_DEADLINE, &error));
  write_row (table, "later", 11);
  expect_whole_copy (store);
  g_clear_object (&table);
  tall_test_directory_remove (store);
}

/* A table that is dropped takes its writes along, and they are not missing later. */
static void
test_dropped_table (void)
{
  g_autofree char *store = tall_test_directory_new ();
  write_rows (store, 0, 5, FALSE);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) table = must (open_store (store, &error));
      if (i > 1)
        close_orders (table);
      if (i == 3)
        {
          g_clear_object (&table);
          table = open_store (store, &error);
        }
      must (tall_table_drop_table (table, "orders", TALL_NO_DEADLINE, &error));
      expect_whole_copy (store);
      g_clear_object (&table);
      write_rows (store, 0, 5, FALSE);
    }
  tall_test_directory_remove (store);
}

int
main (int argc, char **argv)
{
  if (argc == 4 && g_str_equal (argv[1], "--write"))
    {
      n_rows = (guint)g_ascii_strtoull (argv[3], NULL, 10);
      write_rows (argv[2], n_rows / 2, n_rows / 2, TRUE);
      return 1;
    }
  /* Each damage opens a store: not the disk's syncs are of interest here. */
  if (g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR))
    g_setenv ("TMPDIR", "/dev/shm", FALSE);
  g_test_init (&argc, &argv, NULL);
  /* Warnings are what some damages come to. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  program = g_file_read_link ("/proc/self/exe", NULL);
  if (argc == 3 && g_str_equal (argv[1], "--bytes"))
    {
      n_rows = FEW_ROWS;
      stride = MAX (g_ascii_strtoull (argv[2], NULL, 10), 1);
      g_test_add_data_func ("/table/rocksdb/bytes/closed", GINT_TO_POINTER (FALSE), test_bytes);
      g_test_add_data_func ("/table/rocksdb/bytes/killed", GINT_TO_POINTER (TRUE), test_bytes);
      return g_test_run ();
    }
  g_test_add_func ("/table/rocksdb/damage/properties", test_properties);
  g_test_add_data_func ("/table/rocksdb/damage/closed", GINT_TO_POINTER (FALSE), test_damages);
  g_test_add_data_func ("/table/rocksdb/damage/killed", GINT_TO_POINTER (TRUE), test_damages);
  g_test_add_func ("/table/rocksdb/damage/torn-tail", test_torn_tail);
  g_test_add_func ("/table/rocksdb/damage/torn-twice", test_torn_twice);
  g_test_add_func ("/table/rocksdb/damage/without-proof", test_without_proof);
  g_test_add_func ("/table/rocksdb/damage/way-out", test_way_out);
  g_test_add_func ("/table/rocksdb/damage/no-new-proof", test_no_new_proof);
  g_test_add_func ("/table/rocksdb/damage/dropped-table", test_dropped_table);
  g_test_add_func ("/table/rocksdb/damage/dropped-shut", test_dropped_shut);
  int failed = g_test_run ();
  g_free (program);
  return failed;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "load/orders/spool.h"
#include "load/sql/temp-db.h"
#include "tall-test-files.h"

#include <signal.h>
#include <sys/resource.h>

typedef struct
{
  char *folder;
  TallSpoolPlace place;
  guint n_announced;
} Fixture;

static guint
count_files (const char *folder)
{
  guint n = 0;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* Before anything is in the folder. */
static void
on_announce (const char *folder, guint64 bytes, gpointer data)
{
  Fixture *self = data;
  g_assert_cmpstr (folder, ==, self->folder);
  g_assert_cmpuint (bytes, >=, TALL_TEMP_DB_MEMORY);
  self->n_announced++;
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->folder = g_dir_make_tmp ("tallorder-test-XXXXXX", NULL);
  self->place = (TallSpoolPlace){ self->folder, 0, on_announce, self };
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
}

static gboolean
put_number (TallSpool *spool, guint64 number, gsize size, GError **error)
{
  g_autoptr (GByteArray) key = g_byte_array_new ();
  g_autofree guint8 *value = g_malloc (size + 1);
  memset (value, (int)number, size);
  tall_bytes_append_u64 (key, number);
  return tall_spool_put (spool, tall_slice_array (key), tall_slice (value, size), error);
}

/* A spool that is in its folder. */
static TallSpool *
make_large (const TallSpoolPlace *place, GError **error)
{
  g_autoptr (TallSpool) spool = tall_spool_new (place);
  if (!put_number (spool, 0, TALL_TEMP_DB_MEMORY + 1, error))
    return NULL;
  return g_steal_pointer (&spool);
}

static void
check_sorted (TallSpool *spool, guint64 n)
{
  g_autoptr (GError) error = NULL;
  TallSlice key, value;
  for (guint64 i = 0; i < n; i++)
    {
      g_assert_true (tall_spool_next (spool, &key, &value, &error));
      TallReader reader = tall_reader (key);
      g_assert_cmpuint (tall_reader_u64 (&reader), ==, i);
      g_assert_true (tall_reader_done (&reader));
      g_assert_cmpuint (value.len, ==, i % 700);
      g_assert_true (value.len == 0 || value.data[value.len - 1] == (guint8)i);
    }
  g_assert_false (tall_spool_next (spool, &key, &value, &error));
  g_assert_no_error (error);
}

/* In another order than that of the keys: what fits into memory, and 35 MB. */
static void
test_sorts (Fixture *self, gconstpointer data)
{
  const guint64 n = GPOINTER_TO_UINT (data), step = 37831; /* without a common divisor */
  gboolean large = n > 10000;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallSpool) spool = tall_spool_new (&self->place);
  for (guint64 i = 0; i < n; i++)
    g_assert_true (put_number (spool, i * step % n, i * step % n % 700, &error));
  g_assert_cmpuint (self->n_announced, ==, large ? 1 : 0);
  check_sorted (spool, n);
  g_assert_cmpuint (count_files (self->folder), ==, 0);
}

static void
test_empty (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallSpool) spool = tall_spool_new (&self->place);
  check_sorted (spool, 0);
}

static void
test_no_folder (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *none = g_build_filename (self->folder, "none", NULL);
  self->place.folder = none;
  g_assert_null (make_large (&self->place, &error));
  g_assert_cmpuint (self->n_announced, ==, 0);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, none));
  g_assert_nonnull (strstr (error->message, "--spool"));
}

/* A limit on files stands for a full disk: the system refuses to write. */
static void
fill_disk (const TallSpoolPlace *place)
{
  g_autoptr (GError) error = NULL;
  const struct rlimit limit = { 1024 * 1024, 1024 * 1024 };
  g_autoptr (TallSpool) spool = make_large (place, &error);
  g_assert_no_error (error);
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  guint64 i = 1;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  while (i < 100000)
    {
      guint32 value[64];
      for (guint k = 0; k < G_N_ELEMENTS (value); k++)
        value[k] = g_rand_int (rand);
      i++;
      if (!tall_spool_put (spool, tall_slice (&i, sizeof i), tall_slice (value, sizeof value),
                           &error))
        break;
    }
  TallSlice key, value;
  if (error == NULL)
    g_assert_false (tall_spool_next (spool, &key, &value, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, place->folder));
  g_assert_nonnull (strstr (error->message, "File too large"));
  g_assert_nonnull (strstr (error->message, "--spool"));
}

static void
test_full_disk (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  if (g_test_subprocess ())
    {
      fill_disk (&self->place);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

static void
check_row (const TallCsvRow *row, guint64 blame)
{
  TallSpoolRow out, in;
  TallCsvRow read;
  guint64 blame_read;
  tall_spool_row_init (&out);
  tall_spool_row_init (&in);
  TallSlice bytes = tall_spool_row_encode (&out, row, blame, ',');
  g_assert_true (tall_spool_row_decode (&in, bytes, ',', &read, &blame_read));
  g_assert_cmpuint (read.line, ==, row->line);
  g_assert_cmpuint (blame_read, ==, blame);
  g_assert_true (row->reason != NULL || tall_slice_equal (read.raw, row->raw));
  guint n = row->reason == NULL ? row->n_fields : 0;
  g_assert_cmpuint (read.n_fields, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpstr (read.fields[i], ==, row->fields[i]);

  for (gsize len = 0; len < 17; len++)
    g_assert_false (
        tall_spool_row_decode (&in, tall_slice (bytes.data, len), ',', &read, &blame_read));
  tall_spool_row_clear (&out);
  tall_spool_row_clear (&in);
}

/* Rows come back as they were: plain ones, and those whose text is not their fields. */
static void
test_rows (void)
{
  static const struct
  {
    const char *raw;
    const char *fields[4];
  } rows[] = {
    { "a,b,c", { "a", "b", "c" } },    { "a", { "a" } },
    { ",,", { "", "", "" } },          { "\"a,b\",c", { "a,b", "c" } },
    { "a,b,c", { "a,b", "c" } },       { "a,b", { "a", "b", "" } },
    { "a,b,", { "a", "b" } },          { "\"a\"", { "a" } },
    { "\"a\nb\",c", { "a\nb", "c" } }, { "a;b", { "a", "b" } },
    { "\xe9,b", { "\xc3\xa9", "b" } }, { "", { "" } },
    { "\"\"\"\",\"\"", { "\"", "" } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      TallCsvRow row = { .line = 7 + i, .fields = rows[i].fields };
      row.raw = tall_slice_str (rows[i].raw);
      while (row.n_fields < 4 && rows[i].fields[row.n_fields] != NULL)
        row.n_fields++;
      check_row (&row, i % 3);
      row.reason = "“x” is wrong";
      check_row (&row, i % 3);
    }
}

#define ADD(name, function) ADD_WITH (name, 0, function)
#define ADD_WITH(name, data, function)                                                             \
  g_test_add ("/load/spool/" name, Fixture, GUINT_TO_POINTER (data), set_up, function, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD_WITH ("sorts/memory", 1000, test_sorts);
  ADD_WITH ("sorts/folder", 100000, test_sorts);
  ADD ("empty", test_empty);
  ADD ("no-folder", test_no_folder);
  ADD ("full-disk", test_full_disk);
  g_test_add_func ("/load/spool/rows", test_rows);
  return g_test_run ();
}

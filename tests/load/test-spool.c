/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/grouper.h"
#include "load/sql/temp-db.h"
#include "tall-error.h"
#include "tall-test-files.h"
#include "tall-must.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>

#define MAP "[order]\ncustomer_number=C\norder_number=O\n[line]\ndescription=T\n"
#define HEADER "C,O,T\n"

typedef struct
{
  char *folder;
  TallSpoolPlace place;
  guint n_announced;
  TallLoadFiles *files;
  TallRejects *rejects;
  TallAssembler *assembler;
  guint64 n_emitted;
  char *text; /* of the last one */
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

static gsize
choose_size (guint64 number)
{
  return number % 700;
}

static char *
make_raw (guint64 number)
{
  g_autofree char *text = g_strnfill (choose_size (number), (char)('a' + number % 26));
  return g_strdup_printf ("C,%08" G_GUINT64_FORMAT ",%s", number, text);
}

/* Orders come by their numbers, each with the row that was put. */
static void
on_order (TallLoadItem *taken, gpointer data)
{
  Fixture *self = data;
  g_autoptr (TallLoadItem) item = taken;
  const TallLineItem *line = item->order->shipping_locations[0]->line_items[0];
  g_autofree char *number = g_strdup_printf ("%08" G_GUINT64_FORMAT, self->n_emitted);
  g_assert_cmpstr (item->order->order_number, ==, number);
  g_free (self->text);
  self->text = g_strdup (line->description);
  self->n_emitted++;
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->folder = g_dir_make_tmp ("tallorder-test-XXXXXX", NULL);
  self->place = (TallSpoolPlace){ self->folder, 0, on_announce, self };
  g_autofree char *path = tall_test_write_file (HEADER, -1);
  g_autoptr (TallMapping) mapping = must (tall_mapping_parse ("m", MAP, -1, &error));
  g_autoptr (TallCsvReader) reader =
      must (tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, &error));
  g_remove (path);
  must (tall_mapping_bind_reader (mapping, reader, &error));
  self->files = tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  self->rejects = tall_rejects_new (NULL, NULL);
  self->assembler = tall_assembler_new (self->rejects, on_order, self);
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  tall_assembler_free (self->assembler);
  tall_rejects_free (self->rejects);
  tall_load_files_free (self->files);
  g_free (self->text);
  g_free (self->folder);
}

static gboolean
put_text (TallOrderSpool *spool, guint64 number, const char *text, GError **error)
{
  g_autofree char *order = g_strdup_printf ("%08" G_GUINT64_FORMAT, number);
  TallCsvRow row = { .line = number + 2, .raw = tall_slice_str (text) };
  return tall_order_spool_put (spool, "C", order, &row, 0, error);
}

static gboolean
put_number (TallOrderSpool *spool, guint64 number, GError **error)
{
  g_autofree char *text = make_raw (number);
  return put_text (spool, number, text, error);
}

/* A spool that is in its folder. */
static TallOrderSpool *
make_large (const Fixture *self, GError **error)
{
  g_autoptr (TallOrderSpool) spool = tall_order_spool_new (self->files, &self->place);
  g_autofree char *text = g_strnfill (TALL_TEMP_DB_MEMORY + 1, 'x');
  return put_text (spool, 0, text, error) ? g_steal_pointer (&spool) : NULL;
}

/* In another order than that of the numbers: what fits into memory, and 35 MB. */
static void
test_sorts (Fixture *self, gconstpointer data)
{
  const guint64 n = GPOINTER_TO_UINT (data), step = 37831; /* without a common divisor */
  guint64 done, all;
  g_autoptr (TallOrderSpool) spool = tall_order_spool_new (self->files, &self->place);
  for (guint64 i = 0; i < n; i++)
    must (put_number (spool, i * step % n, &error));
  g_assert_cmpuint (self->n_announced, ==, n > 10000 ? 1 : 0);
  must (tall_order_spool_drain (spool, self->assembler, NULL, NULL, &error));
  g_assert_cmpuint (self->n_emitted, ==, n);
  g_assert_cmpuint (strlen (self->text), ==, choose_size (n - 1));
  tall_order_spool_get_progress (spool, &done, &all);
  g_assert_cmpuint (done, ==, n);
  g_assert_cmpuint (all, ==, n);
  g_assert_cmpuint (count_files (self->folder), ==, 0);
}

static void
test_empty (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrderSpool) spool = tall_order_spool_new (self->files, &self->place);
  must (tall_order_spool_drain (spool, self->assembler, NULL, NULL, &error));
  g_assert_cmpuint (self->n_emitted, ==, 0);
}

static void
test_no_folder (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *none = g_build_filename (self->folder, "none", NULL);
  self->place.folder = none;
  g_assert_null (make_large (self, &error));
  g_assert_cmpuint (self->n_announced, ==, 0);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, none));
  g_assert_nonnull (strstr (error->message, "--spool"));
}

/* A limit on files stands for a full disk: the system refuses to write. */
static void
fill_disk (const Fixture *self)
{
  g_autoptr (GError) error = NULL;
  const struct rlimit limit = { 1024 * 1024, 1024 * 1024 };
  g_autoptr (TallOrderSpool) spool = must (make_large (self, &error));
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  guint64 i = 1;
  while (i < 100000 && put_number (spool, i, &error))
    i++;
  if (error == NULL)
    g_assert_false (tall_order_spool_drain (spool, self->assembler, NULL, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, self->folder));
  g_assert_nonnull (strstr (error->message, "File too large"));
  g_assert_nonnull (strstr (error->message, "--spool"));
}

static void
test_full_disk (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  if (g_test_subprocess ())
    {
      fill_disk (self);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

/* Rows come back as they were: plain ones, and those whose text is not their fields. */
static void
test_rows (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const rows[][2] = {
    { "C,O,c", "c" },
    { "C,O,", NULL },
    { ",,x", "x" },
    { "\"C,1\",O,x", "x" },
    { "C,O,\"a,b\"", "a,b" },
    { "C,O,\"a\nb\"", "a\nb" },
    { "C,O,\"a\r\n\r\nb\"", "a\r\n\r\nb" },
    { "C,O,\"\"\"\"", "\"" },
    { "C,O,a;b", "a;b" },
    { "C,O,\xc3\xa9", "\xc3\xa9" },
    { "C,O,=\"00123\"", "00123" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TallOrderSpool) spool = tall_order_spool_new (self->files, &self->place);
      must (put_text (spool, i, rows[i][0], &error));
      must (tall_order_spool_drain (spool, self->assembler, NULL, NULL, &error));
      g_assert_cmpuint (self->n_emitted, ==, i + 1);
      g_assert_cmpstr (self->text, ==, rows[i][1]);
    }
}

/* What is read is not what was put, as after a fault of the disk. */
static void
test_damaged (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const rows[] = { "C,O", "C,O,\"x", "C,O,x\"y\"", "C,O,\xff" };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TallOrderSpool) spool = tall_order_spool_new (self->files, &self->place);
      must (put_text (spool, i, rows[i], &error));
      g_autoptr (TallAssembler) assembler = tall_assembler_new (self->rejects, on_order, self);
      must_fail (tall_order_spool_drain (spool, assembler, NULL, NULL, &error), TALL_ERROR_DAMAGED);
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
  ADD ("rows", test_rows);
  ADD ("damaged", test_damaged);
  return g_test_run ();
}

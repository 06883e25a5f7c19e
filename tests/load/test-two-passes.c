/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-faulty-front.h"
#include "load/store/loader.h"
#include "tall-test-files.h"
#include "tall-must.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP "[order]\ncustomer_number=C\norder_number=O\n[line]\nitem_number=I\n"
#define N_ROWS 20000

/* A load whose file, or whose caller, does something while it runs. */
typedef struct
{
  TallFaultyFront *front;
  char *path; /* of the file */
  const char *folder;
  gint stop;
  TallLoadStage when; /* the stage in which @what is done, once */
  void (*what) (gpointer fixture);
  gboolean done;
  guint n_surveys; /* reports of the first pass */
  TallLoadSummary summary;
  TallRejects *rejects;
  GError *error;
} Fixture;

/* Orders of two rows; the first comes back at the end. */
static char *
make_text (void)
{
  g_autoptr (GString) text = g_string_new ("C,O,I\n");
  for (guint i = 0; i < N_ROWS - 1; i++)
    g_string_append_printf (text, "A,%u,%u\n", 100000 + i / 2, 100000 + i);
  g_string_append (text, "A,100000,x\n");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *text = make_text ();
  self->front = tall_faulty_front_new ();
  self->path = tall_test_write_file (text, -1);
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_remove (self->path);
  g_free (self->path);
  g_clear_object (&self->front);
  g_clear_pointer (&self->rejects, tall_rejects_free);
  g_clear_error (&self->error);
}

static void
on_progress (TallLoadStage stage,
             const TallLoadSummary *summary,
             guint64 position G_GNUC_UNUSED,
             guint64 size G_GNUC_UNUSED,
             gpointer data)
{
  Fixture *self = data;
  self->n_surveys += stage == TALL_LOAD_SURVEYS;
  g_assert_true (stage == TALL_LOAD_STORES || summary->rows == 0);
  if (self->what == NULL || self->done || stage != self->when)
    return;
  self->done = TRUE;
  self->what (self);
}

static gboolean
load_path (Fixture *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallMapping) mapping = tall_mapping_parse ("m", MAP, -1, &error);
  g_autoptr (TallCsvReader) reader =
      must (tall_csv_reader_open (path, &(TallCsvDialect){ ',' }, TALL_CSV_MAX_ROW, &error));
  must (tall_mapping_bind_reader (mapping, reader, &error));
  self->rejects = must (tall_rejects_new (NULL, &error));
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.jobs = 1;
  options.progress = on_progress;
  options.data = self;
  options.folder = self->folder;
  options.stop = &self->stop;
  g_autoptr (TallLoadFiles) files =
      tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  return tall_load (TALL_FRONT (self->front), files, self->rejects, &options, &self->summary,
                    &self->error);
}

static void
assert_loaded (Fixture *self)
{
  g_assert_no_error (self->error);
  g_assert_cmpuint (self->n_surveys, >, 0);
  g_assert_cmpuint (self->summary.rows, ==, N_ROWS);
  g_assert_cmpuint (self->summary.spooled_rows, ==, 3);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, N_ROWS / 2);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].lines, ==, N_ROWS);
  g_assert_cmpuint (tall_rejects_get_count (self->rejects), ==, 0);
  g_assert_cmpuint (tall_faulty_front_count_orders (self->front), ==, N_ROWS / 2);
}

static void
test_file (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_true (load_path (self, self->path));
  assert_loaded (self);
}

/* Writes the file to a pipe. */
static gpointer
write_pipe (gpointer data)
{
  g_autofree char *text = make_text ();
  const char *rest = text;
  int fd = GPOINTER_TO_INT (data);
  while (*rest != '\0')
    {
      gssize n = write (fd, rest, MIN (strlen (rest), 1000));
      g_assert_cmpint (n, >, 0);
      rest += n;
    }
  close (fd);
  return NULL;
}

static gboolean
load_pipe (Fixture *self)
{
  int ends[2];
  g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
  g_autoptr (GThread) writer = g_thread_new ("writer", write_pipe, GINT_TO_POINTER (ends[1]));
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", ends[0]);
  gboolean ok = load_path (self, path);
  close (ends[0]);
  g_thread_join (g_steal_pointer (&writer));
  return ok;
}

static guint
count_files (const char *folder)
{
  guint n = 0;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
look_into_folder (gpointer data)
{
  Fixture *self = data;
  g_assert_cmpuint (count_files (self->folder), ==, 0);
}

/* A pipe is copied to a file that has no name, not even while it is written. */
static void
test_pipe (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("tallorder-XXXXXX", NULL);
  self->folder = folder;
  self->when = (TallLoadStage)GPOINTER_TO_UINT (data);
  self->what = look_into_folder;
  g_assert_true (load_pipe (self));
  assert_loaded (self);
  g_assert_true (self->done);
  g_assert_cmpuint (count_files (folder), ==, 0);
  g_rmdir (folder);
}

static void
test_no_folder (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  int ends[2];
  self->folder = "/nonexistent";
  g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
  g_assert_cmpint (write (ends[1], "C,O,I\nA,1,2\n", 12), ==, 12);
  close (ends[1]);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", ends[0]);
  g_assert_false (load_path (self, path));
  close (ends[0]);
  g_assert_error (self->error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (self->error->message, "/nonexistent"));
  g_assert_nonnull (strstr (self->error->message, "--spool"));
  g_assert_cmpuint (tall_faulty_front_count_orders (self->front), ==, 0);
}

static void
append_to_file (gpointer data)
{
  Fixture *self = data;
  int fd = open (self->path, O_WRONLY | O_APPEND | O_CLOEXEC);
  g_assert_cmpint (write (fd, "A,100001,y\n", 11), ==, 11);
  close (fd);
}

/* Writes another order number into the first row, and hides that. */
static void
change_file (gpointer data)
{
  Fixture *self = data;
  struct stat info;
  int fd = open (self->path, O_WRONLY | O_CLOEXEC);
  g_assert_cmpint (fstat (fd, &info), ==, 0);
  g_assert_cmpint (pwrite (fd, "A,100009", 8, 6), ==, 8);
  const struct timespec times[] = { info.st_atim, info.st_mtim };
  g_assert_cmpint (futimens (fd, times), ==, 0);
  close (fd);
}

static void
assert_changed (Fixture *self)
{
  g_assert_false (load_path (self, self->path));
  g_assert_error (self->error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (self->error->message, "was changed while it was loaded"));
}

/* What is added in the second pass is seen before the file has been read to its end. */
static void
test_grows (Fixture *self, gconstpointer data)
{
  self->when = (TallLoadStage)GPOINTER_TO_UINT (data);
  self->what = append_to_file;
  assert_changed (self);
  g_assert_cmpuint (self->summary.rows, <, 1000);
}

static void
test_changes (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->when = TALL_LOAD_SURVEYS;
  self->what = change_file;
  assert_changed (self);
}

static void
ask_to_stop (gpointer data)
{
  Fixture *self = data;
  g_atomic_int_set (&self->stop, 1);
}

static void
test_stops (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->when = TALL_LOAD_SURVEYS;
  self->what = ask_to_stop;
  g_assert_false (load_path (self, self->path));
  g_assert_error (self->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_nonnull (strstr (self->error->message, "nothing is stored"));
  g_assert_cmpuint (self->summary.rows, ==, 0);
  g_assert_cmpuint (tall_faulty_front_count_orders (self->front), ==, 0);
}

#define ADD(name, data, function)                                                                  \
  g_test_add ("/load/two-passes/" name, Fixture, GUINT_TO_POINTER (data), set_up, function,        \
              tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("file", 0, test_file);
  ADD ("pipe/first", TALL_LOAD_SURVEYS, test_pipe);
  ADD ("pipe/second", TALL_LOAD_STORES, test_pipe);
  ADD ("no-folder", 0, test_no_folder);
  ADD ("grows/first", TALL_LOAD_SURVEYS, test_grows);
  ADD ("grows/second", TALL_LOAD_STORES, test_grows);
  ADD ("changes", 0, test_changes);
  ADD ("stops", 0, test_stops);
  return g_test_run ();
}

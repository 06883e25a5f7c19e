/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/source.h"
#include "tall-error.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define STOP_CHECK 200 /* milliseconds */

/* Bytes of a pipe that may be read before its copy is asked for: a header, and what comes along. */
#define MAX_HEAD (4 * 1024 * 1024)

struct _TallCsvSource
{
  char *name;
  int fd;
  struct stat opened; /* the file as it was found */
  guint64 size;       /* bytes; 0: not known */
  const gint *stop;   /* atomic; reading ends when it is not 0 any more; NULL: it never does */
  int copy;           /* gets what is read until the rewind; -1: none */
  char *copy_folder;  /* where the copy lies; NULL: there is none */
  off_t mark;         /* where the file began; the rewind goes there */
  guint64 position;   /* bytes read */
  GByteArray *head; /* what has been read of a pipe, to begin the copy with; NULL: it is not kept */
};

/* What a file that is no CSV text begins with. */
static const struct
{
  const char *bytes;
  gsize len;
  const char *what;
  const char *advice;
} foreign[] = {
  { "\xff\xfe", 2, "is UTF-16", "name it in the mapping: encoding = UTF-16" },
  { "\xfe\xff", 2, "is UTF-16", "name it in the mapping: encoding = UTF-16" },
  { "\x1f\x8b", 2, "is compressed by gzip twice",
    "unpack it once: zcat FILE | tallorder load … -" },
  { "\x28\xb5\x2f\xfd", 4, "is compressed by zstd twice",
    "unpack it once: zstdcat FILE | tallorder load … -" },
  { "\xfd\x37zXZ", 5, "is compressed by xz", "unpack it: xzcat FILE | tallorder load … -" },
  { "\x04\x22\x4d\x18", 4, "is compressed by lz4", "unpack it: lz4cat FILE | tallorder load … -" },
  { "BZh91AY&SY", 10, "is compressed by bzip2", "unpack it: bzcat FILE | tallorder load … -" },
  { "PK\3\4", 4, "is a ZIP archive or an Excel workbook",
    "unpack the archive, or save the sheet as CSV UTF-8" },
  { "\xd0\xcf\x11\xe0", 4, "is an old Excel workbook", "save the sheet as CSV UTF-8" },
  { "PAR1\x15", 5, "is a Parquet file", "export it as CSV" },
  { "SQLite format 3", 15, "is an SQLite database", "export the table as CSV" },
};

static gboolean
check_kind (TallCsvSource *self, GError **error)
{
  const char *what = NULL;
  if (S_ISDIR (self->opened.st_mode))
    what = "a directory";
  else if (S_ISBLK (self->opened.st_mode) || (S_ISCHR (self->opened.st_mode) && !isatty (self->fd)))
    what = "a device";
  if (what == NULL)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "%s is %s, not a CSV file; name a file, or - for standard input", self->name, what);
  return FALSE;
}

/**
 * tall_csv_source_open:
 * @path: a file, or `-` for standard input
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_UNAVAILABLE if there is nothing to read
 */
TallCsvSource *
tall_csv_source_open (const char *path, GError **error)
{
  g_autoptr (TallCsvSource) self = g_new0 (TallCsvSource, 1);
  gboolean is_stdin = g_strcmp0 (path, "-") == 0;
  self->copy = -1;
  self->name = g_strdup (is_stdin ? "standard input" : path);
  self->fd =
      is_stdin ? fcntl (STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open (path, O_RDONLY | O_CLOEXEC);
  if (self->fd < 0 || fstat (self->fd, &self->opened) != 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s cannot be opened: %s", self->name,
                   g_strerror (errno));
      return NULL;
    }
  if (!check_kind (self, error))
    return NULL;
  self->size = S_ISREG (self->opened.st_mode) ? (guint64)self->opened.st_size : 0;
  self->mark = self->size > 0 ? lseek (self->fd, 0, SEEK_CUR) : -1;
  self->mark = MAX (self->mark, 0);
  self->position = (guint64)self->mark;
  if (!S_ISREG (self->opened.st_mode))
    self->head = g_byte_array_new ();
  return g_steal_pointer (&self);
}

void
tall_csv_source_free (TallCsvSource *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  if (self->copy >= 0)
    close (self->copy);
  g_free (self->name);
  g_free (self->copy_folder);
  g_clear_pointer (&self->head, g_byte_array_unref);
  g_free (self);
}

/**
 * tall_csv_source_check_start:
 * @start: the first bytes of the file, as many as have been read
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, which says what the file is and what to do, if it is
 *   known not to be text
 */
gboolean
tall_csv_source_check_start (TallCsvSource *self, TallSlice start, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    if (start.len >= foreign[i].len && memcmp (start.data, foreign[i].bytes, foreign[i].len) == 0)
      {
        g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID, "%s %s, not a CSV text in UTF-8; %s",
                     self->name, foreign[i].what, foreign[i].advice);
        return FALSE;
      }
  return TRUE;
}

/* Waits for something to read, as a pipe may be silent for long. */
static gboolean
wait_for_input (const TallCsvSource *self, GError **error)
{
  struct pollfd input = { .fd = self->fd, .events = POLLIN };
  if (self->stop == NULL)
    return TRUE;
  do
    if (g_atomic_int_get (self->stop) != 0)
      {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Reading %s was stopped", self->name);
        return FALSE;
      }
  while (poll (&input, 1, STOP_CHECK) <= 0);
  return TRUE;
}

static gboolean
write_copy (TallCsvSource *self, const guint8 *data, gsize len, GError **error)
{
  while (len > 0)
    {
      ssize_t n = write (self->copy, data, len);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          g_set_error (
              error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
              "%s cannot be kept in %s, to be read twice: %s. Name a folder with more room "
              "with --spool, or load a file",
              self->name, self->copy_folder, g_strerror (errno));
          return FALSE;
        }
      data += n;
      len -= (gsize)n;
    }
  return TRUE;
}

static gboolean
note_read (TallCsvSource *self, const guint8 *data, gsize len, GError **error)
{
  self->position += len;
  if (self->copy >= 0)
    return write_copy (self, data, len, error);
  if (self->head != NULL && self->head->len + len <= MAX_HEAD)
    g_byte_array_append (self->head, data, (guint)len);
  else
    g_clear_pointer (&self->head, g_byte_array_unref);
  return TRUE;
}

/**
 * tall_csv_source_read:
 * @buffer: (out): gets at most @len bytes
 *
 * Returns: how many bytes were read; 0 at the end; -1 with %TALL_ERROR_INTERNAL if reading fails,
 *   with %TALL_ERROR_UNAVAILABLE if the copy cannot be written, or with %G_IO_ERROR_CANCELLED
 */
gssize
tall_csv_source_read (TallCsvSource *self, guint8 *buffer, gsize len, GError **error)
{
  if (!wait_for_input (self, error))
    return -1;
  ssize_t n;
  do
    n = read (self->fd, buffer, len);
  while (n < 0 && errno == EINTR);

  if (n < 0)
    g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "Reading %s failed: %s", self->name,
                 g_strerror (errno));
  else if (!note_read (self, buffer, (gsize)n, error))
    return -1;
  return n;
}

/* A file without a name, which goes with the process that has it, however that ends. */
static gboolean
open_copy (TallCsvSource *self, const char *folder, GError **error)
{
  self->copy_folder = g_strdup (folder);
  g_autofree char *path = g_build_filename (folder, "tallorder-XXXXXX", NULL);
  self->copy = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (self->copy >= 0 && g_unlink (path) == 0)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "%s cannot be kept in %s, to be read twice: %s. Name another folder with --spool",
               self->name, folder, g_strerror (errno));
  return FALSE;
}

/**
 * tall_csv_source_keep:
 * @folder: where the copy of a pipe goes
 *
 * Makes tall_csv_source_rewind() possible: a copy begins of what cannot be read twice. At most the
 * first 4 MiB of it may have been read before.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the copy cannot be made
 */
gboolean
tall_csv_source_keep (TallCsvSource *self, const char *folder, GError **error)
{
  if (S_ISREG (self->opened.st_mode))
    return TRUE;
  g_autoptr (GByteArray) head = g_steal_pointer (&self->head);
  if (head != NULL)
    return open_copy (self, folder, error) && write_copy (self, head->data, head->len, error);
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "%s cannot be read twice, as its header is longer than %d bytes", self->name,
               MAX_HEAD);
  return FALSE;
}

/**
 * tall_csv_source_rewind:
 *
 * Makes reading begin again where the file began; tall_csv_source_keep() goes before.
 *
 * Returns: FALSE with %TALL_ERROR_INTERNAL
 */
gboolean
tall_csv_source_rewind (TallCsvSource *self, GError **error)
{
  if (self->copy >= 0)
    {
      struct stat info;
      close (self->fd);
      self->fd = self->copy;
      self->copy = -1;
      self->size = fstat (self->fd, &info) == 0 ? (guint64)info.st_size : 0;
    }
  self->position = (guint64)self->mark;
  if (lseek (self->fd, self->mark, SEEK_SET) >= 0)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "%s cannot be read again: %s", self->name,
               g_strerror (errno));
  return FALSE;
}

/* TRUE if the file was written to since it was opened. No other process can write to a copy. */
gboolean
tall_csv_source_has_changed (TallCsvSource *self)
{
  struct stat now;
  if (!S_ISREG (self->opened.st_mode))
    return FALSE;
  return fstat (self->fd, &now) != 0 || now.st_size != self->opened.st_size
         || now.st_mtim.tv_sec != self->opened.st_mtim.tv_sec
         || now.st_mtim.tv_nsec != self->opened.st_mtim.tv_nsec;
}

/* Another name, for messages. */
void
tall_csv_source_set_name (TallCsvSource *self, const char *name)
{
  g_free (self->name);
  self->name = g_strdup (name);
}

/* The file's name, for messages. */
const char *
tall_csv_source_get_name (TallCsvSource *self)
{
  return self->name;
}

/* How many bytes of the file have been read. */
guint64
tall_csv_source_get_position (TallCsvSource *self)
{
  return self->position;
}

/* Bytes of the file; 0 if that is not known. */
guint64
tall_csv_source_get_size (TallCsvSource *self)
{
  return self->size;
}

/**
 * tall_csv_source_set_stop:
 * @stop: (nullable): read atomically
 *
 * Makes reading fail with %G_IO_ERROR_CANCELLED when @stop is not 0 any more.
 */
void
tall_csv_source_set_stop (TallCsvSource *self, const gint *stop)
{
  self->stop = stop;
}

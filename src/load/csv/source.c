/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader-private.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <zstd_errors.h>

#define WINDOW_SIZE (128 * 1024)
#define STOP_CHECK 200 /* milliseconds */

/* Bytes of a pipe that may be read before its copy is asked for: a header, and what comes along. */
#define MAX_HEAD (4 * 1024 * 1024)

/* Bytes that show how a file is compressed. */
#define MAGIC_SIZE 4

/* What every compressor may ask for without being told to: 128 MiB, so that memory stays bounded.
 */
#define MAX_WINDOW_LOG 27

void
tall_csv_window_init (TallCsvWindow *self, TallCsvRead read, gpointer from)
{
  *self = (TallCsvWindow){ .read = read, .from = from, .data = g_malloc (WINDOW_SIZE) };
}

void
tall_csv_window_clear (TallCsvWindow *self)
{
  g_clear_pointer (&self->data, g_free);
}

/* Forgets the bytes, and that they ended. */
void
tall_csv_window_empty (TallCsvWindow *self)
{
  self->start = self->end = 0;
  self->ended = FALSE;
}

/* Reads until @n bytes are there, or no more come. @n: at most %WINDOW_SIZE. Returns: FALSE as
 * reading fails */
gboolean
tall_csv_window_want (TallCsvWindow *self, gsize n, GError **error)
{
  while (self->end - self->start < n && !self->ended)
    {
      memmove (self->data, self->data + self->start, self->end - self->start);
      self->end -= self->start;
      self->start = 0;
      g_assert (self->end < WINDOW_SIZE);
      gssize got = self->read (self->from, self->data + self->end, WINDOW_SIZE - self->end, error);
      if (got < 0)
        return FALSE;
      self->end += (gsize)got;
      self->ended = got == 0;
    }
  return TRUE;
}

/* Bytes that are unpacked. */
typedef struct
{
  TallSlice in;
  gboolean is_last; /* nothing comes after @in */
  guint8 *out;
  gsize room;
  gsize taken;   /* of @in */
  gsize written; /* to @out */
} Step;

#define GZIP "gzip"
#define ZSTD "zstd"

/* How bytes are compressed that a member begins with; NULL: they are not. Those of zstd may be a
 * frame of data, or one to be skipped, with which parallel compressors begin. */
static const char *
recognise_packing (TallSlice bytes)
{
  if (tall_slice_has_prefix (bytes, tall_slice_str ("\x1f\x8b")))
    return GZIP;
  gboolean is_skipped = bytes.len >= MAGIC_SIZE && (bytes.data[0] & 0xf0) == 0x50
                        && memcmp (bytes.data + 1, "\x2a\x4d\x18", 3) == 0;
  return is_skipped || tall_slice_has_prefix (bytes, tall_slice_str ("\x28\xb5\x2f\xfd")) ? ZSTD
                                                                                          : NULL;
}

static GConverterResult
unpack_zstd (ZSTD_DCtx *zstd, Step *step, GError **error)
{
  ZSTD_inBuffer in = { step->in.data, step->in.len, 0 };
  ZSTD_outBuffer out = { step->out, step->room, 0 };
  size_t left = ZSTD_decompressStream (zstd, &out, &in);
  step->taken = in.pos;
  step->written = out.pos;
  if (ZSTD_isError (left) && ZSTD_getErrorCode (left) == ZSTD_error_frameParameter_windowTooLarge)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                 "it needs a window of more than %d MiB; unpack it: zstdcat --long=31 FILE | "
                 "tallorder load … -",
                 1 << (MAX_WINDOW_LOG - 20));
  else if (ZSTD_isError (left))
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, ZSTD_getErrorName (left));
  else if (left == 0)
    return G_CONVERTER_FINISHED;
  else if (in.pos > 0 || out.pos > 0)
    return G_CONVERTER_CONVERTED;
  else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT, "Need more input");
  return G_CONVERTER_ERROR;
}

/* What a file that is not CSV text begins with. */
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
  return tall_error_fail (error, TALL_ERROR_UNAVAILABLE,
                          "%s is %s, not a CSV file; name a file, or - for standard input",
                          self->name, what);
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
        return tall_error_fail (
            error, TALL_ERROR_UNAVAILABLE,
            "%s cannot be kept in %s, to be read twice: %s. Name a folder with more room "
            "with --spool, or load a file",
            self->name, self->copy_folder, g_strerror (errno));
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

/* The bytes of the file. Fails with %TALL_ERROR_INTERNAL, with %TALL_ERROR_UNAVAILABLE if the copy
 * cannot be written, or with %G_IO_ERROR_CANCELLED. */
static gssize
read_file (gpointer from, guint8 *buffer, gsize len, GError **error)
{
  TallCsvSource *self = from;
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

/* The file stands at its beginning: how is it compressed? */
static gboolean
find_packing (TallCsvSource *self, GError **error)
{
  tall_csv_window_init (&self->packed, read_file, self);
  if (!tall_csv_window_want (&self->packed, MAGIC_SIZE, error))
    return FALSE;
  self->packing = recognise_packing (tall_csv_window_get (&self->packed));
  if (g_strcmp0 (self->packing, GZIP) == 0)
    self->gzip = (GConverter *)g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  else if (self->packing != NULL)
    {
      self->zstd = ZSTD_createDCtx ();
      if (self->zstd == NULL
          || ZSTD_isError (
              ZSTD_DCtx_setParameter (self->zstd, ZSTD_d_windowLogMax, MAX_WINDOW_LOG)))
        g_error ("failed to allocate what zstd needs");
    }
  return TRUE;
}

/* @path: a file, or `-` for standard input. Returns: (transfer full): NULL with
 * %TALL_ERROR_UNAVAILABLE if there is nothing to read, or as tall_csv_source_read() */
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
  return find_packing (self, error) ? g_steal_pointer (&self) : NULL;
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
  g_clear_object (&self->gzip);
  ZSTD_freeDCtx (self->zstd);
  tall_csv_window_clear (&self->packed);
  g_free (self->name);
  g_free (self->copy_folder);
  g_clear_pointer (&self->head, g_byte_array_unref);
  g_free (self);
}

/* @start: the first bytes of the file, as many as have been read. Returns: FALSE with
 * %TALL_ERROR_INVALID, which says what the file is and what to do, if it is known not to be text */
gboolean
tall_csv_source_check_start (TallCsvSource *self, TallSlice start, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    if (start.len >= foreign[i].len && memcmp (start.data, foreign[i].bytes, foreign[i].len) == 0)
      return tall_error_fail (error, TALL_ERROR_INVALID, "%s %s, not a CSV text in UTF-8; %s",
                              self->name, foreign[i].what, foreign[i].advice);
  return TRUE;
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
  return tall_error_fail (
      error, TALL_ERROR_UNAVAILABLE,
      "%s cannot be kept in %s, to be read twice: %s. Name another folder with --spool", self->name,
      folder, g_strerror (errno));
}

/* Makes tall_csv_source_rewind() possible: a copy begins of what cannot be read twice. At most the
 * first 4 MiB of it may have been read before. @folder: where the copy of a pipe goes. Returns:
 * FALSE with %TALL_ERROR_UNAVAILABLE if the copy cannot be made */
gboolean
tall_csv_source_keep (TallCsvSource *self, const char *folder, GError **error)
{
  if (S_ISREG (self->opened.st_mode))
    return TRUE;
  g_autoptr (GByteArray) head = g_steal_pointer (&self->head);
  if (head != NULL)
    return open_copy (self, folder, error) && write_copy (self, head->data, head->len, error);
  return tall_error_fail (error, TALL_ERROR_UNAVAILABLE,
                          "%s cannot be read twice, as its header is longer than %d bytes",
                          self->name, MAX_HEAD);
}

/* Makes reading begin again where the file began; tall_csv_source_keep() goes before. Returns:
 * FALSE with %TALL_ERROR_INTERNAL */
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
  tall_csv_window_empty (&self->packed);
  self->in_member = FALSE;
  self->position = (guint64)self->mark;
  if (lseek (self->fd, self->mark, SEEK_SET) >= 0)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_INTERNAL, "%s cannot be read again: %s", self->name,
                          g_strerror (errno));
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

static gboolean G_GNUC_PRINTF (3, 4)
    fail (const TallCsvSource *self, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  guint64 at = self->position - tall_csv_window_get (&self->packed).len;
  return tall_error_fail (error, TALL_ERROR_INVALID, "%s, at byte %" G_GUINT64_FORMAT ": %s",
                          self->name, at, what);
}

/* Skips zeros to the end of the file. */
static gboolean
skip_padding (TallCsvSource *self, GError **error)
{
  TallSlice rest = tall_csv_window_get (&self->packed);
  while (rest.len > 0)
    {
      for (gsize i = 0; i < rest.len; i++, self->packed.start++)
        if (rest.data[i] != 0)
          return fail (self, error,
                       "after the end of the %s data comes something else; the file is damaged, or "
                       "something was appended to it",
                       self->packing);
      if (!tall_csv_window_want (&self->packed, 1, error))
        return FALSE;
      rest = tall_csv_window_get (&self->packed);
    }
  return TRUE;
}

/* Begins the next member, if there is one. */
static gboolean
begin_member (TallCsvSource *self, GError **error)
{
  if (!tall_csv_window_want (&self->packed, MAGIC_SIZE, error))
    return FALSE;
  self->in_member = recognise_packing (tall_csv_window_get (&self->packed)) == self->packing;
  if (!self->in_member)
    return skip_padding (self, error);
  if (self->gzip != NULL)
    g_converter_reset (self->gzip);
  else
    ZSTD_DCtx_reset (self->zstd, ZSTD_reset_session_only);
  return TRUE;
}

/* Unpacks what is there. Returns FALSE, with an error, if it is damaged, or all there is. */
static gboolean
unpack (TallCsvSource *self, guint8 *buffer, gsize len, gsize *written, GError **error)
{
  g_autoptr (GError) local = NULL;
  Step step = { tall_csv_window_get (&self->packed), self->packed.ended, buffer, len, 0, 0 };
  GConverterResult result =
      self->gzip != NULL
          ? g_converter_convert (self->gzip, step.in.data, step.in.len, step.out, step.room,
                                 step.is_last ? G_CONVERTER_INPUT_AT_END : 0, &step.taken,
                                 &step.written, &local)
          : unpack_zstd (self->zstd, &step, &local);
  if (result != G_CONVERTER_ERROR)
    {
      self->packed.start += step.taken;
      *written = step.written;
      self->in_member = result != G_CONVERTER_FINISHED;
      return TRUE;
    }
  *written = 0;
  if (!g_error_matches (local, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT))
    return fail (self, error,
                 "the %s data of the next %" G_GSIZE_FORMAT " bytes cannot be unpacked: %s",
                 self->packing, step.in.len, local->message);
  if (self->packed.ended)
    return fail (self, error, "the %s data ends too early; the file was cut off", self->packing);
  return tall_csv_window_want (&self->packed, step.in.len + 1, error);
}

/* @buffer: (out) gets at most @len bytes, over 0. Returns: how many bytes were read; 0 at the end;
 * -1 with %TALL_ERROR_INVALID, which names the place, if the file is damaged or cut off, with
 * %TALL_ERROR_INTERNAL if reading fails, with %TALL_ERROR_UNAVAILABLE if the copy cannot be
 * written, or with %G_IO_ERROR_CANCELLED */
gssize
tall_csv_source_read (TallCsvSource *self, guint8 *buffer, gsize len, GError **error)
{
  gsize written = 0;
  if (self->packing == NULL)
    {
      TallSlice ahead = tall_csv_window_get (&self->packed);
      gsize n = MIN (len, ahead.len);
      memcpy (buffer, ahead.data, n);
      self->packed.start += n;
      return n > 0 ? (gssize)n : read_file (self, buffer, len, error);
    }
  while (written == 0)
    {
      if (!self->in_member && !begin_member (self, error))
        return -1;
      if (!self->in_member)
        return 0;
      if (!unpack (self, buffer, len, &written, error))
        return -1;
    }
  return (gssize)written;
}

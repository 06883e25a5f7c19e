/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/source.h"

#include "tall-error.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#define SIZE (128 * 1024)

void
tall_csv_window_init (TallCsvWindow *self)
{
  *self = (TallCsvWindow){ .data = g_malloc (SIZE) };
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

/**
 * tall_csv_window_make_room:
 * @len: (out): how many bytes there is room for; never 0 as long as they are taken
 *
 * Returns: (transfer none): where they go; then call tall_csv_window_add()
 */
guint8 *
tall_csv_window_make_room (TallCsvWindow *self, gsize *len)
{
  memmove (self->data, self->data + self->start, self->end - self->start);
  self->end -= self->start;
  self->start = 0;
  *len = SIZE - self->end;
  g_assert (*len > 0);
  return self->data + self->end;
}

/* Counts what has been written to the room that there was; 0: nothing will come any more. */
void
tall_csv_window_add (TallCsvWindow *self, gsize n)
{
  self->end += n;
  self->ended = n == 0;
}

/* Copies bytes to @buffer and takes them. Returns how many there were. */
static gsize
csv_window_move (TallCsvWindow *self, guint8 *buffer, gsize len)
{
  gsize n = MIN (len, self->end - self->start);
  memcpy (buffer, self->data + self->start, n);
  self->start += n;
  return n;
}

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

/* @buffer: (out): gets at most @len bytes
 *
 * Returns: how many bytes were read; 0 at the end; -1 with %TALL_ERROR_INTERNAL if reading fails,
 *   with %TALL_ERROR_UNAVAILABLE if the copy cannot be written, or with %G_IO_ERROR_CANCELLED */
static gssize
csv_source_read (TallCsvSource *self, guint8 *buffer, gsize len, GError **error)
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
 * Makes csv_source_rewind() possible: a copy begins of what cannot be read twice. At most the
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

/* Makes reading begin again where the file began; tall_csv_source_keep() goes before.
 *
 * Returns: FALSE with %TALL_ERROR_INTERNAL */
static gboolean
csv_source_rewind (TallCsvSource *self, GError **error)
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

#define MAX_WINDOW_LOG 27 /* what every compressor may ask for without being told to */

struct _TallZstdDecompressor
{
  GObject parent_instance;
  ZSTD_DCtx *context;
};

static void tall_zstd_decompressor_converter_init (GConverterIface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TallZstdDecompressor,
                               tall_zstd_decompressor,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_CONVERTER,
                                                      tall_zstd_decompressor_converter_init))

static GConverterResult
set_failure (size_t code, GError **error)
{
  if (ZSTD_getErrorCode (code) == ZSTD_error_frameParameter_windowTooLarge)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                 "it needs a window of more than %d MiB; unpack it: zstdcat --long=31 FILE | "
                 "tallorder load … -",
                 1 << (MAX_WINDOW_LOG - 20));
  else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, ZSTD_getErrorName (code));
  return G_CONVERTER_ERROR;
}

static GConverterResult
tall_zstd_decompressor_convert (GConverter *converter,
                                const void *input,
                                gsize input_size,
                                void *output,
                                gsize output_size,
                                GConverterFlags flags G_GNUC_UNUSED,
                                gsize *bytes_read,
                                gsize *bytes_written,
                                GError **error)
{
  TallZstdDecompressor *self = TALL_ZSTD_DECOMPRESSOR (converter);
  ZSTD_inBuffer in = { input, input_size, 0 };
  ZSTD_outBuffer out = { output, output_size, 0 };
  size_t left = ZSTD_decompressStream (self->context, &out, &in);
  if (ZSTD_isError (left))
    return set_failure (left, error);
  *bytes_read = in.pos;
  *bytes_written = out.pos;
  if (left == 0)
    return G_CONVERTER_FINISHED;
  if (in.pos > 0 || out.pos > 0)
    return G_CONVERTER_CONVERTED;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT, "Need more input");
  return G_CONVERTER_ERROR;
}

static void
tall_zstd_decompressor_reset (GConverter *converter)
{
  ZSTD_DCtx_reset (TALL_ZSTD_DECOMPRESSOR (converter)->context, ZSTD_reset_session_only);
}

static void
tall_zstd_decompressor_converter_init (GConverterIface *iface)
{
  iface->convert = tall_zstd_decompressor_convert;
  iface->reset = tall_zstd_decompressor_reset;
}

static void
tall_zstd_decompressor_init (TallZstdDecompressor *self)
{
  self->context = ZSTD_createDCtx ();
  if (self->context == NULL
      || ZSTD_isError (ZSTD_DCtx_setParameter (self->context, ZSTD_d_windowLogMax, MAX_WINDOW_LOG)))
    g_error ("failed to allocate what zstd needs");
}

static void
tall_zstd_decompressor_finalize (GObject *object)
{
  ZSTD_freeDCtx (TALL_ZSTD_DECOMPRESSOR (object)->context);
  G_OBJECT_CLASS (tall_zstd_decompressor_parent_class)->finalize (object);
}

static void
tall_zstd_decompressor_class_init (TallZstdDecompressorClass *class)
{
  G_OBJECT_CLASS (class)->finalize = tall_zstd_decompressor_finalize;
}

/* Returns: (transfer full): a new decompressor */
static GConverter *
zstd_decompressor_new (void)
{
  return g_object_new (TALL_TYPE_ZSTD_DECOMPRESSOR, NULL);
}

/* Bytes that show how a file is compressed. */
#define MAGIC_SIZE 4

typedef struct
{
  const char *name;
  gboolean (*begins) (const guint8 *bytes, gsize len);
  GConverter *(*make) (void);
} Packing;

struct _TallCsvUnpacker
{
  TallCsvSource *source;  /* not owned */
  const Packing *packing; /* NULL: none */
  GConverter *converter;  /* owned; NULL: none */
  TallCsvWindow packed;   /* what has been read of the file and not yet unpacked */
  gboolean in_member;     /* a member has begun and not ended */
};

static gboolean
begins_gzip (const guint8 *bytes, gsize len)
{
  return len >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static GConverter *
make_gzip (void)
{
  return G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
}

/* A frame of data, or one of those to be skipped, with which parallel compressors begin. */
static gboolean
begins_zstd (const guint8 *bytes, gsize len)
{
  return len >= 4
         && (memcmp (bytes, "\x28\xb5\x2f\xfd", 4) == 0
             || ((bytes[0] & 0xf0) == 0x50 && memcmp (bytes + 1, "\x2a\x4d\x18", 3) == 0));
}

static const Packing packings[] = {
  { "gzip", begins_gzip, make_gzip },
  { "zstd", begins_zstd, zstd_decompressor_new },
};

/* Reads until @n bytes are there, or the file has ended. */
static gboolean
want (TallCsvUnpacker *self, gsize n, GError **error)
{
  while (tall_csv_window_get_len (&self->packed) < n && !self->packed.ended)
    {
      gsize room;
      guint8 *space = tall_csv_window_make_room (&self->packed, &room);
      gssize got = csv_source_read (self->source, space, room, error);
      if (got < 0)
        return FALSE;
      tall_csv_window_add (&self->packed, (gsize)got);
    }
  return TRUE;
}

/**
 * tall_csv_unpacker_new:
 * @source: at its beginning; stays the caller's
 *
 * Returns: (transfer full): NULL if the file cannot be read
 */
TallCsvUnpacker *
tall_csv_unpacker_new (TallCsvSource *source, GError **error)
{
  g_autoptr (TallCsvUnpacker) self = g_new0 (TallCsvUnpacker, 1);
  self->source = source;
  tall_csv_window_init (&self->packed);
  if (!want (self, MAGIC_SIZE, error))
    return NULL;
  const guint8 *start = tall_csv_window_get_data (&self->packed);
  for (guint i = 0; i < G_N_ELEMENTS (packings) && self->packing == NULL; i++)
    if (packings[i].begins (start, tall_csv_window_get_len (&self->packed)))
      self->packing = &packings[i];
  if (self->packing != NULL)
    self->converter = self->packing->make ();
  return g_steal_pointer (&self);
}

void
tall_csv_unpacker_free (TallCsvUnpacker *self)
{
  if (self == NULL)
    return;
  g_clear_object (&self->converter);
  tall_csv_window_clear (&self->packed);
  g_free (self);
}

static gboolean G_GNUC_PRINTF (3, 4)
    fail (const TallCsvUnpacker *self, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  guint64 at =
      tall_csv_source_get_position (self->source) - tall_csv_window_get_len (&self->packed);
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID, "%s, at byte %" G_GUINT64_FORMAT ": %s",
               tall_csv_source_get_name (self->source), at, what);
  return FALSE;
}

/* Passes over zeros to the end of the file. */
static gboolean
skip_padding (TallCsvUnpacker *self, GError **error)
{
  do
    {
      const guint8 *rest = tall_csv_window_get_data (&self->packed);
      gsize len = tall_csv_window_get_len (&self->packed);
      gsize n = 0;
      while (n < len && rest[n] == 0)
        n++;
      tall_csv_window_take (&self->packed, n);
      if (n < len)
        return fail (self, error,
                     "after the end of the %s data comes something else; the file is damaged, or "
                     "something was appended to it",
                     self->packing->name);
      if (!want (self, 1, error))
        return FALSE;
    }
  while (tall_csv_window_get_len (&self->packed) > 0);
  return TRUE;
}

/* Begins the next member, if there is one. */
static gboolean
begin_member (TallCsvUnpacker *self, GError **error)
{
  if (!want (self, MAGIC_SIZE, error))
    return FALSE;
  if (!self->packing->begins (tall_csv_window_get_data (&self->packed),
                              tall_csv_window_get_len (&self->packed)))
    return skip_padding (self, error);
  g_converter_reset (self->converter);
  self->in_member = TRUE;
  return TRUE;
}

/* Unpacks what is there. Returns FALSE, with an error, if it is damaged, or all there is. */
static gboolean
unpack (TallCsvUnpacker *self, guint8 *buffer, gsize len, gsize *written, GError **error)
{
  g_autoptr (GError) local = NULL;
  gsize taken = 0;
  *written = 0;
  GConverterResult result =
      g_converter_convert (self->converter, tall_csv_window_get_data (&self->packed),
                           tall_csv_window_get_len (&self->packed), buffer, len,
                           self->packed.ended ? G_CONVERTER_INPUT_AT_END : 0, &taken, written,
                           &local);
  if (result != G_CONVERTER_ERROR)
    {
      tall_csv_window_take (&self->packed, taken);
      self->in_member = result != G_CONVERTER_FINISHED;
      return TRUE;
    }
  if (!g_error_matches (local, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT))
    return fail (self, error,
                 "the %s data of the next %" G_GSIZE_FORMAT " bytes cannot be unpacked: %s",
                 self->packing->name, tall_csv_window_get_len (&self->packed), local->message);
  if (self->packed.ended)
    return fail (self, error, "the %s data ends too early; the file was cut off",
                 self->packing->name);
  return want (self, tall_csv_window_get_len (&self->packed) + 1, error);
}

/**
 * tall_csv_unpacker_read:
 * @buffer: (out): gets at most @len bytes, over 0
 *
 * Returns: how many bytes were read; 0 at the end; -1 with %TALL_ERROR_INVALID, which names the
 *   place, if the file is damaged or cut off, or as csv_source_read()
 */
gssize
tall_csv_unpacker_read (TallCsvUnpacker *self, guint8 *buffer, gsize len, GError **error)
{
  if (self->converter == NULL)
    {
      gsize ahead = csv_window_move (&self->packed, buffer, len);
      return ahead > 0 ? (gssize)ahead : csv_source_read (self->source, buffer, len, error);
    }
  gsize written = 0;
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

/* Begins again with the file's first byte. */
gboolean
tall_csv_unpacker_rewind (TallCsvUnpacker *self, GError **error)
{
  tall_csv_window_empty (&self->packed);
  self->in_member = FALSE;
  return csv_source_rewind (self->source, error);
}

/* TRUE if the file is not compressed. */
gboolean
tall_csv_unpacker_is_plain (const TallCsvUnpacker *self)
{
  return self->converter == NULL;
}

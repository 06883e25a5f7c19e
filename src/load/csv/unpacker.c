/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/unpacker.h"
#include "load/csv/window.h"
#include "tall-error.h"
#include "load/csv/zstd-decompressor.h"

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
  { "zstd", begins_zstd, tall_zstd_decompressor_new },
};

/* Reads until @n bytes are there, or the file has ended. */
static gboolean
want (TallCsvUnpacker *self, gsize n, GError **error)
{
  while (tall_csv_window_get_len (&self->packed) < n && !self->packed.ended)
    {
      gsize room;
      guint8 *space = tall_csv_window_make_room (&self->packed, &room);
      gssize got = tall_csv_source_read (self->source, space, room, error);
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
 *   place, if the file is damaged or cut off, or as tall_csv_source_read()
 */
gssize
tall_csv_unpacker_read (TallCsvUnpacker *self, guint8 *buffer, gsize len, GError **error)
{
  if (self->converter == NULL)
    {
      gsize ahead = tall_csv_window_move (&self->packed, buffer, len);
      return ahead > 0 ? (gssize)ahead : tall_csv_source_read (self->source, buffer, len, error);
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
  return tall_csv_source_rewind (self->source, error);
}

/* TRUE if the file is not compressed. */
gboolean
tall_csv_unpacker_is_plain (const TallCsvUnpacker *self)
{
  return self->converter == NULL;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

#include <gio/gio.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * TallCsvWindow:
 *
 * Bytes that wait to be converted, in a buffer that does not grow. Begin with
 * tall_csv_window_init(). Not thread-safe.
 */
typedef struct
{
  guint8 *data;
  gsize start;
  gsize end;
  gboolean ended; /* nothing comes after them */
} TallCsvWindow;

void tall_csv_window_init (TallCsvWindow *self);
void tall_csv_window_clear (TallCsvWindow *self);
void tall_csv_window_empty (TallCsvWindow *self);
guint8 *tall_csv_window_make_room (TallCsvWindow *self, gsize *len);
void tall_csv_window_add (TallCsvWindow *self, gsize n);

static inline const guint8 *
tall_csv_window_get_data (const TallCsvWindow *self)
{
  return self->data + self->start;
}

static inline gsize
tall_csv_window_get_len (const TallCsvWindow *self)
{
  return self->end - self->start;
}

static inline void
tall_csv_window_take (TallCsvWindow *self, gsize n)
{
  self->start += n;
}

/**
 * TallCsvSource:
 *
 * The bytes of a CSV file, which can be read a second time after tall_csv_source_keep(): a regular
 * file from its disk, anything else from a copy that is written while it is read. Not thread-safe.
 */
typedef struct _TallCsvSource TallCsvSource;

TallCsvSource *tall_csv_source_open (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_source_free (TallCsvSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCsvSource, tall_csv_source_free)

gboolean tall_csv_source_keep (TallCsvSource *self,
                               const char *folder,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_has_changed (TallCsvSource *self);

const char *tall_csv_source_get_name (TallCsvSource *self);
guint64 tall_csv_source_get_position (TallCsvSource *self);
guint64 tall_csv_source_get_size (TallCsvSource *self);
void tall_csv_source_set_name (TallCsvSource *self, const char *name);
void tall_csv_source_set_stop (TallCsvSource *self, const gint *stop);

gboolean tall_csv_source_check_start (TallCsvSource *self,
                                      TallSlice start,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallZstdDecompressor:
 *
 * A #GConverter for Zstandard (RFC 8878), as #GZlibDecompressor is one for gzip: it finishes at the
 * end of a frame, and goes on with another after g_converter_reset(). Frames whose window is over
 * 128 MiB are refused, so that memory stays bounded. Not thread-safe.
 */
#define TALL_TYPE_ZSTD_DECOMPRESSOR (tall_zstd_decompressor_get_type ())
G_DECLARE_FINAL_TYPE (
    TallZstdDecompressor, tall_zstd_decompressor, TALL, ZSTD_DECOMPRESSOR, GObject)

/**
 * TallCsvUnpacker:
 *
 * The bytes of a file after decompression, in memory that does not grow with the file: gzip
 * (RFC 1952) and Zstandard (RFC 8878), recognised by how the file begins; other files as they are.
 * Members that follow each other are one text, zeros after the last are ignored, as tapes and disks
 * leave them. A file that ends within a member, or has anything else after it, is an error. Not
 * thread-safe.
 */
typedef struct _TallCsvUnpacker TallCsvUnpacker;

TallCsvUnpacker *tall_csv_unpacker_new (TallCsvSource *source,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_unpacker_free (TallCsvUnpacker *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCsvUnpacker, tall_csv_unpacker_free)

gssize tall_csv_unpacker_read (TallCsvUnpacker *self, guint8 *buffer, gsize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_unpacker_rewind (TallCsvUnpacker *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_unpacker_is_plain (const TallCsvUnpacker *self);

G_END_DECLS

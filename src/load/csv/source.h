/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

#include <gio/gio.h>
#include <sys/stat.h>
#include <zstd.h>

G_BEGIN_DECLS

/* @buffer: (out) gets at most @len bytes. Returns: how many bytes were read; 0 at the end; -1 with
 * an error */
typedef gssize (*TallCsvRead) (gpointer from, guint8 *buffer, gsize len, GError **error);

/* Bytes that were read and wait to be converted, in a buffer that does not grow. Begin with
 * tall_csv_window_init(). Not thread-safe. */
typedef struct
{
  TallCsvRead read;
  gpointer from;
  guint8 *data;
  gsize start;
  gsize end;
  gboolean ended; /* nothing comes after them */
} TallCsvWindow;

void tall_csv_window_init (TallCsvWindow *self, TallCsvRead read, gpointer from);
void tall_csv_window_clear (TallCsvWindow *self);
void tall_csv_window_empty (TallCsvWindow *self);
gboolean
tall_csv_window_want (TallCsvWindow *self, gsize n, GError **error) G_GNUC_WARN_UNUSED_RESULT;

static inline TallSlice
tall_csv_window_get (const TallCsvWindow *self)
{
  return tall_slice (self->data + self->start, self->end - self->start);
}

/* The bytes of a CSV file after decompression, in memory that does not grow with the file: gzip
 * (RFC 1952) and Zstandard (RFC 8878), recognised by how the file begins; other files as they are.
 * Members that follow each other are one text, zeros after the last are ignored, as tapes and disks
 * leave them. A file that ends within a member, or has anything else after it, is an error. It can
 * be read a second time after tall_csv_source_keep(): a regular file from its disk, anything else
 * from a copy that is written while it is read. Not thread-safe. */
typedef struct
{
  char *name; /* for messages; owned, and may be replaced */
  int fd;
  struct stat opened; /* the file as it was found */
  guint64 size;       /* bytes of the file; 0: not known */
  guint64 position;   /* bytes of the file that were read */
  const gint *stop;   /* atomic; reading ends when it is not 0 any more; NULL: it never does */
  int copy;           /* gets what is read until the rewind; -1: none */
  char *copy_folder;  /* where the copy lies; NULL: there is none */
  off_t mark;         /* where the file began; the rewind goes there */
  GByteArray *head; /* what has been read of a pipe, to begin the copy with; NULL: it is not kept */

  const char *packing; /* how the file is compressed; NULL: it is not */
  GConverter *gzip;    /* owned; of one of these */
  ZSTD_DCtx *zstd;
  TallCsvWindow packed; /* what has been read of the file and not yet unpacked */
  gboolean in_member;   /* a member has begun and not ended */
} TallCsvSource;

TallCsvSource *tall_csv_source_open (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_source_free (TallCsvSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCsvSource, tall_csv_source_free)

gssize tall_csv_source_read (TallCsvSource *self, guint8 *buffer, gsize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_keep (TallCsvSource *self,
                               const char *folder,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_rewind (TallCsvSource *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_has_changed (TallCsvSource *self);
gboolean tall_csv_source_check_start (TallCsvSource *self,
                                      TallSlice start,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/source.h"

G_BEGIN_DECLS

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

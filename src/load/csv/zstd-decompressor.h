/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

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

GConverter *tall_zstd_decompressor_new (void);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/zstd-decompressor.h"

#include <zstd.h>
#include <zstd_errors.h>

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
GConverter *
tall_zstd_decompressor_new (void)
{
  return g_object_new (TALL_TYPE_ZSTD_DECOMPRESSOR, NULL);
}

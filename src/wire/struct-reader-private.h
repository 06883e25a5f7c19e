/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/struct-reader.h"

G_BEGIN_DECLS

gboolean tall_struct_reader_read_value (TallStructReader *self,
                                        const TallStructField *field,
                                        gpointer object,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
gpointer tall_struct_reader_new (TallStructReader *self, const TallStructType *type);
gboolean tall_struct_reader_begin_list (TallStructReader *self,
                                        ThriftType expected,
                                        guint32 *size,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_reader_spend_memory (TallStructReader *self,
                                          gsize bytes,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The value of the field at the end of the path is not taken; FALSE, with %TALL_ERROR_INVALID or
 * %TALL_ERROR_TOO_LARGE. */
gboolean tall_struct_reader_refuse (TallStructReader *self, GError **error, const char *reason);
gboolean tall_struct_reader_refuse_size (TallStructReader *self,
                                         GError **error,
                                         guint limit,
                                         const char *what);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"
#include "tall-transport.h"

G_BEGIN_DECLS

/**
 * TallStructInput:
 *
 * The values of one message, in their order. A message of the binary protocol is read straight from
 * the transport's buffer. This needs no memory of its own, and no calls through Thrift's classes,
 * which cost several times as much as the rest. Other messages are read through their guarded
 * protocol.
 */
typedef struct
{
  ThriftProtocol *protocol;
  TallTransport *transport;
  gboolean direct;
  TallSlice ahead;  /* direct: received and not yet read */
  gsize received;   /* bytes of @ahead when it was taken from the transport */
  guint64 elements; /* direct: of all lists and maps so far */
} TallStructInput;

void tall_struct_input_init (TallStructInput *self, ThriftProtocol *protocol);

gboolean tall_struct_input_begin_struct (TallStructInput *self,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_end_struct (TallStructInput *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_begin_field (TallStructInput *self,
                                        ThriftType *type,
                                        gint16 *id,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_end_field (TallStructInput *self,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_begin_list (TallStructInput *self,
                                       ThriftType *type,
                                       guint32 *size,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_end_list (TallStructInput *self,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_begin_map (TallStructInput *self,
                                      ThriftType *key_type,
                                      ThriftType *value_type,
                                      guint32 *size,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_end_map (TallStructInput *self,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_bool (TallStructInput *self,
                                 gboolean *value,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_i32 (TallStructInput *self,
                                gint32 *value,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_i64 (TallStructInput *self,
                                gint64 *value,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_bytes (TallStructInput *self,
                                  TallArena *arena,
                                  TallSlice *slice,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_text (TallStructInput *self,
                                 char **text,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_skip (TallStructInput *self,
                                 ThriftType type,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_input_finish (TallStructInput *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

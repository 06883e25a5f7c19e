/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/transport.h"
#include "wire/wire-format.h"

G_BEGIN_DECLS

/**
 * TallWireInput:
 *
 * The values of one message, in their order, read straight from the transport's buffer. Nothing of
 * what the bytes announce is believed before it has arrived. Every failure marks the transport as
 * broken, because the place in the message is lost.
 */
typedef struct
{
  TallTransport *transport;
  gboolean compact;
  const guint8 *at; /* received and not yet read: left bytes */
  gsize left;
  gsize received;   /* @left when it was taken from the transport */
  guint64 elements; /* of lists and maps that may still come */
  guint depth;      /* structs and containers that are open */
  guint max_depth;
  guint8 truth;         /* compact: the value that the type of a field was; 0: none */
  GByteArray *copy;     /* nullable, not owned: takes what is read … */
  const guint8 *copied; /* … from here on */
} TallWireInput;

/* The head of a field. Starts zeroed for each struct. */
typedef struct
{
  TallWireType type; /* TALL_WIRE_STOP: the struct has ended */
  gint16 id;         /* stays for the next one: compact fields count from it */
} TallWireField;

void tall_wire_input_init (TallWireInput *self, TallTransport *transport);

gboolean tall_wire_input_begin_struct (TallWireInput *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_wire_input_next_field (TallWireInput *self,
                                     TallWireField *field,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_wire_input_begin_list (TallWireInput *self,
                                     TallWireType *type,
                                     guint32 *size,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_wire_input_begin_map (TallWireInput *self,
                                    TallWireType *key_type,
                                    TallWireType *value_type,
                                    guint32 *size,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Ends a struct, a list or a map. */
static inline void
tall_wire_input_end (TallWireInput *self)
{
  self->depth--;
}

gboolean tall_wire_input_bool (TallWireInput *self,
                               gboolean *value,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_wire_input_u32 (TallWireInput *self, guint32 *value, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_wire_input_i32 (TallWireInput *self, gint32 *value, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_wire_input_i64 (TallWireInput *self, gint64 *value, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_wire_input_bytes (TallWireInput *self,
                                TallSlice *bytes,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_wire_input_message_type (TallWireInput *self,
                                       TallMessageType *type,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_wire_input_pass (TallWireInput *self, gsize n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_wire_input_skip (TallWireInput *self,
                               TallWireType type,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_wire_input_begin_copy (TallWireInput *self, GByteArray *copy);
void tall_wire_input_end_copy (TallWireInput *self);
void tall_wire_input_settle (TallWireInput *self);
gboolean tall_wire_input_finish (TallWireInput *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Says that the bytes make no sense; FALSE, with %TALL_ERROR_INVALID. */
gboolean tall_wire_input_reject (TallWireInput *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/wire-format.h"

G_BEGIN_DECLS

#define TALL_WIRE_OUTPUT_HELD 256

/**
 * TallWireOutput:
 *
 * Takes the values of a message in either protocol. Most have a few bytes. They are gathered and
 * appended together, because to append to a GByteArray costs as much for one byte as for all of
 * these.
 */
typedef struct
{
  GByteArray *bytes; /* not owned: what is written is appended, at the latest when it is settled */
  gboolean compact;
  guint n_held;
  guint8 held[TALL_WIRE_OUTPUT_HELD]; /* bytes that come next */
} TallWireOutput;

void tall_wire_output_init (TallWireOutput *self, GByteArray *bytes, gboolean compact);
void tall_wire_output_settle (TallWireOutput *self);

/* @last: of the struct under way: the number of the field before; starts at 0. */
void tall_wire_put_field (TallWireOutput *self, gint16 *last, TallWireType type, gint16 id);
void tall_wire_put_bool_field (TallWireOutput *self, gint16 *last, gint16 id, gboolean value);
void tall_wire_put_stop (TallWireOutput *self);

void tall_wire_put_u32 (TallWireOutput *self, guint32 value);
void tall_wire_put_i32 (TallWireOutput *self, gint32 value);
void tall_wire_put_i64 (TallWireOutput *self, gint64 value);
void tall_wire_put_bytes (TallWireOutput *self, TallSlice bytes);
void tall_wire_put_raw (TallWireOutput *self, TallSlice bytes);
void tall_wire_put_list (TallWireOutput *self, TallWireType type, guint32 size);
void tall_wire_put_map (TallWireOutput *self,
                        TallWireType key_type,
                        TallWireType value_type,
                        guint32 size);
void tall_wire_put_message_type (TallWireOutput *self, TallMessageType type);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-arena.h"
#include "tall-call-memory.h"
#include "tall-struct-input.h"
#include "tall-struct-type.h"

G_BEGIN_DECLS

/* Deepest nesting of our own structs: result, outcomes, result, order, location, line, decimal and
 * its field, and two to spare. */
#define TALL_STRUCT_MAX_DEPTH 10

/* What a call on many may hold: lines and locations with the lists of items around them, and bytes
 * of text. */
#define TALL_STRUCT_MANY_LINES 200000
#define TALL_STRUCT_MANY_BYTES (16 * 1024 * 1024)

typedef struct
{
  const TallField *field;
  gint64 index; /* in a list; -1: none */
} TallStructStep;

/**
 * TallStructReader:
 *
 * Reads structs from a Thrift protocol into an arena. What it takes is bounded by the limits of
 * one order, or of a call on many, however much the sender announces: its memory is a small
 * multiple of 1 MiB, or of 16.
 */
typedef struct
{
  TallStructInput input;
  TallArena *arena;
  TallCallMemory *memory; /* not owned: counts what is read; NULL: not counted */
  guint n_structs;        /* elements of lists that may still come */
  gsize text_budget;      /* bytes of text that may still come, with 2 for each text */
  gboolean many;          /* the limits are those of a call on many */
  gboolean refused;       /* the error is about a value: the bytes were Thrift */
  guint depth;
  TallStructStep path[TALL_STRUCT_MAX_DEPTH]; /* depth of them: where we are */
} TallStructReader;

void tall_struct_reader_init (TallStructReader *self, ThriftProtocol *protocol, TallArena *arena);
void tall_struct_reader_allow_many (TallStructReader *self);
gboolean tall_struct_reader_read (TallStructReader *self,
                                  const TallStructType *type,
                                  gpointer object,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_reader_finish (TallStructReader *self,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

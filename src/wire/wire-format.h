/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallWireType:
 *
 * The types of Thrift's values, by their numbers in the binary protocol.
 */
typedef enum
{
  TALL_WIRE_STOP = 0, /* the end of a struct; the type of nothing */
  TALL_WIRE_VOID = 1,
  TALL_WIRE_BOOL = 2,
  TALL_WIRE_BYTE = 3,
  TALL_WIRE_DOUBLE = 4,
  TALL_WIRE_I16 = 6,
  TALL_WIRE_I32 = 8,
  TALL_WIRE_I64 = 10,
  TALL_WIRE_STRING = 11, /* texts and bytes */
  TALL_WIRE_STRUCT = 12,
  TALL_WIRE_MAP = 13,
  TALL_WIRE_SET = 14,
  TALL_WIRE_LIST = 15,
  TALL_WIRE_N_TYPES
} TallWireType;

typedef enum
{
  TALL_MESSAGE_CALL = 1,
  TALL_MESSAGE_REPLY = 2,
  TALL_MESSAGE_EXCEPTION = 3, /* Thrift's own answer: the call could not be run */
  TALL_MESSAGE_ONEWAY = 4,    /* a call that wants no answer */
} TallMessageType;

/* How a message begins: a version and a type. Binary: 0x80 0x01 0x00 TYPE. Compact: 0x82, then the
 * type in the upper three bits and the version, 1, in the others. */
#define TALL_BINARY_VERSION 0x80010000u
#define TALL_BINARY_TYPE_MASK 0x000000ffu
#define TALL_COMPACT_ID 0x82
#define TALL_COMPACT_VERSION 1
#define TALL_COMPACT_VERSION_MASK 0x1f
#define TALL_COMPACT_TYPE_SHIFT 5

/* Compact: truth values have types of their own, which are the value at the same time. */
#define TALL_COMPACT_TRUE 1
#define TALL_COMPACT_FALSE 2

/* Compact: the length of a list that is too long for the upper half of its first byte, and the
 * largest difference between the numbers of two fields that fits there. */
#define TALL_COMPACT_LONG_LIST 15
#define TALL_COMPACT_MAX_STEP 15

/* Compact: bytes of a number of 32 or 64 bits at most, seven bits each. */
#define TALL_COMPACT_MAX_32 5
#define TALL_COMPACT_MAX_64 10

/* The fewest bytes of a value, by protocol (compact: 1) and type; 0: no type of a value. */
extern const guint8 tall_wire_min_sizes[2][TALL_WIRE_N_TYPES];

static inline guint
tall_wire_min_size (gboolean compact, TallWireType type)
{
  return (guint)type < TALL_WIRE_N_TYPES ? tall_wire_min_sizes[compact != FALSE][type] : 0;
}

/* The compact protocol's number of a type, and back; 0: none. */
extern const guint8 tall_compact_from_type[TALL_WIRE_N_TYPES];
extern const guint8 tall_compact_to_type[16];

/**
 * TallRecognized:
 *
 * What the first bytes of a message say.
 */
typedef enum
{
  TALL_RECOGNIZED_NOTHING,
  TALL_RECOGNIZED_BINARY,
  TALL_RECOGNIZED_COMPACT,
} TallRecognized;

TallRecognized tall_wire_recognize (TallSlice start, TallMessageType *type);

G_END_DECLS

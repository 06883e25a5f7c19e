/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/wire-format.h"

const guint8 tall_wire_min_sizes[2][TALL_WIRE_N_TYPES] = {
  {
      [TALL_WIRE_BOOL] = 1,
      [TALL_WIRE_BYTE] = 1,
      [TALL_WIRE_DOUBLE] = 8,
      [TALL_WIRE_I16] = 2,
      [TALL_WIRE_I32] = 4,
      [TALL_WIRE_I64] = 8,
      [TALL_WIRE_STRING] = 4,
      [TALL_WIRE_STRUCT] = 1,
      [TALL_WIRE_MAP] = 6,
      [TALL_WIRE_SET] = 5,
      [TALL_WIRE_LIST] = 5,
  },
  {
      [TALL_WIRE_BOOL] = 1,
      [TALL_WIRE_BYTE] = 1,
      [TALL_WIRE_DOUBLE] = 8,
      [TALL_WIRE_I16] = 1,
      [TALL_WIRE_I32] = 1,
      [TALL_WIRE_I64] = 1,
      [TALL_WIRE_STRING] = 1,
      [TALL_WIRE_STRUCT] = 1,
      [TALL_WIRE_MAP] = 1,
      [TALL_WIRE_SET] = 1,
      [TALL_WIRE_LIST] = 1,
  },
};

const guint8 tall_compact_from_type[TALL_WIRE_N_TYPES] = {
  [TALL_WIRE_BOOL] = TALL_COMPACT_TRUE,
  [TALL_WIRE_BYTE] = 3,
  [TALL_WIRE_I16] = 4,
  [TALL_WIRE_I32] = 5,
  [TALL_WIRE_I64] = 6,
  [TALL_WIRE_DOUBLE] = 7,
  [TALL_WIRE_STRING] = 8,
  [TALL_WIRE_LIST] = 9,
  [TALL_WIRE_SET] = 10,
  [TALL_WIRE_MAP] = 11,
  [TALL_WIRE_STRUCT] = 12,
};

const guint8 tall_compact_to_type[16] = {
  [TALL_COMPACT_TRUE] = TALL_WIRE_BOOL,
  [TALL_COMPACT_FALSE] = TALL_WIRE_BOOL,
  [3] = TALL_WIRE_BYTE,
  [4] = TALL_WIRE_I16,
  [5] = TALL_WIRE_I32,
  [6] = TALL_WIRE_I64,
  [7] = TALL_WIRE_DOUBLE,
  [8] = TALL_WIRE_STRING,
  [9] = TALL_WIRE_LIST,
  [10] = TALL_WIRE_SET,
  [11] = TALL_WIRE_MAP,
  [12] = TALL_WIRE_STRUCT,
};

/**
 * tall_wire_recognize:
 * @start: of a message
 * @type: (out) (optional): of the message, as far as four bytes say; 0: they do not
 *
 * Returns: the protocol that the message is in
 */
TallRecognized
tall_wire_recognize (TallSlice start, TallMessageType *type)
{
  TallMessageType found = 0;
  TallRecognized recognized = TALL_RECOGNIZED_NOTHING;

  if (start.len >= 2 && start.data[0] == TALL_BINARY_VERSION >> 24
      && start.data[1] == (TALL_BINARY_VERSION >> 16 & 0xff))
    {
      recognized = TALL_RECOGNIZED_BINARY;
      found = start.len >= 4 && start.data[2] == 0 ? start.data[3] : 0;
    }
  else if (start.len >= 2 && start.data[0] == TALL_COMPACT_ID
           && (start.data[1] & TALL_COMPACT_VERSION_MASK) == TALL_COMPACT_VERSION)
    {
      recognized = TALL_RECOGNIZED_COMPACT;
      found = start.data[1] >> TALL_COMPACT_TYPE_SHIFT;
    }
  if (type != NULL)
    *type = found;
  return recognized;
}

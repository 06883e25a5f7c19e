/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-arena.h"

TALL_BEGIN_API

/**
 * TallSlice:
 *
 * Bytes that somebody else owns. { NULL, 0 } is the empty slice.
 */
typedef struct
{
  const guint8 *data;
  gsize len; /* bytes */
} TallSlice;

#define TALL_SLICE_INIT                                                                            \
  {                                                                                                \
    NULL, 0                                                                                        \
  }

static inline TallSlice
tall_slice (gconstpointer data, gsize len)
{
  return (TallSlice){ (const guint8 *)data, len };
}

static inline TallSlice
tall_slice_str (const char *text)
{
  return (TallSlice){ (const guint8 *)text, strlen (text) };
}

static inline TallSlice
tall_slice_array (const GByteArray *array)
{
  return (TallSlice){ array->data, array->len };
}

static inline TallSlice
tall_slice_bytes (GBytes *bytes)
{
  gsize len;
  const guint8 *data = (const guint8 *)g_bytes_get_data (bytes, &len);
  return (TallSlice){ data, len };
}

static inline gboolean
tall_slice_equal (TallSlice a, TallSlice b)
{
  return a.len == b.len && (a.len == 0 || memcmp (a.data, b.data, a.len) == 0);
}

/* By unsigned bytes: less than, equal to or greater than 0; a prefix sorts first. */
static inline int
tall_slice_compare (TallSlice a, TallSlice b)
{
  gsize common = MIN (a.len, b.len);
  int order = common == 0 ? 0 : memcmp (a.data, b.data, common);
  return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

gboolean tall_slice_has_prefix (TallSlice slice, TallSlice prefix);
TallSlice tall_slice_dup (TallArena *arena, TallSlice slice);
TallSlice tall_slice_after_prefix (TallArena *arena, TallSlice prefix);

/* Big-endian writing. */
void tall_bytes_append_u8 (GByteArray *array, guint8 value);
void tall_bytes_append_u16 (GByteArray *array, guint16 value);
void tall_bytes_append_u32 (GByteArray *array, guint32 value);
void tall_bytes_append_u64 (GByteArray *array, guint64 value);
void tall_bytes_append (GByteArray *array, TallSlice slice);
void tall_bytes_set (GByteArray *array, TallSlice slice);
void tall_bytes_set_after (GByteArray *array, TallSlice slice);

/**
 * TallReader:
 *
 * Big-endian reading with a check before every step. After the first read beyond the end the
 * reader has failed: every later read gives zero, and tall_reader_done() is FALSE. So a sequence
 * of reads needs only one check, at its end.
 */
typedef struct
{
  TallSlice rest;
  gboolean failed;
} TallReader;

static inline TallReader
tall_reader (TallSlice slice)
{
  return (TallReader){ slice, FALSE };
}

/* The next @len bytes, pointing into what is read; the empty slice if they are not there. */
static inline TallSlice
tall_reader_take (TallReader *self, gsize len)
{
  gboolean there = !self->failed && len <= self->rest.len;
  TallSlice taken = tall_slice (there ? self->rest.data : NULL, there ? len : 0);
  self->failed = !there;
  self->rest = there ? tall_slice (self->rest.data + len, self->rest.len - len) : taken;
  return taken;
}

static inline guint8
tall_reader_u8 (TallReader *self)
{
  TallSlice bytes = tall_reader_take (self, 1);
  return bytes.len == 0 ? 0 : bytes.data[0];
}

static inline guint16
tall_reader_u16 (TallReader *self)
{
  guint16 big = 0;
  TallSlice bytes = tall_reader_take (self, sizeof big);
  if (bytes.len > 0)
    memcpy (&big, bytes.data, sizeof big);
  return GUINT16_FROM_BE (big);
}

static inline guint32
tall_reader_u32 (TallReader *self)
{
  guint32 big = 0;
  TallSlice bytes = tall_reader_take (self, sizeof big);
  if (bytes.len > 0)
    memcpy (&big, bytes.data, sizeof big);
  return GUINT32_FROM_BE (big);
}

static inline guint64
tall_reader_u64 (TallReader *self)
{
  guint64 big = 0;
  TallSlice bytes = tall_reader_take (self, sizeof big);
  if (bytes.len > 0)
    memcpy (&big, bytes.data, sizeof big);
  return GUINT64_FROM_BE (big);
}

/* TRUE if nothing failed and nothing is left. */
static inline gboolean
tall_reader_done (const TallReader *self)
{
  return !self->failed && self->rest.len == 0;
}

/* For people: lower-case hex; and text with \xNN for what is not printable ASCII. */
char *tall_slice_to_hex (TallSlice slice);
char *tall_slice_to_debug (TallSlice slice);

TALL_END_API

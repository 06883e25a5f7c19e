/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/spec-codec.h"

#include "tall-error.h"
#include "table/table-checks.h"

/* Of a table that is open. One that is not has the other, which older versions refuse: they would
 * not see that it is shut. */
#define OPEN_FORMAT 1

/* An absent text has this length. */
#define ABSENT G_MAXUINT16

static void
append_text (GByteArray *stored, const char *text)
{
  gsize len = text == NULL ? 0 : strlen (text);
  g_assert (len < ABSENT);
  tall_bytes_append_u16 (stored, text == NULL ? ABSENT : (guint16)len);
  tall_bytes_append (stored, tall_slice (text, len));
}

static char *
read_text (TallReader *reader)
{
  guint16 len = tall_reader_u16 (reader);
  if (reader->failed || len == ABSENT)
    return NULL;
  TallSlice text = tall_reader_take (reader, len);
  return g_strndup ((const char *)text.data, text.len);
}

/**
 * tall_spec_encode:
 * @stored: (out caller-allocates): its bytes are appended; the name is not among them
 */
void
tall_spec_encode (const TallTableSpec *spec, GByteArray *stored)
{
  tall_bytes_append_u8 (stored, spec->access == TALL_ACCESS_OPEN ? OPEN_FORMAT : TALL_SPEC_FORMAT);
  tall_bytes_append_u32 (stored, spec->max_versions);
  tall_bytes_append_u64 (stored, spec->ttl);
  append_text (stored, spec->compression);
  append_text (stored, spec->bloom_filter);
  append_text (stored, spec->block_encoding);
  tall_bytes_append_u32 (stored, spec->splits == NULL ? 0 : spec->splits->len);
  for (guint i = 0; spec->splits != NULL && i < spec->splits->len; i++)
    {
      gsize len;
      const guint8 *data = g_bytes_get_data (g_ptr_array_index (spec->splits, i), &len);
      tall_bytes_append_u16 (stored, (guint16)len);
      tall_bytes_append (stored, tall_slice (data, len));
    }
  if (spec->access == TALL_ACCESS_OPEN)
    return;
  tall_bytes_append_u8 (stored, (guint8)spec->access);
  append_text (stored, spec->seal);
}

static void
read_splits (TallReader *reader, TallTableSpec *spec)
{
  guint32 n = tall_reader_u32 (reader);
  if (n > 0)
    spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (guint32 i = 0; i < n && !reader->failed; i++)
    {
      TallSlice split = tall_reader_take (reader, tall_reader_u16 (reader));
      g_ptr_array_add (spec->splits, g_bytes_new (split.data, split.len));
    }
}

/* Returns: whether it is one that can be */
static gboolean
read_access (TallReader *reader, TallTableSpec *spec)
{
  guint8 access = tall_reader_u8 (reader);
  spec->access = (TallTableAccess)access;
  spec->seal = read_text (reader);
  if (access == TALL_ACCESS_CLOSED && spec->seal == NULL)
    return TRUE;
  return (access == TALL_ACCESS_SEALED || access == TALL_ACCESS_CLOSED)
         && tall_table_is_seal (spec->seal);
}

/**
 * tall_spec_decode:
 * @name: short name of the table
 *
 * Returns: (transfer full): the spec; NULL with %TALL_ERROR_DAMAGED, or %TALL_ERROR_NEWER_VERSION
 * if the format is not ours
 */
TallTableSpec *
tall_spec_decode (const char *name, TallSlice stored, GError **error)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (name);
  TallReader reader = tall_reader (stored);
  guint8 format = tall_reader_u8 (&reader);

  if (format > TALL_SPEC_FORMAT)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
                   "The settings of table %s have format %u, this version knows formats up to %u",
                   name, format, TALL_SPEC_FORMAT);
      return NULL;
    }
  spec->max_versions = tall_reader_u32 (&reader);
  spec->ttl = tall_reader_u64 (&reader);
  spec->compression = read_text (&reader);
  spec->bloom_filter = read_text (&reader);
  spec->block_encoding = read_text (&reader);
  read_splits (&reader, spec);
  gboolean known =
      format == OPEN_FORMAT || (format == TALL_SPEC_FORMAT && read_access (&reader, spec));
  if (known && tall_reader_done (&reader))
    return g_steal_pointer (&spec);

  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "The settings of table %s are damaged", name);
  return NULL;
}

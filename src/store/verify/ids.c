/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-limits.h"
#include "store/verify/verify.h"

static gboolean
is_id (TallSlice bytes)
{
  TallReader reader = tall_reader (bytes);
  return bytes.len == TALL_IDS_ID_SIZE && (gint64)tall_reader_u64 (&reader) > 0;
}

static gboolean
is_number (TallSlice bytes)
{
  g_autofree char *text = g_strndup ((const char *)bytes.data, bytes.len);
  return strlen (text) == bytes.len && tall_validate_number (text, "number", NULL);
}

/* Which way the row leads. 0: neither, or not well formed. */
static char
kind_of (const TallRow *row)
{
  TallSlice rest = tall_slice (row->key.data + 1, row->key.len - 1);
  char letter = (char)row->key.data[0];
  if (letter == TALL_IDS_FROM_ID && is_id (rest))
    return letter;
  return letter == TALL_IDS_FROM_NUMBER && is_number (rest) ? letter : 0;
}

static const char *
locate (const TallStoreContext *context G_GNUC_UNUSED, const TallRow *row, GByteArray *key)
{
  char kind = kind_of (row);
  TallSlice value = tall_ids_get_value (row);
  if (kind == 0 || value.len == 0 || value.len >= TALL_MAX_ROW_KEY)
    return NULL;
  tall_bytes_append_u8 (key, kind == TALL_IDS_FROM_ID ? TALL_IDS_FROM_NUMBER : TALL_IDS_FROM_ID);
  tall_bytes_append (key, value);
  return TALL_IDS_TABLE;
}

static void
add (TallVerifyLook *look, TallFindingKind kind, const TallRow *row, const char *message)
{
  tall_verify_look_add (look, kind, TALL_IDS_TABLE, row->key, 1, message);
}

static void
judge (TallVerifyLook *look, const TallRow *row, const TallRow *other)
{
  char kind = kind_of (row);
  TallSlice value = tall_ids_get_value (row);
  TallSlice own = tall_slice (row->key.data + 1, row->key.len - 1);
  if (tall_slice_equal (row->key, TALL_IDS_COUNTER_ROW))
    {
      const TallCell *last = tall_row_find_latest (row, TALL_IDS_COUNTER_QUALIFIER);
      if (last == NULL || last->value.len != TALL_IDS_ID_SIZE)
        add (look, TALL_FINDING_ALTERED_ID, row, "the counter of ids is none");
    }
  else if (kind == 0)
    add (look, TALL_FINDING_STRAY_ROW, row, "its key is neither an id nor a number");
  else if (kind == TALL_IDS_FROM_ID ? !is_number (value) : !is_id (value))
    add (look, TALL_FINDING_ALTERED_ID, row, "what it leads to is none");
  else if (other == NULL)
    add (look, TALL_FINDING_HALF_ID, row,
         kind == TALL_IDS_FROM_ID ? "no number leads to the id"
                                  : "the id does not lead back to the number");
  /* An id may be wasted: its number has got another one at the same time. */
  else if (kind == TALL_IDS_FROM_NUMBER && !tall_slice_equal (tall_ids_get_value (other), own))
    add (look, TALL_FINDING_ALTERED_ID, row, "the id leads back to another number");
}

static guint64 *
count (TallVerifyPart *part)
{
  return &part->n_ids;
}

/**
 * tall_verify_ids:
 *
 * The table `ids`: each way, and the way back.
 */
const TallVerifyPair tall_verify_ids = { TALL_IDS_TABLE, locate, judge, count, NULL };

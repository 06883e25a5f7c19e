/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-limits.h"
#include "tall-verify-private.h"

#define COUNTER_COLUMN tall_slice_str ("last")
#define ID_SIZE 8

static TallSlice
value_of (const TallRow *row, TallSlice column)
{
  const TallCell *cell = row == NULL ? NULL : tall_row_find_latest (row, column);
  return cell == NULL ? (TallSlice)TALL_SLICE_INIT : cell->value;
}

static gboolean
is_id (TallSlice bytes)
{
  TallReader reader = tall_reader (bytes);
  return bytes.len == ID_SIZE && (gint64)tall_reader_u64 (&reader) > 0;
}

static gboolean
is_number (TallSlice bytes)
{
  g_autofree char *text = g_strndup ((const char *)bytes.data, bytes.len);
  return strlen (text) == bytes.len && tall_validate_number (text, "number", NULL);
}

/* 'i' leads from an id to a number, and 'n' back. 0: neither, or not well formed. */
static char
kind_of (const TallRow *row)
{
  TallSlice rest = tall_slice (row->key.data + 1, row->key.len - 1);
  char letter = (char)row->key.data[0];
  if (letter == 'i' && is_id (rest))
    return 'i';
  return letter == 'n' && is_number (rest) ? 'n' : 0;
}

static const char *
locate (const TallStoreContext *context G_GNUC_UNUSED, const TallRow *row, GByteArray *key)
{
  char kind = kind_of (row);
  TallSlice value = value_of (row, TALL_IDS_QUALIFIER);
  if (kind == 0 || value.len == 0 || value.len >= TALL_MAX_ROW_KEY)
    return NULL;
  tall_bytes_append_u8 (key, kind == 'i' ? 'n' : 'i');
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
  TallSlice value = value_of (row, TALL_IDS_QUALIFIER);
  TallSlice own = tall_slice (row->key.data + 1, row->key.len - 1);
  if (tall_slice_equal (row->key, tall_slice_str ("c")))
    {
      if (value_of (row, COUNTER_COLUMN).len != ID_SIZE)
        add (look, TALL_FINDING_ALTERED_ID, row, "the counter of ids is none");
    }
  else if (kind == 0)
    add (look, TALL_FINDING_STRAY_ROW, row, "its key is neither an id nor a number");
  else if (kind == 'i' ? !is_number (value) : !is_id (value))
    add (look, TALL_FINDING_ALTERED_ID, row, "what it leads to is none");
  else if (other == NULL)
    add (look, TALL_FINDING_HALF_ID, row,
         kind == 'i' ? "no number leads to the id" : "the id does not lead back to the number");
  /* An id may be wasted: its number has got another one at the same time. */
  else if (kind == 'n' && !tall_slice_equal (value_of (other, TALL_IDS_QUALIFIER), own))
    add (look, TALL_FINDING_ALTERED_ID, row, "the id leads back to another number");
}

static guint64 *
count (TallVerifySummary *summary)
{
  return &summary->n_ids;
}

/**
 * tall_verify_ids:
 *
 * The table `ids`: each way, and the way back.
 */
const TallVerifyPair tall_verify_ids = { TALL_IDS_TABLE, locate, judge, count, NULL };

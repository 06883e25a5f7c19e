/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/verify/verify.h"
#include "tall-limits.h"

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
  if ((letter == TALL_IDS_FROM_ID && is_id (rest))
      || (letter == TALL_IDS_FROM_ERASED && rest.len == TALL_MD5_SIZE))
    return letter;
  return letter == TALL_IDS_FROM_NUMBER && is_number (rest) ? letter : 0;
}

/* Whether it stands for the number of a customer who was erased. */
static gboolean
is_erased (TallSlice bytes)
{
  return bytes.len == TALL_IDS_ERASED_SIZE && bytes.data[0] == 0;
}

static const char *
locate (const TallStoreContext *context G_GNUC_UNUSED, const TallRow *row, GByteArray *key)
{
  char kind = kind_of (row);
  TallSlice value = tall_ids_get_value (row);
  if (kind == 0 || value.len == 0 || value.len >= TALL_MAX_ROW_KEY)
    return NULL;
  gboolean erased = kind == TALL_IDS_FROM_ID && is_erased (value);
  char number = erased ? TALL_IDS_FROM_ERASED : TALL_IDS_FROM_NUMBER;
  tall_bytes_append_u8 (key, (guint8)(kind == TALL_IDS_FROM_ID ? number : TALL_IDS_FROM_ID));
  tall_bytes_append (key, erased ? tall_slice (value.data + 1, value.len - 1) : value);
  return TALL_IDS_TABLE;
}

static void
add (TallVerifyLook *look, TallFindingKind kind, const TallRow *row, const char *message)
{
  tall_verify_look_add (look, kind, TALL_IDS_TABLE, row->key, 1, message);
}

/* The id leads back to the MD5, or to the number that has it, if the erase has not come so far. */
static gboolean
leads_back (TallSlice md5, TallSlice value)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (value, digest);
  return tall_slice_equal (md5, is_erased (value) ? tall_slice (value.data + 1, value.len - 1)
                                                  : tall_slice (digest, sizeof digest));
}

static void
judge_row (TallVerifyLook *look,
           const TallVerifyPair *pair G_GNUC_UNUSED,
           const TallRow *row,
           const TallRow *other)
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
  else if (kind == TALL_IDS_FROM_ID ? !is_number (value) && !is_erased (value) : !is_id (value))
    add (look, TALL_FINDING_ALTERED_ID, row, "what it leads to is none");
  else if (kind == TALL_IDS_FROM_ERASED || is_erased (value))
    {
      if (other == NULL
          || (kind == TALL_IDS_FROM_ERASED && !leads_back (own, tall_ids_get_value (other))))
        add (look, TALL_FINDING_ALTERED_ID, row, "the way back of an erased customer is not there");
    }
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

static gboolean
is_there (const TallStoreContext *context)
{
  return context->ids != NULL;
}

/**
 * tall_verify_ids:
 *
 * The table `ids`: each way, and the way back.
 */
const TallVerifyPair tall_verify_ids = {
  .table = TALL_IDS_TABLE,
  .is_searched = TRUE,
  .is_there = is_there,
  .locate = locate,
  .judge = judge_row,
  .count = count,
  .mend = tall_repair_id,
};

#define PAGE_ROWS 4096

static TallReadResult *
read_rows (const TallStoreContext *context, const TallSlice *keys, guint n, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_gets (plan, TALL_IDS_TABLE, keys, n);
  return tall_table_read (context->table, plan, tall_verify_deadline (), error);
}

/* What a row leads from. */
static TallSlice
get_from (TallSlice key)
{
  return tall_slice (key.data + 1, key.len - 1);
}

/* Where a row leads to, and whether that is an id or a number. */
static GBytes *
make_end (gboolean is_number, TallSlice to)
{
  g_autoptr (GByteArray) end = g_byte_array_new ();
  tall_bytes_append_u8 (end, is_number);
  tall_bytes_append (end, to);
  return g_bytes_new (end->data, end->len);
}

/* Two that are to lead to the same contradict each other. */
static void
add_end (GHashTable *ends, gboolean is_number, TallSlice end, TallRepairId *id)
{
  GBytes *key = make_end (is_number, end);
  TallRepairId *other = g_hash_table_lookup (ends, key);
  if (other != NULL)
    other->contradicted = id->contradicted = TRUE;
  g_hash_table_replace (ends, key, id);
}

/* Adds where rows lead to that say something else of either end of @ids. Rows that are gone are not
 * searched for: nobody needs to know any more. */
static gboolean
find_ends (
    GHashTable *ends, const TallStoreContext *context, TallRepairId *ids, guint n, GError **error)
{
  g_autofree TallSlice *keys = g_new0 (TallSlice, n);
  guint at = 0;
  for (guint i = 0; i < n; i++)
    keys[i] = ids[i].row;
  g_autoptr (TallReadResult) result = read_rows (context, keys, n, error);
  if (result == NULL)
    return FALSE;
  const TallRows *rows = &result->results[0];
  for (guint i = 0; i < n && at < rows->n_rows; i++)
    {
      const TallRow *row = &rows->rows[at];
      gboolean from_id = keys[i].data[0] == TALL_IDS_FROM_ID;
      if (!tall_slice_equal (row->key, keys[i]))
        continue;
      add_end (ends, from_id, tall_ids_get_value (row), &ids[i]);
      add_end (ends, !from_id, get_from (keys[i]), &ids[i]);
      at++;
    }
  return TRUE;
}

/* Of two rows that lead to the same number or id nobody knows which is right. */
static void
judge_other (GHashTable *ends, const TallRow *row)
{
  g_autoptr (GBytes) end =
      make_end (row->key.data[0] == TALL_IDS_FROM_ID, tall_ids_get_value (row));
  TallRepairId *id = g_hash_table_lookup (ends, end);
  if (id != NULL && !tall_slice_equal (row->key, id->row))
    id->contradicted = TRUE;
}

/**
 * tall_repair_search_ids:
 * @ids: (inout): what is searched for; those that are contradicted, or for which that cannot be
 *   known, are marked
 * @place: (inout): where the search goes on; empty: at the beginning
 * @until: g_get_monotonic_time() when it ends, after a page at least
 * @ended: (out): whether it has come to the end of the table
 *
 * Looks for rows that say something else than a half id: they may be anywhere in the table, so all
 * of it is read, once for all of @ids.
 *
 * Returns: FALSE if the table could not be read now
 */
gboolean
tall_repair_search_ids (const TallStoreContext *context,
                        TallRepairId *ids,
                        guint n,
                        GByteArray *place,
                        gint64 until,
                        gboolean *ended,
                        GError **error)
{
  g_autoptr (GHashTable) ends =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
  TallVerifyPages pages = {
    .in = context->table, .table = TALL_IDS_TABLE, .next = place, .limit = PAGE_ROWS
  };
  if (!find_ends (ends, context, ids, n, error))
    return FALSE;
  do
    {
      g_auto (TallVerifyStray) gap = { 0 };
      g_autoptr (TallReadResult) result = tall_verify_pages_read (&pages, &gap, error);
      if (result == NULL && gap.cause == NULL)
        return FALSE;
      for (guint i = 0; gap.cause != NULL && i < n; i++)
        ids[i].contradicted = TRUE; /* perhaps, by what cannot be read */
      for (guint i = 0; result != NULL && i < result->results[0].n_rows; i++)
        judge_other (ends, &result->results[0].rows[i]);
    }
  while (!pages.ended && g_get_monotonic_time () < until);
  *ended = pages.ended;
  return TRUE;
}

/**
 * tall_repair_id:
 * @row: key of a half id that nothing contradicts, as tall_repair_search_ids() has found
 *
 * Writes the way back. It may be there although the answer says that it was not written: a gateway
 * repeats calls.
 *
 * Returns: FALSE if the table could not be read or written now
 */
gboolean
tall_repair_id (const TallStoreContext *context,
                const TallVerifyPair *pair G_GNUC_UNUSED,
                TallSlice row,
                TallRepairOutcome *outcome,
                GError **error)
{
  g_autoptr (GByteArray) back = g_byte_array_new ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  gboolean matched = FALSE;
  *outcome = TALL_REPAIR_OVERTAKEN;
  g_autoptr (TallReadResult) result = read_rows (context, &row, 1, error);
  if (result == NULL)
    return FALSE;
  if (result->results[0].n_rows == 0 || locate (context, result->results[0].rows, back) == NULL)
    return TRUE;
  TallSlice key = tall_slice_array (back);
  TallMutation *mutation = tall_batch_add (batch, TALL_IDS_TABLE, key);
  tall_mutation_put (batch, mutation, TALL_IDS_QUALIFIER, TALL_IDS_TIMESTAMP, get_from (row));
  const TallConditionalWrite write = {
    .mutations = &mutation,
    .n = 1,
    .qualifier = TALL_IDS_QUALIFIER,
    .durability = TALL_DURABLE,
    .deadline = tall_verify_deadline (),
  };
  if (!tall_table_apply_if (context->table, &write, &matched, error))
    return FALSE;
  g_autoptr (TallReadResult) there = matched ? NULL : read_rows (context, &key, 1, error);
  if (!matched && there == NULL)
    return FALSE;
  if (matched
      || (there->results[0].n_rows > 0
          && tall_slice_equal (tall_ids_get_value (there->results[0].rows), get_from (row))))
    *outcome = TALL_REPAIR_DONE;
  return TRUE;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/verify/verify.h"
#include "table/merged-plan.h"
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
           const TallVerifySubject *subject G_GNUC_UNUSED,
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
  tall_verify_look_mark (look, row,
                         other != NULL ? tall_ids_get_value (other) : tall_slice (NULL, 0));
}

static gboolean
is_there (const TallStoreContext *context)
{
  return context->ids != NULL;
}

/* What a row leads from. */
static TallSlice
get_from (TallSlice key)
{
  return tall_slice (key.data + 1, key.len - 1);
}

/* Writes the way back of a half id that nothing contradicts, as tall_verify_search() has found. */
static gboolean
repair_id (const TallVerifyLook *look,
           const TallVerifySubject *subject G_GNUC_UNUSED,
           TallRepairOutcome *outcome,
           GError **error)
{
  g_autoptr (GByteArray) back = g_byte_array_new ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallSlice value = get_from (look->beside->key);
  TallSlice there;
  (void)locate (look->context, look->beside, back);
  if (!tall_ids_write_once (look->context->table, tall_slice_array (back), value, batch, &there,
                            tall_verify_deadline (), error))
    return FALSE;
  *outcome = tall_slice_equal (there, value) ? TALL_REPAIR_DONE : TALL_REPAIR_OVERTAKEN;
  return TRUE;
}

/**
 * tall_verify_ids:
 *
 * The table `ids`: each way, and the way back.
 */
const TallVerifySubject tall_verify_ids = {
  .table = TALL_IDS_TABLE,
  .is_searched = TRUE,
  .is_there = is_there,
  .walk = tall_verify_walk_table,
  .look = tall_verify_look_at_row,
  .locate = locate,
  .judge = judge_row,
  .counter = G_STRUCT_OFFSET (TallVerifyPart, n_ids),
  .mend = repair_id,
};

#define PAGE_ROWS 4096

/* Two that are to lead to the same contradict each other.
 * @end: an id or a number, as the key of the row that leads from it */
static void
add_end (GHashTable *ends, TallSlice end, TallSuspect *suspect)
{
  GBytes *key = g_bytes_new (end.data, end.len);
  TallSuspect *other = g_hash_table_lookup (ends, key);
  if (other != NULL)
    other->stage = suspect->stage = TALL_SUSPECT_LEFT;
  g_hash_table_replace (ends, key, suspect);
}

/* Both ends of all that is searched for. Rows that are gone are not: nobody needs to know any
 * more. */
static gboolean
find_ends (TallVerify *self, GHashTable *ends, GError **error)
{
  guint at = 0;
  TallSuspect *suspects = (TallSuspect *)(gpointer)self->suspects->data;
  g_autofree TallSuspect **searched = g_new0 (TallSuspect *, self->suspects->len);
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  for (guint i = 0; i < self->suspects->len; i++)
    if (suspects[i].stage == TALL_SUSPECT_SEARCH)
      {
        searched[at++] = &suspects[i];
        tall_read_plan_add_get (plan->asked, TALL_IDS_TABLE, suspects[i].key);
      }
  if (!tall_merged_plan_read (plan, self->context->table, tall_verify_deadline (), error))
    return FALSE;
  for (guint i = 0; i < at; i++)
    {
      g_autoptr (GByteArray) to = g_byte_array_new ();
      if (plan->results[i].n_rows == 0 || locate (NULL, plan->results[i].rows, to) == NULL)
        continue;
      add_end (ends, tall_slice_array (to), searched[i]);
      add_end (ends, searched[i]->key, searched[i]);
    }
  return TRUE;
}

/* Of two rows that lead to the same number or id nobody knows which is right. */
static void
judge_other (GHashTable *ends, const TallRow *row)
{
  g_autoptr (GByteArray) to = g_byte_array_new ();
  (void)locate (NULL, row, to);
  g_autoptr (GBytes) end = g_bytes_new (to->data, to->len);
  TallSuspect *suspect = g_hash_table_lookup (ends, end);
  if (suspect != NULL && !tall_slice_equal (row->key, suspect->key))
    suspect->stage = TALL_SUSPECT_LEFT;
}

/* All that are still searched for get a stage. */
static void
set_stage (TallVerify *self, TallSuspectStage stage)
{
  for (guint i = 0; i < self->suspects->len; i++)
    {
      TallSuspect *suspect = &g_array_index (self->suspects, TallSuspect, i);
      if (suspect->stage == TALL_SUSPECT_SEARCH)
        suspect->stage = stage;
    }
}

/**
 * tall_verify_search:
 *
 * Looks for rows that say something else than half ids: they may be anywhere in the table, so all
 * of it is read, from where the part before has come to, and once for all half ids.
 *
 * Returns: FALSE if the table could not be read now
 */
gboolean
tall_verify_search (TallVerify *self, GError **error)
{
  g_autoptr (GHashTable) ends =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
  TallVerifyPages pages = {
    .in = self->context->table, .table = TALL_IDS_TABLE, .next = self->search, .limit = PAGE_ROWS
  };
  if (!find_ends (self, ends, error))
    return FALSE;
  do
    {
      g_auto (TallVerifyStray) gap = { 0 };
      g_autoptr (TallReadResult) result = tall_verify_pages_read (&pages, &gap, error);
      if (result == NULL && gap.cause == NULL)
        return FALSE;
      for (guint i = 0; result != NULL && i < result->results[0].n_rows; i++)
        judge_other (ends, &result->results[0].rows[i]);
      if (gap.cause != NULL)
        set_stage (self, TALL_SUSPECT_LEFT); /* perhaps, by what cannot be read */
    }
  while (!pages.ended && g_get_monotonic_time () < self->until);
  if (pages.ended)
    set_stage (self, TALL_SUSPECT_MEND);
  return TRUE;
}

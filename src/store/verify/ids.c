/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/verify/repair.h"
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
judge_row (TallVerifyLook *look, const TallRow *row, const TallRow *other)
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

/**
 * tall_verify_ids:
 *
 * The table `ids`: each way, and the way back.
 */
const TallVerifyPair tall_verify_ids = { TALL_IDS_TABLE, locate, judge_row, count, NULL };

#define PAGE_ROWS 4096
#define PAGE_BYTES (1 << 20)

/* One way of an id: its row, what that leads from, and where to. */
typedef struct
{
  TallSlice key;
  TallSlice from; /* an id or a number */
  TallSlice to;
  TallRepairId *id; /* what is known of it */
} Way;

static Way
make_way (const TallRow *row)
{
  return (Way){ row->key, tall_slice (row->key.data + 1, row->key.len - 1),
                tall_ids_get_value (row), NULL };
}

/* Whether a row says something else of either end. Of two rows that lead to the same number or id
 * nobody knows which is right. */
static gboolean
contradicts (const TallRow *row, const Way *way)
{
  TallSlice value = tall_ids_get_value (row);
  if (tall_slice_equal (row->key, way->key))
    return FALSE;
  return tall_slice_equal (value, row->key.data[0] == way->key.data[0] ? way->to : way->from);
}

static TallReadResult *
read_plan (const TallStoreContext *context, const TallReadPlan *plan, GError **error)
{
  return tall_table_read (context->table, plan, tall_verify_deadline (), error);
}

/* The ways that are searched for, by both of their ends: a row that leads to one of these may
 * contradict them. */
typedef struct
{
  TallReadPlan *plan;
  TallReadResult *result; /* the rows */
  Way *ways;
  GHashTable *by_end; /* #GBytes → #GPtrArray of Way */
} Ways;

static void
add_end (Ways *self, TallSlice end, Way *way)
{
  GBytes *key = g_bytes_new_static (end.data, end.len);
  GPtrArray *found = g_hash_table_lookup (self->by_end, key);
  if (found == NULL)
    {
      found = g_ptr_array_new ();
      g_hash_table_insert (self->by_end, g_bytes_ref (key), found);
    }
  g_ptr_array_add (found, way);
  g_bytes_unref (key);
}

static TallRepairId *
find_id (TallRepairId *ids, guint n, TallSlice row)
{
  for (guint i = 0; i < n; i++)
    if (tall_slice_equal (ids[i].row, row))
      return &ids[i];
  return NULL;
}

/* Rows that are gone are not searched for: nobody needs to know any more. */
static gboolean
ways_read (Ways *self, const TallStoreContext *context, TallRepairId *ids, guint n, GError **error)
{
  self->plan = tall_read_plan_new ();
  TallSlice *keys = tall_arena_newa0 (self->plan->arena, TallSlice, n);
  for (guint i = 0; i < n; i++)
    keys[i] = ids[i].row;
  tall_read_plan_add_gets (self->plan, TALL_IDS_TABLE, keys, n);
  self->by_end = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref,
                                        (GDestroyNotify)g_ptr_array_unref);
  self->result = read_plan (context, self->plan, error);
  if (self->result == NULL)
    return FALSE;
  const TallRows *rows = &self->result->results[0];
  self->ways = g_new0 (Way, MAX (rows->n_rows, 1));
  for (guint i = 0; i < rows->n_rows; i++)
    {
      Way *way = &self->ways[i];
      *way = make_way (&rows->rows[i]);
      way->id = find_id (ids, n, way->key);
      add_end (self, way->from, way);
      add_end (self, way->to, way);
    }
  return TRUE;
}

static void
ways_clear (Ways *self)
{
  g_clear_pointer (&self->by_end, g_hash_table_unref);
  g_clear_pointer (&self->ways, g_free);
  g_clear_pointer (&self->result, tall_read_result_free);
  g_clear_pointer (&self->plan, tall_read_plan_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ways, ways_clear)

static void
judge (Ways *self, const TallRow *row)
{
  TallSlice value = tall_ids_get_value (row);
  g_autoptr (GBytes) end = g_bytes_new_static (value.data, value.len);
  const GPtrArray *found = g_hash_table_lookup (self->by_end, end);
  for (guint i = 0; found != NULL && i < found->len; i++)
    {
      Way *way = g_ptr_array_index (found, i);
      if (contradicts (row, way))
        way->id->contradicted = TRUE;
    }
}

/* Judges a page of the table. Moves @place on. */
static gboolean
search_page (
    Ways *self, const TallStoreContext *context, GByteArray *place, gboolean *ended, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_scan (plan, TALL_IDS_TABLE, tall_slice_array (place),
                                            tall_slice (NULL, 0));
  read->limit = PAGE_ROWS;
  read->max_bytes = PAGE_BYTES;
  g_autoptr (TallReadResult) result = read_plan (context, plan, error);
  if (result == NULL)
    return FALSE;
  const TallRows *rows = &result->results[0];
  *ended = rows->n_rows < PAGE_ROWS && !rows->cut;
  for (guint i = 0; i < rows->n_rows; i++)
    judge (self, &rows->rows[i]);
  if (rows->n_rows > 0)
    tall_bytes_set_after (place, rows->rows[rows->n_rows - 1].key);
  return TRUE;
}

/**
 * tall_repair_search_ids:
 * @ids: (inout): what is searched for; those that are contradicted are marked
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
  g_auto (Ways) ways = { 0 };
  if (!ways_read (&ways, context, ids, n, error))
    return FALSE;
  do
    if (!search_page (&ways, context, place, ended, error))
      return FALSE;
  while (!*ended && g_get_monotonic_time () < until);
  return TRUE;
}

/* Whether the way back is there. */
static gboolean
find_back (const TallStoreContext *context,
           const Way *way,
           TallSlice back,
           gboolean *there,
           GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, TALL_IDS_TABLE, back);
  g_autoptr (TallReadResult) result = read_plan (context, plan, error);
  if (result == NULL)
    return FALSE;
  *there = result->results[0].n_rows > 0
           && tall_slice_equal (tall_ids_get_value (&result->results[0].rows[0]), way->from);
  return TRUE;
}

/* It may be there although the answer says that it was not written: a gateway repeats calls. */
static gboolean
write_back (const TallStoreContext *context,
            const Way *way,
            TallSlice back,
            TallRepairOutcome *outcome,
            GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, TALL_IDS_TABLE, back);
  gboolean matched = FALSE;
  tall_mutation_put (batch, mutation, TALL_IDS_QUALIFIER, TALL_IDS_TIMESTAMP, way->from);
  const TallConditionalWrite write = {
    .mutations = &mutation,
    .n = 1,
    .qualifier = TALL_IDS_QUALIFIER,
    .durability = TALL_DURABLE,
    .deadline = tall_verify_deadline (),
  };
  if (!tall_table_apply_if (context->table, &write, &matched, error)
      || (!matched && !find_back (context, way, back, &matched, error)))
    return FALSE;
  *outcome = matched ? TALL_REPAIR_DONE : TALL_REPAIR_OVERTAKEN;
  return TRUE;
}

/**
 * tall_repair_id:
 * @row: key of a half id that nothing contradicts, as tall_repair_search_ids() has found
 *
 * Writes the way back.
 *
 * Returns: FALSE if the table could not be read or written now
 */
gboolean
tall_repair_id (const TallStoreContext *context,
                TallSlice row,
                TallRepairOutcome *outcome,
                GError **error)
{
  g_autoptr (GByteArray) key = g_byte_array_new ();
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  *outcome = TALL_REPAIR_OVERTAKEN;
  tall_read_plan_add_get (plan, TALL_IDS_TABLE, row);
  g_autoptr (TallReadResult) result = read_plan (context, plan, error);
  if (result == NULL)
    return FALSE;
  if (result->results[0].n_rows == 0
      || tall_verify_ids.locate (context, &result->results[0].rows[0], key) == NULL)
    return TRUE;
  Way way = make_way (&result->results[0].rows[0]);
  return write_back (context, &way, tall_slice_array (key), outcome, error);
}

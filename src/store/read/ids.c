/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/ids.h"

#include "base/fail.h"
#include "model/canonical.h"

#define MAX_REMEMBERED 65536 /* in each of the two halves */

static guint64 *
dup_id (guint64 id)
{
  return g_memdup2 (&id, sizeof id);
}

static GHashTable *
half_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

static void
ids_cache_init (TallIdsCache *self)
{
  g_mutex_init (&self->mutex);
  self->young = half_new ();
  self->old = half_new ();
}

static void
ids_cache_clear (TallIdsCache *self)
{
  g_hash_table_unref (self->young);
  g_hash_table_unref (self->old);
  g_mutex_clear (&self->mutex);
}

static void
ids_cache_forget (TallIdsCache *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  g_hash_table_remove_all (self->young);
  g_hash_table_remove_all (self->old);
}

/* With the mutex held. */
static void
remember (TallIdsCache *self, const char *number, guint64 id)
{
  if (g_hash_table_size (self->young) >= MAX_REMEMBERED)
    {
      g_hash_table_unref (self->old);
      self->old = g_steal_pointer (&self->young);
      self->young = half_new ();
    }
  g_hash_table_replace (self->young, g_strdup (number), dup_id (id));
}

static void
ids_cache_remember (TallIdsCache *self, const char *number, guint64 id)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  remember (self, number, id);
}

/* Returns: the id; 0 if it is not remembered */
static guint64
ids_cache_recall (TallIdsCache *self, const char *number)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  const guint64 *id = g_hash_table_lookup (self->young, number);
  if (id != NULL)
    return *id;
  id = g_hash_table_lookup (self->old, number);
  if (id == NULL)
    return 0;
  guint64 found = *id;
  remember (self, number, found);
  return found;
}

#define MAX_ATTEMPTS 2    /* of one call whose answer is lost */
#define LONGEST_STEP 1024 /* of the counter */
#define PAGE_ROWS 4096

struct _TallIds
{
  TallTable *table; /* owned */
  TallIdsCache cache;
};

/**
 * tall_ids_new:
 * @table: (transfer none): where the table of ids is; a reference is kept
 */
TallIds *
tall_ids_new (TallTable *table)
{
  TallIds *self = g_new0 (TallIds, 1);
  self->table = g_object_ref (table);
  ids_cache_init (&self->cache);
  return self;
}

void
tall_ids_free (TallIds *self)
{
  if (self == NULL)
    return;
  g_object_unref (self->table);
  ids_cache_clear (&self->cache);
  g_free (self);
}

void
tall_ids_forget (TallIds *self)
{
  ids_cache_forget (&self->cache);
}

static TallSlice
number_row (const char *number, TallArena *arena)
{
  return tall_slice_str (tall_arena_printf (arena, "%c%s", TALL_IDS_FROM_NUMBER, number));
}

/* What stands for the number of a customer who was erased: a zero and the MD5. */
static TallSlice
make_erased (const char *number, TallArena *arena)
{
  guint8 *bytes = tall_arena_alloc0 (arena, TALL_IDS_ERASED_SIZE);
  tall_md5 (tall_slice_str (number), bytes + 1);
  return tall_slice (bytes, TALL_IDS_ERASED_SIZE);
}

static TallSlice
erased_row (const char *number, TallArena *arena)
{
  TallSlice erased = make_erased (number, arena);
  ((guint8 *)erased.data)[0] = TALL_IDS_FROM_ERASED;
  return erased;
}

/* An id big-endian, after the letter of its row. */
static TallSlice
id_row (guint64 id, TallArena *arena)
{
  guint8 *bytes = tall_arena_alloc (arena, 1 + TALL_IDS_ID_SIZE);
  guint64 big_endian = GUINT64_TO_BE (id);
  bytes[0] = TALL_IDS_FROM_ID;
  memcpy (bytes + 1, &big_endian, TALL_IDS_ID_SIZE);
  return tall_slice (bytes, 1 + TALL_IDS_ID_SIZE);
}

static TallSlice
id_bytes (guint64 id, TallArena *arena)
{
  return tall_slice (id_row (id, arena).data + 1, TALL_IDS_ID_SIZE);
}

/**
 * tall_ids_get_value:
 * @row: (nullable): of the table of ids
 *
 * Returns: the id or the number that it leads to; the empty slice if there is none
 */
TallSlice
tall_ids_get_value (const TallRow *row)
{
  const TallCell *cell = tall_row_find_latest (row, TALL_IDS_QUALIFIER);
  return cell != NULL ? cell->value : (TallSlice)TALL_SLICE_INIT;
}

static gboolean
parse_id (const TallRow *row, const char *number, guint64 *id, GError **error)
{
  TallReader reader = tall_reader (tall_ids_get_value (row));
  *id = tall_reader_u64 (&reader);
  if (tall_reader_done (&reader) && *id > 0 && *id <= G_MAXINT64)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "the row of customer %s in table " TALL_IDS_TABLE
                          " holds no id; without it the customer's orders cannot be found",
                          number);
}

/* Reads the ids of the numbers at @wanted; what is there is remembered. Those of customers who were
 * erased are elsewhere. */
static gboolean
look_up (TallIds *self,
         const char *const *numbers,
         const GArray *wanted,
         guint64 *ids,
         gint64 deadline,
         GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  guint n = 2 * wanted->len;
  TallSlice *keys = tall_arena_newa0 (plan->arena, TallSlice, n);
  for (guint i = 0; i < n; i++)
    {
      const char *number = numbers[g_array_index (wanted, guint, i / 2)];
      keys[i] = i % 2 == 0 ? number_row (number, plan->arena) : erased_row (number, plan->arena);
    }
  tall_read_plan_add_gets (plan, TALL_IDS_TABLE, keys, n);
  g_autoptr (TallReadResult) result = tall_table_read (self->table, plan, deadline, error);
  if (result == NULL)
    return FALSE;

  /* Rows come in the order of the keys; those that are absent are left out. */
  const TallRows *rows = &result->results[0];
  for (guint i = 0, next = 0; i < n && next < rows->n_rows; i++)
    {
      guint at = g_array_index (wanted, guint, i / 2);
      if (!tall_slice_equal (rows->rows[next].key, keys[i]))
        continue;
      if (!parse_id (&rows->rows[next++], numbers[at], &ids[at], error))
        return FALSE;
      ids_cache_remember (&self->cache, numbers[at], ids[at]);
    }
  return TRUE;
}

/**
 * tall_ids_find:
 * @numbers: @n numbers of customers; the same one may come twice
 * @ids: (out caller-allocates): @n ids; 0 for a number that has none
 *
 * Finds ids without giving any: in memory, and what is not there by one call for all.
 *
 * Returns: FALSE with what the table says, or %TALL_ERROR_DAMAGED
 */
gboolean
tall_ids_find (TallIds *self,
               const char *const *numbers,
               guint n,
               guint64 *ids,
               gint64 deadline,
               GError **error)
{
  g_autoptr (GArray) wanted = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < n; i++)
    {
      ids[i] = ids_cache_recall (&self->cache, numbers[i]);
      if (ids[i] == 0)
        g_array_append_val (wanted, i);
    }
  return wanted->len == 0 || look_up (self, numbers, wanted, ids, deadline, error);
}

/* To give an id again is harmless until somebody uses it: any error means that none was given. */
static void
blame_nobody (GError **error)
{
  if (error != NULL && g_error_matches (*error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    (*error)->code = TALL_ERROR_UNAVAILABLE;
}

/* An id that was lost on the way is wasted: the counter just goes on. */
static gboolean
count (TallIds *self, gint64 step, guint64 *id, gint64 deadline, GError **error)
{
  gint64 value = 0;
  for (guint attempt = 1;; attempt++)
    {
      g_autoptr (GError) cause = NULL;
      if (tall_table_increment (self->table, TALL_IDS_TABLE, TALL_IDS_COUNTER_ROW,
                                TALL_IDS_COUNTER_QUALIFIER, step, deadline, &value, &cause))
        break;
      if (attempt < MAX_ATTEMPTS && g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
        continue;
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  *id = (guint64)value;
  if (value >= step)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "the counter in table " TALL_IDS_TABLE " stands at %" G_GINT64_FORMAT,
                          value);
}

static gboolean
read_value (TallTable *table,
            TallSlice key,
            TallArena *arena,
            TallSlice *value,
            gint64 deadline,
            GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, TALL_IDS_TABLE, key);
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, deadline, error);
  if (result == NULL)
    return FALSE;
  const TallRow *row = result->results[0].n_rows > 0 ? &result->results[0].rows[0] : NULL;
  *value = tall_slice_dup (arena, tall_ids_get_value (row));
  return TRUE;
}

/**
 * tall_ids_write_once:
 * @batch: an empty one, whose memory @there is in
 * @there: (out): what is in the row then
 *
 * Writes @value into a row that is not there yet. A lost answer, or one that says that the row was
 * there, is settled by reading it; if it is absent even then, the same bytes are sent again, so
 * that no other ever come from us.
 */
gboolean
tall_ids_write_once (TallTable *table,
                     TallSlice key,
                     TallSlice value,
                     TallBatch *batch,
                     TallSlice *there,
                     gint64 deadline,
                     GError **error)
{
  TallMutation *mutation = tall_batch_add (batch, TALL_IDS_TABLE, key);
  tall_mutation_put (batch, mutation, TALL_IDS_QUALIFIER, TALL_IDS_TIMESTAMP, value);
  const TallConditionalWrite write = {
    .mutations = &mutation,
    .n = 1,
    .qualifier = TALL_IDS_QUALIFIER,
    .durability = TALL_DURABLE,
    .deadline = deadline,
  };
  for (guint attempt = 1;; attempt++)
    {
      g_autoptr (GError) cause = NULL;
      gboolean matched = FALSE;
      *there = value;
      if (tall_table_apply_if (table, &write, &matched, &cause) && matched)
        return TRUE;
      if (!read_value (table, key, batch->arena, there, deadline, cause == NULL ? error : NULL))
        {
          if (cause != NULL)
            g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
      if (there->len > 0)
        return TRUE;
      if (attempt < MAX_ATTEMPTS)
        continue;
      if (cause != NULL)
        g_propagate_error (error, g_steal_pointer (&cause));
      else
        g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                     "table " TALL_IDS_TABLE " says that a row is there, and does not give it");
      return FALSE;
    }
}

/* Takes an id whose reverse row is ours: the one at @id, if that is not 0, or of the counter. One
 * that is another's is skipped: the counter has fallen behind, and is moved on in growing
 * steps. */
static gboolean
reserve (TallIds *self, const char *number, guint64 *id, gint64 deadline, GError **error)
{
  for (gint64 step = 1;; step = MIN (step * 2, LONGEST_STEP), *id = 0)
    {
      g_autoptr (TallBatch) batch = tall_batch_new ();
      TallSlice owner;
      if ((*id == 0 && !count (self, step, id, deadline, error))
          || !tall_ids_write_once (self->table, id_row (*id, batch->arena), tall_slice_str (number),
                                   batch, &owner, deadline, error))
        return FALSE;
      if (tall_slice_equal (owner, tall_slice_str (number)))
        return TRUE;
    }
}

static gboolean
give (TallIds *self, const char *number, guint64 *id, gint64 deadline, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallSlice there;
  if (!reserve (self, number, id, deadline, error)
      || !tall_ids_write_once (self->table, number_row (number, batch->arena),
                               id_bytes (*id, batch->arena), batch, &there, deadline, error))
    return FALSE;

  const TallCell cell = { TALL_IDS_QUALIFIER, TALL_IDS_TIMESTAMP, there };
  const TallRow row = { .cells = (TallCell *)&cell, .n_cells = 1 };
  if (!parse_id (&row, number, id, error))
    return FALSE;
  ids_cache_remember (&self->cache, number, *id);
  return TRUE;
}

/**
 * tall_ids_take:
 * @n: how many, from 1
 * @first: (out): the first of so many ids that nobody else takes
 *
 * Moves the counter on once for many: for tall_ids_assign_taken(). Those that are not used are
 * wasted.
 *
 * Returns: FALSE with what the table says; none is taken then
 */
gboolean
tall_ids_take (TallIds *self, guint n, guint64 *first, gint64 deadline, GError **error)
{
  guint64 last;
  if (!count (self, n, &last, deadline, error))
    return FALSE;
  *first = last - n + 1;
  return TRUE;
}

/**
 * tall_ids_assign_taken:
 * @taken: an id that tall_ids_take() has taken; 0: none
 *
 * As tall_ids_assign(). The number gets @taken if it has no id, and nobody has that one.
 */
gboolean
tall_ids_assign_taken (
    TallIds *self, const char *number, guint64 taken, guint64 *id, gint64 deadline, GError **error)
{
  *id = taken;
  return give (self, number, id, deadline, error);
}

/**
 * tall_ids_assign:
 * @id: (out): the number's id, 1 … 2⁶³−1
 *
 * Finds a number's id, and gives it one if it has none. The row that leads back from the id is
 * written first, the row that leads to it second, both only if they are not there: a process that
 * loses the second write takes the winner's id, and its own is wasted.
 *
 * Returns: FALSE with what the table says; nothing uses the number's id then, and it is harmless to
 *   try again
 */
gboolean
tall_ids_assign (TallIds *self, const char *number, guint64 *id, gint64 deadline, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (!tall_ids_find (self, &number, 1, id, deadline, &cause)
      || (*id == 0 && !give (self, number, id, deadline, &cause)))
    {
      blame_nobody (&cause);
      g_propagate_prefixed_error (error, g_steal_pointer (&cause),
                                  "Numbering customer %s: ", number);
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_ids_find_number:
 *
 * Returns: (transfer full): the number that an id leads back to, as it is stored; the empty text if
 *   there is none
 */
char *
tall_ids_find_number (TallIds *self, guint64 id, gint64 deadline, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice number;
  if (!read_value (self->table, id_row (id, arena), arena, &number, deadline, error))
    return NULL;
  return number.len == 0 ? g_strdup ("") : g_strndup ((const char *)number.data, number.len);
}

/**
 * tall_ids_begin_erase:
 * @id: that the number has
 *
 * Has the number's MD5 lead to the id, too. It is to be done so long before tall_ids_erase() that
 * all reads which were under way have ended: then each finds one of the two ways.
 */
gboolean
tall_ids_begin_erase (
    TallIds *self, const char *number, guint64 id, gint64 deadline, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallSlice there;
  return tall_ids_write_once (self->table, erased_row (number, batch->arena),
                              id_bytes (id, batch->arena), batch, &there, deadline, error);
}

/**
 * tall_ids_erase:
 * @n_rows: (inout): counts the row that goes
 *
 * Removes the way from the number. It keeps its id, as other processes may have remembered that and
 * store under it.
 */
gboolean
tall_ids_erase (TallIds *self, const char *number, guint64 *n_rows, gint64 deadline, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation =
      tall_batch_add (batch, TALL_IDS_TABLE, number_row (number, batch->arena));
  TallSlice old;
  tall_mutation_delete_up_to (batch, mutation, TALL_IDS_TIMESTAMP);
  if (!read_value (self->table, mutation->row, batch->arena, &old, deadline, error)
      || (old.len > 0
          && !tall_table_apply (self->table, &mutation, 1, TALL_DURABLE, deadline, error)))
    return FALSE;
  *n_rows += old.len > 0;
  return TRUE;
}

/* Takes the number out of a row that leads back to it from an id. */
static gboolean
erase_way_back (TallIds *self, const char *number, TallSlice row, gint64 deadline, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, TALL_IDS_TABLE, row);
  TallSlice expected = tall_slice_str (number);
  gboolean matched;
  tall_mutation_put (batch, mutation, TALL_IDS_QUALIFIER, TALL_IDS_TIMESTAMP,
                     make_erased (number, batch->arena));
  const TallConditionalWrite write = {
    .mutations = &mutation,
    .n = 1,
    .qualifier = TALL_IDS_QUALIFIER,
    .expected = &expected,
    .durability = TALL_DURABLE,
    .deadline = deadline,
  };
  return tall_table_apply_if (self->table, &write, &matched, error);
}

/**
 * tall_ids_erase_ways_back:
 * @place: (inout): where it goes on; empty: at the beginning
 * @ended: (out): whether that was all
 *
 * Takes the number out of a page of the rows that lead back from ids. All of them have to be looked
 * at: if several processes have given the number an id at the same time, one that is wasted leads
 * back to it, too.
 */
gboolean
tall_ids_erase_ways_back (TallIds *self,
                          const char *number,
                          GByteArray *place,
                          gboolean *ended,
                          gint64 deadline,
                          GError **error)
{
  const guint8 letter = TALL_IDS_FROM_ID;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  if (place->len == 0)
    tall_bytes_append_u8 (place, letter);
  TallRead *read =
      tall_read_plan_add_scan (plan, TALL_IDS_TABLE, tall_slice_array (place),
                               tall_slice_after_prefix (plan->arena, tall_slice (&letter, 1)));
  read->limit = PAGE_ROWS;
  g_autoptr (TallReadResult) result = tall_table_read (self->table, plan, deadline, error);
  if (result == NULL)
    return FALSE;
  const TallRows *rows = &result->results[0];
  *ended = rows->n_rows < PAGE_ROWS;
  for (guint i = 0; i < rows->n_rows; i++)
    if (tall_slice_equal (tall_ids_get_value (&rows->rows[i]), tall_slice_str (number))
        && !erase_way_back (self, number, rows->rows[i].key, deadline, error))
      return FALSE;
  if (rows->n_rows > 0)
    tall_bytes_set_after (place, rows->rows[rows->n_rows - 1].key);
  return TRUE;
}

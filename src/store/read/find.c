/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/list.h"

#include "store/read/fetch.h"
#include "store/read/index.h"
#include "store/read/pager.h"
#include "tall-error.h"

#define MOST_ROWS 128 /* entries of a round */
#define MOST_BYTES (8 * 1024 * 1024)
#define MOST_PASSED 1024 /* orders */

/**
 * Find:
 *
 * A page of orders that an index leads to, under construction. Positions are rows of entries.
 */
typedef struct
{
  TallPager pager;
  const TallFindOptions *options;
  TallListOptions page; /* of the pager */
  guint8 number;        /* of the index */
  const TallIndex *index;
  TallTemplateQuery query;
  GPtrArray *values;  /* owned, and its texts: those of @query; NULL: they are the caller's */
  GByteArray *first;  /* owned: the first row that is looked for */
  GByteArray *stop;   /* owned: the one behind the last */
  char *search;       /* owned: both, for tokens */
  GHashTable *passed; /* owned: names of orders that come no more: to them thousands of entries may
                       * lead, and none of the later ones is looked at */
} Find;

static void
find_clear (Find *self)
{
  tall_pager_clear (&self->pager);
  g_clear_pointer (&self->values, g_ptr_array_unref);
  g_byte_array_unref (self->first);
  g_byte_array_unref (self->stop);
  g_free (self->search);
  g_hash_table_unref (self->passed);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Find, find_clear)

/* ---- Which rows ---- */

static char *
list_indexes (const GPtrArray *indexes)
{
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < indexes->len; i++)
    {
      const TallIndex *index = g_ptr_array_index (indexes, i);
      g_string_append_printf (list, "%s%s=%s", i > 0 ? ", " : "", index->name,
                              tall_template_get_text (index->template));
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* Whether it is the one that is asked for, or that finds what has these values. */
static gboolean
fits (Find *self, const TallIndex *index)
{
  const TallFindOptions *options = self->options;
  self->query =
      (TallTemplateQuery){ options->values, options->n_values, options->from, options->to };
  if (options->index != NULL)
    return g_str_equal (index->name, options->index);
  self->values = tall_template_choose_values (index->template, &self->query);
  if (self->values == NULL)
    return FALSE;
  self->query.values = (const char *const *)self->values->pdata;
  self->query.n_values = self->values->len;
  return TRUE;
}

/* Says why no index fits, and which ones there are. */
static void
fail_choice (const TallFindOptions *options, const GPtrArray *indexes, GError **error)
{
  g_autofree char *known = list_indexes (indexes);
  for (guint i = 0; i < indexes->len && options->index == NULL; i++)
    for (guint j = 0; j < options->n_values; j++)
      {
        const TallIndex *index = g_ptr_array_index (indexes, i);
        const char *given = options->values[j];
        g_autofree char *part = tall_template_find_part (index->template, given);
        if (part == NULL)
          continue;
        tall_error_set_invalid (error, "values",
                                "No index finds by all of %.*s; “%s” finds by %s; there are: %s",
                                (int)strcspn (given, "="), given, index->name, part, known);
        return;
      }
  if (options->index != NULL)
    tall_error_set_invalid (error, "index", "There is no index “%s”; there are: %s", options->index,
                            known);
  else
    tall_error_set_invalid (error, "values",
                            "No index finds what has just these values, each given as FIELD=VALUE; "
                            "there are: %s",
                            known);
}

/* One that is of numbers lacks no order, so it comes first. */
static gboolean
choose_index (Find *self, GError **error)
{
  const TallFindOptions *options = self->options;
  const GPtrArray *indexes = self->pager.operation->context->indexes;
  if (indexes->len == 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "this deployment has no index%s; `tallorder migrate --to-index NAME=TEMPLATE` "
                   "makes one",
                   self->pager.operation->context->has_index
                       ? " but that of a customer's orders by date"
                       : "");
      return FALSE;
    }
  for (guint i = 0; i < 2 * indexes->len && (options->index != NULL || options->n_values > 0); i++)
    {
      const TallIndex *index = g_ptr_array_index (indexes, i % indexes->len);
      gboolean is_first = i < indexes->len;
      if (tall_template_is_of_numbers (index->template) != is_first || !fits (self, index))
        continue;
      self->index = index;
      self->number = (guint8)(i % indexes->len + 1);
      return TRUE;
    }
  fail_choice (options, indexes, error);
  return FALSE;
}

static gboolean
set_range (Find *self, GError **error)
{
  TallPager *pager = &self->pager;
  tall_bytes_append_u8 (self->first, self->number);
  if (!tall_template_append_range (self->index->template, &self->query, self->first, self->stop,
                                   &pager->n_prefix, error))
    return FALSE;
  g_autofree char *first = tall_slice_to_hex (tall_slice_array (self->first));
  g_autofree char *stop = tall_slice_to_hex (tall_slice_array (self->stop));
  pager->search = self->search = g_strconcat (first, "-", stop, NULL);
  tall_bytes_set (pager->last, tall_slice (self->first->data, pager->n_prefix));
  return TRUE;
}

static gboolean
begin (Find *self, GError **error)
{
  TallPager *pager = &self->pager;
  if (!choose_index (self, error) || !set_range (self, error)
      || !tall_pager_read_token (pager, error))
    return FALSE;
  TallSlice last = tall_slice_array (pager->last);
  TallSlice first = tall_slice_array (self->first);
  tall_bytes_set (pager->start, first);
  if (tall_pager_has_token (pager) && tall_slice_compare (last, first) >= 0)
    tall_bytes_set_after (pager->start, last);
  pager->ended =
      tall_slice_compare (tall_slice_array (pager->start), tall_slice_array (self->stop)) >= 0;
  return TRUE;
}

/* ---- What they lead to ---- */

/* Orders that entries lead to. One to which several lead is fetched once. */
typedef struct
{
  GHashTable *known;     /* owned: of the numbers of an order: its place, from 1 */
  GArray *ids;           /* owned: of TallOrderId, whose texts are owned */
  guint *places;         /* owned: of each entry's order; 0: it is not looked at */
  TallOutcome *outcomes; /* owned: of each id */
  GByteArray **firsts;   /* owned: of each id, the row at which it is shown; NULL: at none */
} Batch;

static void
clear_id (gpointer data)
{
  TallOrderId *id = data;
  g_free ((char *)id->customer_number);
  g_free ((char *)id->order_number);
}

static char *
make_name (const TallOrderId *id)
{
  return g_strconcat (id->customer_number, "\n", id->order_number, NULL);
}

/* Returns: the place of the order; 0: it is one of @passed */
static guint
batch_add (Batch *self, GHashTable *passed, char *customer_number, char *order_number)
{
  TallOrderId id = { customer_number, order_number };
  g_autofree char *name = make_name (&id);
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (self->known, name));
  if (place != 0 || g_hash_table_contains (passed, name))
    {
      clear_id (&id);
      return place;
    }
  g_array_append_val (self->ids, id);
  g_hash_table_insert (self->known, g_steal_pointer (&name), GUINT_TO_POINTER (self->ids->len));
  return self->ids->len;
}

static void
batch_init (Batch *self, GHashTable *passed, const TallRows *entries)
{
  *self = (Batch){
    .known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .ids = g_array_new (FALSE, FALSE, sizeof (TallOrderId)),
    .places = g_new0 (guint, entries->n_rows + 1),
  };
  g_array_set_clear_func (self->ids, clear_id);
  for (guint i = 0; i < entries->n_rows; i++)
    {
      char *customer, *order;
      if (tall_template_split_key (entries->rows[i].key, &customer, &order))
        self->places[i] = batch_add (self, passed, customer, order);
    }
  self->outcomes = g_new0 (TallOutcome, self->ids->len + 1);
  self->firsts = g_new0 (GByteArray *, self->ids->len + 1);
}

static void
batch_clear (Batch *self)
{
  for (guint i = 0; i < self->ids->len; i++)
    {
      tall_outcome_clear (&self->outcomes[i]);
      g_clear_pointer (&self->firsts[i], g_byte_array_unref);
    }
  g_free (self->outcomes);
  g_free (self->firsts);
  g_free (self->places);
  g_array_unref (self->ids);
  g_hash_table_unref (self->known);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Batch, batch_clear)

/* Returns: (transfer full) (nullable): the first of the entries that the order has now and that are
 * looked for: there it is shown, and so once */
static GByteArray *
find_first (const Find *self, const TallOrder *order)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  tall_template_append_keys (self->index->template, order, self->number, keys);
  for (guint i = 0; i < keys->len; i++)
    {
      GByteArray *key = g_ptr_array_index (keys, i);
      if (tall_slice_compare (tall_slice_array (key), tall_slice_array (self->first)) >= 0)
        return g_byte_array_ref (key);
    }
  return NULL;
}

/* Once for each order, to which thousands of entries may lead. */
static void
find_firsts (const Find *self, Batch *batch)
{
  for (guint i = 0; i < batch->ids->len; i++)
    if (batch->outcomes[i].order != NULL)
      batch->firsts[i] = find_first (self, batch->outcomes[i].order);
}

/* What is needed of each: all, to see which entries it has, unless its numbers say that. */
static TallOrderPart
choose_part (const Find *self)
{
  TallOrderPart part = { .kind = TALL_PART_WHOLE };
  if (tall_template_is_of_numbers (self->index->template))
    part.kind = self->options->part.kind == TALL_PART_SUMMARY ? TALL_PART_SUMMARY : part.kind;
  return part;
}

/* Takes from @outcome what is shown, if there is room for it. */
static void
take_outcome (Find *self, TallSlice row, TallOutcome *outcome)
{
  if (!tall_pager_take_room (&self->pager, row))
    return;
  TallOutcome taken = *outcome;
  *outcome = (TallOutcome){ 0 };
  if (taken.order != NULL && !tall_outcome_cut (&taken, &self->options->part, &taken.error))
    g_clear_pointer (&taken.order, tall_order_free);
  if (taken.order != NULL)
    self->pager.n_bytes += tall_arena_get_size (tall_order_get_arena (taken.order));
  g_array_append_val (self->pager.entries, taken);
}

static void
pass (Find *self, const TallOrderId *id)
{
  if (g_hash_table_size (self->passed) < MOST_PASSED)
    g_hash_table_add (self->passed, make_name (id));
}

/* An entry is a hint and nothing more: its order is shown if its content says that it has it.
 * Returns: FALSE if it could not be asked for now, with the cause in its outcome */
static gboolean
take (Find *self, TallSlice row, Batch *batch, guint at)
{
  TallOutcome *outcome = &batch->outcomes[at];
  const GByteArray *first = batch->firsts[at];
  int order = first != NULL ? tall_slice_compare (tall_slice_array (first), row) : 1;
  gboolean unreadable = outcome->error != NULL && tall_error_is_unreadable (outcome->error);
  gboolean asked = outcome->error == NULL || unreadable
                   || g_error_matches (outcome->error, TALL_ERROR, TALL_ERROR_NOT_FOUND)
                   || g_error_matches (outcome->error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
  if (unreadable || order <= 0)
    pass (self, &g_array_index (batch->ids, TallOrderId, at));
  if (unreadable || (order == 0 && outcome->order != NULL))
    take_outcome (self, row, outcome);
  return asked;
}

/* What could not be asked for now, and is not the first of the round, is left for the next one,
 * also where the orders before it have filled what is read at once. */
static gboolean
take_all (Find *self, const TallRows *entries, GError **error)
{
  TallPager *pager = &self->pager;
  TallOrderPart part = choose_part (self);
  g_auto (Batch) batch = { 0 };
  batch_init (&batch, self->passed, entries);
  if (batch.ids->len > 0
      && !tall_fetch_many (pager->operation, (const TallOrderId *)(gpointer)batch.ids->data,
                           batch.ids->len, &part, batch.outcomes, error))
    return FALSE;
  find_firsts (self, &batch);
  for (guint i = 0; i < entries->n_rows && !pager->more; i++)
    {
      TallSlice row = entries->rows[i].key;
      guint at = batch.places[i] - 1;
      if (batch.places[i] > 0 && !take (self, row, &batch, at))
        {
          pager->ended = FALSE;
          if (i == 0)
            g_propagate_error (error, g_steal_pointer (&batch.outcomes[at].error));
          return i > 0;
        }
      tall_bytes_set_after (pager->start, row);
    }
  return TRUE;
}

/* Whole orders that are fetched together are in memory: no more than the page has, so that the
 * caller says how much that is. One entry more shows whether there is a next page. */
static gboolean
look (TallPager *pager, guint round G_GNUC_UNUSED, GError **error)
{
  Find *self = (Find *)pager;
  gboolean is_whole = choose_part (self).kind == TALL_PART_WHOLE;
  guint most = is_whole ? MIN (pager->limit, MOST_ROWS) : MOST_ROWS;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read =
      tall_read_plan_add_scan (plan, TALL_ENTRIES_TABLE, tall_slice_array (pager->start),
                               tall_slice_array (self->stop));
  read->limit = most + 1;
  read->max_versions = 1;
  g_autoptr (TallReadResult) result = tall_operation_read (pager->operation, plan, error);
  if (result == NULL)
    return FALSE;
  TallRows entries = result->results[0];
  pager->ended = entries.n_rows <= most && !entries.cut;
  entries.n_rows = MIN (entries.n_rows, most);
  if (!take_all (self, &entries, error))
    return FALSE;
  if (!pager->ended && !pager->more)
    (void)tall_pager_has_room (pager);
  return TRUE;
}

/* The next round would begin right after the last row that was looked at. */
static void
end_early (TallPager *self)
{
  self->more = TRUE;
  tall_bytes_set (self->last, tall_slice (self->start->data, self->start->len - 1));
}

/**
 * tall_find_orders:
 * @operation: on nobody
 * @options: checked by tall_front_find_orders()
 *
 * Finds orders by an index: scans its entries, and fetches the orders that they lead to together.
 * One that cannot be read has its error on the page.
 *
 * Returns: (transfer full): a page, which ends early after 8 MiB, or if it took long to look at
 *   entries that lead nowhere; NULL with %TALL_ERROR_INVALID, %TALL_ERROR_UNSUPPORTED, or what the
 *   table says
 */
TallFound *
tall_find_orders (TallOperation *operation, const TallFindOptions *options, GError **error)
{
  static const TallPagerKind kind = {
    .token = TALL_PAGE_FOUND,
    .entry_size = sizeof (TallOutcome),
    .most_bytes = MOST_BYTES,
    .time_over = "the time was over before the page was full; ask for a smaller page",
    .look = look,
    .end_early = end_early,
  };
  g_auto (Find) self = { .options = options,
                         .page = { .limit = options->limit, .page = options->page },
                         .first = g_byte_array_sized_new (64),
                         .stop = g_byte_array_sized_new (64),
                         .passed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  tall_pager_init (&self.pager, &kind, operation, &self.page);
  g_array_set_clear_func (self.pager.entries, (GDestroyNotify)tall_outcome_clear);
  if (!begin (&self, error) || !tall_pager_fill (&self.pager, error))
    return NULL;
  TallFound *found = g_new0 (TallFound, 1);
  found->index = g_strdup (self.index->name);
  found->n_orders = self.pager.entries->len;
  found->orders = (TallOutcome *)(gpointer)g_array_steal (self.pager.entries, NULL);
  found->next_page = tall_pager_make_token (&self.pager);
  return found;
}

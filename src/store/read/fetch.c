/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/fetch.h"

#include "base/fail.h"
#include "model/canonical.h"
#include "store/commit/root.h"
#include "store/context.h"
#include "store/follow.h"
#include "store/read/pager.h"
#include "table/merged-plan.h"
#include "tall-limits.h"

/* What is in pieces is damaged, unless it is so old that the rest may have gone with the TTL. */
static void
fail_damaged (const TallOperation *operation, const TallRoot *root, GError *damage, GError **error)
{
  if (!g_error_matches (damage, TALL_ERROR, TALL_ERROR_DAMAGED) || operation->order_number == NULL
      || !tall_store_context_may_have_expired (operation->context, root->state.revision))
    {
      g_propagate_error (error, damage);
      return;
    }
  g_error_free (damage);
  tall_operation_set_not_found (operation, error);
}

/* FALSE if the root says that there is nothing to read, or does not say that it is ours. */
static gboolean
check_readable (const TallOperation *operation, const TallRoot *root, GError **error)
{
  if (!tall_root_is_live (root, operation))
    return tall_operation_set_not_found (operation, error);
  return tall_root_check_summary (root, error) && tall_root_check_owner (root, operation, error);
}

/* The first result of an order's plan has the root row; of a single-row layout it is the only one.
 */
static const TallRow *
find_root_row (const TallOperation *operation, const TallRows *rows)
{
  if (rows->n_rows == 1)
    return &rows->rows[0];
  return tall_rows_find (rows, tall_slice_array (operation->root_row));
}

static gboolean
check_digest (const TallState *state, TallSlice canonical, GError **error)
{
  if (tall_md5_is (canonical, state->digest))
    return TRUE;

  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "all rows of revision %" G_GINT64_FORMAT
                          " are there, but not what was stored in them: its digest is another",
                          state->revision);
}

static gboolean
check_order (const TallState *state, const TallDecoded *decoded, TallArena *arena, GError **error)
{
  guint n_lines = tall_order_count_lines (decoded->order);
  guint n_locations = decoded->order->n_shipping_locations;
  if (n_lines != state->n_lines || n_locations != state->n_locations)
    return tall_error_fail (error, TALL_ERROR_DAMAGED,
                            "of revision %" G_GINT64_FORMAT
                            " there are %u of %u lines and %u of %u locations",
                            state->revision, n_lines, state->n_lines, n_locations,
                            state->n_locations);
  if (decoded->proved)
    return TRUE;
  return check_digest (state,
                       decoded->canonical.len > 0 ? decoded->canonical
                                                  : tall_order_to_canonical (decoded->order, arena),
                       error);
}

/* What is damage in what we have written may be our ignorance in what a newer version has. */
static void
blame_schema (const TallState *state, GError **error)
{
  if (state->schema <= TALL_SCHEMA)
    return;
  g_clear_error (error);
  g_set_error (
      error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
      "it has schema %u, and this version of tallorder knows none after %d; use the newer version",
      state->schema, TALL_SCHEMA);
}

static gboolean
decode (const TallOperation *operation,
        const TallState *state,
        const TallRows *results,
        guint n_results,
        TallDecoded *decoded,
        GError **error)
{
  const TallFoundRows found = {
    .key = &operation->key,
    .customer_number = operation->customer_number,
    .order_number = operation->order_number,
    .results = results,
    .n_results = n_results,
    .revision = state->revision,
    .digest = state->schema <= TALL_SCHEMA ? state->digest : NULL,
  };
  return operation->context->layout->decode_order (&found, decoded, error);
}

/* Makes the order of what a plan found. What does not fit together is TALL_ERROR_DAMAGED. */
static TallOrder *
assemble (const TallOperation *operation,
          const TallState *state,
          const TallRows *results,
          guint n_results,
          TallArena *arena,
          GError **error)
{
  TallDecoded decoded = { 0 };
  gboolean whole = decode (operation, state, results, n_results, &decoded, error)
                   && check_order (state, &decoded, arena, error);
  g_autoptr (TallOrder) order = decoded.order;
  if (whole)
    return g_steal_pointer (&order);
  blame_schema (state, error);
  return NULL;
}

/* Makes a part of the order of what was found of it. The digest is that of the whole order, so it
 * says nothing of a part. NULL: something is wrong, and reading the whole order finds out what. */
static TallOrder *
assemble_part (const TallOperation *operation,
               const TallState *state,
               const TallRows *results,
               guint n_results)
{
  g_autoptr (GError) ignored = NULL;
  TallDecoded decoded = { 0 };
  gboolean done = decode (operation, state, results, n_results, &decoded, &ignored)
                  && tall_order_normalize (decoded.order, &ignored);
  g_autoptr (TallOrder) order = decoded.order;
  gint64 sales_date = done && order->has_sales_date ? order->sales_date : TALL_NO_DATE;
  return done && sales_date == state->sales_date ? g_steal_pointer (&order) : NULL;
}

/**
 * tall_fetch_add_reads:
 *
 * Adds to @plan the reads that find all rows of an order, for tall_fetch_order_from().
 */
void
tall_fetch_add_reads (const TallOperation *operation, TallReadPlan *plan)
{
  operation->context->layout->plan_order (&operation->key, plan);
}

/* @location: 0: all rows; else the root row and those of this location */
static TallReadResult *
read_rows (const TallOperation *operation, gint32 location, gint64 revision, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  if (location == 0)
    tall_fetch_add_reads (operation, plan);
  else
    operation->context->layout->plan_location (&operation->key, location, plan);
  if (revision != 0)
    tall_read_plan_set_timestamp (plan, revision);
  return tall_operation_read (operation, plan, error);
}

/* @unchanged: (out): whether the order is live now, with @revision */
static gboolean
check_unchanged (const TallOperation *operation,
                 gint64 revision,
                 gboolean *unchanged,
                 GError **error)
{
  g_auto (TallRoot) now = { 0 };
  if (!tall_root_read (&now, operation, error))
    return FALSE;
  *unchanged = now.exists && now.state.live && now.state.revision == revision;
  return TRUE;
}

/* Whether the rows of one location can be read without the others. Those of a newer version may
 * have what we do not know, and of those that end with a TTL some may have gone: the digest finds
 * out. */
static gboolean
is_separable (const TallOperation *operation, const TallState *state)
{
  return state->n_locations > 1 && state->schema <= TALL_SCHEMA
         && !tall_store_context_may_have_expired (operation->context, state->revision);
}

/* @location: (inout): 0: all rows, which it becomes if the location is not as it should be
 * @order: (out): not set if the root has moved, or all rows are to be read now */
static gboolean
try_step_by_step (const TallOperation *operation,
                  gint32 *location,
                  TallRoot *root,
                  TallOrder **order,
                  GError **error)
{
  g_autoptr (GError) damage = NULL;
  if (!tall_root_read (root, operation, error) || !check_readable (operation, root, error))
    return FALSE;
  if (!is_separable (operation, &root->state))
    *location = 0;
  g_autoptr (TallReadResult) result = read_rows (operation, *location, root->state.revision, error);
  if (result == NULL)
    return FALSE;

  g_autoptr (TallOrder) made =
      *location != 0 ? assemble_part (operation, &root->state, result->results, result->n_results)
                     : assemble (operation, &root->state, result->results, result->n_results,
                                 result->arena, &damage);
  gboolean proved = made != NULL && *location == 0;
  gboolean unchanged = TRUE;
  if (!proved && !check_unchanged (operation, root->state.revision, &unchanged, error))
    return FALSE;
  if (unchanged && made == NULL && *location == 0)
    {
      fail_damaged (operation, root, g_steal_pointer (&damage), error);
      return FALSE;
    }
  if (unchanged && made == NULL)
    *location = 0;
  else if (unchanged)
    *order = g_steal_pointer (&made);
  return TRUE;
}

/* The root, what belongs to its revision, and the root again, until it has not moved meanwhile: for
 * root and children that did not fit together, as a commit may have passed between, and for a
 * location (0: the whole order), of which nothing else shows that. */
static TallOrder *
fetch_step_by_step (const TallOperation *operation, gint32 location, TallRoot *root, GError **error)
{
  while (!tall_operation_is_over (operation))
    {
      TallOrder *order = NULL;
      if (!try_step_by_step (operation, &location, root, &order, error))
        return NULL;
      if (order != NULL)
        return order;
    }
  g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
               "it was replaced again and again until the time was over; try again");
  return NULL;
}

/* As tall_fetch_order_from(). @root: (out): what the root row has said */
static TallOrder *
fetch_from (const TallOperation *operation,
            const TallRows *results,
            guint n_results,
            TallArena *arena,
            TallRoot *root,
            GError **error)
{
  g_autoptr (GError) damage = NULL;
  const TallRow *row = find_root_row (operation, &results[0]);
  if (!tall_root_parse (root, operation, row, arena, error)
      || !check_readable (operation, root, error))
    return NULL;

  TallOrder *order = assemble (operation, &root->state, results, n_results, arena, &damage);
  if (order != NULL)
    return order;
  if (tall_operation_has_children (operation))
    {
      tall_store_count (TALL_STORE_REREADS);
      return fetch_step_by_step (operation, 0, root, error);
    }
  fail_damaged (operation, root, g_steal_pointer (&damage), error);
  return NULL;
}

/**
 * tall_fetch_order_from:
 * @results: @n_results of them: what the reads of tall_fetch_add_reads() have found
 * @arena: for what is needed in between
 * @revision: (out): the revision read
 *
 * Makes an order of its rows, which were read together. A cell counts only if it has the timestamp
 * that the state names as committed; the counts and the digest in the state make sure that nothing
 * is missing and nothing is mixed. If they do not fit together, the rows are read step by step.
 *
 * Returns: (transfer full): the order; NULL like tall_fetch_order()
 */
TallOrder *
tall_fetch_order_from (const TallOperation *operation,
                       const TallRows *results,
                       guint n_results,
                       TallArena *arena,
                       gint64 *revision,
                       GError **error)
{
  g_auto (TallRoot) root = { 0 };
  TallOrder *order = fetch_from (operation, results, n_results, arena, &root, error);
  if (order != NULL)
    *revision = root.state.revision;
  return order;
}

/**
 * tall_fetch_order_with_root:
 * @root: (out): what the root row has said, also if there is no order: its revision is that of the
 *   order. All zero at first; if the row cannot be read, it says nothing
 *
 * Reads all rows of an order together.
 *
 * Returns: (transfer full): the order; NULL with %TALL_ERROR_NOT_FOUND, %TALL_ERROR_DAMAGED,
 *   %TALL_ERROR_NEWER_VERSION, %TALL_ERROR_KEY_COLLISION or what the table says
 */
TallOrder *
tall_fetch_order_with_root (const TallOperation *operation, TallRoot *root, GError **error)
{
  g_autoptr (TallReadResult) result = read_rows (operation, 0, 0, error);
  if (result == NULL)
    return NULL;
  return fetch_from (operation, result->results, result->n_results, result->arena, root, error);
}

/**
 * tall_fetch_order:
 * @revision: (out): the revision read
 *
 * Returns: (transfer full): the order; NULL like tall_fetch_order_with_root()
 */
TallOrder *
tall_fetch_order (const TallOperation *operation, gint64 *revision, GError **error)
{
  g_auto (TallRoot) root = { 0 };
  TallOrder *order = tall_fetch_order_with_root (operation, &root, error);
  if (order != NULL)
    *revision = root.state.revision;
  return order;
}

/**
 * tall_fetch_customer:
 * @revision: (out): the revision read
 *
 * Returns: (transfer full): the customer; NULL like tall_fetch_order()
 */
TallCustomer *
tall_fetch_customer (const TallOperation *operation, gint64 *revision, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, operation->root_table, tall_slice_array (operation->root_row));
  g_autoptr (TallReadResult) result = tall_operation_read (operation, plan, error);
  if (result == NULL)
    return NULL;

  const TallRow *row = result->results[0].n_rows > 0 ? &result->results[0].rows[0] : NULL;
  return tall_fetch_customer_from (operation, row, result->arena, revision, error);
}

/**
 * tall_fetch_customer_from:
 * @row: (nullable): the customer's row; NULL: there is none
 * @arena: for what is needed in between
 *
 * Returns: (transfer full): the customer, made of its row; NULL like tall_fetch_customer()
 */
TallCustomer *
tall_fetch_customer_from (const TallOperation *operation,
                          const TallRow *row,
                          TallArena *arena,
                          gint64 *revision,
                          GError **error)
{
  g_auto (TallRoot) root = { 0 };
  if (!tall_root_parse (&root, operation, row, arena, error)
      || !check_readable (operation, &root, error))
    return NULL;

  *revision = root.state.revision;
  g_autoptr (TallCustomer) customer =
      operation->context->layout->decode_customer (operation->customer_number, row,
                                                   root.state.revision, error);
  if (customer != NULL
      && check_digest (&root.state, tall_customer_to_canonical (customer, arena), error))
    return g_steal_pointer (&customer);
  blame_schema (&root.state, error);
  return NULL;
}

static TallOrder *
make_summary (const TallOperation *operation,
              const TallRoot *root,
              const TallRow *row,
              TallOutcome *outcome,
              GError **error)
{
  g_autoptr (TallOrder) order =
      tall_order_new (operation->customer_number, operation->order_number);
  TallArena *arena = tall_order_get_arena (order);
  const TallCell *cell = tall_row_find_at (row, TALL_SUMMARY_QUALIFIER, root->state.revision);
  TallOrderSummary summary;
  if (!tall_root_parse_order (root, cell->value, arena, &summary, error))
    return NULL;
  outcome->entry = tall_arena_new0 (arena, TallOrderEntry);
  *outcome->entry = tall_state_make_entry (&root->state, &summary);
  order->has_sales_date = outcome->entry->has_sales_date;
  order->sales_date = outcome->entry->sales_date;
  order->currency = outcome->entry->currency;
  return g_steal_pointer (&order);
}

/* Of a summary or a header; @results: the root row. */
static TallOrder *
fetch_from_root (const TallOperation *operation,
                 TallPartKind kind,
                 const TallRows *results,
                 TallArena *arena,
                 TallOutcome *outcome,
                 GError **error)
{
  g_auto (TallRoot) root = { 0 };
  const TallRow *row = find_root_row (operation, &results[0]);
  if (!tall_root_parse (&root, operation, row, arena, error)
      || !check_readable (operation, &root, error))
    return NULL;
  outcome->revision = root.state.revision;
  if (kind == TALL_PART_SUMMARY)
    return make_summary (operation, &root, row, outcome, error);
  TallOrder *order = NULL;
  if (root.state.schema <= TALL_SCHEMA)
    order = assemble_part (operation, &root.state, results, 1);
  return order != NULL ? order : tall_fetch_order (operation, &outcome->revision, error);
}

static TallOrder *
fetch_location (const TallOperation *operation, gint32 number, gint64 *revision, GError **error)
{
  g_auto (TallRoot) root = { 0 };
  TallOrder *order = fetch_step_by_step (operation, number, &root, error);
  *revision = root.state.revision;
  return order;
}

/* Which rows a part is made of. */
typedef enum
{
  FROM_ALL,
  FROM_ROOT,
  FROM_LOCATION,
} Source;

/* A location by itself takes three calls, one after the other. So of many orders all rows are read,
 * which takes one. */
static Source
choose_source (const TallOperation *operation, TallPartKind kind, gboolean is_alone)
{
  const TallLayout *layout = operation->context->layout;
  if (kind == TALL_PART_SUMMARY || (kind == TALL_PART_HEADER && layout->plan_header != NULL))
    return FROM_ROOT;
  return kind == TALL_PART_LOCATION && layout->plan_location != NULL && is_alone ? FROM_LOCATION
                                                                                 : FROM_ALL;
}

/* Adds what fetch_part() begins with; nothing for FROM_LOCATION. */
static void
add_part_reads (const TallOperation *operation,
                TallPartKind kind,
                Source source,
                TallReadPlan *plan)
{
  if (source == FROM_ALL)
    tall_fetch_add_reads (operation, plan);
  else if (source == FROM_ROOT && kind == TALL_PART_HEADER)
    operation->context->layout->plan_header (&operation->key, plan);
  else if (source == FROM_ROOT)
    tall_root_narrow (tall_read_plan_add_get (plan, operation->root_table,
                                              tall_slice_array (operation->root_row)));
}

static gboolean
fetch_part (const TallOperation *operation,
            const TallOrderPart *part,
            Source source,
            const TallRows *results,
            guint n_results,
            TallArena *arena,
            TallOutcome *outcome,
            GError **error)
{
  if (source == FROM_LOCATION)
    outcome->order = fetch_location (operation, part->location, &outcome->revision, error);
  else if (source == FROM_ROOT)
    outcome->order = fetch_from_root (operation, part->kind, results, arena, outcome, error);
  else
    outcome->order =
        tall_fetch_order_from (operation, results, n_results, arena, &outcome->revision, error);
  return outcome->order != NULL && tall_outcome_cut (outcome, part, error);
}

/* Orders that are read together, so that what is in memory at once has a bound. */
#define CHUNK 128

typedef struct
{
  TallOperation operation;
  TallOutcome *outcome; /* not owned */
  Source source;        /* of what is wanted of it, where it lies now */
  guint first_read;     /* of its reads in the chunk's plan */
  guint n_reads;
} Item;

/* Everything that is to be read. */
typedef struct
{
  const TallOrderPart *part; /* what is wanted of each */
  GArray *items;             /* owned: of Item */
  guint next;                /* the first one that is in no chunk yet */
  GPtrArray *chunk;          /* owned: those that are being read: Item */
  gsize n_bytes;             /* of what was found */
} Work;

static void
item_clear (gpointer data)
{
  tall_operation_clear (&((Item *)data)->operation);
}

/* A wrong number is its own outcome's error; of the others an item each. */
static GArray *
make_items (const TallStoreContext *context, const TallOrderId *ids, guint n, TallOutcome *outcomes)
{
  GArray *items = g_array_sized_new (FALSE, TRUE, sizeof (Item), n);
  g_array_set_clear_func (items, item_clear);
  for (guint i = 0; i < n; i++)
    {
      if (!tall_validate_number (ids[i].customer_number, "customer_number", &outcomes[i].error)
          || !tall_validate_number (ids[i].order_number, "order_number", &outcomes[i].error))
        continue;
      Item item = { .outcome = &outcomes[i] };
      tall_operation_init (&item.operation, context, ids[i].customer_number, ids[i].order_number,
                           0);
      g_array_append_val (items, item);
    }
  return items;
}

/* @cause: (transfer full) */
static void
item_fail (Item *item, GError *cause)
{
  g_propagate_prefixed_error (&item->outcome->error, cause,
                              "Fetching order %s of %s: ", item->operation.order_number,
                              item->operation.customer_number);
}

static gboolean
is_done (const Item *item)
{
  return item->outcome->error != NULL || item->outcome->order != NULL;
}

/* Finds out where the orders are that are not done yet, by one call at most. Those of customers
 * without an id are not found. */
static gboolean
identify (const Work *self, const TallOperation *operation, GError **error)
{
  const TallStoreContext *context = operation->context;
  g_autofree guint64 *ids = g_new0 (guint64, self->items->len);
  g_autofree const char **numbers = g_new (const char *, self->items->len);
  for (guint i = 0; i < self->items->len; i++)
    numbers[i] = g_array_index (self->items, Item, i).operation.customer_number;
  if (context->ids != NULL && self->items->len > 0
      && !tall_ids_find (context->ids, numbers, self->items->len, ids, operation->deadline, error))
    return FALSE;

  for (guint i = 0; i < self->items->len; i++)
    {
      Item *item = &g_array_index (self->items, Item, i);
      if (is_done (item))
        continue;
      tall_operation_move (&item->operation, context);
      if (context->ids == NULL || ids[i] != 0)
        tall_operation_set_id (&item->operation, ids[i]);
      else
        item_fail (item, g_error_new (TALL_ERROR, TALL_ERROR_NOT_FOUND, "there is no such order"));
    }
  return TRUE;
}

static gboolean
fetch_alone (const Item *item, const TallOrderPart *part, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_part_reads (&item->operation, part->kind, item->source, plan);
  g_autoptr (TallReadResult) result = tall_operation_read (&item->operation, plan, error);
  return result != NULL
         && fetch_part (&item->operation, part, item->source, result->results, result->n_results,
                        result->arena, item->outcome, error);
}

/* With @plan, makes the order of what it found; without, reads it by itself. Returns: FALSE if
 * tables are shut or missing by now; then it is not done */
static gboolean
finish (Work *self, Item *item, const TallMergedPlan *plan, GError **error)
{
  GError *cause = NULL;
  TallOutcome *outcome = item->outcome;
  gboolean done;
  if (plan != NULL)
    {
      const TallRows *results = plan->results + item->first_read;
      self->n_bytes += tall_rows_count_bytes (results, item->n_reads);
      done = fetch_part (&item->operation, self->part, item->source, results, item->n_reads,
                         plan->result->arena, outcome, &cause);
    }
  else
    done = fetch_alone (item, self->part, &cause);
  if (done)
    return TRUE;
  g_clear_pointer (&outcome->order, tall_order_free);
  outcome->entry = NULL;
  outcome->revision = 0;
  if (!tall_follow_is_of_tables (cause))
    {
      item_fail (item, cause);
      return TRUE;
    }
  g_propagate_error (error, cause);
  return FALSE;
}

/* Those of the chunk that are not done. */
static GPtrArray *
list_undone (const Work *self, TallMergedPlan *plan)
{
  GPtrArray *undone = g_ptr_array_new ();
  for (guint i = 0; i < self->chunk->len; i++)
    {
      Item *item = g_ptr_array_index (self->chunk, i);
      if (is_done (item))
        continue;
      item->source = choose_source (&item->operation, self->part->kind, self->items->len == 1);
      item->first_read = plan->asked->reads->len;
      add_part_reads (&item->operation, self->part->kind, item->source, plan->asked);
      item->n_reads = plan->asked->reads->len - item->first_read;
      g_ptr_array_add (undone, item);
    }
  return undone;
}

/* One call for all of them. If something in it cannot be read, each by itself, to find out whose it
 * is; if the call fails otherwise, it has failed for all. */
static gboolean
try_chunk (Work *self, const TallOperation *operation, GError **error)
{
  const Item *first = g_ptr_array_index (self->chunk, 0);
  if (first->operation.context != operation->context && !identify (self, operation, error))
    return FALSE;

  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  g_autoptr (GPtrArray) undone = list_undone (self, plan);
  g_autoptr (GError) cause = NULL;
  gboolean done =
      tall_merged_plan_read (plan, operation->context->table, operation->deadline, &cause);
  if (!done && !tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  for (guint i = 0; i < undone->len; i++)
    if (!finish (self, g_ptr_array_index (undone, i), done ? plan : NULL, error))
      return FALSE;
  return TRUE;
}

static void
refuse (Item *item)
{
  item_fail (item, g_error_new (TALL_ERROR, TALL_ERROR_TOO_LARGE,
                                "the orders before it have filled the answer, of which %d MiB are "
                                "given at once; ask for it in another call",
                                TALL_MAX_MANY_BYTES / 1024 / 1024));
}

/* Returns: FALSE if there are none left */
static gboolean
take_chunk (Work *self)
{
  g_ptr_array_set_size (self->chunk, 0);
  while (self->chunk->len < CHUNK && self->next < self->items->len)
    {
      Item *item = &g_array_index (self->items, Item, self->next++);
      if (is_done (item))
        continue;
      if (self->n_bytes < TALL_MAX_MANY_BYTES)
        g_ptr_array_add (self->chunk, item);
      else
        refuse (item);
    }
  return self->chunk->len > 0;
}

static void
read_chunk (Work *self, TallOperation *operation)
{
  g_autoptr (GError) error = NULL;
  while (tall_follow (operation, &error))
    (void)try_chunk (self, operation, &error);
  for (guint i = 0; error != NULL && i < self->chunk->len; i++)
    {
      Item *item = g_ptr_array_index (self->chunk, i);
      if (!is_done (item))
        item_fail (item, g_error_copy (error));
    }
}

/**
 * tall_fetch_many:
 * @operation: that needs them
 *
 * As tall_get_many(), in the tables of the operation, and in its time.
 *
 * Returns: FALSE with what the table says if not all could be asked for
 */
gboolean
tall_fetch_many (const TallOperation *operation,
                 const TallOrderId *ids,
                 guint n,
                 const TallOrderPart *part,
                 TallOutcome *outcomes,
                 GError **error)
{
  g_autoptr (GArray) items = make_items (operation->context, ids, n, outcomes);
  g_autoptr (GPtrArray) chunk = g_ptr_array_sized_new (CHUNK);
  Work work = { .part = part, .items = items, .chunk = chunk };
  if (!identify (&work, operation, error))
    return FALSE;
  while (take_chunk (&work))
    if (!try_chunk (&work, operation, error))
      return FALSE;
  return TRUE;
}

/**
 * tall_get_many:
 *
 * Reads @n orders, or that part of each, together, some hundred by one call of the table. What does
 * not fit together within an order is read again for that order alone.
 *
 * Returns: FALSE if nothing could be asked at all; else each outcome tells
 */
gboolean
tall_get_many (const TallStoreContext *context,
               const TallOrderId *ids,
               guint n,
               const TallOrderPart *part,
               TallOutcome *outcomes,
               GError **error)
{
  g_auto (TallOperation) operation = { 0 };
  g_autoptr (GArray) items = make_items (context, ids, n, outcomes);
  g_autoptr (GPtrArray) chunk = g_ptr_array_sized_new (CHUNK);
  Work work = { .part = part, .items = items, .chunk = chunk };
  GError *cause = NULL;
  tall_operation_init (&operation, context, NULL, NULL, 0);
  while (tall_follow (&operation, &cause))
    (void)identify (&work, &operation, &cause);
  if (cause != NULL)
    {
      g_propagate_prefixed_error (error, cause, "Fetching %u orders: ", n);
      return FALSE;
    }
  while (take_chunk (&work))
    read_chunk (&work, &operation);
  return TRUE;
}

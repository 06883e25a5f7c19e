/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/verify/verify.h"
#include "tall-error.h"
#include "tall-limits.h"

void
tall_verify_look_init (TallVerifyLook *self, const TallStoreContext *context)
{
  *self = (TallVerifyLook){ .context = context, .arena = tall_arena_new (0) };
  self->findings = g_array_new (FALSE, FALSE, sizeof (TallFinding));
}

/**
 * tall_verify_hash:
 *
 * Returns: a number that is another one for other bytes
 */
guint64
tall_verify_hash (TallSlice bytes)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (bytes, digest);
  TallReader reader = tall_reader (tall_slice (digest, sizeof digest));
  return tall_reader_u64 (&reader);
}

void
tall_verify_look_clear (TallVerifyLook *self)
{
  g_clear_pointer (&self->scan, tall_verify_scan_free);
  g_clear_pointer (&self->read, tall_read_result_free);
  g_clear_pointer (&self->missing, g_array_unref);
  tall_root_clear (&self->root);
  tall_order_key_clear (&self->key);
  g_clear_pointer (&self->arena, tall_arena_free);
  g_clear_pointer (&self->hints, g_array_unref);
  g_clear_pointer (&self->findings, g_array_unref);
}

/**
 * tall_verify_look_add:
 * @message: what exactly; copied
 */
void
tall_verify_look_add (TallVerifyLook *self,
                      TallFindingKind kind,
                      const char *table,
                      TallSlice row,
                      guint n_rows,
                      const char *message)
{
  TallFinding finding = {
    .kind = kind,
    .table = table,
    .row = tall_slice_dup (self->arena, row),
    .n_rows = n_rows,
    .revision = self->root.exists ? self->root.state.revision : 0,
    .message = tall_arena_strdup (self->arena, message),
  };
  g_array_append_val (self->findings, finding);
}

/**
 * tall_verify_look_mark:
 * @row: beside the layout's
 * @other: what of its other row a write changes
 *
 * Makes the fingerprint of a row beside, if something is wrong with it.
 */
void
tall_verify_look_mark (TallVerifyLook *self, const TallRow *row, TallSlice other)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  for (guint i = 0; i < row->n_cells && self->findings->len > 0; i++)
    {
      tall_bytes_append_u64 (bytes, (guint64)row->cells[i].timestamp);
      tall_bytes_append_u32 (bytes, (guint32)row->cells[i].value.len);
      tall_bytes_append (bytes, row->cells[i].value);
    }
  tall_bytes_append (bytes, other);
  if (self->findings->len > 0)
    self->fingerprint = tall_verify_hash (tall_slice_array (bytes));
}

/**
 * tall_verify_look_kinds:
 *
 * Returns: a bit for each kind that was found
 */
guint32
tall_verify_look_kinds (const TallVerifyLook *self)
{
  guint32 kinds = 0;
  for (guint i = 0; i < self->findings->len; i++)
    kinds |= 1u << g_array_index (self->findings, TallFinding, i).kind;
  return kinds;
}

/**
 * tall_verify_look_is_gone:
 *
 * Returns: whether it is an order that is taken for not there, although its rows are
 */
gboolean
tall_verify_look_is_gone (const TallVerifyLook *self)
{
  gint64 revision = self->root.state.revision;
  return revision > 0 && tall_store_context_has_expired (self->context, revision);
}

/**
 * tall_verify_look_needs_person:
 *
 * Returns: whether something was found that nothing mends without knowing what was meant
 */
gboolean
tall_verify_look_needs_person (const TallVerifyLook *self)
{
  for (guint i = 0; i < self->findings->len; i++)
    if (tall_finding_kind_info (g_array_index (self->findings, TallFinding, i).kind)->needs_person)
      return TRUE;
  return FALSE;
}

static void
add (TallVerifyLook *look, TallFindingKind kind, const char *message)
{
  tall_verify_look_add (look, kind, look->table, look->root_key, 1, message);
}

/* What looks wrong in what a newer version has written may be right. */
static void
add_damage (TallVerifyLook *look, TallFindingKind kind, const char *message)
{
  if (look->root.state.schema > TALL_SCHEMA)
    add (look, TALL_FINDING_NEWER_VERSION, "its schema is newer than this version of tallorder");
  else
    add (look, kind, message);
}

static gboolean
check_digest (TallVerifyLook *look, TallSlice canonical)
{
  if (tall_md5_is (canonical, look->root.state.digest))
    return TRUE;
  add_damage (look, TALL_FINDING_ALTERED_CONTENT, "its digest is not that of what was stored");
  return FALSE;
}

static gboolean
check_counts (TallVerifyLook *look, const TallOrder *order)
{
  const TallState *state = &look->root.state;
  guint n_lines = tall_order_count_lines (order);
  guint n_locations = order->n_shipping_locations;
  if (n_lines == state->n_lines && n_locations == state->n_locations)
    return TRUE;
  gboolean missing = n_lines < state->n_lines || n_locations < state->n_locations;
  add_damage (look, missing ? TALL_FINDING_MISSING_ROWS : TALL_FINDING_SURPLUS_ROWS,
              tall_arena_printf (look->arena, "there are %u of %u lines and %u of %u locations",
                                 n_lines, state->n_lines, n_locations, state->n_locations));
  return FALSE;
}

/* What the digest does not cover: it is known from the content. */
static void
check_derived (TallVerifyLook *look, TallSlice stored, TallSlice summary)
{
  if (look->root.state.schema <= TALL_SCHEMA && !tall_slice_equal (stored, summary))
    add (look, TALL_FINDING_ALTERED_SUMMARY, "its summary is not that of its content");
}

static void
check_order (TallVerifyLook *look, const TallDecoded *decoded, TallSlice summary)
{
  const TallOrder *order = decoded->order;
  TallArena *arena = tall_order_get_arena (order); /* many looks are kept at once */
  TallSlice canonical =
      decoded->canonical.len > 0 ? decoded->canonical : tall_order_to_canonical (order, arena);
  if (!check_counts (look, order) || !check_digest (look, canonical))
    return;
  check_derived (look, summary, tall_order_to_summary (order, arena));
  gint64 sales_date = order->has_sales_date ? order->sales_date : TALL_NO_DATE;
  if (sales_date == look->root.state.sales_date)
    look->hints = tall_index_list (look->context, &look->key, order);
  else
    add (look, TALL_FINDING_ALTERED_DATE, "its state cell has another date");
}

/* The results of the layout's plan of an order, which finds the same rows. */
static guint
make_results (TallVerifyLook *look, const TallVerifyGroup *group, TallRows *results)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  look->context->layout->plan_order (&look->key, plan);
  for (guint i = 0; i < plan->reads->len; i++)
    for (guint j = 0; j < group->n_tables; j++)
      if (g_str_equal (group->tables[j], tall_read_plan_get (plan, i)->table))
        results[i] = (TallRows){ (TallRow *)group->rows[j]->data, group->rows[j]->len };
  return plan->reads->len;
}

static void
verify_order (TallVerifyLook *look, const TallVerifyGroup *group, TallSlice summary)
{
  g_autoptr (GError) cause = NULL;
  TallRows results[TALL_VERIFY_MAX_TABLES] = { 0 };
  TallDecoded decoded = { 0 };
  const TallFoundRows found = {
    .key = &look->key,
    .customer_number = look->customer_number,
    .order_number = look->order_number,
    .results = results,
    .n_results = make_results (look, group, results),
    .revision = look->root.state.revision,
  };
  if (!look->context->layout->decode_order (&found, &decoded, &cause))
    {
      add_damage (look, TALL_FINDING_UNREADABLE, cause->message);
      return;
    }
  g_autoptr (TallOrder) order G_GNUC_UNUSED = decoded.order;
  check_order (look, &decoded, summary);
}

static void
verify_customer (TallVerifyLook *look, TallSlice summary)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallCustomer) customer =
      look->context->layout->decode_customer (look->customer_number, look->row,
                                              look->root.state.revision, &cause);
  if (customer == NULL)
    add_damage (look, TALL_FINDING_UNREADABLE, cause->message);
  else if (check_digest (look, tall_customer_to_canonical (customer, look->arena)))
    check_derived (look, summary, tall_customer_to_summary (customer, look->arena));
}

static gboolean
is_order (const TallVerifyLook *self)
{
  return self->key.order.len > 0;
}

static void
find_root (TallVerifyLook *self, const TallVerifyGroup *group)
{
  const TallLayout *layout = self->context->layout;
  g_autoptr (GByteArray) row = g_byte_array_new ();
  tall_order_key_init_from_parts (&self->key, group->customer, group->order);
  self->table = is_order (self) ? layout->locate_order (&self->key, row)
                                : layout->locate_customer (&self->key, row);
  self->root_key = tall_slice_dup (self->arena, tall_slice_array (row));
  for (guint i = 0; i < group->n_tables; i++)
    for (guint j = 0; j < group->rows[i]->len; j++)
      {
        const TallRow *found = &g_array_index (group->rows[i], TallRow, j);
        if (g_str_equal (group->tables[i], self->table)
            && tall_slice_equal (found->key, self->root_key))
          self->row = found;
      }
}

/**
 * tall_verify_cell_counts:
 * @of_root: whether it is of the root row
 *
 * The newest state cell counts whatever its timestamp, and older ones go with the next commit.
 *
 * Returns: whether the cell is of the revision that is committed, or a state cell
 */
gboolean
tall_verify_cell_counts (const TallState *state, gboolean of_root, const TallCell *cell)
{
  return (of_root && tall_slice_equal (cell->qualifier, TALL_STATE_QUALIFIER))
         || (state->revision > 0 && cell->timestamp == state->revision && (state->live || of_root));
}

/* Whether a cell of no revision that counts lies in the row. What an unchanged claim has written
 * is its own. */
static gboolean
has_leftover (const TallVerifyLook *self, const TallRow *row)
{
  const TallState *state = &self->root.state;
  for (guint i = 0; i < row->n_cells; i++)
    if (!tall_verify_cell_counts (state, row == self->row, &row->cells[i])
        && (state->pending == 0 || row->cells[i].timestamp != state->pending))
      return TRUE;
  return FALSE;
}

/* One finding for all rows of an order: @all, or those with leftovers. */
static void
add_rows (TallVerifyLook *self,
          const TallVerifyGroup *group,
          TallFindingKind kind,
          gboolean all,
          const char *what)
{
  const TallRow *first = NULL;
  const char *table = NULL;
  guint n = 0;
  for (guint i = 0; i < group->n_tables; i++)
    for (guint j = 0; j < group->rows[i]->len; j++)
      {
        const TallRow *row = &g_array_index (group->rows[i], TallRow, j);
        if (!all && !has_leftover (self, row))
          continue;
        if (n++ == 0)
          {
            first = row;
            table = group->tables[i];
          }
      }
  if (n == 0)
    return;
  g_autofree char *message = g_strdup_printf ("%u %s %s", n, n == 1 ? "row" : "rows", what);
  tall_verify_look_add (self, kind, table, first->key, n, message);
}

/* Loads write the rows of an order before its root row, puts after it. */
static TallFindingKind
judge_orphan (const TallVerifyGroup *group)
{
  for (guint i = 0; i < group->n_tables; i++)
    for (guint j = 0; j < group->rows[i]->len; j++)
      {
        const TallRow *row = &g_array_index (group->rows[i], TallRow, j);
        for (guint k = 0; k < row->n_cells; k++)
          if (row->cells[k].timestamp >= TALL_FIRST_REVISION)
            return TALL_FINDING_LOST_ROOT;
      }
  return TALL_FINDING_ORPHAN;
}

/* Whether every field of a state cell is as some version writes it, the others being as they are.
 * What does not fit must not pass for a tombstone, or for something that was never committed: its
 * rows would look as if nobody needed them. */
static gboolean
is_consistent (const TallVerifyLook *self)
{
  static const guint8 zeros[MAX (TALL_DIGEST_SIZE, TALL_TOKEN_SIZE)];
  const TallState *state = &self->root.state;
  gint64 timestamp = self->root.timestamp;
  gboolean is_empty =
      state->n_locations == 0 && state->n_lines == 0 && state->sales_date == TALL_NO_DATE;
  if (!state->live && (!is_empty || memcmp (state->digest, zeros, TALL_DIGEST_SIZE) != 0))
    return FALSE;
  if (state->revision == 0
      && (state->schema != 0 || memcmp (state->token, zeros, TALL_TOKEN_SIZE) != 0))
    return FALSE;
  if (state->pending != 0)
    return timestamp == state->pending && state->pending > state->revision;
  return timestamp >= state->revision && (is_order (self) || is_empty);
}

/* What the root row says of itself. FALSE: nothing that the rest could be judged by. */
static gboolean
read_root (TallVerifyLook *self, const TallVerifyGroup *group, TallSlice *summary)
{
  g_autoptr (GError) cause = NULL;
  if (self->row == NULL)
    add_rows (self, group, judge_orphan (group), TRUE, "without a root row");
  else if (!tall_root_parse_state (&self->root, self->row, summary, &cause))
    add (self,
         g_error_matches (cause, TALL_ERROR, TALL_ERROR_NEWER_VERSION) ? TALL_FINDING_NEWER_VERSION
                                                                       : TALL_FINDING_ALTERED_STATE,
         cause->message);
  else if (!self->root.exists)
    add (self, TALL_FINDING_NO_STATE, "it has cells, and no state cell");
  else if (!is_consistent (self))
    add (self, TALL_FINDING_ALTERED_STATE, "the fields of its state cell contradict each other");
  else
    return !(is_order (self) && tall_verify_look_is_gone (self));
  return FALSE;
}

/* The numbers that a root row gives itself. */
static gboolean
read_numbers (TallVerifyLook *self, TallSlice summary)
{
  g_autoptr (GError) cause = NULL;
  if (tall_root_check_summary (&self->root, &cause)
      && tall_root_parse_numbers (summary, is_order (self), self->arena, &self->customer_number,
                                  &self->order_number, &cause))
    {
      self->summary = tall_slice_dup (self->arena, summary);
      return TRUE;
    }
  add (self, TALL_FINDING_NO_SUMMARY, cause->message);
  return FALSE;
}

/* The id of the customer that the row names. If that has none, or none that can be read, the table
 * of ids is to blame: then the row's own one, if it leads to this customer, or if nobody can read
 * where it leads to. */
static gboolean
find_id (TallVerifyLook *self, guint64 *id, GError **error)
{
  GError *cause = NULL;
  gint64 deadline = tall_verify_deadline ();
  TallIds *ids = self->context->ids;
  guint64 own = self->context->key_strategy->parse_id (self->key.customer);
  g_autofree char *number = NULL;
  if (tall_ids_find (ids, &self->customer_number, 1, id, deadline, &cause) && *id != 0)
    return TRUE;
  if (cause == NULL || tall_error_is_unreadable (cause))
    {
      g_clear_error (&cause);
      number = tall_ids_find_number (ids, own, deadline, &cause);
    }
  if (cause != NULL && !tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  g_clear_error (&cause);
  *id = number == NULL || g_str_equal (number, self->customer_number) ? own : 0;
  return TRUE;
}

/* Whether the row lies where the numbers that it names lead to. */
static gboolean
check_key (TallVerifyLook *self, gboolean *right, GError **error)
{
  const TallStoreContext *context = self->context;
  guint64 id = 0;
  g_auto (TallOrderKey) wanted = { 0 };
  if (context->ids != NULL && !find_id (self, &id, error))
    return FALSE;
  tall_order_key_init (&wanted, context->key_strategy, self->customer_number, id,
                       self->order_number);
  *right = tall_slice_equal (wanted.whole, self->key.whole);
  if (!*right)
    add (self, TALL_FINDING_WRONG_KEY, "the numbers that it names lead elsewhere");
  return TRUE;
}

static guint64
make_fingerprint (const TallRoot *root)
{
  return tall_verify_hash (tall_slice (root->bytes, root->exists ? TALL_STATE_SIZE : 0));
}

static void
name_owner (TallVerifyLook *self)
{
  for (guint i = 0; i < self->findings->len; i++)
    {
      TallFinding *finding = &g_array_index (self->findings, TallFinding, i);
      finding->customer_number = self->customer_number;
      finding->order_number = self->order_number;
    }
}

/**
 * tall_verify_look_at:
 * @group: the rows, which must outlive @self
 *
 * Finds out what is wrong with an order or a customer, as far as its rows say it. Rows that were
 * read while somebody wrote them may look wrong: so this is to be done again, later.
 *
 * Returns: FALSE if the id of the customer cannot be read
 */
gboolean
tall_verify_look_at (TallVerifyLook *self,
                     const TallStoreContext *context,
                     const TallVerifyGroup *group,
                     GError **error)
{
  TallSlice summary = TALL_SLICE_INIT;
  gboolean right = FALSE;
  tall_verify_look_init (self, context);
  find_root (self, group);
  gboolean judged = read_root (self, group, &summary);
  self->fingerprint = make_fingerprint (&self->root);
  if (!judged)
    return TRUE;

  const TallState *state = &self->root.state;
  if (state->pending != 0)
    add (self, TALL_FINDING_STALE_CLAIM,
         tall_arena_printf (self->arena, "it is claimed for revision %" G_GINT64_FORMAT,
                            state->pending));
  add_rows (self, group, TALL_FINDING_LEFTOVER, FALSE, "with cells of other revisions");
  gboolean is_emptied = !state->live && !self->root.has_summary; /* by an erase */
  if (state->revision == 0 || is_emptied || !read_numbers (self, summary))
    return TRUE;
  if (!check_key (self, &right, error))
    return FALSE;
  if (right && state->live && is_order (self))
    verify_order (self, group, summary);
  else if (right && state->live)
    verify_customer (self, summary);
  name_owner (self);
  return TRUE;
}

/* Adds the hints that the order is to have, and has not. */
static gboolean
check_hints (TallVerifyLook *self, GError **error)
{
  if (!tall_verify_find_missing (self, 1, NULL, error))
    return FALSE;
  if (self->missing->len > 0)
    {
      const TallHint *first = tall_index_get (self->missing, 0);
      gboolean by_date = g_str_equal (first->table, TALL_INDEX_TABLE);
      tall_verify_look_add (self, TALL_FINDING_MISSING_HINT, first->table,
                            tall_slice_array (first->row), self->missing->len,
                            by_date ? "there is no hint at the order's date"
                                    : "there is no entry by which the order is found");
    }
  name_owner (self);
  return TRUE;
}

/* Whether the state cell is as it was when the other rows were read. */
static gboolean
check_root (TallVerifyLook *self, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_auto (TallRoot) root = { 0 };
  TallSlice summary = TALL_SLICE_INIT;
  if (self->findings->len == 0)
    return TRUE;
  tall_root_narrow (tall_read_plan_add_get (plan, self->table, self->root_key));
  g_autoptr (TallReadResult) result =
      tall_table_read (self->context->table, plan, tall_verify_deadline (), error);
  if (result == NULL)
    return FALSE;
  const TallRows *rows = &result->results[0];
  (void)!tall_root_parse_state (&root, rows->n_rows > 0 ? rows->rows : NULL, &summary, NULL);
  self->changed = make_fingerprint (&root) != self->fingerprint;
  return TRUE;
}

/**
 * tall_verify_look_again:
 * @order: empty: a customer
 *
 * Reads everything of an order or a customer, also its hints, and looks at it.
 */
gboolean
tall_verify_look_again (TallVerifyLook *self,
                        const TallStoreContext *context,
                        const TallVerifySubject *subject G_GNUC_UNUSED,
                        TallSlice customer,
                        TallSlice order,
                        GError **error)
{
  const TallVerifyGroup *group;
  TallVerifyScan *scan = tall_verify_scan_read (context, customer, order, &group, error);
  if (scan == NULL)
    return FALSE;
  gboolean done = tall_verify_look_at (self, context, group, error);
  self->scan = scan;
  self->group = group;
  return done && check_hints (self, error) && check_root (self, error);
}

/**
 * tall_verify_orders:
 *
 * The tables of the layout, order by order.
 */
const TallVerifySubject tall_verify_orders = {
  .of_customers = TRUE,
  .walk = tall_verify_walk_layout,
  .look = tall_verify_look_again,
  .mend = tall_repair_rows,
};

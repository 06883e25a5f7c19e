/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/root.h"

#include "base/fail.h"
#include "model/canonical.h"
#include "tall-limits.h"

#define FLAG_LIVE 0x01

static void
put_number (guint8 *to, guint64 value, guint n_bytes)
{
  for (guint i = 0; i < n_bytes; i++)
    to[i] = (guint8)(value >> (8 * (n_bytes - 1 - i)));
}

/**
 * tall_state_write:
 * @bytes: (out caller-allocates): the cell's value
 */
void
tall_state_write (const TallState *self, guint8 bytes[TALL_STATE_SIZE])
{
  bytes[0] = TALL_STATE_FORMAT;
  bytes[1] = self->live ? FLAG_LIVE : 0;
  put_number (bytes + 2, self->schema, 2);
  put_number (bytes + 4, self->n_locations, 4);
  put_number (bytes + 8, self->n_lines, 4);
  put_number (bytes + 12, (guint64)self->sales_date, 8);
  put_number (bytes + 20, (guint64)self->revision, 8);
  memcpy (bytes + 28, self->token, TALL_TOKEN_SIZE);
  put_number (bytes + 44, (guint64)self->pending, 8);
  memcpy (bytes + 52, self->pending_token, TALL_TOKEN_SIZE);
  memcpy (bytes + 68, self->digest, TALL_DIGEST_SIZE);
}

/**
 * tall_state_encode:
 *
 * Returns: (transfer none): the cell's value, in @arena
 */
TallSlice
tall_state_encode (const TallState *self, TallArena *arena)
{
  guint8 *bytes = tall_arena_alloc (arena, TALL_STATE_SIZE);
  tall_state_write (self, bytes);
  return tall_slice (bytes, TALL_STATE_SIZE);
}

static gboolean
check_form (TallSlice bytes, GError **error)
{
  if (bytes.len > 0 && bytes.data[0] > TALL_STATE_FORMAT)
    return tall_error_fail (error, TALL_ERROR_NEWER_VERSION,
                            "its state cell has format %u, and this version of tallorder knows "
                            "none after %d; use the newer version",
                            bytes.data[0], TALL_STATE_FORMAT);
  if (bytes.len == TALL_STATE_SIZE && bytes.data[0] == TALL_STATE_FORMAT
      && (bytes.data[1] & ~FLAG_LIVE) == 0)
    return TRUE;

  g_autofree char *hex = tall_slice_to_hex (tall_slice (bytes.data, MIN (bytes.len, 2)));
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "its state cell has %" G_GSIZE_FORMAT
                          " bytes that begin with %s, not %d that begin with 0100 or 0101",
                          bytes.len, hex, TALL_STATE_SIZE);
}

static gboolean
check_revisions (const TallState *state, GError **error)
{
  gboolean in_range = state->revision >= 0 && state->revision <= TALL_LATEST_REVISION
                      && state->pending >= 0 && state->pending <= TALL_LATEST_REVISION;
  if (in_range && (state->revision > 0 || !state->live))
    return TRUE;

  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "its state cell has revision %" G_GINT64_FORMAT
                          " and pending revision %" G_GINT64_FORMAT,
                          state->revision, state->pending);
}

/**
 * tall_state_decode:
 * @bytes: a value of a cell `s`, which may be anything
 * @state: (out caller-allocates): what it says; encoded again it gives the same bytes
 *
 * Returns: FALSE with %TALL_ERROR_NEWER_VERSION for a format after ours, with %TALL_ERROR_DAMAGED
 *   for what no version writes
 */
gboolean
tall_state_decode (TallSlice bytes, TallState *state, GError **error)
{
  if (!check_form (bytes, error))
    return FALSE;

  TallReader reader = tall_reader (tall_slice (bytes.data + 1, bytes.len - 1));
  state->live = (tall_reader_u8 (&reader) & FLAG_LIVE) != 0;
  state->schema = tall_reader_u16 (&reader);
  state->n_locations = tall_reader_u32 (&reader);
  state->n_lines = tall_reader_u32 (&reader);
  state->sales_date = (gint64)tall_reader_u64 (&reader);
  state->revision = (gint64)tall_reader_u64 (&reader);
  memcpy (state->token, tall_reader_take (&reader, TALL_TOKEN_SIZE).data, TALL_TOKEN_SIZE);
  state->pending = (gint64)tall_reader_u64 (&reader);
  memcpy (state->pending_token, tall_reader_take (&reader, TALL_TOKEN_SIZE).data, TALL_TOKEN_SIZE);
  memcpy (state->digest, tall_reader_take (&reader, TALL_DIGEST_SIZE).data, TALL_DIGEST_SIZE);
  g_assert (tall_reader_done (&reader));
  return check_revisions (state, error);
}

TallRecord
tall_record_of_order (const TallOrder *order)
{
  return (TallRecord){ .kind = TALL_RECORD_ORDER, .order = order };
}

TallRecord
tall_record_of_customer (const TallCustomer *customer)
{
  return (TallRecord){ .kind = TALL_RECORD_CUSTOMER, .customer = customer };
}

const char *
tall_record_get_customer_number (const TallRecord *self)
{
  return self->kind == TALL_RECORD_ORDER ? self->order->customer_number : self->customer->number;
}

/* NULL for a customer. */
const char *
tall_record_get_order_number (const TallRecord *self)
{
  return self->kind == TALL_RECORD_ORDER ? self->order->order_number : NULL;
}

/* Both limits are those of all layouts, so that an order can be moved from any to any other. */
static gboolean
check_size (const TallContent *self, GError **error)
{
  if (self->canonical.len > TALL_MAX_CANONICAL_BYTES)
    return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                            "its canonical form has %" G_GSIZE_FORMAT
                            " bytes, and at most %d are stored",
                            self->canonical.len, TALL_MAX_CANONICAL_BYTES);
  gsize repeated =
      self->record.kind == TALL_RECORD_ORDER ? tall_order_count_repeated (self->record.order) : 0;
  if (repeated <= TALL_MAX_REPEATED_BYTES)
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_TOO_LARGE,
      "the names and addresses of its locations have %" G_GSIZE_FORMAT
      " bytes, counted once for each line, and at most %d are stored; shorten the names",
      repeated, TALL_MAX_REPEATED_BYTES);
}

static void
derive_order (TallContent *self, const TallOrder *order)
{
  self->canonical = tall_order_to_canonical (order, self->arena);
  self->summary = tall_order_to_summary (order, self->arena);
  self->state.schema = tall_order_get_schema (order);
  self->state.n_locations = order->n_shipping_locations;
  self->state.n_lines = tall_order_count_lines (order);
  self->state.sales_date = order->has_sales_date ? order->sales_date : TALL_NO_DATE;
}

static void
derive_customer (TallContent *self, const TallCustomer *customer)
{
  self->canonical = tall_customer_to_canonical (customer, self->arena);
  self->summary = tall_customer_to_summary (customer, self->arena);
  self->state.schema = TALL_FIRST_SCHEMA;
  self->state.sales_date = TALL_NO_DATE;
}

/**
 * tall_content_init:
 * @record: must outlive @self
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE. @self is to be cleared also then
 */
gboolean
tall_content_init (TallContent *self, TallRecord record, GError **error)
{
  *self = (TallContent){ .record = record, .arena = tall_arena_new (0) };
  if (record.kind == TALL_RECORD_ORDER)
    derive_order (self, record.order);
  else
    derive_customer (self, record.customer);
  if (!check_size (self, error))
    return FALSE;

  self->state.live = TRUE;
  tall_md5 (self->canonical, self->state.digest);
  return TRUE;
}

void
tall_content_clear (TallContent *self)
{
  g_clear_pointer (&self->arena, tall_arena_free);
}

/**
 * tall_content_append:
 * @root: a mutation of the root row, in @batch
 *
 * Adds the summary and the layout's own columns of the root row, at @revision.
 */
void
tall_content_append (const TallContent *self,
                     const TallOperation *operation,
                     gint64 revision,
                     TallBatch *batch,
                     TallMutation *root)
{
  const TallLayout *layout = operation->context->layout;

  tall_mutation_put (batch, root, TALL_SUMMARY_QUALIFIER, revision, self->summary);
  if (self->record.kind == TALL_RECORD_ORDER)
    layout->append_root (self->record.order, self->canonical, revision, batch, root);
  else
    layout->append_customer (self->record.customer, self->canonical, revision, batch, root);
}

void
tall_root_clear (TallRoot *self)
{
  g_clear_pointer (&self->stranger, g_free);
}

/**
 * tall_root_take:
 * @from: (transfer full): what @self becomes
 */
void
tall_root_take (TallRoot *self, TallRoot *from)
{
  tall_root_clear (self);
  *self = *from;
  from->stranger = NULL;
}

/**
 * tall_root_set_state:
 * @timestamp: of the state cell
 *
 * Makes @self say what has just been written.
 */
void
tall_root_set_state (TallRoot *self, const TallState *state, gint64 timestamp)
{
  self->exists = TRUE;
  self->timestamp = timestamp;
  self->state = *state;
  tall_state_write (state, self->bytes);
}

/**
 * tall_root_parse_numbers:
 * @summary: of any revision of a root row
 * @of_order: whether that is of an order, as its key says
 * @arena: of the numbers
 * @customer_number: (out): whose it is
 * @order_number: (out): NULL: it is of the customer
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED or %TALL_ERROR_NEWER_VERSION
 */
gboolean
tall_root_parse_numbers (TallSlice summary,
                         gboolean of_order,
                         TallArena *arena,
                         const char **customer_number,
                         const char **order_number,
                         GError **error)
{
  TallOrderSummary order = { 0 };
  TallCustomerSummary customer = { 0 };
  if (of_order ? !tall_order_summary_parse (summary, arena, &order, error)
               : !tall_customer_summary_parse (summary, arena, &customer, error))
    return FALSE;
  *customer_number = of_order ? order.customer_number : customer.number;
  *order_number = order.order_number;
  return TRUE;
}

/**
 * tall_root_find_stranger:
 * @summary: of any revision of the root row
 * @arena: for what is needed in between
 * @stranger: (out) (transfer full): to whom the row belongs by that; unchanged if that is who is
 *   asked for
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED or %TALL_ERROR_NEWER_VERSION
 */
gboolean
tall_root_find_stranger (const TallOperation *operation,
                         TallSlice summary,
                         TallArena *arena,
                         char **stranger,
                         GError **error)
{
  const char *customer, *order;
  if (!tall_root_parse_numbers (summary, operation->order_number != NULL, arena, &customer, &order,
                                error))
    return FALSE;
  if (g_str_equal (customer, operation->customer_number)
      && g_strcmp0 (order, operation->order_number) == 0)
    return TRUE;
  *stranger = order != NULL ? g_strdup_printf ("order %s of %s", order, customer)
                            : g_strdup_printf ("customer %s", customer);
  return TRUE;
}

/**
 * tall_root_parse_state:
 * @row: (nullable): the root row as it was read, state and summary at least; NULL: there is none
 * @summary: (out): the summary of the committed revision, in @row; the empty slice if there is none
 *
 * The newest state cell counts; of the summaries, that of the revision it names. The caller checks
 * the owner of the row.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED or %TALL_ERROR_NEWER_VERSION; nothing but the timestamp
 *   of @self is set then
 */
gboolean
tall_root_parse_state (TallRoot *self, const TallRow *row, TallSlice *summary, GError **error)
{
  tall_root_clear (self);
  *self = (TallRoot){ 0 };
  *summary = (TallSlice)TALL_SLICE_INIT;

  const TallCell *cell = tall_row_find_latest (row, TALL_STATE_QUALIFIER);
  if (cell == NULL)
    return TRUE;
  self->timestamp = cell->timestamp;
  if (!tall_state_decode (cell->value, &self->state, error))
    return FALSE;

  if (cell->timestamp > TALL_LATEST_REVISION)
    return tall_error_fail (error, TALL_ERROR_DAMAGED,
                            "its state cell has the timestamp %" G_GINT64_FORMAT, cell->timestamp);

  self->exists = TRUE;
  memcpy (self->bytes, cell->value.data, TALL_STATE_SIZE);

  cell = tall_row_find_at (row, TALL_SUMMARY_QUALIFIER, self->state.revision);
  self->has_summary = cell != NULL;
  if (cell != NULL)
    *summary = cell->value;
  return TRUE;
}

/**
 * tall_root_check_summary:
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if the row does not say whose it is
 */
gboolean
tall_root_check_summary (const TallRoot *self, GError **error)
{
  if (self->has_summary)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "its root row has no summary of revision %" G_GINT64_FORMAT
                          ", so that nobody knows whose it is",
                          self->state.revision);
}

/**
 * tall_root_parse_order:
 * @self: of a live order, as tall_root_parse_state() has made it
 * @bytes: its summary, from there
 * @arena: for the texts of @summary
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED or %TALL_ERROR_NEWER_VERSION
 */
gboolean
tall_root_parse_order (const TallRoot *self,
                       TallSlice bytes,
                       TallArena *arena,
                       TallOrderSummary *summary,
                       GError **error)
{
  return tall_root_check_summary (self, error)
         && tall_order_summary_parse (bytes, arena, summary, error);
}

/* Returns: what a listing shows of the order; the texts are those of @summary */
TallOrderEntry
tall_state_make_entry (const TallState *self, const TallOrderSummary *summary)
{
  gboolean dated = self->sales_date != TALL_NO_DATE;
  TallOrderEntry entry = {
    .order_number = summary->order_number,
    .revision = self->revision,
    .has_sales_date = dated,
    .has_total = summary->total != NULL,
    .sales_date = dated ? self->sales_date : 0,
    .n_lines = summary->lines,
    .currency = summary->currency,
  };
  if (entry.has_total)
    entry.total = *summary->total;
  return entry;
}

/**
 * tall_root_narrow:
 * @read: of root rows
 *
 * Makes the read ask for nothing but the cells that the store itself writes.
 */
void
tall_root_narrow (TallRead *read)
{
  static const TallSlice qualifiers[] = {
    { (const guint8 *)TALL_STATE_COLUMN, sizeof TALL_STATE_COLUMN - 1 },
    { (const guint8 *)TALL_SUMMARY_COLUMN, sizeof TALL_SUMMARY_COLUMN - 1 },
  };
  read->qualifiers = qualifiers;
  read->n_qualifiers = G_N_ELEMENTS (qualifiers);
}

/**
 * tall_root_narrow_to_state:
 * @read: of root rows
 *
 * The same for a caller that does not ask whose the rows are.
 */
void
tall_root_narrow_to_state (TallRead *read)
{
  static const TallSlice qualifier = { (const guint8 *)TALL_STATE_COLUMN,
                                       sizeof TALL_STATE_COLUMN - 1 };
  read->qualifiers = &qualifier;
  read->n_qualifiers = 1;
}

/**
 * tall_root_parse:
 * @row: (nullable): the root row as it was read, state and summary at least; NULL: there is none
 * @arena: for what is needed in between
 *
 * Reads what the row says of what the operation is about, and whose row it is.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED or %TALL_ERROR_NEWER_VERSION
 */
gboolean
tall_root_parse (TallRoot *self,
                 const TallOperation *operation,
                 const TallRow *row,
                 TallArena *arena,
                 GError **error)
{
  TallSlice summary;
  return tall_root_parse_state (self, row, &summary, error)
         && (!self->has_summary
             || tall_root_find_stranger (operation, summary, arena, &self->stranger, error));
}

/**
 * tall_root_read:
 *
 * Reads the root row's state and owner. A missing root row is not an error.
 */
gboolean
tall_root_read (TallRoot *self, const TallOperation *operation, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_root_narrow (
      tall_read_plan_add_get (plan, operation->root_table, tall_slice_array (operation->root_row)));

  g_autoptr (TallReadResult) result = tall_operation_read (operation, plan, error);
  if (result == NULL)
    return FALSE;
  const TallRows *rows = &result->results[0];
  return tall_root_parse (self, operation, rows->n_rows > 0 ? &rows->rows[0] : NULL, result->arena,
                          error);
}

/**
 * tall_root_is_live_order:
 * @self: of an order
 *
 * A state cell can outlive what it names, as a claim writes it once more: then an order without its
 * summary, and of such an age, is gone.
 *
 * Returns: whether there is something to read: committed, not deleted, not gone with the TTL
 */
gboolean
tall_root_is_live_order (const TallRoot *self, const TallStoreContext *context)
{
  return self->exists && self->state.live
         && !tall_store_context_has_expired (context, self->state.revision)
         && (self->has_summary
             || !tall_store_context_may_have_expired (context, self->state.revision));
}

/**
 * tall_root_is_live:
 *
 * Returns: whether there is something to read, be it an order or a customer, which has no TTL
 */
gboolean
tall_root_is_live (const TallRoot *self, const TallOperation *operation)
{
  if (operation->order_number != NULL)
    return tall_root_is_live_order (self, operation->context);
  return self->exists && self->state.live;
}

/**
 * tall_root_is_same:
 *
 * Returns: whether both have the same state cell, byte for byte, or none
 */
gboolean
tall_root_is_same (const TallRoot *self, const TallRoot *other)
{
  if (!self->exists || !other->exists)
    return self->exists == other->exists;
  return memcmp (self->bytes, other->bytes, TALL_STATE_SIZE) == 0;
}

/**
 * tall_root_check_owner:
 *
 * Returns: FALSE with %TALL_ERROR_KEY_COLLISION, naming both, if the row is somebody else's
 */
gboolean
tall_root_check_owner (const TallRoot *self, const TallOperation *operation, GError **error)
{
  if (self->stranger == NULL)
    return TRUE;

  g_autofree char *row = tall_slice_to_hex (tall_slice_array (operation->root_row));
  g_autofree char *asked =
      operation->order_number != NULL
          ? g_strdup_printf ("order %s of %s", operation->order_number, operation->customer_number)
          : g_strdup_printf ("customer %s", operation->customer_number);
  return tall_error_fail (error, TALL_ERROR_KEY_COLLISION,
                          "%s has the row key %s, and that row belongs to %s; choose another "
                          "number, or a deployment with the key strategy raw",
                          asked, row, self->stranger);
}

/**
 * tall_root_has_leftovers:
 *
 * Returns: whether somebody may have left rows that never count: the order is claimed, or a claim
 *   was given up, which the timestamp of the state cell still shows
 */
gboolean
tall_root_has_leftovers (const TallRoot *self)
{
  return self->state.pending != 0 || self->timestamp > self->state.revision;
}

/**
 * tall_root_find_dead:
 * @revision: what is committed, or is going to be, in the place of @self
 *
 * Whoever has claimed less than @revision was claimed over, or has given up: what is older is
 * replaced, or was never committed and never will be.
 *
 * Returns: up to which revision everything of the row and its children is dead; 0 if there was
 *   nothing before
 */
gint64
tall_root_find_dead (const TallRoot *self, gint64 revision)
{
  return self->exists ? revision - 1 : 0;
}

/**
 * tall_root_next_revision:
 * @now: milliseconds since the epoch by this machine's clock, which may be wrong
 *
 * A revision is later than everything that this row has seen, the timestamp of the state cell
 * included: a writer with a slow clock whose state cell hid under an older one's would lock the
 * order for ever. It is also later than all revisions of loads.
 *
 * Returns: the next even number
 */
gint64
tall_root_next_revision (const TallRoot *self, gint64 now)
{
  gint64 next = MAX (now, TALL_FIRST_REVISION);
  if (self->exists)
    {
      next = MAX (next, self->state.revision + 1);
      next = MAX (next, self->state.pending + 1);
      next = MAX (next, self->timestamp + 1);
    }
  return next + (next & 1);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-verify-private.h"

#include "tall-index.h"
#include "tall-md5.h"
#include "tall-verify-run.h"

#define HINTS_A_CALL 512

/* An order that is to have a hint. */
typedef struct
{
  TallOrderKey key; /* owned */
  TallSlice hint;   /* row key, in the arena of the plan */
  guint8 fingerprint[TALL_MD5_SIZE];
} Expected;

/* A walk over the tables of the layout. */
typedef struct
{
  TallVerify *verify;
  TallVerifyScan *scan;
  TallReadPlan *plan; /* owns the keys of the hints that the next call looks for */
  GArray *expected;   /* of Expected */
  GRand *chance;      /* of the sample */
} Walk;

/* Nothing is under way in a row that no version writes: it is reported at once. */
static void
on_stray (const char *table, TallSlice row, const GError *error, gpointer data)
{
  TallVerify *self = ((Walk *)data)->verify;
  TallFinding finding = {
    .kind = error != NULL ? TALL_FINDING_UNREADABLE_TABLE : TALL_FINDING_STRAY_ROW,
    .table = table,
    .row = row,
    .n_rows = 1,
    .message = error != NULL ? error->message : "its key is that of no row of the layout"
  };
  if (error != NULL)
    self->summary.is_whole = FALSE;
  tall_verify_report (self, &finding);
}

static void
expected_clear (Expected *self)
{
  tall_order_key_clear (&self->key);
}

static void
expect_hint (Walk *walk, const TallVerifyLook *look)
{
  Expected expected = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  tall_verify_append_hint (look, row);
  tall_order_key_init_from_parts (&expected.key, look->key.customer, look->key.order);
  expected.hint = tall_slice_dup (walk->plan->arena, tall_slice_array (row));
  tall_verify_make_fingerprint (&look->root, expected.fingerprint);
  g_array_append_val (walk->expected, expected);
}

/* Begins the next call. */
static void
forget_expected (Walk *walk)
{
  g_array_set_size (walk->expected, 0);
  g_clear_pointer (&walk->plan, tall_read_plan_free);
  walk->plan = tall_read_plan_new ();
}

/* Suspects those of the orders that have no hint. */
static gboolean
check_hints (Walk *walk, GError **error)
{
  TallVerify *self = walk->verify;
  guint n = walk->expected->len;
  if (n == 0)
    return TRUE;
  TallSlice *keys = tall_arena_newa0 (walk->plan->arena, TallSlice, n);
  for (guint i = 0; i < n; i++)
    keys[i] = g_array_index (walk->expected, Expected, i).hint;
  tall_read_plan_add_gets (walk->plan, TALL_INDEX_TABLE, keys, n);
  g_autoptr (TallReadResult) result =
      tall_table_read (self->context->table, walk->plan, tall_verify_deadline (), error);
  if (result == NULL)
    return FALSE;
  const TallRows *rows = &result->results[0];
  guint at = 0; /* absent rows are left out, and the others are in the order asked for */
  for (guint i = 0; i < n; i++)
    {
      const Expected *expected = &g_array_index (walk->expected, Expected, i);
      if (at < rows->n_rows && tall_slice_equal (rows->rows[at].key, expected->hint))
        at++;
      else
        tall_verify_suspect_rows (self, &expected->key, expected->fingerprint,
                                  1u << TALL_FINDING_MISSING_HINT);
    }
  forget_expected (walk);
  return TRUE;
}

/* Slows down to the rate that was asked for. */
static void
keep_rate (TallVerify *self)
{
  const TallStoreHooks *hooks = &self->context->hooks;
  if (self->options->rate == 0)
    return;
  gint64 due =
      self->begun + (gint64)(self->summary.n_orders * G_USEC_PER_SEC / self->options->rate);
  gint64 ahead = due - hooks->monotonic (hooks->data);
  if (ahead > G_USEC_PER_SEC / 100)
    hooks->sleep (MIN (ahead, G_USEC_PER_SEC), hooks->data);
}

static gboolean
look_at_group (Walk *walk, const TallVerifyGroup *group, GError **error)
{
  TallVerify *self = walk->verify;
  g_auto (TallVerifyLook) look = { 0 };
  if (!tall_verify_look_at (&look, self->context, group, error))
    return FALSE;
  if (group->order.len > 0)
    self->summary.n_orders++;
  else
    self->summary.n_customers++;
  if (look.findings->len > 0)
    {
      guint8 fingerprint[TALL_MD5_SIZE];
      tall_verify_make_fingerprint (&look.root, fingerprint);
      tall_verify_suspect_rows (self, &look.key, fingerprint, tall_verify_look_kinds (&look));
    }
  else if (look.hinted)
    expect_hint (walk, &look);
  return walk->expected->len < HINTS_A_CALL || check_hints (walk, error);
}

/* Whether the customer is in the sample; one that is not is passed over, with all its orders. */
static gboolean
is_sampled (const Walk *walk, TallSlice customer)
{
  guint percent = walk->verify->options->sample;
  guint32 hash = g_rand_int (walk->chance);
  return percent == 0 || customer.len == 0 || hash % 100 < percent;
}

static gboolean
walk_orders (Walk *walk, GError **error)
{
  TallVerify *self = walk->verify;
  const TallVerifyGroup *group;
  g_autoptr (GError) cause = NULL;
  g_autoptr (GByteArray) last = g_byte_array_new ();
  while (tall_verify_progress (self)
         && (group = tall_verify_scan_next (walk->scan, &cause)) != NULL)
    {
      gboolean other = !tall_slice_equal (group->customer, tall_slice_array (last));
      tall_bytes_set (last, group->customer);
      if (other && !is_sampled (walk, group->customer))
        {
          tall_verify_scan_skip_customer (walk->scan, tall_slice_array (last));
          continue;
        }
      if (!look_at_group (walk, group, error) || !tall_verify_settle (self, G_MAXUINT, error))
        return FALSE;
      keep_rate (self);
    }
  if (cause == NULL)
    return check_hints (walk, error);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static gboolean
verify_layout (TallVerify *self, TallSlice customer, GError **error)
{
  Walk walk = { .verify = self };
  walk.expected = g_array_new (FALSE, FALSE, sizeof (Expected));
  g_array_set_clear_func (walk.expected, (GDestroyNotify)expected_clear);
  forget_expected (&walk);
  walk.chance = g_rand_new ();
  walk.scan = tall_verify_scan_new (self->context, customer, on_stray, &walk);
  gboolean done = walk_orders (&walk, error);
  tall_verify_scan_free (walk.scan);
  g_array_unref (walk.expected);
  tall_read_plan_free (walk.plan);
  g_rand_free (walk.chance);
  return done;
}

/* Hints and ids are small: a sample has all of them. */
static gboolean
verify_all (TallVerify *self, TallSlice customer, GError **error)
{
  const TallStoreContext *context = self->context;
  if (!verify_layout (self, customer, error)
      || (context->has_index && !tall_verify_walk_pairs (self, &tall_verify_hints, customer, error))
      || (context->ids != NULL && customer.len == 0
          && !tall_verify_walk_pairs (self, &tall_verify_ids, customer, error)))
    return FALSE;
  return tall_verify_settle (self, 0, error);
}

/**
 * tall_verify_run:
 * @options: what is verified
 * @summary: (out): how far it came, also after an error
 *
 * Reads everything and reports what is wrong. It holds a page of each table and the rows of one
 * order in memory, and a bounded number of suspects. It changes nothing unless it is to repair.
 *
 * Returns: FALSE if a table could not be read now, or the customer has no id
 */
gboolean
tall_verify_run (const TallStoreContext *context,
                 const TallVerifyOptions *options,
                 TallVerifySummary *summary,
                 GError **error)
{
  TallVerify self = { .context = context, .options = options };
  g_auto (TallOperation) operation = { 0 };
  TallSlice customer = TALL_SLICE_INIT;
  self.begun = context->hooks.monotonic (context->hooks.data);
  self.summary.is_whole = TRUE;
  if (options->customer_number != NULL)
    {
      tall_operation_init (&operation, context, options->customer_number, NULL, 0);
      if (!tall_operation_identify (&operation, FALSE, error))
        return FALSE;
      customer = operation.key.customer;
    }
  gboolean done = verify_all (&self, customer, error);
  if (!done || self.stopped || self.summary.n_busy > 0)
    self.summary.is_whole = FALSE;
  self.stopped = TRUE;
  done = tall_verify_settle (&self, 0, NULL) && done;
  *summary = self.summary;
  return done;
}

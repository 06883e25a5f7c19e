/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/front-bulk-private.h"

#include "tall-error.h"

/* The orders of one call. */
typedef struct
{
  TallFrontBulk *bulk;
  TallOrder *const *orders;
  TallBulkResult *results;
  guint n;

  GArray *chosen;        /* of guint: those that are put or got now, by position */
  GPtrArray *put;        /* of TallOrder: the same */
  TallOutcome *outcomes; /* n of them: of those */
} Call;

static void
call_init (Call *self, TallFrontBulk *bulk)
{
  self->bulk = bulk;
  self->chosen = g_array_new (FALSE, FALSE, sizeof (guint));
  self->put = g_ptr_array_new ();
  self->outcomes = g_new0 (TallOutcome, self->n);
}

static void
call_reset (Call *self)
{
  for (guint i = 0; i < self->chosen->len; i++)
    tall_outcome_clear (&self->outcomes[i]);
  memset (self->outcomes, 0, self->n * sizeof *self->outcomes);
  g_array_set_size (self->chosen, 0);
  g_ptr_array_set_size (self->put, 0);
}

static void
call_clear (Call *self)
{
  call_reset (self);
  g_array_unref (self->chosen);
  g_ptr_array_unref (self->put);
  g_free (self->outcomes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Call, call_clear)

static void
call_choose (Call *self, guint i)
{
  g_array_append_val (self->chosen, i);
  g_ptr_array_add (self->put, self->orders[i]);
}

static TallBulkResult *
call_get_result (const Call *self, guint chosen)
{
  return &self->results[g_array_index (self->chosen, guint, chosen)];
}

/* Puts those that are chosen. What fails altogether fails for each. */
static void
call_put (Call *self, const TallWriteOptions *options)
{
  g_autoptr (GError) error = NULL;
  if (tall_front_put_orders (self->bulk->front, (TallOrder *const *)self->put->pdata, options,
                             self->put->len, self->outcomes, &error))
    return;
  for (guint i = 0; i < self->put->len; i++)
    {
      tall_outcome_clear (&self->outcomes[i]);
      self->outcomes[i].error = g_error_copy (error);
    }
}

static void
call_get (Call *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree TallOrderId *ids = g_new0 (TallOrderId, self->put->len);
  for (guint i = 0; i < self->put->len; i++)
    {
      const TallOrder *order = g_ptr_array_index (self->put, i);
      ids[i] = (TallOrderId){ order->customer_number, order->order_number };
    }
  if (tall_front_get_orders (self->bulk->front, ids, self->put->len, self->outcomes, &error))
    return;
  for (guint i = 0; i < self->put->len; i++)
    self->outcomes[i].error = g_error_copy (error);
}

/* @error: (inout): is taken */
void
tall_front_bulk_refuse (TallBulkResult *result, GError **error)
{
  *result = (TallBulkResult){ .outcome = TALL_BULK_REFUSED, .error = g_steal_pointer (error) };
}

/* It is there, and gone again when it is looked at. */
void
tall_front_bulk_overtake (const char *what, TallBulkResult *result)
{
  result->outcome = TALL_BULK_OVERTAKEN;
  tall_error_set_conflict (&result->error, 0,
                           "Storing %s: somebody else has written it at the same time; theirs is "
                           "left",
                           what);
}

/* What is done with one that exists with another content. Returns: whether it is to be replaced */
gboolean
tall_front_bulk_decide (const TallFrontBulk *self,
                        const char *what,
                        gint64 revision,
                        TallBulkResult *result)
{
  result->revision = revision;
  result->outcome = TALL_BULK_SKIPPED;
  if (self->on_existing == TALL_BULK_REPORT)
    {
      result->outcome = TALL_BULK_REFUSED;
      tall_error_set_conflict (&result->error, revision,
                               "Storing %s: another content is stored, of revision "
                               "%" G_GINT64_FORMAT "; it is left",
                               what, revision);
    }
  return self->on_existing == TALL_BULK_REPLACE;
}

static char *
describe_order (const TallOrder *order)
{
  return g_strdup_printf ("order %s of %s", order->order_number, order->customer_number);
}

/* What is stored of an order that is not new; @got: it. Returns: whether it is to be replaced */
static gboolean
compare_order (Call *self, TallOrder *order, TallOutcome *got, TallBulkResult *result)
{
  g_autofree char *what = describe_order (order);
  if (g_error_matches (got->error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    tall_front_bulk_overtake (what, result);
  else if (got->error != NULL)
    tall_front_bulk_refuse (result, &got->error);
  else if (tall_order_equal (got->order, order))
    *result = (TallBulkResult){ .outcome = TALL_BULK_UNCHANGED, .revision = got->revision };
  else
    return tall_front_bulk_decide (self->bulk, what, got->revision, result);
  return FALSE;
}

/* Puts all on condition that they are new. Returns: positions of those that are not */
static GArray *
put_new (Call *self)
{
  GArray *existing = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree TallWriteOptions *options = g_new0 (TallWriteOptions, self->n);
  for (guint i = 0; i < self->n; i++)
    {
      options[i].condition = TALL_IF_ABSENT;
      call_choose (self, i);
    }
  call_put (self, options);
  for (guint i = 0; i < self->n; i++)
    if (g_error_matches (self->outcomes[i].error, TALL_ERROR, TALL_ERROR_CONFLICT))
      g_array_append_val (existing, i);
    else if (self->outcomes[i].error != NULL)
      tall_front_bulk_refuse (&self->results[i], &self->outcomes[i].error);
    else
      self->results[i].revision = self->outcomes[i].revision;
  call_reset (self);
  return existing;
}

/* Looks at those that exist. Returns: positions of those that are to be replaced */
static GArray *
compare (Call *self, const GArray *existing)
{
  GArray *replaced = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < existing->len; i++)
    call_choose (self, g_array_index (existing, guint, i));
  if (existing->len > 0)
    call_get (self);
  for (guint i = 0; i < existing->len; i++)
    if (compare_order (self, g_ptr_array_index (self->put, i), &self->outcomes[i],
                       call_get_result (self, i)))
      g_array_append_val (replaced, g_array_index (existing, guint, i));
  call_reset (self);
  return replaced;
}

static void
replace (Call *self, const GArray *replaced)
{
  for (guint i = 0; i < replaced->len; i++)
    call_choose (self, g_array_index (replaced, guint, i));
  if (replaced->len > 0)
    call_put (self, NULL);
  for (guint i = 0; i < replaced->len; i++)
    {
      TallBulkResult *result = call_get_result (self, i);
      *result =
          (TallBulkResult){ .outcome = TALL_BULK_REPLACED, .revision = self->outcomes[i].revision };
      if (self->outcomes[i].error != NULL)
        tall_front_bulk_refuse (result, &self->outcomes[i].error);
    }
}

/**
 * tall_front_bulk_call:
 *
 * Puts orders on condition that they are new, gets those that are not, and replaces what is to be.
 */
void
tall_front_bulk_call (TallFrontBulk *self,
                      TallOrder *const *orders,
                      guint n,
                      TallBulkResult *results)
{
  g_auto (Call) call = { .orders = orders, .results = results, .n = n };
  call_init (&call, self);
  g_autoptr (GArray) existing = put_new (&call);
  g_autoptr (GArray) replaced = compare (&call, existing);
  replace (&call, replaced);
}

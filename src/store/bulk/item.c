/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/item.h"

#include "tall-error.h"
#include "store/follow.h"
#include "store/commit/write.h"

#define MAX_TRIES 3 /* of putting what was new, and is not any more, or the other way round */

/**
 * tall_bulk_item_refuse:
 * @cause: (transfer full): why it is not stored
 */
void
tall_bulk_item_refuse (TallBulkItem *self, GError *cause)
{
  const TallOperation *operation = &self->operation;
  if (operation->order_number != NULL)
    g_prefix_error (&cause, "Storing order %s of %s: ", operation->order_number,
                    operation->customer_number);
  else
    g_prefix_error (&cause, "Storing customer %s: ", operation->customer_number);
  *self->result = (TallBulkResult){ .outcome = TALL_BULK_REFUSED, .error = cause };
  self->step = TALL_BULK_DECIDED;
}

static gboolean
begin (TallBulkItem *self,
       const TallStoreContext *context,
       const TallOrder *order,
       const TallCustomer *customer)
{
  GError *error = NULL;
  tall_operation_init (&self->operation, context,
                       order != NULL ? order->customer_number : customer->number,
                       order != NULL ? order->order_number : NULL, 0);
  self->step = TALL_BULK_FRESH;
  if (tall_content_init (&self->content, order, customer, &error))
    return TRUE;
  tall_bulk_item_refuse (self, error);
  return FALSE;
}

/* What is wrong with the numbers says so itself. */
static gboolean
refuse_wrong (TallBulkItem *self, GError *cause)
{
  *self->result = (TallBulkResult){ .outcome = TALL_BULK_REFUSED, .error = cause };
  return FALSE;
}

/**
 * tall_bulk_item_init_order:
 * @self: all zero
 * @order: must outlive @self; its lists are sorted
 * @result: all zero; where its result goes
 *
 * Returns: whether it can be stored; otherwise it is refused
 */
gboolean
tall_bulk_item_init_order (TallBulkItem *self,
                           const TallStoreContext *context,
                           TallOrder *order,
                           TallBulkResult *result)
{
  GError *error = NULL;
  self->result = result;
  if (!tall_order_normalize (order, &error))
    return refuse_wrong (self, error);
  return begin (self, context, order, NULL);
}

/**
 * tall_bulk_item_init_customer:
 *
 * The same of a customer.
 */
gboolean
tall_bulk_item_init_customer (TallBulkItem *self,
                              const TallStoreContext *context,
                              TallCustomer *customer,
                              TallBulkResult *result)
{
  GError *error = NULL;
  self->result = result;
  if (!tall_customer_normalize (customer, &error))
    return refuse_wrong (self, error);
  return begin (self, context, NULL, customer);
}

void
tall_bulk_item_clear (TallBulkItem *self)
{
  tall_operation_clear (&self->operation);
  tall_content_clear (&self->content);
}

void
tall_bulk_item_decide (TallBulkItem *self, TallBulkOutcome outcome, gint64 revision)
{
  *self->result = (TallBulkResult){ .outcome = outcome, .revision = revision };
  self->step = TALL_BULK_DECIDED;
}

/**
 * tall_bulk_item_overtake:
 *
 * Somebody has written it at the same time. What was there for a moment nobody knows, so it must
 * not be put again.
 */
void
tall_bulk_item_overtake (TallBulkItem *self)
{
  GError *error = NULL;
  tall_error_set_conflict (&error, 0,
                           "somebody else has written it at the same time; theirs is left");
  tall_bulk_item_refuse (self, error);
  self->result->outcome = TALL_BULK_OVERTAKEN;
}

/**
 * tall_bulk_item_is_same:
 *
 * Returns: whether @state is of the same content
 */
gboolean
tall_bulk_item_is_same (const TallBulkItem *self, const TallState *state)
{
  return state->live && memcmp (state->digest, self->content.state.digest, TALL_DIGEST_SIZE) == 0;
}

/**
 * tall_bulk_item_is_stored:
 *
 * Returns: whether @root is of the same order or customer, and has the same content
 */
gboolean
tall_bulk_item_is_stored (const TallBulkItem *self, const TallRoot *root)
{
  return tall_root_is_live (root, &self->operation) && root->has_summary && root->stranger == NULL
         && tall_bulk_item_is_same (self, &root->state);
}

/* What is there with another content. */
static void
refuse_existing (TallBulkItem *self, gint64 revision)
{
  GError *error = NULL;
  tall_error_set_conflict (&error, revision,
                           "another content is stored, of revision %" G_GINT64_FORMAT
                           "; it is left",
                           revision);
  tall_bulk_item_refuse (self, error);
  self->result->revision = revision;
}

/* Puts it. Returns: whether that, or an error, is its result; FALSE: it is not new any more */
static gboolean
put (TallBulkItem *self, TallCondition condition, TallBulkOutcome outcome)
{
  const TallWriteOptions options = { .condition = condition };
  GError *error = NULL;
  gint64 revision = 0;
  if (tall_put (&self->operation, &self->content, &options, &revision, &error))
    tall_bulk_item_decide (self, outcome, revision);
  else if (condition == TALL_IF_ABSENT && g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    g_clear_error (&error);
  else
    tall_bulk_item_refuse (self, error);
  return self->step == TALL_BULK_DECIDED;
}

/* What is done with it now that @root is there. Returns: whether its result is known */
static gboolean
meet (TallBulkItem *self, const TallRoot *root, TallBulkExisting on_existing)
{
  GError *error = NULL;
  if (!tall_root_is_live (root, &self->operation))
    return put (self, TALL_IF_ABSENT, TALL_BULK_STORED);
  if (!tall_root_check_owner (root, &self->operation, &error))
    tall_bulk_item_refuse (self, error);
  else if (tall_bulk_item_is_stored (self, root))
    tall_bulk_item_decide (self, TALL_BULK_UNCHANGED, root->state.revision);
  else if (on_existing == TALL_BULK_REPLACE)
    return put (self, TALL_IF_ANY, TALL_BULK_REPLACED);
  else if (on_existing == TALL_BULK_SKIP)
    tall_bulk_item_decide (self, TALL_BULK_SKIPPED, root->state.revision);
  else
    refuse_existing (self, root->state.revision);
  return TRUE;
}

static gboolean
try_look (TallOperation *operation, gpointer data, GError **error)
{
  TallRoot *root = data;
  return tall_operation_identify (operation, TRUE, error)
         && tall_root_read (root, operation, error);
}

/**
 * tall_bulk_item_put:
 *
 * Puts it as any other: it is new, or the same, or @on_existing says what to do. Its time begins to
 * run now.
 */
void
tall_bulk_item_put (TallBulkItem *self, TallBulkExisting on_existing)
{
  TallOperation *operation = &self->operation;
  tall_operation_init (operation, operation->context, operation->customer_number,
                       operation->order_number, 0);
  operation->writes = TRUE;
  for (guint i = 0; i < MAX_TRIES; i++)
    {
      GError *error = NULL;
      g_auto (TallRoot) root = { 0 };
      if (!tall_follow (operation, try_look, &root, &error))
        {
          tall_bulk_item_refuse (self, error);
          return;
        }
      if (meet (self, &root, on_existing))
        return;
    }
  tall_bulk_item_overtake (self);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-stepper.h"

#include "table/memory-table.h"

#include "tall-error.h"

typedef enum
{
  OPERATION_PUT,
  OPERATION_GET,
  OPERATION_DELETE,
  OPERATION_REPAIR,
} Operation;

struct _TallStepper
{
  TallTable *table; /* a failing table */
  TallTestClock clock;
  TallStore *store;
  GThread *thread; /* of the operation under way; NULL: none */

  /* What the thread does; read by it alone while it runs. */
  Operation operation;
  TallOrder *order; /* to put, or got */
  TallWriteOptions options;

  GMutex mutex; /* for everything below */
  GCond cond;
  gboolean waiting; /* before a call */
  gboolean finished;
  gboolean may_go; /* with the call that it waits before */
  gboolean gated;  /* FALSE: calls go through */
  TallCallKind kind;
  TallFailure failure; /* of the call that may go */
  GError *error;
};

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  TallStepper *self = data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (!self->gated || g_strcmp0 (call->table, "meta") == 0)
    return TALL_FAILURE_NONE;

  self->waiting = TRUE;
  self->kind = call->kind;
  g_cond_broadcast (&self->cond);
  while (!self->may_go)
    g_cond_wait (&self->cond, &self->mutex);
  self->may_go = FALSE;
  return self->failure;
}

static gpointer
run (gpointer data)
{
  TallStepper *self = data;
  TallFront *front = TALL_FRONT (self->store);
  GError *error = NULL;
  gboolean done;

  if (self->operation == OPERATION_PUT)
    done = tall_front_put_order (front, self->order, &self->options, NULL, &error);
  else if (self->operation == OPERATION_REPAIR)
    {
      TallVerifySummary summary;
      const TallVerifyOptions options = { .repair = TRUE, .alone = TRUE };
      done = tall_front_verify (front, &options, &summary, &error);
    }
  else if (self->operation == OPERATION_DELETE)
    done = tall_front_delete_order (front, TALL_TEST_CUSTOMER, TALL_TEST_ORDER, NULL, &error);
  else
    {
      self->order = tall_front_get_order (front, TALL_TEST_CUSTOMER, TALL_TEST_ORDER, NULL, &error);
      done = self->order != NULL;
    }
  g_assert_true (done == (error == NULL));

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->error = error;
  self->finished = TRUE;
  g_cond_broadcast (&self->cond);
  return NULL;
}

static void
wait_until_it_stands (TallStepper *self)
{
  while (!self->waiting && !self->finished)
    g_cond_wait (&self->cond, &self->mutex);
}

static void
begin (TallStepper *self, Operation operation)
{
  g_assert_null (self->thread);
  g_clear_error (&self->error);
  self->operation = operation;
  self->finished = self->waiting = FALSE;
  self->gated = TRUE;
  self->thread = g_thread_new ("stepper", run, self);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  wait_until_it_stands (self);
}

/**
 * tall_stepper_new:
 * @table: (transfer none): a table that holds a deployment, shared with other clients
 * @now: the fixed time of its clock, as in TALL_STEPPER_TIME()
 *
 * It takes a claim for abandoned as soon as it finds it unchanged once.
 */
TallStepper *
tall_stepper_new (TallTable *table, gint64 now)
{
  TallStepper *self = g_new0 (TallStepper, 1);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  self->clock = (TallTestClock){ .now = TALL_STEPPER_TIME (now), .patience = 1 };
  self->table = tall_failing_table_new (table);
  self->store = tall_test_open (self->table, &self->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), before_call, NULL, self);
  return self;
}

void
tall_stepper_free (TallStepper *self)
{
  tall_stepper_finish (self);
  g_clear_error (&self->error);
  g_clear_pointer (&self->order, tall_order_free);
  g_clear_object (&self->store);
  g_clear_object (&self->table);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

void
tall_stepper_put (TallStepper *self, guint writer, guint n_lines, const TallWriteOptions *options)
{
  g_clear_pointer (&self->order, tall_order_free);
  self->order = tall_test_marked_order (TALL_TEST_ORDER, writer, 1, n_lines);
  self->options = options != NULL ? *options : (TallWriteOptions){ 0 };
  begin (self, OPERATION_PUT);
}

void
tall_stepper_get (TallStepper *self)
{
  g_clear_pointer (&self->order, tall_order_free);
  begin (self, OPERATION_GET);
}

void
tall_stepper_delete (TallStepper *self)
{
  begin (self, OPERATION_DELETE);
}

/* Mends everything, and does not wait before it does so. */
void
tall_stepper_repair (TallStepper *self)
{
  begin (self, OPERATION_REPAIR);
}

/**
 * tall_stepper_fail:
 * @expected: the kind of the call that it stands before; another fails the test
 * @failure: what becomes of it
 *
 * Lets one call through, and waits until it stands before the next or has finished.
 */
void
tall_stepper_fail (TallStepper *self, TallCallKind expected, TallFailure failure)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_assert_true (self->waiting);
  g_assert_cmpint (self->kind, ==, expected);
  self->waiting = FALSE;
  self->failure = failure;
  self->may_go = TRUE;
  g_cond_broadcast (&self->cond);
  wait_until_it_stands (self);
}

void
tall_stepper_step (TallStepper *self, TallCallKind expected)
{
  tall_stepper_fail (self, expected, TALL_FAILURE_NONE);
}

/**
 * tall_stepper_reach:
 *
 * Lets calls of other kinds through, until it stands before one of this kind. If it finishes first,
 * the test fails.
 */
void
tall_stepper_reach (TallStepper *self, TallCallKind kind)
{
  for (;;)
    {
      g_mutex_lock (&self->mutex);
      TallCallKind next = self->kind;
      g_assert_true (self->waiting);
      g_mutex_unlock (&self->mutex);
      if (next == kind)
        return;
      tall_stepper_step (self, next);
    }
}

/**
 * tall_stepper_finish:
 *
 * Lets the rest of the operation through. Another client may have acted meanwhile.
 */
void
tall_stepper_finish (TallStepper *self)
{
  g_mutex_lock (&self->mutex);
  self->gated = FALSE;
  self->failure = TALL_FAILURE_NONE;
  if (self->waiting)
    self->may_go = TRUE;
  self->waiting = FALSE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->mutex);

  g_clear_pointer (&self->thread, g_thread_join);
}

guint
tall_stepper_deliver_late (TallStepper *self)
{
  return tall_failing_table_deliver_late (TALL_FAILING_TABLE (self->table));
}

/**
 * tall_stepper_get_error:
 *
 * Returns: (nullable) (transfer none): how the operation failed; it must have no calls left
 */
const GError *
tall_stepper_get_error (TallStepper *self)
{
  g_mutex_lock (&self->mutex);
  wait_until_it_stands (self);
  g_assert_true (self->finished);
  self->gated = FALSE;
  g_mutex_unlock (&self->mutex);
  g_clear_pointer (&self->thread, g_thread_join);
  return self->error;
}

/**
 * tall_stepper_get_seen:
 *
 * Returns: the writer of the order that the get found; 0 if there was none
 */
guint
tall_stepper_get_seen (TallStepper *self)
{
  const GError *error = tall_stepper_get_error (self);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return 0;

  guint writer, sequence;
  g_assert_no_error (error);
  tall_test_read_mark (self->order, &writer, &sequence);
  return writer;
}

TallStore *
tall_stepper_get_store (TallStepper *self)
{
  return self->store;
}

/* No index: these tests do not need it, and its calls would only be in the way. */
TallTable *
tall_stepper_table_new (const TallLayout *layout)
{
  const TallStoreSettings settings = { .layout = layout,
                                       .key_strategy = &tall_key_hashed,
                                       .index = TALL_INDEX_NONE };
  TallTable *table = tall_memory_table_new ();
  g_assert_true (tall_store_create (table, &settings, NULL));
  return table;
}

void
tall_stepper_put_whole (TallStepper *client, guint writer, guint n_lines)
{
  tall_stepper_put (client, writer, n_lines, NULL);
  tall_stepper_finish (client);
  g_assert_no_error (tall_stepper_get_error (client));
}

guint
tall_stepper_see (TallTable *table)
{
  g_autoptr (TallStepper) reader = tall_stepper_new (table, 1000);
  tall_stepper_get (reader);
  tall_stepper_finish (reader);
  return tall_stepper_get_seen (reader);
}

void
tall_stepper_go_on_alone (TallTable *table)
{
  g_autoptr (TallStepper) client = tall_stepper_new (table, 0);
  tall_stepper_put_whole (client, 99, 1);
  g_assert_cmpuint (tall_stepper_see (table), ==, 99);
  tall_stepper_delete (client);
  tall_stepper_finish (client);
  g_assert_no_error (tall_stepper_get_error (client));
  g_assert_cmpuint (tall_stepper_see (table), ==, 0);
}

/* The client guesses that nothing is stored, and finds another client's claim. It stops before it
 * claims over that. */
void
tall_stepper_find_claim (TallStepper *client)
{
  tall_stepper_step (client, TALL_CALL_APPLY_IF);
  tall_stepper_step (client, TALL_CALL_READ);
  tall_stepper_step (client, TALL_CALL_READ);
}

/* The client guesses that nothing is stored, finds what is committed, and claims. It stops before
 * it writes its rows. */
void
tall_stepper_claim (TallStepper *client, guint writer, guint n_lines)
{
  tall_stepper_put (client, writer, n_lines, NULL);
  tall_stepper_step (client, TALL_CALL_APPLY_IF);
  tall_stepper_step (client, TALL_CALL_READ);
  tall_stepper_step (client, TALL_CALL_APPLY_IF);
}

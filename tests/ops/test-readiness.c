/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Whether a store answers: one that fails, one that hangs, and back. */

#include "tall-error.h"
#include "ops/readiness.h"
#include "tall-test-front.h"

#include <math.h>

/* Milliseconds. */
static const TallReadinessTimes quick = { .interval = 20, .patience = 30, .farewell = 50 };

/* A call that is slow, as on a busy machine, counts as one that answers. */
static const TallReadinessTimes unhurried = { .interval = 20, .patience = 600000, .farewell = 50 };

/* Returns: (transfer full) (nullable): the reason that it has at last. */
static char *
wait_until (TallReadiness *readiness, gboolean wanted)
{
  for (;;)
    {
      g_autofree char *reason = NULL;
      if (tall_readiness_get (readiness, &reason) == wanted)
        return g_steal_pointer (&reason);
      g_thread_yield ();
    }
}

static void
test_failing (void)
{
  g_autoptr (TallFront) front = tall_test_front_new ();
  TallReadiness *readiness = tall_readiness_new (front, &unhurried);
  tall_readiness_begin (readiness);
  g_assert_null (wait_until (readiness, TRUE));
  for (guint i = 0; i < 3; i++)
    {
      tall_test_front_fail_each (TALL_TEST_FRONT (front),
                                 g_error_new (TALL_ERROR, TALL_ERROR_UNAVAILABLE, "gone %u", i));
      g_autofree char *reason = wait_until (readiness, FALSE);
      g_autofree char *wanted = g_strdup_printf ("gone %u", i);
      g_assert_cmpstr (reason, ==, wanted);
      tall_test_front_fail_each (TALL_TEST_FRONT (front), NULL);
      g_assert_null (wait_until (readiness, TRUE));
    }
  tall_readiness_end (readiness);
}

static void
test_hanging (void)
{
  g_autoptr (TallFront) front = tall_test_front_new ();
  TallReadiness *readiness = tall_readiness_new (front, &quick);
  tall_readiness_begin (readiness);
  g_assert_null (wait_until (readiness, TRUE));
  tall_test_front_hold (TALL_TEST_FRONT (front));
  gint64 begin = g_get_monotonic_time ();
  g_autofree char *reason = wait_until (readiness, FALSE);
  g_assert_true (g_str_has_prefix (reason, "the store has not answered for "));
  g_assert_cmpint (g_get_monotonic_time () - begin, >=, 30 * 1000 - 1000);
  g_assert_cmpfloat (tall_readiness_get_age (readiness), >=, 0.029);
  tall_test_front_let_go (TALL_TEST_FRONT (front));
  g_assert_null (wait_until (readiness, TRUE));
  tall_readiness_end (readiness);
}

static void
on_gone (gpointer is_gone, GObject *front G_GNUC_UNUSED)
{
  g_atomic_int_set ((gint *)is_gone, TRUE);
}

/* What hangs at the end keeps nobody waiting, and its front does not go under it. */
static void
test_end (void)
{
  TallFront *front = tall_test_front_new ();
  tall_test_front_hold (TALL_TEST_FRONT (front));
  TallReadiness *readiness = tall_readiness_new (front, &quick);
  tall_readiness_begin (readiness);
  tall_test_front_wait_until_held (TALL_TEST_FRONT (front), 1);
  g_autofree char *reason = NULL;
  g_assert_false (tall_readiness_get (readiness, &reason));
  g_assert_true (isinf (tall_readiness_get_age (readiness)));
  tall_readiness_end (readiness);

  TallReadiness *usual = tall_readiness_new (front, &quick);
  tall_readiness_begin (usual);
  tall_readiness_stop (usual);
  g_autofree char *stopping = NULL;
  g_assert_false (tall_readiness_get (usual, &stopping));
  g_assert_cmpstr (stopping, ==, "the server stops");
  tall_test_front_let_go (TALL_TEST_FRONT (front));
  tall_readiness_end (usual);

  gint is_gone = FALSE; /* atomic */
  g_object_weak_ref (G_OBJECT (front), on_gone, &is_gone);
  g_object_unref (front);
  while (!g_atomic_int_get (&is_gone))
    g_thread_yield ();
}

typedef struct
{
  TallReadiness *readiness;
  TallFront *front;
  gint is_answered; /* atomic */
} Farewell;

/* Lets go when the end has begun. */
static gpointer
answer_at_the_end (gpointer data)
{
  Farewell *self = data;
  for (g_autofree char *reason = NULL; g_strcmp0 (reason, "the server stops") != 0;)
    {
      g_clear_pointer (&reason, g_free);
      (void)tall_readiness_get (self->readiness, &reason);
    }
  g_atomic_int_set (&self->is_answered, TRUE);
  tall_test_front_let_go (TALL_TEST_FRONT (self->front));
  return NULL;
}

/* An answer that comes is waited for: nothing asks the store after that. */
static void
test_farewell (void)
{
  static const TallReadinessTimes patient = { .interval = 20, .farewell = 600000 };
  g_autoptr (TallFront) front = tall_test_front_new ();
  tall_test_front_hold (TALL_TEST_FRONT (front));
  TallReadiness *readiness = tall_readiness_new (front, &patient);
  tall_readiness_begin (readiness);
  tall_test_front_wait_until_held (TALL_TEST_FRONT (front), 1);
  Farewell farewell = { readiness, front, FALSE };
  GThread *thread = g_thread_new ("answer", answer_at_the_end, &farewell);
  tall_readiness_end (readiness);
  g_assert_true (g_atomic_int_get (&farewell.is_answered));
  g_thread_join (thread);
}

/* Without a beginning there is nobody to wait for. */
static void
test_not_begun (void)
{
  TallFront *front = tall_test_front_new ();
  TallReadiness *readiness = tall_readiness_new (front, NULL);
  g_autofree char *reason = NULL;
  g_assert_false (tall_readiness_get (readiness, &reason));
  g_assert_cmpstr (reason, ==, "the store has not answered yet");
  tall_readiness_end (readiness);
  g_assert_finalize_object (front);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/readiness/failing", test_failing);
  g_test_add_func ("/ops/readiness/hanging", test_hanging);
  g_test_add_func ("/ops/readiness/end", test_end);
  g_test_add_func ("/ops/readiness/farewell", test_farewell);
  g_test_add_func ("/ops/readiness/not-begun", test_not_begun);
  return g_test_run ();
}

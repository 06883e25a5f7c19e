/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/health.h"

/* What must hold for a gateway's health, whatever its tables of transitions say: in every
 * combination of states in which an event can happen. */

#define N_COMBINATIONS (8 * 3 * 4 * 3)

static TallHbaseHealth
combine (guint number)
{
  TallHbaseHealth health;
  for (guint i = 0; i < TALL_HBASE_N_REGIONS; i++)
    {
      guint n = tall_hbase_health_get_region (i)->n_states;
      health.states[i] = (gint)(number % n + 1);
      number /= n;
    }
  return health;
}

/* FALSE if a part that the event concerns cannot have it. */
static gboolean
can_happen (const TallHbaseHealth *health, TallHbaseEvent event)
{
  for (guint i = 0; i < TALL_HBASE_N_REGIONS; i++)
    {
      const TallHbaseRegion *region = tall_hbase_health_get_region (i);
      gboolean concerned = FALSE;
      for (guint state = 0; state < region->n_states; state++)
        concerned |= region->moves[event][state] != 0;
      if (concerned && region->moves[event][health->states[i] - 1] == 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_alive (const TallHbaseHealth *health)
{
  return tall_hbase_health_get_phase (health) == TALL_HBASE_PHASE_ALIVE;
}

typedef void (*Rule) (const TallHbaseHealth *before,
                      const TallHbaseHealth *after,
                      TallHbaseActions actions);

static void
check (TallHbaseEvent event, Rule rule)
{
  guint n = 0;
  for (guint i = 0; i < N_COMBINATIONS; i++)
    {
      TallHbaseHealth before = combine (i);
      TallHbaseHealth after = before;
      if (!can_happen (&before, event))
        continue;
      TallHbaseActions actions = tall_hbase_health_note (&after, event);
      rule (&before, &after, actions);
      n++;
    }
  g_assert_cmpuint (n, >, 0);
}

static void
expect_not_lent (const TallHbaseHealth *before G_GNUC_UNUSED,
                 const TallHbaseHealth *after,
                 TallHbaseActions actions G_GNUC_UNUSED)
{
  g_assert_false (tall_hbase_health_may_lend (after));
}

/* No kept connection is lent from a failed call on. */
static void
test_failed (void)
{
  check (TALL_HBASE_EVENT_CALL_FAILED, expect_not_lent);
  check (TALL_HBASE_EVENT_CALL_LATE, expect_not_lent);
  check (TALL_HBASE_EVENT_TEST_FAILED, expect_not_lent);
}

static void
expect_same_lent (const TallHbaseHealth *before,
                  const TallHbaseHealth *after,
                  TallHbaseActions actions)
{
  g_assert_cmpint (tall_hbase_health_may_lend (before), ==, tall_hbase_health_may_lend (after));
  g_assert_false (is_alive (after));
  g_assert_cmpint (tall_hbase_health_is_stalled (before), ==, tall_hbase_health_is_stalled (after));
  g_assert_cmpint (actions & (TALL_HBASE_PAUSE | TALL_HBASE_DROP_KEPT), ==, 0);
}

/* A caller's haste only has the gateway asked. */
static void
test_haste (void)
{
  check (TALL_HBASE_EVENT_UNCERTAIN, expect_same_lent);
}

static void
expect_stalled (const TallHbaseHealth *before G_GNUC_UNUSED,
                const TallHbaseHealth *after,
                TallHbaseActions actions G_GNUC_UNUSED)
{
  g_assert_true (tall_hbase_health_is_stalled (after));
}

static void
expect_no_other_stall (const TallHbaseHealth *before,
                       const TallHbaseHealth *after,
                       TallHbaseActions actions G_GNUC_UNUSED)
{
  g_assert_cmpint (tall_hbase_health_is_stalled (before), ==, tall_hbase_health_is_stalled (after));
}

static void
expect_reached (const TallHbaseHealth *before,
                const TallHbaseHealth *after,
                TallHbaseActions actions)
{
  gboolean counts = !(actions & TALL_HBASE_DISCARD);
  g_assert_cmpint (tall_hbase_health_is_stalled (after), ==,
                   !counts && tall_hbase_health_is_stalled (before));
  g_assert_false (tall_hbase_health_is_mute (after));
}

/* Only an answer of HBase ends it that a gateway is stalled. */
static void
test_stalled (void)
{
  static const TallHbaseEvent others[] = {
    TALL_HBASE_EVENT_ANSWERED,    TALL_HBASE_EVENT_CONFIRMED,   TALL_HBASE_EVENT_SILENT,
    TALL_HBASE_EVENT_UNCERTAIN,   TALL_HBASE_EVENT_CALL_DONE,   TALL_HBASE_EVENT_CALL_FAILED,
    TALL_HBASE_EVENT_TEST_PASSED, TALL_HBASE_EVENT_TEST_FAILED,
  };
  check (TALL_HBASE_EVENT_CALL_LATE, expect_stalled);
  check (TALL_HBASE_EVENT_REACHED, expect_reached);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    check (others[i], expect_no_other_stall);
}

static void
expect_not_mute (const TallHbaseHealth *before G_GNUC_UNUSED,
                 const TallHbaseHealth *after,
                 TallHbaseActions actions G_GNUC_UNUSED)
{
  g_assert_false (tall_hbase_health_is_mute (after));
}

static void
expect_mute_if_stalled (const TallHbaseHealth *before,
                        const TallHbaseHealth *after,
                        TallHbaseActions actions G_GNUC_UNUSED)
{
  g_assert_cmpint (tall_hbase_health_is_mute (after), ==, tall_hbase_health_is_stalled (before));
}

/* HBase is blamed once the gateway itself has answered, until a call is done. */
static void
test_mute (void)
{
  check (TALL_HBASE_EVENT_CALL_DONE, expect_not_mute);
  check (TALL_HBASE_EVENT_ANSWERED, expect_mute_if_stalled);
  check (TALL_HBASE_EVENT_CONFIRMED, expect_mute_if_stalled);
}

/* The answer to a question that was asked while it was alive. */
static void
expect_if_still_alive (const TallHbaseHealth *before,
                       const TallHbaseHealth *after,
                       TallHbaseActions actions)
{
  g_assert_cmpint (is_alive (after), ==, is_alive (before));
  g_assert_cmpint (!(actions & TALL_HBASE_DISCARD), ==, is_alive (before));
  g_assert_cmpint (!!(actions & TALL_HBASE_PAUSE), ==,
                   is_alive (before) && tall_hbase_health_is_stalled (after));
}

static void
expect_unless_refused (const TallHbaseHealth *before,
                       const TallHbaseHealth *after,
                       TallHbaseActions actions)
{
  g_assert_cmpint (is_alive (after), ==, !tall_hbase_health_is_refused (before));
  g_assert_cmpint (!!(actions & TALL_HBASE_DISCARD), ==, tall_hbase_health_is_refused (before));
}

/* An answer does not count if the gateway was refused or fell in doubt after it was asked. */
static void
test_answers (void)
{
  check (TALL_HBASE_EVENT_CONFIRMED, expect_if_still_alive);
  check (TALL_HBASE_EVENT_REACHED, expect_if_still_alive);
  check (TALL_HBASE_EVENT_ANSWERED, expect_unless_refused);
}

static void
expect_aside (const TallHbaseHealth *before, const TallHbaseHealth *after, TallHbaseActions actions)
{
  gboolean kept = tall_hbase_health_may_lend (before) || !tall_hbase_health_is_known (before)
                  || tall_hbase_health_is_refused (before);
  g_assert_cmpint (tall_hbase_health_get_phase (after), ==, TALL_HBASE_PHASE_ASIDE);
  g_assert_cmpint (!!(actions & TALL_HBASE_DROP_KEPT), ==, !kept);
  g_assert_true (actions & TALL_HBASE_PAUSE);
  g_assert_cmpint (tall_hbase_health_is_refused (before), ==, tall_hbase_health_is_refused (after));
}

/* A silent gateway is set aside, and its connections are closed only if a call failed as well. */
static void
test_silent (void)
{
  check (TALL_HBASE_EVENT_SILENT, expect_aside);
}

static void
expect_refused (const TallHbaseHealth *before,
                const TallHbaseHealth *after,
                TallHbaseActions actions)
{
  TallHbaseActions all = TALL_HBASE_PAUSE | TALL_HBASE_DROP_KEPT;
  g_assert_true (tall_hbase_health_is_refused (after));
  g_assert_true (tall_hbase_health_is_watched (after) || tall_hbase_health_is_refused (before));
  g_assert_cmpint (actions & all, ==, tall_hbase_health_is_refused (before) ? 0 : all);
}

static void
expect_asked (const TallHbaseHealth *before, const TallHbaseHealth *after, TallHbaseActions actions)
{
  gboolean watched = tall_hbase_health_is_watched (before);
  g_assert_false (is_alive (after));
  if (is_alive (before))
    g_assert_true (actions & (watched ? TALL_HBASE_WAKE : TALL_HBASE_START));
}

/* A gateway that is not alive any more is asked at once, and only the test's result ends it that it
 * is refused. */
static void
test_asked (void)
{
  check (TALL_HBASE_EVENT_TEST_FAILED, expect_refused);
  check (TALL_HBASE_EVENT_TEST_FAILED, expect_asked);
  check (TALL_HBASE_EVENT_UNCERTAIN, expect_asked);
  check (TALL_HBASE_EVENT_CALL_FAILED, expect_asked);
  check (TALL_HBASE_EVENT_CALL_LATE, expect_asked);
}

static void
expect_untested (const TallHbaseHealth *before G_GNUC_UNUSED,
                 const TallHbaseHealth *after,
                 TallHbaseActions actions G_GNUC_UNUSED)
{
  TallHbaseHealth later = *after;
  if (can_happen (&later, TALL_HBASE_EVENT_TEST_PASSED))
    tall_hbase_health_note (&later, TALL_HBASE_EVENT_TEST_PASSED);
  g_assert_false (tall_hbase_health_has_passed (&later));
}

/* Neither an earlier test nor one that is running counts for a new table. */
static void
test_outdated (void)
{
  check (TALL_HBASE_EVENT_TEST_OUTDATED, expect_untested);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/rules/failed", test_failed);
  g_test_add_func ("/table/hbase/rules/haste", test_haste);
  g_test_add_func ("/table/hbase/rules/stalled", test_stalled);
  g_test_add_func ("/table/hbase/rules/mute", test_mute);
  g_test_add_func ("/table/hbase/rules/answers", test_answers);
  g_test_add_func ("/table/hbase/rules/silent", test_silent);
  g_test_add_func ("/table/hbase/rules/asked", test_asked);
  g_test_add_func ("/table/hbase/rules/outdated", test_outdated);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What an operation knows of commits whose outcome it does not know, and what it makes of the root
 * row that it finds: each of them may have been done, not only the last one. */
#include "store/commit/commit.h"
#include "tall-error.h"

#define FIRST 1000 /* revision of the first commit */
#define LAST 1006  /* and of the one that was sent to the tables after those */

static TallState
make_state (gint64 revision, gint64 replaced, guint8 token)
{
  TallState state = { .live = TRUE, .revision = revision, .token = { token } };
  guint64 before = GUINT64_TO_BE ((guint64)replaced);
  memcpy (state.pending_token + 8, &before, sizeof before);
  return state;
}

static TallRoot
make_root (gint64 revision, gint64 replaced, guint8 token)
{
  TallRoot root = { 0 };
  TallState state = make_state (revision, replaced, token);
  tall_root_set_state (&root, &state, revision);
  return root;
}

/* Two commits are in doubt, one in each of two generations. */
static TallStep
settle (const TallRoot *found, gboolean are_refused, GError **error)
{
  const TallStoreContext contexts[] = { { .generation = 1 },
                                        { .generation = 2 },
                                        { .generation = 3 } };
  const TallRoot expected = make_root (FIRST - 2, FIRST - 4, 7);
  const gint64 revisions[] = { FIRST, LAST };
  TallState wanted = make_state (LAST, FIRST - 2, 1);
  g_auto (TallOperation) operation = { 0 };
  for (guint i = 0; i < G_N_ELEMENTS (revisions); i++)
    {
      const TallState committed = make_state (revisions[i], FIRST - 2, 1);
      operation.context = &contexts[i];
      tall_sent_note (&operation, &expected, &committed, !are_refused);
    }
  operation.context = &contexts[2];
  return tall_sent_settle (&operation, found, &wanted, error);
}

/* What is there has replaced something that is later than the first commit, and earlier than the
 * last: the last one was not done; the first one perhaps was, and was read and replaced. */
static void
test_first_may_be_replaced (void)
{
  for (guint are_refused = 0; are_refused < 2; are_refused++)
    {
      g_autoptr (GError) error = NULL;
      const TallRoot found = make_root (LAST + 2, FIRST + 2, 9);
      g_assert_cmpint (settle (&found, are_refused, &error), ==, TALL_STEP_UNKNOWN);
      g_assert_error (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
    }
}

/* What is there is older than both, or has replaced what is. */
static void
test_none_was_done (void)
{
  const TallRoot older = make_root (FIRST - 2, FIRST - 4, 7);
  const TallRoot after = make_root (LAST + 2, FIRST - 2, 9);
  g_autoptr (GError) error = NULL;
  g_assert_cmpint (settle (&older, FALSE, &error), ==, TALL_STEP_AGAIN);
  g_assert_cmpint (settle (&after, FALSE, &error), ==, TALL_STEP_AGAIN);
  g_assert_no_error (error);
}

/* Either one is known by the token that both have. */
static void
test_one_was_done (void)
{
  g_autoptr (GError) error = NULL;
  const TallRoot first = make_root (FIRST, FIRST - 2, 1);
  g_assert_cmpint (settle (&first, FALSE, &error), ==, TALL_STEP_DONE);
  g_assert_no_error (error);
}

/* A read that is older than what the commit was to replace proves nothing: the commit may have been
 * done, and what is read next may have replaced it. */
static void
test_old_read (void)
{
  g_autoptr (GError) error = NULL;
  const TallStoreContext context = { .generation = 1 };
  const TallRoot expected = make_root (FIRST - 2, FIRST - 4, 7);
  const TallRoot old = make_root (FIRST - 4, FIRST - 6, 8);
  const TallRoot found = make_root (LAST, FIRST, 9);
  const TallState committed = make_state (FIRST, FIRST - 2, 1);
  g_auto (TallOperation) operation = { .context = &context };
  tall_sent_note (&operation, &expected, &committed, TRUE);
  g_assert_cmpint (tall_sent_settle (&operation, &old, &committed, &error), ==, TALL_STEP_AGAIN);
  g_assert_cmpint (tall_sent_settle (&operation, &found, &committed, &error), ==,
                   TALL_STEP_UNKNOWN);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sent/first-may-be-replaced", test_first_may_be_replaced);
  g_test_add_func ("/sent/none-was-done", test_none_was_done);
  g_test_add_func ("/sent/one-was-done", test_one_was_done);
  g_test_add_func ("/sent/old-read", test_old_read);
  return g_test_run ();
}

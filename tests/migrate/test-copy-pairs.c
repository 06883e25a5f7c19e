/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Copies between all layouts, byte by byte: the target is as if everything had been stored in it.
 */
#include "tall-copy-pair.h"
#include "model/canonical.h"
#include "tall-must.h"
#include "tall-test-orders.h"

#define N_ITEMS 10
#define ORIGIN_SIZE 8

typedef struct
{
  TallStoreSettings from;
  TallStoreSettings to;
} Pair;

static void
expect_lineage (const TallCopyPair *self,
                const TallState *from,
                const TallState *to,
                gboolean order)
{
  gboolean claimed = order && !self->source.context.layout->single_row;
  gboolean claims = order && !self->target.context.layout->single_row;
  guint8 wanted[TALL_TOKEN_SIZE] = { 0 }, hash[TALL_MD5_SIZE];
  guint64 before = GUINT64_TO_BE ((guint64)from->revision - 1);
  memcpy (wanted, from->pending_token, ORIGIN_SIZE);
  if (claimed)
    {
      tall_md5 (tall_slice (from->token, TALL_TOKEN_SIZE), hash);
      memcpy (wanted, hash, ORIGIN_SIZE);
    }
  memcpy (wanted + ORIGIN_SIZE, &before, sizeof before);
  if (claims)
    memset (wanted, 0, ORIGIN_SIZE);
  g_assert_cmpmem (to->pending_token, sizeof wanted, wanted, sizeof wanted);
  g_assert_cmpint (to->pending, ==, 0);
}

static void
expect_same (const TallCopyPair *self, const char *customer, const char *order)
{
  TallState from, to;
  g_assert_true (tall_copy_side_read_state (&self->source, customer, order, &from));
  g_assert_true (tall_copy_side_read_state (&self->target, customer, order, &to));
  expect_lineage (self, &from, &to, order != NULL);
  memcpy (to.pending_token, from.pending_token, sizeof to.pending_token);
  to.pending = from.pending;
  guint8 a[TALL_STATE_SIZE], b[TALL_STATE_SIZE];
  tall_state_write (&from, a);
  tall_state_write (&to, b);
  g_assert_cmpmem (a, sizeof a, b, sizeof b);
}

/* The states of everything that was stored. */
static void
expect_states (const TallCopyPair *self)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  const char *const *numbers = tall_copy_list_numbers (arena, N_ITEMS);
  for (guint i = 0; i < N_ITEMS; i++)
    {
      expect_same (self, numbers[3 * i], numbers[3 * i + 1]);
      expect_same (self, numbers[3 * i + 2], NULL);
    }
}

static void
expect_verified (const TallCopySide *side)
{
  TallVerifySummary summary;
  TallVerifyOptions options = { .alone = TRUE };
  must (tall_front_verify (side->front, &options, &summary, &error));
  g_assert_true (summary.is_whole);
  g_assert_cmpuint (summary.n_findings, ==, 0);
}

/* Line by line, so that a difference can be read. */
static void
expect_lines (const char *is, const char *wanted)
{
  g_auto (GStrv) is_lines = g_strsplit (is, "\n", -1);
  g_auto (GStrv) wanted_lines = g_strsplit (wanted, "\n", -1);
  for (guint i = 0; is_lines[i] != NULL && wanted_lines[i] != NULL; i++)
    g_assert_cmpstr (is_lines[i], ==, wanted_lines[i]);
  g_assert_cmpuint (g_strv_length (is_lines), ==, g_strv_length (wanted_lines));
}

static void
test_pair (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  g_auto (TallCopyCounts) first = { 0 }, second = { 0 };
  TallCopySide reference = { 0 };
  tall_copy_pair_init (&self, &pair->from, &pair->to);
  tall_copy_side_init (&reference, &pair->to);
  tall_copy_populate (&self.source, N_ITEMS);
  tall_copy_populate (&reference, N_ITEMS);

  tall_copy_pair_copy_all (&self, &first);
  g_assert_cmpuint (first.n[TALL_COPY_COPIED], ==, 2 * N_ITEMS);
  expect_states (&self);
  expect_verified (&self.target);
  g_autofree char *is = tall_copy_dump (self.target.table);
  g_autofree char *wanted = tall_copy_dump (reference.table);
  if (!pair->to.key_strategy->needs_id) /* ids are given in another order */
    expect_lines (is, wanted);

  tall_copy_pair_copy_all (&self, &second);
  g_assert_cmpuint (second.n[TALL_COPY_SAME], ==, 2 * N_ITEMS);
  g_autofree char *again = tall_copy_dump (self.target.table);
  expect_lines (again, is);
  tall_copy_side_clear (&reference);
}

/* All pairs of layouts; the pairs of key strategies and of indexes change with them. */
static void
add_pairs (void)
{
  guint n_layouts, n_keys;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *keys = tall_key_strategies (&n_keys);
  static Pair pairs[100];
  for (guint i = 0; i < n_layouts * n_layouts * 2; i++)
    {
      Pair *pair = &pairs[i];
      guint from = i / n_layouts % n_layouts, to = i % n_layouts;
      pair->from = (TallStoreSettings){ .layout = layouts[from],
                                        .key_strategy = keys[(from + 2 * to + i / 25) % n_keys] };
      pair->to = (TallStoreSettings){ .layout = layouts[to],
                                      .key_strategy = keys[(2 * from + to + 1) % n_keys] };
      pair->from.index = i % 3 == 0 ? TALL_INDEX_NONE : TALL_INDEX_BY_DATE;
      pair->to.index = i % 4 == 0 ? TALL_INDEX_NONE : TALL_INDEX_BY_DATE;
      g_autofree char *path = g_strdup_printf ("/migrate/copy/%s-%s/%s-%s", pair->from.layout->name,
                                               pair->from.key_strategy->name, pair->to.layout->name,
                                               pair->to.key_strategy->name);
      g_test_add_data_func (path, pair, test_pair);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_pairs ();
  return g_test_run ();
}

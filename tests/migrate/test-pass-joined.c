/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Orders that lie close together in the source are read together; the others one by one. */
#include "tall-copy-pair.h"
#include "migrate/pass.h"
#include "tall-must.h"
#include "tall-test-orders.h"

#define N_ORDERS 300

/* What the source was asked for. */
typedef struct
{
  guint n_scans;     /* of lines */
  guint n_most;      /* of them in one plan */
  guint n_unbounded; /* of them without a bound of memory */
  guint n_cached;    /* of them that keep what they read in memory */
} Asked;

static TallFailure
count_scans (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Asked *asked = data;
  guint n = 0;
  if (call->kind != TALL_CALL_READ)
    return TALL_FAILURE_NONE;
  for (guint i = 0; i < call->plan->reads->len; i++)
    {
      const TallRead *read = tall_read_plan_get (call->plan, i);
      if (read->kind != TALL_READ_SCAN || !g_str_equal (read->table, "lines"))
        continue;
      n++;
      asked->n_cached += !read->uncached;
      asked->n_unbounded += read->max_bytes == 0;
    }
  asked->n_scans += n;
  asked->n_most = MAX (asked->n_most, n);
  return TALL_FAILURE_NONE;
}

static void
put (TallCopyPair *self, guint i, guint n_lines)
{
  g_autofree char *number = g_strdup_printf ("order-%03u", i);
  g_autoptr (TallOrder) order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, number, n_lines);
  self->source.clock.now += 10;
  g_assert_true (tall_front_put_order (self->source.front, order, NULL, NULL, NULL));
}

static void
init (TallCopyPair *self, guint n_orders, guint n_lines)
{
  const TallStoreSettings source = { .layout = &tall_layout_normalized,
                                     .key_strategy = &tall_key_raw };
  const TallStoreSettings target = { .layout = &tall_layout_blob,
                                     .key_strategy = &tall_key_hashed };
  tall_copy_pair_init (self, &source, &target);
  for (guint i = 0; i < n_orders; i++)
    put (self, i, n_lines);
}

static void
run (TallCopyPair *self, TallPass *pass, guint n_copied, Asked *asked)
{
  g_autoptr (GError) error = NULL;
  TallPassCounts counts;
  TallFailingTable *source = TALL_FAILING_TABLE (self->source.table);
  *asked = (Asked){ 0 };
  tall_failing_table_set_hooks (source, count_scans, NULL, asked);
  gboolean done = tall_pass_run (pass, &counts, &error);
  tall_failing_table_set_hooks (source, NULL, NULL, NULL);
  g_assert_no_error (error);
  g_assert_true (done);
  g_assert_cmpuint (counts.n_copied, ==, n_copied);
  g_assert_cmpuint (counts.n_unfit + counts.n_moved, ==, 0);
}

static void
replace_each (TallCopyPair *self, guint step)
{
  for (guint i = 0; i < N_ORDERS; i += step)
    put (self, i, step);
}

static void
expect_whole (const TallCopyPair *self, guint n_orders)
{
  for (guint i = 0; i < n_orders; i++)
    {
      g_autofree char *number = g_strdup_printf ("order-%03u", i);
      g_autoptr (TallOrder) wanted = must (
          tall_front_get_order (self->source.front, TALL_TEST_CUSTOMER, number, NULL, &error));
      g_autoptr (TallOrder) order = must (
          tall_front_get_order (self->target.front, TALL_TEST_CUSTOMER, number, NULL, &error));
      tall_test_assert_order_equal (order, wanted);
    }
}

static void
test_close (void)
{
  g_auto (TallCopyPair) self = { 0 };
  Asked asked;
  init (&self, N_ORDERS, 2);
  const TallPassOptions options = { .copier = self.copier };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  tall_pass_lift_rate (pass); /* it does not give way to the puts above */

  run (&self, pass, N_ORDERS, &asked);
  g_assert_cmpuint (asked.n_most, ==, 1);
  g_assert_cmpuint (asked.n_scans, <, N_ORDERS / 4);
  g_assert_cmpuint (asked.n_unbounded + asked.n_cached, ==, 0);
  expect_whole (&self, N_ORDERS);

  replace_each (&self, 2);
  run (&self, pass, N_ORDERS / 2, &asked);
  g_assert_cmpuint (asked.n_most, ==, 1);
  expect_whole (&self, N_ORDERS);

  replace_each (&self, 3);
  run (&self, pass, N_ORDERS / 3, &asked);
  g_assert_cmpuint (asked.n_most, >, 1);
  g_assert_cmpuint (asked.n_scans, ==, N_ORDERS / 3);
  expect_whole (&self, N_ORDERS);
}

#define N_LARGE 8 /* as many as are read at first, when nobody knows how large they are */

/* What is too large together is read one by one. */
static void
test_large (void)
{
  g_auto (TallCopyPair) self = { 0 };
  Asked asked;
  init (&self, N_LARGE, 9000);
  const TallPassOptions options = { .copier = self.copier };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  run (&self, pass, N_LARGE, &asked);
  g_assert_cmpuint (asked.n_scans, ==, 1 + N_LARGE);
  expect_whole (&self, N_LARGE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/pass-joined/close", test_close);
  g_test_add_func ("/migrate/pass-joined/large", test_large);
  return g_test_run ();
}

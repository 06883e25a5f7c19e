/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Passes over many orders: what is copied, and what a pass costs that has nothing to copy. */
#include "tall-copy-pair.h"
#include "migrate/pass.h"
#include "tall-must.h"
#include "tall-test-orders.h"

#define N_ORDERS 2500 /* some pages */

static void
put_orders (TallCopyPair *self)
{
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autofree char *number = g_strdup_printf ("order-%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, 1, 1);
      g_assert_true (tall_front_put_order (self->source.front, order, NULL, NULL, NULL));
    }
}

static void
init (TallCopyPair *self)
{
  const TallStoreSettings source = { .layout = &tall_layout_blob, .key_strategy = &tall_key_raw };
  const TallStoreSettings target = { .layout = &tall_layout_wide,
                                     .key_strategy = &tall_key_hashed };
  tall_copy_pair_init (self, &source, &target);
  put_orders (self);
}

/* @sequence: 1: by the same content, at another revision */
static void
replace (TallCopyPair *self, guint i, guint sequence)
{
  g_autofree char *number = g_strdup_printf ("order-%u", i);
  g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, sequence, 1);
  g_assert_true (tall_front_put_order (self->source.front, order, NULL, NULL, NULL));
}

static guint64
run (TallPass *pass)
{
  TallPassCounts counts;
  must (tall_pass_run (pass, &counts, &error));
  g_assert_cmpuint (counts.n_orders, ==, N_ORDERS);
  g_assert_cmpuint (counts.n_lines, ==, N_ORDERS);
  g_assert_cmpuint (counts.n_unfit + counts.n_moved, ==, 0);
  return counts.n_copied;
}

/* @remembers: whether passes after the first one read nothing of the target but what has changed */
static void
test_passes (gconstpointer data)
{
  guint64 remembered = GPOINTER_TO_UINT (data);
  g_auto (TallCopyPair) self = { 0 };
  init (&self);
  TallFailingTable *target = TALL_FAILING_TABLE (self.target.table);
  const TallPassOptions options = { .copier = self.copier, .remembered = remembered };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  g_assert_cmpuint (run (pass), ==, N_ORDERS);
  tall_failing_table_reset (target);
  g_assert_cmpuint (run (pass), ==, 0);
  guint n_calls = tall_failing_table_count_calls (target);
  if (remembered == 0)
    g_assert_cmpuint (n_calls, ==, 0);
  else
    g_assert_cmpuint (n_calls, >, (N_ORDERS - remembered) / 64);
  replace (&self, 7, 1);
  replace (&self, 2000, 2);
  g_assert_cmpuint (run (pass), ==, 2);
  g_assert_cmpuint (run (pass), ==, 0);
}

static gboolean
stop (const TallPassCounts *counts G_GNUC_UNUSED, gpointer data)
{
  gboolean *stopped = data;
  *stopped = TRUE;
  return FALSE;
}

static void
test_stopped (void)
{
  g_auto (TallCopyPair) self = { 0 };
  TallPassCounts counts;
  gboolean stopped = FALSE;
  init (&self);
  /* so slow that it is asked before it can end */
  const TallPassOptions options = {
    .copier = self.copier, .rate = N_ORDERS / 2, .on_progress = stop, .data = &stopped
  };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  must (tall_pass_run (pass, &counts, &error));
  g_assert_true (stopped);
  g_assert_true (counts.stopped);
  g_assert_cmpuint (counts.n_copied, <, N_ORDERS);
}

/* Calls of both tables fail now and then, and are made again. */
static void
test_failures (void)
{
  g_auto (TallCopyPair) self = { 0 };
  init (&self);
  const TallPassOptions options = { .copier = self.copier };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  tall_failing_table_reset (TALL_FAILING_TABLE (self.target.table));
  for (guint i = 3; i < 100; i += 20)
    tall_failing_table_fail_at (TALL_FAILING_TABLE (self.target.table), i, TALL_FAILURE_PARTLY);
  g_assert_cmpuint (run (pass), >, N_ORDERS / 2); /* the others by attempts that failed later */
  g_assert_cmpuint (run (pass), ==, 0);
}

#define N_LARGE 700 /* customers, which fill more than a page, though they are few */

/* A page ends by bytes, too: what comes after it is copied as well. */
static void
test_large_rows (void)
{
  const TallStoreSettings settings = { .layout = &tall_layout_blob, .key_strategy = &tall_key_raw };
  g_auto (TallCopyPair) self = { 0 };
  g_autofree char *name = g_strnfill (2000, 'x'); /* it is in the summary */
  TallPassCounts counts;
  tall_copy_pair_init (&self, &settings, &settings);
  for (guint i = 0; i < N_LARGE; i++)
    {
      g_autofree char *number = g_strdup_printf ("customer-%u", i);
      g_autoptr (TallCustomer) customer = tall_customer_new (number);
      customer->name = tall_arena_strdup (tall_customer_get_arena (customer), name);
      must (tall_front_put_customer (self.source.front, customer, NULL, NULL, &error));
    }
  const TallPassOptions options = { .copier = self.copier };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  for (guint i = 0; i < 2; i++)
    {
      must (tall_pass_run (pass, &counts, &error));
      g_assert_cmpuint (counts.n_customers, ==, N_LARGE);
      g_assert_cmpuint (counts.n_copied, ==, i == 0 ? N_LARGE : 0);
    }
}

static TallFailure
refuse_writes (TallFailingTable *table G_GNUC_UNUSED,
               const TallCall *call,
               gpointer data G_GNUC_UNUSED)
{
  return call->kind == TALL_CALL_APPLY ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

/* What cannot be written, however often, ends the pass: nobody takes it for whole. */
static void
test_broken (void)
{
  g_auto (TallCopyPair) self = { 0 };
  TallPassCounts counts;
  init (&self);
  const TallPassOptions options = { .copier = self.copier };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  TallFailingTable *target = TALL_FAILING_TABLE (self.target.table);
  tall_failing_table_set_hooks (target, refuse_writes, NULL, NULL);
  must_fail (tall_pass_run (pass, &counts, &error), TALL_ERROR_UNAVAILABLE);
  tall_failing_table_set_hooks (target, NULL, NULL, NULL);
  g_assert_cmpuint (run (pass), ==, N_ORDERS);
}

/* A process that others use meanwhile: at each of the first calls of the target one of them
 * reads an order. */
typedef struct
{
  TallCopyPair *pair;
  gint n_calls;   /* atomic: so many are still to come */
  gboolean wrote; /* atomic: something was copied */
  gint n_first;   /* orders that a call before that was for, at most */
  gint n_rests;   /* atomic */
  gint64 rested;  /* microseconds that were asked for; nobody really sleeps */
  gint64 worked;  /* microseconds of the pass */
  gint long_rest; /* that one lasts until the last call is long ago; 0: none */
  gint64 step;    /* microseconds from one look at the clock to the next; 0: %STEP */
} Others;

static gint
count_keys (const TallReadPlan *plan)
{
  guint n = 0;
  for (guint i = 0; i < plan->reads->len; i++)
    n += tall_read_plan_get (plan, i)->n_keys;
  return (gint)n;
}

static TallFailure
work (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Others *others = data;
  g_autoptr (TallOrder) order = NULL;
  if (call->kind == TALL_CALL_APPLY)
    g_atomic_int_set (&others->wrote, TRUE);
  if (call->kind == TALL_CALL_READ && !g_atomic_int_get (&others->wrote))
    g_atomic_int_set (&others->n_first,
                      MAX (g_atomic_int_get (&others->n_first), count_keys (call->plan)));
  if (g_atomic_int_add (&others->n_calls, -1) > 0)
    order = tall_front_get_order (others->pair->source.front, TALL_TEST_CUSTOMER, "order-7", NULL,
                                  NULL);
  return TALL_FAILURE_NONE;
}

#define LONG_REST (1000 * G_USEC_PER_SEC)
#define LONGEST_REST (G_USEC_PER_SEC / 20)
#define STEP 10 /* microseconds from one look at the clock to the next */

static gint64 ahead; /* of the clock; atomic */
static gint64 steps; /* if not 0, the clock: it goes on when somebody looks; atomic */
static gint64 step;  /* by so much */

/* The program's own function comes before that of the library. */
gint64
g_get_monotonic_time (void)
{
  struct timespec now;
  if (__atomic_load_n (&steps, __ATOMIC_SEQ_CST) > 0)
    return __atomic_add_fetch (&steps, step, __ATOMIC_SEQ_CST)
           + __atomic_load_n (&ahead, __ATOMIC_SEQ_CST);
  clock_gettime (CLOCK_MONOTONIC, &now);
  return __atomic_load_n (&ahead, __ATOMIC_SEQ_CST) + now.tv_sec * G_USEC_PER_SEC
         + now.tv_nsec / 1000;
}

static void
rest (gint64 microseconds, gpointer data)
{
  Others *others = data;
  g_assert_cmpint (microseconds, <=, LONGEST_REST);
  others->rested += microseconds;
  if (g_atomic_int_add (&others->n_rests, 1) + 1 == others->long_rest)
    __atomic_add_fetch (&ahead, LONG_REST, __ATOMIC_SEQ_CST);
}

static void
init_beside (TallCopyPair *self, Others *others)
{
  init (self);
  others->pair = self;
  self->source.context.hooks.sleep = rest;
  self->source.context.hooks.data = others;
}

static void
run_beside (Others *others, TallFailingInfo info, gboolean hurried)
{
  g_auto (TallCopyPair) self = { 0 };
  init_beside (&self, others);
  tall_failing_table_set_info (TALL_FAILING_TABLE (self.source.table), info);
  const TallPassOptions options = { .copier = self.copier };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  if (hurried)
    tall_pass_lift_rate (pass);
  TallFailingTable *target = TALL_FAILING_TABLE (self.target.table);
  tall_failing_table_set_hooks (target, work, NULL, others);
  step = others->step > 0 ? others->step : STEP;
  __atomic_store_n (&steps, step, __ATOMIC_SEQ_CST);
  gint64 begun = g_get_monotonic_time ();
  g_assert_cmpuint (run (pass), ==, N_ORDERS);
  others->worked = g_get_monotonic_time () - begun;
  __atomic_store_n (&steps, 0, __ATOMIC_SEQ_CST);
  tall_failing_table_set_hooks (target, NULL, NULL, NULL);
}

/* The first orders may be large. */
static void
test_first (void)
{
  Others nobody = { 0 };
  run_beside (&nobody, TALL_FAILING_EMBEDDED, FALSE);
  g_assert_cmpint (nobody.n_first, <=, 8);
  g_assert_cmpint (nobody.n_rests, ==, 0);
}

static void
test_gives_way (void)
{
  Others others = { .n_calls = G_MAXINT };
  run_beside (&others, TALL_FAILING_EMBEDDED, FALSE);
  /* Some are copied before it looks for others, and what threads have taken before comes to its
   * end. */
  g_assert_cmpint (others.n_rests, >, (N_ORDERS - 1500) / 8);
  g_assert_cmpint (others.rested, >, 0);
}

/* Of an embedded store it counts as work what its thread does, and not what it waits for. */
static void
test_waits (void)
{
  Others others = { .n_calls = G_MAXINT, .step = LONGEST_REST / 10 };
  run_beside (&others, TALL_FAILING_EMBEDDED, FALSE);
  g_assert_cmpint (others.n_rests, >, (N_ORDERS - 1500) / 8);
  g_assert_cmpint (others.rested, <, others.n_rests * LONGEST_REST / 4);
}

/* Where calls go over a network nobody waits for one of a few orders more. */
static void
test_gives_way_shared (void)
{
  Others others = { .n_calls = G_MAXINT };
  run_beside (&others, TALL_FAILING_SHARED, FALSE);
  g_assert_cmpint (others.rested, >, others.worked); /* most of which is turns */
  g_assert_cmpint (others.n_rests, >, (N_ORDERS - 1500) / 8);
  g_assert_cmpint (others.n_rests, <, N_ORDERS / 6);
}

/* After a single call turns are short, for the next may come; but not for ever. A thread that has
 * seen others before the last call was long ago rests once more. */
static void
test_gives_way_for_a_while (void)
{
  Others others = { .n_calls = 1, .long_rest = 20 };
  run_beside (&others, TALL_FAILING_EMBEDDED, FALSE);
  g_assert_cmpint (others.n_rests, >=, 20);
  g_assert_cmpint (others.n_rests, <=, 20 + TALL_PASS_THREADS);
}

/* A pass that has nothing to copy gives way, too, and does not count that. */
static void
test_looks_in_turns (void)
{
  g_auto (TallCopyPair) self = { 0 };
  Others others = { .long_rest = 1 };
  TallPassCounts counts;
  init_beside (&self, &others);
  const TallPassOptions options = { .copier = self.copier };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  g_assert_cmpuint (run (pass), ==, N_ORDERS);
  g_assert_cmpint (others.n_rests, ==, 0);
  replace (&self, 7, 0);
  must (tall_pass_run (pass, &counts, &error));
  g_assert_cmpint (others.n_rests, ==, 1);
  g_assert_cmpint (counts.duration, <, LONG_REST);
}

/* Pages of the source. The first one waits until another one is read as well, or so long. */
typedef struct
{
  gint n_pages;   /* atomic */
  gint64 wait;    /* microseconds */
  gboolean alone; /* none came */
} Walk;

static gboolean
is_page (const TallCall *call)
{
  return call->kind == TALL_CALL_READ && tall_read_plan_get (call->plan, 0)->limit > 1;
}

static TallFailure
see_page (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Walk *walk = data;
  if (!is_page (call) || g_atomic_int_add (&walk->n_pages, 1) > 0)
    return TALL_FAILURE_NONE;
  gint64 until = g_get_monotonic_time () + walk->wait;
  while (g_atomic_int_get (&walk->n_pages) < 2 && g_get_monotonic_time () < until)
    g_usleep (1000);
  walk->alone = g_atomic_int_get (&walk->n_pages) < 2;
  return TALL_FAILURE_NONE;
}

/* In an embedded store the first pass, which copies, goes from key to key. Later ones look at
 * several parts at the same time. */
static void
test_copies_in_order (void)
{
  const TallStoreSettings settings = { .layout = &tall_layout_blob,
                                       .key_strategy = &tall_key_hashed };
  g_auto (TallCopyPair) self = { 0 };
  Walk first = { .wait = G_USEC_PER_SEC / 2 }, second = { .wait = 30 * G_USEC_PER_SEC };
  tall_copy_pair_init (&self, &settings, &settings);
  put_orders (&self);
  TallFailingTable *source = TALL_FAILING_TABLE (self.source.table);
  const TallPassOptions options = { .copier = self.copier };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  tall_failing_table_set_hooks (source, see_page, NULL, &first);
  g_assert_cmpuint (run (pass), ==, N_ORDERS);
  g_assert_true (first.alone);
  tall_failing_table_set_hooks (source, see_page, NULL, &second);
  g_assert_cmpuint (run (pass), ==, 0);
  g_assert_false (second.alone);
  tall_failing_table_set_hooks (source, NULL, NULL, NULL);
}

static void
test_hurries (void)
{
  Others others = { .n_calls = G_MAXINT };
  run_beside (&others, TALL_FAILING_EMBEDDED, TRUE);
  g_assert_cmpint (others.n_rests, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/migrate/pass/all-remembered", GUINT_TO_POINTER (0), test_passes);
  g_test_add_data_func ("/migrate/pass/few-remembered", GUINT_TO_POINTER (100), test_passes);
  g_test_add_func ("/migrate/pass/stopped", test_stopped);
  g_test_add_func ("/migrate/pass/failures", test_failures);
  g_test_add_func ("/migrate/pass/large-rows", test_large_rows);
  g_test_add_func ("/migrate/pass/broken", test_broken);
  g_test_add_func ("/migrate/pass/first", test_first);
  g_test_add_func ("/migrate/pass/gives-way", test_gives_way);
  g_test_add_func ("/migrate/pass/waits", test_waits);
  g_test_add_func ("/migrate/pass/gives-way-shared", test_gives_way_shared);
  g_test_add_func ("/migrate/pass/gives-way-for-a-while", test_gives_way_for_a_while);
  g_test_add_func ("/migrate/pass/looks-in-turns", test_looks_in_turns);
  g_test_add_func ("/migrate/pass/copies-in-order", test_copies_in_order);
  g_test_add_func ("/migrate/pass/hurries", test_hurries);
  return g_test_run ();
}

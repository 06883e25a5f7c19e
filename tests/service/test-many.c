/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Many orders in one call, through client and server. */

#include "tall-error.h"
#include "tall-limits.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-must.h"

typedef TallTestService Fixture;

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_service_start (f, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_service_stop (f);
}

/* Orders and what becomes of them. */
typedef struct
{
  TallOrder **orders;
  TallOrderId *ids;
  TallWriteOptions *options;
  TallOutcome *outcomes;
  guint n;
} Many;

static void
many_init (Many *self, guint n)
{
  self->n = n;
  self->orders = g_new0 (TallOrder *, n);
  self->ids = g_new0 (TallOrderId, n);
  self->options = g_new0 (TallWriteOptions, n);
  self->outcomes = g_new0 (TallOutcome, n);
}

static void
many_forget (Many *self)
{
  for (guint i = 0; i < self->n; i++)
    tall_outcome_clear (&self->outcomes[i]);
}

static void
many_clear (Many *self)
{
  many_forget (self);
  for (guint i = 0; i < self->n; i++)
    tall_order_free (self->orders[i]);
  g_free (self->orders);
  g_free (self->ids);
  g_free (self->options);
  g_free (self->outcomes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Many, many_clear)

static void
many_set (Many *self, guint i, TallOrder *order)
{
  self->orders[i] = order;
  self->ids[i] = (TallOrderId){ order->customer_number, order->order_number };
}

static void
put_all (Fixture *f, Many *many, gboolean with_options)
{
  must (tall_front_put_orders (f->client, many->orders, with_options ? many->options : NULL,
                               many->n, many->outcomes, &error));
}

static void
get_all (Fixture *f, Many *many)
{
  must (tall_front_get_orders (f->client, many->ids, many->n, many->outcomes, &error));
}

/* Stores all and fetches them back. */
static void
assert_round_trip (Fixture *f, Many *many)
{
  g_autofree gint64 *revisions = g_new (gint64, many->n);

  put_all (f, many, FALSE);
  for (guint i = 0; i < many->n; i++)
    {
      g_assert_no_error (many->outcomes[i].error);
      revisions[i] = many->outcomes[i].revision;
      g_assert_cmpint (revisions[i], >, i > 0 ? revisions[i - 1] : 0);
    }
  many_forget (many);
  get_all (f, many);
  for (guint i = 0; i < many->n; i++)
    {
      g_assert_no_error (many->outcomes[i].error);
      g_assert_cmpint (many->outcomes[i].revision, ==, revisions[i]);
      tall_test_assert_order_equal (many->orders[i], many->outcomes[i].order);
    }
}

/* As many as one call takes; absent and empty as they were. */
static void
test_random_orders (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_auto (Many) many;

  many_init (&many, 1000);
  for (guint i = 0; i < many.n; i++)
    {
      TallOrder *order = tall_test_random_order (rand, i % 400 == 0 ? 3000 : 8);
      order->order_number =
          tall_arena_printf (tall_order_get_arena (order), "%u-%.64s", i, "\xc3\xa4");
      many_set (&many, i, order);
    }
  assert_round_trip (f, &many);
}

/* Together several times what a request or a reply takes. */
static void
test_large_orders (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;
  g_autofree char *text = g_strnfill (900 * 1024, 'x');

  many_init (&many, 40);
  for (guint i = 0; i < many.n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      TallOrder *order = tall_test_empty_order ("LARGE", number, 0);
      order->currency = tall_arena_strdup (tall_order_get_arena (order), text);
      many_set (&many, i, order);
    }
  assert_round_trip (f, &many);
}

/* Small in bytes, but more lines than one call may have. */
static void
test_many_lines (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;

  many_init (&many, 30);
  for (guint i = 0; i < many.n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      many_set (&many, i, tall_test_empty_order ("LINES", number, TALL_MAX_LINES_AND_LOCATIONS));
    }
  assert_round_trip (f, &many);
}

/* Also of a server that knows nothing of parts, as this front gives whole orders. */
static void
test_parts (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const TallOrderPart parts[] = { { TALL_PART_SUMMARY },
                                         { TALL_PART_HEADER },
                                         { TALL_PART_LOCATION, 2 },
                                         { TALL_PART_LOCATION, 4 } };
  g_auto (Many) many;
  many_init (&many, 2);
  for (guint i = 0; i < many.n; i++)
    {
      TallOrder *order = tall_test_empty_order ("PARTS", i == 0 ? "1" : "2", 3);
      tall_test_add_lines (order, 1, 1, 5);
      order->currency = (char *)"EUR";
      TallAttribute *note = tall_arena_new0 (tall_order_get_arena (order), TallAttribute);
      tall_pb__attribute__init (note);
      note->key = note->value = (char *)"note";
      tall_arena_append (tall_order_get_arena (order), &order->attributes, &order->n_attributes,
                         note);
      many_set (&many, i, order);
    }
  put_all (f, &many, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      many_forget (&many);
      must (tall_front_get_parts (f->client, many.ids, many.n, &parts[i], many.outcomes, &error));
      TallOrderPart asked = tall_test_front_get_part (f->test_front);
      g_assert_cmpint (asked.kind, ==, parts[i].kind);
      g_assert_cmpint (asked.location, ==, parts[i].location);
      const TallOutcome *got = &many.outcomes[1];
      if (parts[i].location == 4)
        {
          g_assert_error (got->error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
          g_assert_null (got->order);
          g_assert_cmpint (got->revision, ==, 0);
          continue;
        }
      g_assert_no_error (got->error);
      g_assert_cmpstr (got->order->order_number, ==, "2");
      g_assert_cmpuint (got->order->n_shipping_locations, ==, parts[i].location != 0);
      g_assert_cmpuint (tall_order_count_lines (got->order), ==, parts[i].location != 0 ? 5 : 0);
      g_assert_cmpuint (got->order->n_attributes, ==, parts[i].kind != TALL_PART_SUMMARY);
      g_assert_true ((got->entry != NULL) == (parts[i].kind == TALL_PART_SUMMARY));
      if (got->entry == NULL)
        continue;
      g_assert_cmpstr (got->entry->order_number, ==, "2");
      g_assert_cmpstr (got->entry->currency, ==, "EUR");
      g_assert_cmpuint (got->entry->n_lines, ==, 5);
      g_assert_cmpint (got->entry->revision, ==, got->revision);
    }
}

static void
test_nothing (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;
  many_init (&many, 0);
  put_all (f, &many, FALSE);
  get_all (f, &many);
  g_assert_cmpuint (tall_test_front_count_calls (f->test_front), ==, 0);
}

/* An error of one order is in its outcome, and the others are fetched. */
static void
test_get_outcomes (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;
  g_autoptr (TallOrder) stored = tall_test_order_with_lines ("VINET", "10248", 3);
  TallOrderId ids[] = {
    { "VINET", "none" }, { "VINET", "10248" }, { "", "1" }, { "VINET", "\t" }, { "VINET", "10248" },
  };
  static const int codes[] = { TALL_ERROR_NOT_FOUND, 0, TALL_ERROR_INVALID, TALL_ERROR_INVALID, 0 };

  must (tall_front_put_order (f->client, stored, NULL, NULL, &error));
  many_init (&many, G_N_ELEMENTS (ids));
  memcpy (many.ids, ids, sizeof ids);
  get_all (f, &many);
  for (guint i = 0; i < many.n; i++)
    {
      g_assert_cmpint (many.outcomes[i].order != NULL, ==, codes[i] == 0);
      if (codes[i] != 0)
        g_assert_error (many.outcomes[i].error, TALL_ERROR, codes[i]);
      else
        tall_test_assert_order_equal (stored, many.outcomes[i].order);
    }
  g_assert_cmpstr (tall_error_get_field (many.outcomes[2].error), ==, "customer_number");
  g_assert_cmpstr (tall_error_get_field (many.outcomes[3].error), ==, "order_number");
}

/* Every code, each for one put among others that succeed. */
static void
test_put_outcomes (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;

  many_init (&many, 2 * TALL_ERROR_INTERNAL + 1);
  for (guint i = 0; i < many.n; i++)
    {
      g_autofree char *number = g_strdup_printf (i % 2 ? "fail-%u" : "%u", (i + 1) / 2);
      many_set (&many, i, tall_test_order_with_lines ("VINET", number, 1));
    }
  g_test_expect_message ("tallorder", G_LOG_LEVEL_MESSAGE, "overloaded: *of VINET: as asked for");
  for (guint code = TALL_ERROR_UNAVAILABLE; code <= TALL_ERROR_INTERNAL; code++)
    g_test_expect_message ("tallorder", G_LOG_LEVEL_WARNING, "*of VINET: as asked for");
  put_all (f, &many, FALSE);
  g_test_assert_expected_messages ();
  for (guint i = 0; i < many.n; i++)
    {
      must_be (many.outcomes[i].error, i % 2 ? (i + 1) / 2 : 0);
    }
  g_assert_cmpuint (tall_test_front_count_stored (f->test_front), ==, TALL_ERROR_INTERNAL + 1);
  g_assert_nonnull (strstr (many.outcomes[2 * TALL_ERROR_UNAVAILABLE - 1].error->message,
                            "Storing order fail-8 of VINET: "));
}

/* An order that is none stays at home; its neighbours are stored. */
static void
test_wrong_orders (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;

  many_init (&many, 3);
  many_set (&many, 0, tall_test_order_with_lines ("VINET", "1", 1));
  many_set (&many, 1, tall_test_order_with_lines ("VINET", "2", 2));
  many_set (&many, 2, tall_test_order_with_lines ("VINET", "3", 1));
  many.orders[1]->shipping_locations[0]->line_items[1]->number = 0;
  put_all (f, &many, FALSE);
  g_assert_no_error (many.outcomes[0].error);
  g_assert_error (many.outcomes[1].error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_no_error (many.outcomes[2].error);
  g_assert_cmpuint (tall_test_front_count_stored (f->test_front), ==, 2);
}

/* Each its own condition, token and time. */
static void
test_options (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;
  gint64 first = 0;

  many_init (&many, 3);
  for (guint i = 0; i < many.n; i++)
    {
      many_set (&many, i, tall_test_order_with_lines ("VINET", i < 2 ? "same" : "other", i));
      many.options[i].has_token = TRUE;
      memset (many.options[i].token, (int)i + 1, TALL_TOKEN_SIZE);
    }
  many.options[0].condition = TALL_IF_ABSENT;
  many.options[1].condition = TALL_IF_ABSENT;
  many.options[2].timeout = 60000;
  put_all (f, &many, TRUE);
  first = many.outcomes[0].revision;
  g_assert_no_error (many.outcomes[0].error);
  g_assert_error (many.outcomes[1].error, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_cmpint (tall_error_get_revision (many.outcomes[1].error), ==, first);
  g_assert_no_error (many.outcomes[2].error);
  TallWriteOptions got = tall_test_front_get_options (f->test_front);
  g_assert_cmpmem (got.token, TALL_TOKEN_SIZE, many.options[2].token, TALL_TOKEN_SIZE);
  g_assert_cmpuint (got.timeout, <=, 54000);
  g_assert_cmpuint (got.timeout, >, 0);

  /* Sent again, each is recognised by its token. */
  many_forget (&many);
  put_all (f, &many, TRUE);
  g_assert_no_error (many.outcomes[0].error);
  g_assert_cmpint (many.outcomes[0].revision, ==, first);
  g_assert_error (many.outcomes[1].error, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_no_error (many.outcomes[2].error);
  g_assert_cmpuint (tall_test_front_count_stored (f->test_front), ==, 2);
}

typedef struct
{
  Fixture *fixture;
  Many *many;
} Caller;

static gpointer
put_in_thread (gpointer data)
{
  const Caller *self = data;
  put_all (self->fixture, self->many, TRUE);
  return NULL;
}

/* The time of those that go by a later call runs from the beginning of all. */
static void
test_time_of_later_calls (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;
  g_autofree char *text = g_strnfill (900 * 1024, 'x');
  Caller caller = { f, &many };

  many_init (&many, 20);
  for (guint i = 0; i < many.n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      TallOrder *order = tall_test_empty_order ("LARGE", number, 0);
      order->currency = tall_arena_strdup (tall_order_get_arena (order), text);
      many_set (&many, i, order);
      many.options[i].timeout = 60000;
    }
  tall_test_front_hold (f->test_front);
  GThread *thread = g_thread_new ("caller", put_in_thread, &caller);
  tall_test_front_wait_until_held (f->test_front, 1);
  g_usleep (G_USEC_PER_SEC / 2); /* that much of the time passes in the first call */
  tall_test_front_let_go (f->test_front);
  g_thread_join (thread);
  for (guint i = 0; i < many.n; i++)
    g_assert_no_error (many.outcomes[i].error);
  TallWriteOptions got = tall_test_front_get_options (f->test_front);
  g_assert_cmpuint (got.timeout, <=, (60000 - 500) * 9 / 10);
}

/* Two of one order: the later one is what is stored. */
static void
test_same_order_twice (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;

  many_init (&many, 2);
  many_set (&many, 0, tall_test_order_with_lines ("VINET", "same", 1));
  many_set (&many, 1, tall_test_order_with_lines ("VINET", "same", 2));
  put_all (f, &many, FALSE);
  g_autoptr (TallOrder) got =
      must (tall_front_get_order (f->client, "VINET", "same", NULL, &error));
  tall_test_assert_order_equal (many.orders[1], got);
}

/* A failure of the whole call is one, and not so many outcomes. */
static void
test_whole_failures (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;

  many_init (&many, 2);
  for (guint i = 0; i < many.n; i++)
    many_set (&many, i, tall_test_order_with_lines ("VINET", i ? "1" : "0", 1));
  tall_test_front_fail_next (f->test_front,
                             g_error_new_literal (TALL_ERROR, TALL_ERROR_OVERLOADED, "full"));
  must_fail (tall_front_get_orders (f->client, many.ids, many.n, many.outcomes, &error),
             TALL_ERROR_OVERLOADED);
  tall_test_front_fail_next (f->test_front,
                             g_error_new_literal (TALL_ERROR, TALL_ERROR_OVERLOADED, "full"));
  must_fail (tall_front_put_orders (f->client, many.orders, NULL, many.n, many.outcomes, &error),
             TALL_ERROR_OVERLOADED);

  /* Of one that may have had an effect, each outcome says so. */
  tall_test_front_hold (f->test_front);
  many.options[0].timeout = many.options[1].timeout = 50;
  put_all (f, &many, TRUE);
  tall_test_front_let_go (f->test_front);
  for (guint i = 0; i < many.n; i++)
    g_assert_error (many.outcomes[i].error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  many_forget (&many);

  g_assert_true (tall_server_stop (f->server));
  must_fail (tall_front_put_orders (f->client, many.orders, NULL, many.n, many.outcomes, &error),
             TALL_ERROR_UNAVAILABLE, "Storing 2 orders");
}

/* Of a call that failed inside the server, each outcome says so by its own name. */
static void
test_failed_inside (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (Many) many;

  many_init (&many, 2);
  for (guint i = 0; i < many.n; i++)
    many_set (&many, i, tall_test_order_with_lines ("VINET", i ? "1" : "0", 1));
  g_test_expect_message ("tallorder", G_LOG_LEVEL_WARNING, "internal: Storing 2 orders: broken");
  tall_test_front_fail_next (f->test_front,
                             g_error_new_literal (TALL_ERROR, TALL_ERROR_INTERNAL, "broken"));
  put_all (f, &many, FALSE);
  g_test_assert_expected_messages ();
  for (guint i = 0; i < many.n; i++)
    {
      g_autofree char *prefix =
          g_strdup_printf ("Storing order %u of VINET: Storing 2 orders: ", i);
      g_assert_error (many.outcomes[i].error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
      g_assert_true (g_str_has_prefix (many.outcomes[i].error->message, prefix));
    }
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/service/many/random-orders", test_random_orders);
  ADD ("/service/many/large-orders", test_large_orders);
  ADD ("/service/many/many-lines", test_many_lines);
  ADD ("/service/many/nothing", test_nothing);
  ADD ("/service/many/parts", test_parts);
  ADD ("/service/many/get-outcomes", test_get_outcomes);
  ADD ("/service/many/put-outcomes", test_put_outcomes);
  ADD ("/service/many/wrong-orders", test_wrong_orders);
  ADD ("/service/many/options", test_options);
  ADD ("/service/many/time-of-later-calls", test_time_of_later_calls);
  ADD ("/service/many/same-order-twice", test_same_order_twice);
  ADD ("/service/many/whole-failures", test_whole_failures);
  ADD ("/service/many/failed-inside", test_failed_inside);
  return g_test_run ();
}

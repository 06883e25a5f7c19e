/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-reference.h"

#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define MOST_AT_ONCE 12
#define DAY G_GINT64_CONSTANT (86400000)

/* The outcome of an attempt without an error. */
#define DONE -1
#define REPEATED -2

typedef struct
{
  gboolean deletes;
  gboolean repeats; /* the last write of this record */
  gboolean has_orders;
  TallOrder *order; /* to be put; not owned */
  TallCustomer *customer;
  TallWriteOptions options;
} Attempt;

static const char *const customer_numbers[TALL_REFERENCE_CUSTOMERS] = { "VINET", "VINE", "K 1",
                                                                        "42" };
static const char *const order_numbers[TALL_REFERENCE_ORDERS] = { "1",   "10",    "100",
                                                                  "2",   "10248", "é1",
                                                                  "A/7", "order", "order 2" };

/* The last customer has one order only, so that it often has none, and can be deleted. */
static guint
count_orders (guint customer)
{
  return customer + 1 < TALL_REFERENCE_CUSTOMERS ? TALL_REFERENCE_ORDERS : 1;
}

gboolean
tall_reference_has_orders (const TallReference *self, guint customer)
{
  for (guint i = 0; i < TALL_REFERENCE_ORDERS; i++)
    if (self->orders[customer][i].live)
      return TRUE;
  return FALSE;
}

/* Random orders may be equal: some have hardly any content. */
static gboolean
has_content_of (const TallExpected *record, const Attempt *attempt)
{
  if (attempt->deletes || !record->live)
    return FALSE;
  return attempt->order != NULL ? tall_order_equal (record->order, attempt->order)
                                : tall_customer_equal (record->customer, attempt->customer);
}

static int
foresee (const TallExpected *record, const Attempt *attempt)
{
  const TallWriteOptions *options = &attempt->options;
  if (attempt->deletes && options->condition == TALL_IF_ABSENT)
    return TALL_ERROR_INVALID;
  if (options->has_token && record->has_token
      && memcmp (options->token, record->token, TALL_TOKEN_SIZE) == 0)
    return attempt->repeats || has_content_of (record, attempt) ? REPEATED : TALL_ERROR_INVALID;
  if (attempt->deletes && !record->live)
    return TALL_ERROR_NOT_FOUND;
  if (options->condition == TALL_IF_ABSENT && record->live)
    return TALL_ERROR_CONFLICT;
  if (options->condition == TALL_IF_REVISION
      && (!record->live || options->revision != record->revision))
    return TALL_ERROR_CONFLICT;
  return attempt->deletes && attempt->has_orders ? TALL_ERROR_CONFLICT : DONE;
}

static gboolean
perform (TallReference *self,
         const TallExpected *record,
         const Attempt *attempt,
         gint64 *revision,
         GError **error)
{
  const TallWriteOptions *options = &attempt->options;
  if (attempt->deletes)
    return record->order_number == NULL
               ? tall_front_delete_customer (self->front, record->customer_number, options, error)
               : tall_front_delete_order (self->front, record->customer_number,
                                          record->order_number, options, error);
  return record->order_number == NULL
             ? tall_front_put_customer (self->front, attempt->customer, options, revision, error)
             : tall_front_put_order (self->front, attempt->order, options, revision, error);
}

static void
clear_content (TallExpected *record)
{
  g_clear_pointer (&record->order, tall_order_free);
  g_clear_pointer (&record->customer, tall_customer_free);
}

/* Notes in the record what the attempt puts. */
static void
note_done (TallExpected *record, Attempt *attempt, gint64 revision)
{
  clear_content (record);
  record->order = g_steal_pointer (&attempt->order);
  record->customer = g_steal_pointer (&attempt->customer);
  record->live = !attempt->deletes;
  if (record->live)
    {
      g_assert_cmpint (revision, >, record->revision);
      g_assert_cmpint (revision % 2, ==, 0);
      record->revision = revision;
    }
  record->has_old_token = record->has_token;
  memcpy (record->old_token, record->token, TALL_TOKEN_SIZE);
  record->has_token = attempt->options.has_token;
  memcpy (record->token, attempt->options.token, TALL_TOKEN_SIZE);
}

static char *
name_attempt (const TallExpected *record, const Attempt *attempt)
{
  const char *doing = attempt->deletes ? "Deleting" : "Storing";
  return record->order_number == NULL
             ? g_strdup_printf ("%s customer %s: ", doing, record->customer_number)
             : g_strdup_printf ("%s order %s of %s: ", doing, record->order_number,
                                record->customer_number);
}

/* What the error says beside its code: which attempt failed, what is stored, what is wrong. */
static void
check_error (const TallExpected *record, const Attempt *attempt, const GError *error)
{
  g_autofree char *prefix = name_attempt (record, attempt);
  gboolean is_condition = attempt->deletes && attempt->options.condition == TALL_IF_ABSENT;
  tall_fixture_assert_prefix (error, prefix);
  if (error->code == TALL_ERROR_INVALID)
    g_assert_true (
        g_str_has_suffix (tall_error_get_field (error), is_condition ? "condition" : "token"));
  else if (error->code == TALL_ERROR_CONFLICT && !(attempt->deletes && attempt->has_orders))
    g_assert_cmpint (tall_error_get_revision (error), ==, record->live ? record->revision : 0);
}

/* Checks that the outcome of the attempt is the one that was foreseen. */
static void
settle (TallExpected *record, Attempt *attempt, gint64 revision, const GError *error)
{
  int expected = foresee (record, attempt);
  must_be (error, expected >= 0 ? expected : 0);
  if (error != NULL)
    check_error (record, attempt, error);
  if (expected == REPEATED && !attempt->deletes)
    g_assert_cmpint (revision, ==, record->revision);
  if (expected == DONE)
    note_done (record, attempt, revision);
}

static void
write_one (TallReference *self, TallExpected *record, Attempt *attempt)
{
  g_autoptr (GError) error = NULL;
  gint64 revision = 0;
  gboolean done = perform (self, record, attempt, &revision, &error);
  g_assert_cmpint (done, ==, error == NULL);
  settle (record, attempt, revision, error);
}

static TallOrder *
make_order (TallReference *self, const TallExpected *record)
{
  TallOrder *order = tall_test_random_order (self->rand, 6);
  order->customer_number =
      tall_arena_strdup (tall_order_get_arena (order), record->customer_number);
  order->order_number = tall_arena_strdup (tall_order_get_arena (order), record->order_number);
  order->has_sales_date = g_rand_int_range (self->rand, 0, 5) > 0;
  order->sales_date = order->has_sales_date ? g_rand_int_range (self->rand, -3, 4) * DAY : 0;
  return order;
}

static TallCustomer *
make_customer (TallReference *self, const TallExpected *record)
{
  TallCustomer *customer = tall_test_random_customer (self->rand);
  customer->number =
      tall_arena_strdup (tall_customer_get_arena (customer), record->customer_number);
  return customer;
}

static void
choose_options (TallReference *self, const TallExpected *record, TallWriteOptions *options)
{
  gint64 difference = g_rand_boolean (self->rand) ? 0 : 2 * g_rand_int_range (self->rand, -1, 2);
  options->condition = g_rand_int_range (self->rand, 0, 3);
  if (options->condition == TALL_IF_REVISION)
    options->revision = MAX (1, record->revision + difference);
  options->has_token = g_rand_boolean (self->rand);
  if (!options->has_token)
    return;
  for (guint i = 0; i < TALL_TOKEN_SIZE; i++)
    options->token[i] = (guint8)g_rand_int_range (self->rand, 1, 256);
  if (record->has_token && g_rand_int_range (self->rand, 0, 4) == 0)
    memcpy (options->token, record->token, TALL_TOKEN_SIZE); /* of something else */
  else if (record->has_old_token && g_rand_int_range (self->rand, 0, 4) == 0)
    memcpy (options->token, record->old_token, TALL_TOKEN_SIZE); /* forgotten since */
}

/* Sends the last write of a record again, under any condition. */
static void
write_again (TallReference *self, TallExpected *record, Attempt *attempt)
{
  attempt->repeats = attempt->options.has_token = TRUE;
  attempt->deletes = !record->live;
  attempt->options.condition = attempt->deletes ? TALL_IF_ANY : TALL_IF_ABSENT;
  memcpy (attempt->options.token, record->token, TALL_TOKEN_SIZE);
  attempt->order = record->order;
  attempt->customer = record->customer;
  write_one (self, record, attempt);
}

void
tall_reference_write (TallReference *self, guint customer)
{
  guint n_orders = count_orders (customer);
  guint i = g_rand_int_range (self->rand, 0, (gint32)n_orders + 3);
  TallExpected *record = i < n_orders ? &self->orders[customer][i] : &self->customers[customer];
  Attempt attempt = { .has_orders = i >= n_orders && tall_reference_has_orders (self, customer) };
  if (record->has_token && g_rand_int_range (self->rand, 0, 4) == 0)
    {
      write_again (self, record, &attempt);
      return;
    }
  attempt.deletes = g_rand_int_range (self->rand, 0, n_orders > 1 ? 3 : 2) == 0;
  attempt.repeats = attempt.deletes && !record->live; /* one deletion is like another */
  choose_options (self, record, &attempt.options);
  g_autoptr (TallOrder) order = i < n_orders ? make_order (self, record) : NULL;
  g_autoptr (TallCustomer) person = i < n_orders ? NULL : make_customer (self, record);
  attempt.order = attempt.deletes ? NULL : order;
  attempt.customer = attempt.deletes ? NULL : person;
  gboolean given = !attempt.deletes && foresee (record, &attempt) == DONE;
  write_one (self, record, &attempt);
  if (given) /* it is the record's now */
    {
      order = NULL;
      person = NULL;
    }
}

/**
 * tall_reference_put_many:
 *
 * Stores some orders in one call, some of them twice: those one after the other.
 */
void
tall_reference_put_many (TallReference *self)
{
  Attempt attempts[MOST_AT_ONCE] = { 0 };
  TallExpected *records[MOST_AT_ONCE];
  TallOrder *orders[MOST_AT_ONCE];
  TallWriteOptions options[MOST_AT_ONCE] = { 0 };
  TallOutcome outcomes[MOST_AT_ONCE] = { 0 };
  guint n = (guint)g_rand_int_range (self->rand, 1, MOST_AT_ONCE + 1);
  for (guint i = 0; i < n; i++)
    {
      guint customer = (guint)g_rand_int_range (self->rand, 0, TALL_REFERENCE_CUSTOMERS);
      guint order = (guint)g_rand_int_range (self->rand, 0, (gint32)count_orders (customer));
      records[i] = &self->orders[customer][order];
      choose_options (self, records[i], &options[i]);
      orders[i] = make_order (self, records[i]);
      attempts[i] = (Attempt){ .order = orders[i], .options = options[i] };
    }
  must (tall_front_put_orders (self->front, orders, options, n, outcomes, &error));
  for (guint i = 0; i < n; i++)
    {
      settle (records[i], &attempts[i], outcomes[i].revision, outcomes[i].error);
      g_clear_pointer (&attempts[i].order, tall_order_free); /* unless it is the record's now */
      tall_outcome_clear (&outcomes[i]);
    }
}

/**
 * tall_reference_init:
 *
 * An empty store, and an empty map.
 */
void
tall_reference_init (TallReference *self, TallStoreFixture *fixture, const TallStoreKind *kind)
{
  *self = (TallReference){ .front = fixture->front,
                           .clock = &fixture->clock,
                           .strategy = kind->key_strategy,
                           .rand = g_rand_new_with_seed ((guint32)g_test_rand_int ()) };
  for (guint i = 0; i < TALL_REFERENCE_CUSTOMERS; i++)
    {
      self->customers[i].customer_number = customer_numbers[i];
      for (guint j = 0; j < TALL_REFERENCE_ORDERS; j++)
        {
          self->orders[i][j].customer_number = customer_numbers[i];
          self->orders[i][j].order_number = order_numbers[j];
        }
    }
}

void
tall_reference_clear (TallReference *self)
{
  for (guint i = 0; i < TALL_REFERENCE_CUSTOMERS; i++)
    {
      clear_content (&self->customers[i]);
      for (guint j = 0; j < TALL_REFERENCE_ORDERS; j++)
        clear_content (&self->orders[i][j]);
    }
  g_clear_pointer (&self->rand, g_rand_free);
}

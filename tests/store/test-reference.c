/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The store beside a plain map, under random operations of one client: no difference is allowed.
 * The seed is that of the test program: it prints it, and --seed repeats a run. */
#include "tall-error.h"
#include "tall-rocksdb-table.h"
#include "tall-store-fixture.h"
#include "tall-test-directory.h"
#include "tall-test-orders.h"

#define N_CUSTOMERS 4
#define N_ORDERS 9
#define DAY G_GINT64_CONSTANT (86400000)

/* What an attempt comes to, if not to an error. */
#define DONE -1
#define REPEATED -2

/* An order or a customer: what is there, and whose the last write was. */
typedef struct
{
  const char *customer_number;
  const char *order_number; /* NULL: it is a customer */
  gboolean live;
  TallOrder *order;
  TallCustomer *customer;
  gint64 revision; /* the last one that was put */
  gboolean has_token;
  guint8 token[TALL_TOKEN_SIZE];
} Record;

typedef struct
{
  TallFront *front;
  TallTestClock *clock;
  const TallKeyStrategy *strategy;
  GRand *rand;
  Record customers[N_CUSTOMERS];
  Record orders[N_CUSTOMERS][N_ORDERS];
} Reference;

typedef struct
{
  gboolean deletes;
  gboolean repeats; /* the last write of this record */
  gboolean has_orders;
  TallOrder *order; /* to be put; not owned */
  TallCustomer *customer;
  TallWriteOptions options;
} Attempt;

static const char *const customer_numbers[N_CUSTOMERS] = { "VINET", "VINE", "K 1", "42" };
static const char *const order_numbers[N_ORDERS] = { "1",  "10",  "100",   "2",      "10248",
                                                     "é1", "A/7", "order", "order 2" };

static gboolean
has_live_orders (const Reference *self, guint customer)
{
  for (guint i = 0; i < N_ORDERS; i++)
    if (self->orders[customer][i].live)
      return TRUE;
  return FALSE;
}

static int
foresee (const Record *record, const Attempt *attempt)
{
  const TallWriteOptions *options = &attempt->options;
  if (attempt->deletes && options->condition == TALL_IF_ABSENT)
    return TALL_ERROR_INVALID;
  if (options->has_token && record->has_token
      && memcmp (options->token, record->token, TALL_TOKEN_SIZE) == 0)
    return attempt->repeats ? REPEATED : TALL_ERROR_INVALID;
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
perform (
    Reference *self, const Record *record, const Attempt *attempt, gint64 *revision, GError **error)
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
clear_content (Record *record)
{
  g_clear_pointer (&record->order, tall_order_free);
  g_clear_pointer (&record->customer, tall_customer_free);
}

/* Takes what the attempt puts. */
static void
note_done (Record *record, Attempt *attempt, gint64 revision)
{
  clear_content (record);
  record->order = g_steal_pointer (&attempt->order);
  record->customer = g_steal_pointer (&attempt->customer);
  record->live = !attempt->deletes;
  if (record->live)
    {
      g_assert_cmpint (revision, >, record->revision);
      record->revision = revision;
    }
  record->has_token = attempt->options.has_token;
  memcpy (record->token, attempt->options.token, TALL_TOKEN_SIZE);
}

static void
write_one (Reference *self, Record *record, Attempt *attempt)
{
  g_autoptr (GError) error = NULL;
  gint64 revision = 0;
  int expected = foresee (record, attempt);
  gboolean done = perform (self, record, attempt, &revision, &error);
  g_assert_cmpint (done, ==, expected < 0);
  if (!done)
    g_assert_error (error, TALL_ERROR, expected);
  else
    g_assert_no_error (error);
  if (expected == REPEATED && !attempt->deletes)
    g_assert_cmpint (revision, ==, record->revision);
  if (expected == DONE)
    note_done (record, attempt, revision);
}

static TallOrder *
make_order (Reference *self, const Record *record)
{
  TallOrder *order = tall_test_random_order (self->rand, 6);
  order->customer_number = tall_arena_strdup (order->arena, record->customer_number);
  order->order_number = tall_arena_strdup (order->arena, record->order_number);
  order->has_sales_date = g_rand_int_range (self->rand, 0, 5) > 0;
  order->sales_date = order->has_sales_date ? g_rand_int_range (self->rand, -3, 4) * DAY : 0;
  return order;
}

static TallCustomer *
make_customer (Reference *self, const Record *record)
{
  TallCustomer *customer = tall_test_random_customer (self->rand);
  customer->number = tall_arena_strdup (customer->arena, record->customer_number);
  return customer;
}

static void
choose_options (Reference *self, const Record *record, TallWriteOptions *options)
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
}

/* Sends the last write of a record again, under whatever condition. */
static void
write_again (Reference *self, Record *record, Attempt *attempt)
{
  attempt->repeats = attempt->options.has_token = TRUE;
  attempt->deletes = !record->live;
  attempt->options.condition = attempt->deletes ? TALL_IF_ANY : TALL_IF_ABSENT;
  memcpy (attempt->options.token, record->token, TALL_TOKEN_SIZE);
  attempt->order = record->order;
  attempt->customer = record->customer;
  write_one (self, record, attempt);
}

static void
write_random (Reference *self, guint customer)
{
  guint i = g_rand_int_range (self->rand, 0, N_ORDERS + 3);
  Record *record = i < N_ORDERS ? &self->orders[customer][i] : &self->customers[customer];
  Attempt attempt = { .has_orders = i >= N_ORDERS && has_live_orders (self, customer) };
  if (record->has_token && g_rand_int_range (self->rand, 0, 4) == 0)
    {
      write_again (self, record, &attempt);
      return;
    }
  attempt.deletes = g_rand_int_range (self->rand, 0, 3) == 0;
  attempt.repeats = attempt.deletes && !record->live; /* one deletion is like another */
  choose_options (self, record, &attempt.options);
  g_autoptr (TallOrder) order = i < N_ORDERS ? make_order (self, record) : NULL;
  g_autoptr (TallCustomer) person = i < N_ORDERS ? NULL : make_customer (self, record);
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

static void
check_customer (Reference *self, const Record *record)
{
  g_autoptr (GError) error = NULL;
  gint64 revision;
  g_autoptr (TallCustomer) customer =
      tall_front_get_customer (self->front, record->customer_number, &revision, &error);
  if (!record->live)
    {
      g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpint (revision, ==, record->revision);
  tall_test_assert_customer_equal (customer, record->customer);
}

static void
check_outcome (const TallOutcome *outcome, const Record *record)
{
  if (!record->live)
    {
      g_assert_error (outcome->error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
      g_assert_null (outcome->order);
      return;
    }
  g_assert_no_error (outcome->error);
  g_assert_cmpint (outcome->revision, ==, record->revision);
  tall_test_assert_order_equal (outcome->order, record->order);
}

static void
check_order (Reference *self, const Record *record)
{
  TallOutcome outcome = { 0 };
  outcome.order = tall_front_get_order (self->front, record->customer_number, record->order_number,
                                        &outcome.revision, &outcome.error);
  check_outcome (&outcome, record);
  tall_outcome_clear (&outcome);
}

/* Some orders in one call, some of them twice. */
static void
check_many (Reference *self)
{
  g_autoptr (GError) error = NULL;
  TallOrderId ids[20];
  TallOutcome outcomes[20] = { 0 };
  const Record *records[20];
  guint n = g_rand_int_range (self->rand, 1, 21);
  for (guint i = 0; i < n; i++)
    {
      records[i] = &self->orders[g_rand_int_range (self->rand, 0, N_CUSTOMERS)]
                                [g_rand_int_range (self->rand, 0, N_ORDERS)];
      ids[i] = (TallOrderId){ records[i]->customer_number, records[i]->order_number };
    }
  gboolean asked = tall_front_get_orders (self->front, ids, n, outcomes, &error);
  g_assert_no_error (error);
  g_assert_true (asked);
  for (guint i = 0; i < n; i++)
    {
      check_outcome (&outcomes[i], records[i]);
      tall_outcome_clear (&outcomes[i]);
    }
}

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  const Record *left = *(const Record *const *)a, *right = *(const Record *const *)b;
  const Reference *self = data;
  g_auto (TallOrderKey) one = { 0 };
  g_auto (TallOrderKey) other = { 0 };
  tall_order_key_init (&one, self->strategy, left->customer_number, 1, left->order_number);
  tall_order_key_init (&other, self->strategy, right->customer_number, 1, right->order_number);
  return tall_slice_compare (one.order, other.order);
}

static int
compare_dates (gconstpointer a, gconstpointer b, gpointer data)
{
  const TallOrder *left = (*(const Record *const *)a)->order;
  const TallOrder *right = (*(const Record *const *)b)->order;
  if (left->has_sales_date != right->has_sales_date)
    return left->has_sales_date ? -1 : 1;
  if (left->has_sales_date && left->sales_date != right->sales_date)
    return left->sales_date > right->sales_date ? -1 : 1;
  return compare_keys (a, b, data);
}

static gboolean
is_in_range (const TallOrder *order, const TallListOptions *options)
{
  if (!options->has_from && !options->has_to)
    return TRUE;
  return order->has_sales_date && (!options->has_from || order->sales_date >= options->from)
         && (!options->has_to || order->sales_date < options->to);
}

static GPtrArray *
expect_orders (Reference *self,
               guint customer,
               const TallListOptions *options,
               GCompareDataFunc compare)
{
  GPtrArray *expected = g_ptr_array_new ();
  for (guint i = 0; i < N_ORDERS; i++)
    {
      Record *record = &self->orders[customer][i];
      if (record->live && is_in_range (record->order, options))
        g_ptr_array_add (expected, record);
    }
  g_ptr_array_sort_with_data (expected, compare, self);
  return expected;
}

static void
check_entry (const TallOrderEntry *entry, const Record *record)
{
  g_assert_cmpstr (entry->order_number, ==, record->order_number);
  g_assert_cmpint (entry->revision, ==, record->revision);
  g_assert_cmpint (entry->has_sales_date, ==, record->order->has_sales_date);
  if (entry->has_sales_date)
    g_assert_cmpint (entry->sales_date, ==, record->order->sales_date);
  g_assert_cmpstr (entry->currency, ==, record->order->currency);
}

static void
choose_range (Reference *self, TallListOptions *options)
{
  options->limit = g_rand_int_range (self->rand, 1, N_ORDERS + 3);
  options->has_from = g_rand_int_range (self->rand, 0, 3) == 0;
  options->has_to = g_rand_int_range (self->rand, 0, 3) == 0;
  options->from = g_rand_int_range (self->rand, -4, 5) * DAY;
  options->to = options->has_from ? options->from + g_rand_int_range (self->rand, 1, 9) * DAY
                                  : g_rand_int_range (self->rand, -4, 5) * DAY;
}

static void
check_list (Reference *self, guint customer)
{
  TallListOptions options = { 0 };
  g_autofree char *page = NULL;
  guint n = 0;
  choose_range (self, &options);
  g_autoptr (GPtrArray) expected = expect_orders (self, customer, &options, compare_dates);
  do
    {
      g_autoptr (GError) error = NULL;
      options.page = page;
      g_autoptr (TallOrderList) list =
          tall_front_list_orders (self->front, customer_numbers[customer], &options, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (list->n_entries, <=, options.limit);
      g_assert_cmpuint (n + list->n_entries, <=, expected->len);
      for (guint i = 0; i < list->n_entries; i++)
        check_entry (&list->entries[i], g_ptr_array_index (expected, n++));
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  g_assert_cmpuint (n, ==, expected->len);
}

static void
check_customer_orders (Reference *self, guint customer)
{
  const Record *record = &self->customers[customer];
  TallListOptions options = { .limit = g_rand_int_range (self->rand, 1, N_ORDERS + 3) };
  g_autoptr (GPtrArray) expected = expect_orders (self, customer, &options, compare_keys);
  g_autofree char *page = NULL;
  guint n = 0;
  do
    {
      g_autoptr (GError) error = NULL;
      options.page = page;
      g_autoptr (TallCustomerOrders) got =
          tall_front_get_customer_orders (self->front, record->customer_number, &options, &error);
      if (!record->live && expected->len == 0)
        {
          g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
          return;
        }
      g_assert_no_error (error);
      g_assert_cmpint (got->revision, ==, record->live ? record->revision : 0);
      g_assert_cmpint (got->customer != NULL, ==, record->live);
      if (record->live)
        tall_test_assert_customer_equal (got->customer, record->customer);
      g_assert_cmpuint (n + got->n_orders, <=, expected->len);
      for (guint i = 0; i < got->n_orders; i++)
        check_outcome (&got->orders[i], g_ptr_array_index (expected, n++));
      g_free (page);
      page = g_strdup (got->next_page);
    }
  while (page != NULL);
  g_assert_cmpuint (n, ==, expected->len);
}

static void
check_list_entry (Reference *self, const TallCustomerEntry *entry, gboolean *seen)
{
  for (guint i = 0; i < N_CUSTOMERS; i++)
    if (g_str_equal (entry->number, customer_numbers[i]))
      {
        const Record *record = &self->customers[i];
        g_assert_false (seen[i]);
        seen[i] = TRUE;
        g_assert_cmpint (entry->revision, ==, record->live ? record->revision : 0);
        g_assert_cmpstr (entry->name, ==, record->live ? record->customer->name : NULL);
        return;
      }
  g_error ("customer “%s” is listed, but was never stored", entry->number);
}

static void
check_customers (Reference *self)
{
  gboolean seen[N_CUSTOMERS] = { 0 };
  TallListOptions options = { .limit = g_rand_int_range (self->rand, 1, N_CUSTOMERS + 2) };
  g_autofree char *page = NULL;
  do
    {
      g_autoptr (GError) error = NULL;
      options.page = page;
      g_autoptr (TallCustomerList) list = tall_front_list_customers (self->front, &options, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < list->n_entries; i++)
        check_list_entry (self, &list->entries[i], seen);
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  for (guint i = 0; i < N_CUSTOMERS; i++)
    g_assert_cmpint (seen[i], ==, self->customers[i].live || has_live_orders (self, i));
}

static void
check_everything (Reference *self)
{
  check_customers (self);
  for (guint i = 0; i < N_CUSTOMERS; i++)
    {
      check_customer (self, &self->customers[i]);
      check_customer_orders (self, i);
      check_list (self, i);
      for (guint j = 0; j < N_ORDERS; j++)
        check_order (self, &self->orders[i][j]);
    }
}

static void
step (Reference *self)
{
  guint customer = g_rand_int_range (self->rand, 0, N_CUSTOMERS);
  self->clock->now += g_rand_int_range (self->rand, -5, 8); /* clocks go back, too */
  switch (g_rand_int_range (self->rand, 0, 10))
    {
    case 0:
      check_list (self, customer);
      break;
    case 1:
      check_customer_orders (self, customer);
      break;
    case 2:
      check_customers (self);
      break;
    case 3:
      check_many (self);
      break;
    default:
      write_random (self, customer);
    }
}

static void
name_records (Reference *self)
{
  for (guint i = 0; i < N_CUSTOMERS; i++)
    {
      self->customers[i].customer_number = customer_numbers[i];
      for (guint j = 0; j < N_ORDERS; j++)
        {
          self->orders[i][j].customer_number = customer_numbers[i];
          self->orders[i][j].order_number = order_numbers[j];
        }
    }
}

static void
compare_with_reference (TallStoreFixture *fixture, const TallStoreKind *kind, guint n_steps)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32)g_test_rand_int ());
  Reference self = {
    .front = fixture->front, .clock = &fixture->clock, .strategy = kind->key_strategy, .rand = rand
  };
  name_records (&self);
  for (guint i = 0; i < n_steps; i++)
    {
      step (&self);
      if (i % 50 == 49)
        check_everything (&self);
    }
  for (guint i = 0; i < N_CUSTOMERS; i++)
    {
      clear_content (&self.customers[i]);
      for (guint j = 0; j < N_ORDERS; j++)
        clear_content (&self.orders[i][j]);
    }
}

static void
test_memory (TallStoreFixture *fixture, gconstpointer data)
{
  compare_with_reference (fixture, data, 500);
}

static void
test_rocksdb (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = tall_test_directory_new ();
  TallRocksdbOptions options = { .directory = directory, .sync = FALSE };
  TallTable *table = tall_rocksdb_table_open (&options, &error);
  g_assert_no_error (error);
  tall_test_create (table, kind->layout->name, kind->key_strategy->name, 0);
  tall_store_fixture_reset (fixture, data, table);
  compare_with_reference (fixture, kind, 200);

  g_clear_object (&fixture->store);
  g_clear_object (&fixture->table);
  tall_test_directory_remove (directory);
}

static const TallStoreTest tests[] = {
  { "memory", test_memory },
  { "rocksdb", test_rocksdb },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("reference", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}

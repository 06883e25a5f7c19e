/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

#include "tall-test-cells.h"
#include "tall-test-finds.h"

#include "migrate/migrate.h"
#include "store/record/indexes.h"
#include "tall-bulk.h"
#include "tall-error.h"
#include "tall-json.h"
#include "tall-must.h"
#include "tall-reference.h"
#include "tall-test-orders.h"
#include "tall-test-record.h"

#define LONG 300 /* lines */
#define N_ALL (TALL_REFERENCE_CUSTOMERS * TALL_REFERENCE_ORDERS)

static const char some_indexes[] = "date\n"
                                   "number=order_number\n"
                                   "item=md5(line.item_number) rtime(sales_date)?\n"
                                   "city=location.address.city? line.item_number?\n"
                                   "month=month(sales_date) currency? day(sales_date)\n"
                                   "log=last(1,order_number) first(2,location.name)? order_number\n"
                                   "mark=attribute.mark time(sales_date)?";
static const char other_indexes[] = "date\n"
                                    "mark=attribute.mark\n"
                                    "number=order_number rtime(sales_date)?\n"
                                    "item=line.item_number\n"
                                    "city=md5(location.address.city)\n"
                                    "month=month(sales_date)";

static TallTable *
create (TallTable *table, const TallStoreKind *kind, const char *indexes)
{
  TallStoreSettings settings = { .layout = kind->layout, .key_strategy = kind->key_strategy };
  must (tall_indexes_parse (indexes, &settings.index, &settings.indexes, &error));
  must (tall_store_create (table, &settings, &error));
  return table;
}

static void
set_up (TallReference *self, TallStoreFixture *fixture, const TallStoreKind *kind)
{
  TallTable *table = tall_store_fixture_open_table (fixture, kind);
  tall_store_fixture_reset (fixture, kind, create (table, kind, some_indexes));
  tall_reference_init (self, fixture, kind);
}

/* ---- What is found ---- */

/* What an order is looked for by. */
typedef struct
{
  const char *index;
  const char
      *field; /* beside a value of it: also found without naming the index; NULL: it is not */
  gboolean (*has) (const TallOrder *order, const char *value);
} Search;

static gboolean
has_number (const TallOrder *order, const char *value)
{
  return g_str_equal (order->order_number, value);
}

static gboolean
has_item (const TallOrder *order, const char *value)
{
  for (gsize i = 0; i < order->n_shipping_locations; i++)
    for (gsize j = 0; j < order->shipping_locations[i]->n_line_items; j++)
      if (g_strcmp0 (order->shipping_locations[i]->line_items[j]->item_number, value) == 0)
        return TRUE;
  return FALSE;
}

static gboolean
has_city (const TallOrder *order, const char *value)
{
  for (gsize i = 0; i < order->n_shipping_locations; i++)
    if (order->shipping_locations[i]->address != NULL
        && g_strcmp0 (order->shipping_locations[i]->address->city, value) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
has_month (const TallOrder *order, const char *value)
{
  char text[TALL_DATE_TEXT_SIZE];
  return order->has_sales_date
         && strncmp (tall_date_format (order->sales_date, text), value, strlen ("2026-11")) == 0;
}

static gboolean
has_mark (const TallOrder *order, const char *value)
{
  for (gsize i = 0; i < order->n_attributes; i++)
    if (g_str_equal (order->attributes[i]->key, "mark")
        && g_str_equal (order->attributes[i]->value, value))
      return TRUE;
  return FALSE;
}

static const Search searches[] = {
  { "number", "order_number", has_number },      { "item", "line.item_number", has_item },
  { "city", "location.address.city", has_city }, { "month", "sales_date", has_month },
  { "mark", "attribute.mark", has_mark },
};

static TallExpected *
get_record (TallReference *self, guint i)
{
  return &self->orders[i / TALL_REFERENCE_ORDERS][i % TALL_REFERENCE_ORDERS];
}

static guint
find_record (TallReference *self, const TallOrder *order)
{
  guint i = 0;
  while (i < N_ALL
         && (!g_str_equal (get_record (self, i)->customer_number, order->customer_number)
             || !g_str_equal (get_record (self, i)->order_number, order->order_number)))
    i++;
  g_assert_cmpuint (i, <, N_ALL);
  return i;
}

/* Walks over all pages. @n_seen: (out): how often each order came */
static void
walk (TallReference *self, TallFindOptions *options, guint n_seen[N_ALL])
{
  g_autofree char *page = NULL;
  memset (n_seen, 0, N_ALL * sizeof *n_seen);
  do
    {
      options->page = page;
      g_autoptr (TallFound) found = must (tall_front_find_orders (self->front, options, &error));
      g_assert_cmpuint (found->n_orders, <=,
                        options->limit > 0 ? options->limit : TALL_DEFAULT_PAGE);
      for (guint i = 0; i < found->n_orders; i++)
        {
          TallOutcome *outcome = &found->orders[i];
          g_assert_no_error (outcome->error);
          guint at = find_record (self, outcome->order);
          n_seen[at]++;
          if (options->part.kind == TALL_PART_SUMMARY)
            {
              tall_reference_check_entry (outcome->entry, get_record (self, at));
              g_assert_cmpuint (outcome->order->n_adjustments, ==, 0);
              g_assert_null (outcome->order->billing_address);
            }
          else
            tall_reference_check_outcome (outcome, get_record (self, at));
        }
      g_free (page);
      page = g_strdup (found->next_page);
    }
  while (page != NULL);
}

static void
check_search (TallReference *self, const Search *search, const char *value)
{
  guint n_seen[N_ALL];
  const char *values[] = { value };
  g_autofree char *named = g_strconcat (search->field, "=", value, NULL);
  TallFindOptions options = { .index = search->index, .values = values, .n_values = 1 };
  if (g_rand_boolean (self->rand))
    {
      options.index = NULL;
      values[0] = named;
    }
  options.limit = (guint)g_rand_int_range (self->rand, 0, 4);
  options.part.kind = g_rand_boolean (self->rand) ? TALL_PART_SUMMARY : TALL_PART_WHOLE;
  walk (self, &options, n_seen);
  for (guint i = 0; i < N_ALL; i++)
    {
      const TallExpected *record = get_record (self, i);
      g_assert_cmpuint (n_seen[i], ==, record->live && search->has (record->order, value) ? 1 : 0);
    }
}

/* Values that some order has, or had. */
static void
check_searches (TallReference *self, const TallOrder *order)
{
  char text[TALL_DATE_TEXT_SIZE];
  check_search (self, &searches[0], order->order_number);
  check_search (self, &searches[4], "a");
  check_search (self, &searches[4], "");
  if (order->has_sales_date)
    {
      tall_date_format (order->sales_date, text);
      text[strlen ("2026-11")] = '\0';
      check_search (self, &searches[3], text);
    }
  for (gsize i = 0; i < order->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = order->shipping_locations[i];
      if (location->address != NULL && location->address->city != NULL)
        check_search (self, &searches[2], location->address->city);
      for (gsize j = 0; j < MIN (location->n_line_items, 3); j++)
        if (location->line_items[j]->item_number != NULL)
          check_search (self, &searches[1], location->line_items[j]->item_number);
    }
}

/* All that an index has: @every: it has an entry of each order. */
static void
check_all (TallReference *self, const char *index, gboolean every)
{
  guint n_seen[N_ALL];
  TallFindOptions options = { .index = index, .limit = 3 };
  walk (self, &options, n_seen);
  for (guint i = 0; i < N_ALL; i++)
    {
      const TallExpected *record = get_record (self, i);
      gboolean in = record->live && (every || record->order->has_sales_date);
      g_assert_cmpuint (n_seen[i], ==, in ? 1 : 0);
    }
}

static void
on_finding (const TallFinding *finding, gpointer data)
{
  guint *n_found = data;
  g_autofree char *row = tall_slice_to_debug (finding->row);
  g_test_message ("%s: %s: %s", tall_finding_kind_info (finding->kind)->name, row,
                  finding->message);
  if (!tall_finding_kind_is_note (finding->kind))
    n_found[finding->kind]++;
}

static void
find_all (TallFront *front, gboolean repair, guint n_found[TALL_N_FINDING_KINDS])
{
  TallVerifySummary summary = { 0 };
  const TallVerifyOptions options = { .repair = repair, .on_finding = on_finding, .data = n_found };
  memset (n_found, 0, TALL_N_FINDING_KINDS * sizeof *n_found);
  must (tall_front_verify (front, &options, &summary, &error));
  g_assert_true (summary.is_whole);
  g_assert_cmpuint (summary.n_mended, ==, repair ? summary.n_findings : 0);
}

/* Verifies, and finds @n times that kind of thing, and nothing else. */
static void
verify (TallFront *front, gboolean repair, TallFindingKind kind, guint n)
{
  guint n_found[TALL_N_FINDING_KINDS];
  find_all (front, repair, n_found);
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    g_assert_cmpuint (n_found[i], ==, i == kind ? n : 0);
}

/* Puts that were refused after they had looked may have left hints that lead nowhere. */
static void
check_sound (TallReference *self)
{
  guint n_found[TALL_N_FINDING_KINDS];
  find_all (self->front, FALSE, n_found);
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    if (i != TALL_FINDING_DANGLING_HINT)
      g_assert_cmpuint (n_found[i], ==, 0);
  find_all (self->front, TRUE, n_found);
  verify (self->front, FALSE, TALL_FINDING_MISSING_HINT, 0);
}

static void
check_everything (TallReference *self)
{
  for (guint i = 0; i < N_ALL; i++)
    if (get_record (self, i)->live)
      check_searches (self, get_record (self, i)->order);
  check_all (self, "number", TRUE);
  check_all (self, "month", FALSE);
  for (guint i = 0; i < TALL_REFERENCE_CUSTOMERS; i++)
    tall_reference_check_list (self, i);
}

/* ---- What is written ---- */

/* The record has what the store has. */
static void
take_over (TallReference *self, TallExpected *record)
{
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&record->order, tall_order_free);
  record->order = tall_front_get_order (self->front, record->customer_number, record->order_number,
                                        &record->revision, &error);
  g_assert_no_error (error);
  record->live = TRUE;
  record->has_token = FALSE;
}

static void
patch (TallReference *self, TallExpected *record)
{
  static const char *const all[] = { "attribute.mark=a",      "attribute.mark=", "currency=EUR",
                                     "sales_date=2026-11-28", "-attribute.mark", "-sales_date" };
  const char *change = all[g_rand_int_range (self->rand, 0, G_N_ELEMENTS (all))];
  g_autoptr (GError) error = NULL;
  gboolean done = tall_front_patch_order (self->front, record->customer_number,
                                          record->order_number, &change, 1, NULL, NULL, &error);
  if (!record->live)
    {
      g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
      return;
    }
  g_assert_no_error (error);
  g_assert_true (done);
  take_over (self, record);
}

/* Of more rows than any table changes in one step, so that it is claimed. */
static void
put_long (TallReference *self, TallExpected *record)
{
  g_autoptr (TallOrder) order =
      tall_test_order_with_lines (record->customer_number, record->order_number, LONG);
  order->has_sales_date = g_rand_boolean (self->rand);
  order->sales_date = g_rand_int_range (self->rand, 0, 3);
  must (tall_front_put_order (self->front, order, NULL, NULL, &error));
  take_over (self, record);
}

static void
load (TallReference *self)
{
  g_autoptr (TallBulk) bulk = must (tall_bulk_begin (self->front, NULL, &error));
  TallExpected *record = get_record (self, (guint)g_rand_int_range (self->rand, 0, N_ALL));
  if (!record->live)
    {
      TallBulkResult result = { 0 };
      g_autoptr (TallOrder) order =
          tall_test_order_with_lines (record->customer_number, record->order_number, 3);
      tall_order_add_attribute (order, "mark", "a");
      g_assert_true (tall_order_normalize (order, NULL));
      must (tall_bulk_put_orders (bulk, &order, 1, &result, &error));
      g_assert_no_error (result.error);
      take_over (self, record);
    }
  must (tall_bulk_end (bulk, &error));
}

static void
step (TallReference *self)
{
  self->clock->now += g_rand_int_range (self->rand, -5, 8); /* clocks go back, too */
  switch (g_rand_int_range (self->rand, 0, 10))
    {
    case 0:
      patch (self, get_record (self, (guint)g_rand_int_range (self->rand, 0, N_ALL)));
      break;
    case 1:
      tall_reference_put_many (self);
      break;
    case 2:
      load (self);
      break;
    case 3:
      put_long (self, get_record (self, (guint)g_rand_int_range (self->rand, 0, N_ALL)));
      break;
    default:
      tall_reference_write (self,
                            (guint)g_rand_int_range (self->rand, 0, TALL_REFERENCE_CUSTOMERS));
    }
}

static void
test_random (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  set_up (&self, fixture, kind);
  gboolean has_server = ((const TallStoreKind *)kind)->open != NULL;
  for (guint i = 0; i < (g_test_thorough () ? 10000 : has_server ? 50 : 100); i++)
    {
      step (&self);
      if (i % 25 == 24)
        check_everything (&self);
    }
  check_sound (&self);
}

/* To another layout and key strategy, and other indexes; with writes between the passes. */
static void
test_move (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_auto (TallReference) self = { 0 };
  TallMigrateSummary summary = { 0 };
  TallStoreHooks hooks = tall_test_hooks (&fixture->clock);
  TallMigrateOptions options = { .hooks = &hooks, .settled = TRUE, .pass_only = TRUE };
  guint n;
  set_up (&self, fixture, kind);
  options.move.layout = tall_layouts (&n)[kind->layout == tall_layouts (&n)[0] ? 1 : 0];
  options.move.has_index = TRUE;
  must (tall_indexes_parse (other_indexes, &options.move.index, &options.move.indexes, &error));
  for (guint i = 0; i < 20; i++)
    step (&self);
  for (guint i = 0; i < 2; i++)
    {
      must (tall_migrate_run (fixture->table, &options, &summary, &error));
      g_assert_cmpint (summary.outcome, ==, i == 0 ? TALL_MIGRATE_PASSED : TALL_MIGRATE_SWITCHED);
      for (guint j = 0; j < 20; j++)
        step (&self);
      options.pass_only = FALSE;
    }
  check_everything (&self);
  check_sound (&self);
}

/* What is not refused leaves no entries that lead nowhere. */
static void
test_tidy (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  set_up (&self, fixture, kind);
  for (guint i = 0; i < 60; i++)
    {
      TallExpected *record = get_record (&self, (guint)g_rand_int_range (self.rand, 0, 4));
      gint choice = g_rand_int_range (self.rand, 0, 3);
      g_autoptr (TallOrder) random = tall_test_random_order (self.rand, 6);
      random->customer_number =
          tall_arena_strdup (tall_order_get_arena (random), record->customer_number);
      random->order_number =
          tall_arena_strdup (tall_order_get_arena (random), record->order_number);
      self.clock->now++;
      if (choice == 0 && record->live)
        {
          tall_fixture_delete (fixture, record->order_number, NULL);
          record->live = FALSE;
        }
      else if (choice == 1)
        patch (&self, record);
      else
        {
          tall_fixture_put (fixture, random, NULL);
          take_over (&self, record);
        }
    }
  check_everything (&self);
  verify (self.front, FALSE, TALL_FINDING_MISSING_HINT, 0);
}

/* ---- What is wrong ---- */

static TallOrder *
put (TallStoreFixture *fixture, const char *number, const char *mark)
{
  TallOrder *order = tall_order_new ("VINET", number);
  tall_order_add_attribute (order, "mark", mark);
  tall_fixture_put (fixture, order, NULL);
  return order;
}

static guint
count (TallStoreFixture *fixture, const char *mark)
{
  const TallFindOptions options = { .index = "mark", .values = &mark, .n_values = 1 };
  g_autoptr (TallFound) found = must (tall_front_find_orders (fixture->front, &options, &error));
  return found->n_orders;
}

/* How much later than now an entry is written. */
#define LATER 1000
#define EARLIER (-1000)
#define DELETED 0

/* Writes or deletes an entry of the sixth index, behind the back of the store. */
static void
change_entry (TallStoreFixture *fixture, const char *mark, const char *number, gint64 later)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autoptr (TallOrder) order = tall_order_new ("VINET", number);
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  g_autoptr (TallTemplate) template =
      tall_template_parse ("attribute.mark time(sales_date)?", NULL);
  tall_order_add_attribute (order, "mark", mark);
  tall_template_append_keys (template, order, 6, keys);
  TallMutation *mutation =
      tall_batch_add (batch, "entries", tall_slice_array (g_ptr_array_index (keys, 0)));
  if (later == DELETED)
    tall_mutation_delete_up_to (batch, mutation, fixture->clock.now + LATER);
  else
    tall_mutation_put (batch, mutation, tall_slice_str ("order_number"), fixture->clock.now + later,
                       tall_slice_str (number));
  must (tall_table_apply (fixture->table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

/* Entries that lead to nothing, or to an order that has other values, are not shown, and are found
 * and removed. */
static void
test_dangling (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  set_up (&self, fixture, kind);
  g_autoptr (TallOrder) order G_GNUC_UNUSED = put (fixture, "1", "a");
  change_entry (fixture, "b", "1", LATER);
  change_entry (fixture, "b", "2", LATER);
  change_entry (fixture, "c", "1", EARLIER);
  g_assert_cmpuint (count (fixture, "a"), ==, 1);
  g_assert_cmpuint (count (fixture, "b"), ==, 0);
  verify (fixture->front, FALSE, TALL_FINDING_DANGLING_HINT, 3);
  verify (fixture->front, TRUE, TALL_FINDING_DANGLING_HINT, 3);
  verify (fixture->front, TRUE, TALL_FINDING_DANGLING_HINT, 0);
  g_assert_cmpuint (count (fixture, "a"), ==, 1);
}

/* A missing entry is found and written. A marker hides it at its own revision. */
static void
test_missing (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  set_up (&self, fixture, kind);
  g_autoptr (TallOrder) order G_GNUC_UNUSED = put (fixture, "1", "a");
  g_autoptr (TallOrder) other G_GNUC_UNUSED = put (fixture, "2", "a");
  change_entry (fixture, "a", "1", DELETED);
  g_assert_cmpuint (count (fixture, "a"), ==, 1);
  verify (fixture->front, FALSE, TALL_FINDING_MISSING_HINT, 1);
  verify (fixture->front, TRUE, TALL_FINDING_MISSING_HINT, 1);
  verify (fixture->front, TRUE, TALL_FINDING_MISSING_HINT, 0);
  g_assert_cmpuint (count (fixture, "a"), ==, 2);
}

/* An order that changes after it was copied leaves no entries of before in the new tables. */
static void
test_tidy_move (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_auto (TallReference) self = { 0 };
  TallMigrateSummary summary = { 0 };
  TallStoreHooks hooks = tall_test_hooks (&fixture->clock);
  TallMigrateOptions options = { .hooks = &hooks, .settled = TRUE, .pass_only = TRUE };
  guint n;
  set_up (&self, fixture, kind);
  options.move.layout = tall_layouts (&n)[kind->layout == tall_layouts (&n)[0] ? 1 : 0];
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (TallOrder) order G_GNUC_UNUSED = put (fixture, "1", i == 0 ? "a" : "b");
      must (tall_migrate_run (fixture->table, &options, &summary, &error));
      g_assert_cmpint (summary.outcome, ==, i == 0 ? TALL_MIGRATE_PASSED : TALL_MIGRATE_SWITCHED);
      options.pass_only = FALSE;
    }
  g_assert_cmpuint (count (fixture, "a"), ==, 0);
  g_assert_cmpuint (count (fixture, "b"), ==, 1);
  verify (fixture->front, FALSE, TALL_FINDING_MISSING_HINT, 0);
}

/* An order that cannot be read is on the page, with an error that names it; the others come. */
static void
test_damaged (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  const char *mark = "a";
  const TallFindOptions options = { .index = "mark", .values = &mark, .n_values = 1 };
  set_up (&self, fixture, kind);
  g_autoptr (TallOrder) order G_GNUC_UNUSED = put (fixture, "1", "a");
  g_autoptr (TallOrder) other G_GNUC_UNUSED = put (fixture, "2", "a");
  tall_fixture_write_state_cell (fixture, "VINET", "1", tall_slice ("\x01 damage", 8));
  g_autoptr (TallFound) found = must (tall_front_find_orders (fixture->front, &options, &error));
  g_assert_cmpuint (found->n_orders, ==, 2);
  g_assert_error (found->orders[0].error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_null (found->orders[0].order);
  tall_fixture_assert_prefix (found->orders[0].error, "Fetching order 1 of VINET: ");
  g_assert_no_error (found->orders[1].error);
  tall_test_assert_order_equal (found->orders[1].order, other);
}

/* It is there once, however many entries lead to it. */
static void
test_damaged_lines (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  const TallFindOptions options = { .index = "item", .limit = 10 };
  set_up (&self, fixture, kind);
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "1", 40);
  for (guint i = 0; i < 40; i++)
    order->shipping_locations[0]->line_items[i]->item_number =
        tall_arena_printf (tall_order_get_arena (order), "%u", i);
  tall_fixture_put (fixture, order, NULL);
  tall_fixture_write_state_cell (fixture, "VINET", "1", tall_slice ("\x01 damage", 8));
  g_autoptr (TallFound) found = must (tall_front_find_orders (fixture->front, &options, &error));
  g_assert_cmpuint (found->n_orders, ==, 1);
  g_assert_error (found->orders[0].error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_null (found->next_page);
}

/* What was erased is in no entry, and other customers' entries stay. */
static void
test_erase (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  const TallEraseOptions alone = { .alone = TRUE };
  set_up (&self, fixture, kind);
  g_autoptr (TallOrder) order G_GNUC_UNUSED = put (fixture, "1", "a");
  g_autoptr (TallOrder) other = tall_order_new ("VINE", "1");
  tall_order_add_attribute (other, "mark", "a");
  tall_fixture_put (fixture, other, NULL);
  change_entry (fixture, "b", "1", LATER);
  change_entry (fixture, "b", "2", LATER);
  g_autoptr (TallErasePart) part =
      must (tall_front_erase_customer (fixture->front, "VINET", &alone, &error));
  g_assert_cmpuint (count (fixture, "a"), ==, 1);
  g_autoptr (TallReadResult) result = tall_test_scan (fixture->table, "entries");
  g_assert_cmpuint (result->results[0].n_rows, >, 0);
  for (guint i = 0; i < result->results[0].n_rows; i++)
    {
      TallSlice key = result->results[0].rows[i].key;
      g_assert_null (memmem (key.data, key.len, "VINET", strlen ("VINET")));
    }
}

/* An order of more entries than a table changes in one step. */
static void
test_many_lines (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  set_up (&self, fixture, kind);
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "1", 400);
  TallShippingLocation *location = order->shipping_locations[0];
  for (gsize i = 0; i < location->n_line_items; i++)
    location->line_items[i]->item_number =
        tall_arena_printf (tall_order_get_arena (order), "%u", (guint)i);
  tall_fixture_put (fixture, order, NULL);
  TallExpected *record = get_record (&self, 0);
  take_over (&self, record);
  check_search (&self, &searches[1], "0");
  check_search (&self, &searches[1], "399");
  order->shipping_locations[0]->n_line_items = 300;
  tall_fixture_put (fixture, order, NULL);
  take_over (&self, record);
  check_search (&self, &searches[1], "299");
  check_search (&self, &searches[1], "399");
  verify (self.front, FALSE, TALL_FINDING_MISSING_HINT, 0);
  tall_fixture_delete (fixture, "1", NULL);
  record->live = FALSE;
  check_search (&self, &searches[1], "0");
  verify (self.front, FALSE, TALL_FINDING_MISSING_HINT, 0);
}

/* What cannot be asked for, and what the message says. */
static void
test_refusals (TallStoreFixture *fixture, gconstpointer kind)
{
  static const struct
  {
    const char *index, *value, *from, *message;
  } cases[] = {
    { "colour", "a", NULL, "There is no index “colour”; there are: number=order_number, item=" },
    { NULL, "a", NULL, "No index finds what has just these values, each given as FIELD=VALUE" },
    { NULL, "line.description=a", NULL, "No index finds what has just these values" },
    { "number", "1", "2", "the index has 1 parts" },
    { "month", "26-11", NULL, "is not a date as month(sales_date) needs it" },
    { "item", "1", "26-11", "is not a date as rtime(sales_date) needs it" },
  };
  g_auto (TallReference) self = { 0 };
  set_up (&self, fixture, kind);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      const TallFindOptions options = {
        .index = cases[i].index, .values = &cases[i].value, .n_values = 1, .from = cases[i].from
      };
      g_assert_null (tall_front_find_orders (self.front, &options, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      tall_fixture_assert_prefix (error, "Finding orders: ");
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
}

/* A page goes on only with the same search in the same deployment. */
static void
test_tokens (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  g_autoptr (GError) error = NULL;
  const char *values[] = { "a", "b" };
  TallFindOptions options = { .index = "mark", .values = values, .n_values = 1, .limit = 1 };
  set_up (&self, fixture, kind);
  g_autoptr (TallOrder) order G_GNUC_UNUSED = put (fixture, "1", "a");
  g_autoptr (TallOrder) other G_GNUC_UNUSED = put (fixture, "2", "a");
  g_autoptr (TallFound) found = must (tall_front_find_orders (self.front, &options, &error));
  g_assert_nonnull (found->next_page);
  options.page = found->next_page;
  for (guint i = 0; i < 4; i++)
    {
      TallFindOptions wrong = options;
      if (i == 0)
        wrong.values = values + 1;
      else if (i == 1)
        wrong.index = "number";
      else if (i == 2)
        wrong.to = "2026";
      else
        wrong.n_values = 0;
      g_assert_null (tall_front_find_orders (self.front, &wrong, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      g_assert_cmpstr (tall_error_get_field (error), ==, "page");
      g_clear_error (&error);
    }
  options.limit = 9;
  g_autoptr (TallFound) rest = tall_front_find_orders (self.front, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (rest->n_orders, ==, 1);
  g_assert_null (rest->next_page);
}

/* The record has the third format, says the indexes, and a changed letter in one is noticed. */
static void
test_record (TallStoreFixture *fixture, gconstpointer kind)
{
  g_auto (TallReference) self = { 0 };
  set_up (&self, fixture, kind);
  g_autoptr (TallDescription) description = must (tall_front_describe (fixture->front, &error));
  g_assert_cmpuint (description->format, ==, 3);
  g_assert_cmpstr (description->index, ==, "date");
  g_assert_cmpuint (description->n_indexes, ==, 6);
  g_assert_cmpstr (description->indexes[5], ==, "mark=attribute.mark time(sales_date)?");
  tall_test_record_write (fixture->table, "index", "date\nmark=attribute.mark\n12345678", 0);
  must_fail (tall_store_open (fixture->table, NULL, NULL, NULL, &error), TALL_ERROR_DAMAGED);
}

/* A deployment without indexes has none to find by. */
static void
test_none (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  const char *value = "order_number=1";
  const TallFindOptions options = { .values = &value, .n_values = 1 };
  must_fail (tall_front_find_orders (fixture->front, &options, &error), TALL_ERROR_UNSUPPORTED);
}

static const TallStoreTest tests[] = {
  { "random", test_random },     { "tidy", test_tidy },
  { "move", test_move },         { "tidy-move", test_tidy_move },
  { "dangling", test_dangling }, { "missing", test_missing },
  { "damaged", test_damaged },   { "damaged-lines", test_damaged_lines },
  { "erase", test_erase },       { "lines", test_many_lines },
  { "refusals", test_refusals }, { "tokens", test_tokens },
  { "none", test_none },         { "record", test_record },
};

/* Returns: (array length=n): all of them */
const TallStoreTest *
tall_test_finds (guint *n)
{
  *n = G_N_ELEMENTS (tests);
  return tests;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A deployment with a TTL moves: what lives goes on until the same moment, what has ended stays
 * away, and the new tables end orders, too. */
#include "tall-copy-pair.h"
#include "table/memory-table.h"
#include "migrate/migrate.h"
#include "tall-must.h"
#include "tall-test-orders.h"

#define TTL 3600
#define DIFFERENCE 600 /* seconds by which clocks may differ */
#define SECOND G_GINT64_CONSTANT (1000)

#define SHORT_TTL 1
#define POLL (G_USEC_PER_SEC / 20)

static const char *const orders[] = { "half", "deleted" };

typedef struct
{
  const TallLayout *from;
  const TallLayout *to;
} Pair;

/* Stored so many seconds ago. */
static gint64
put (TallTable *table, const char *number, gint64 age)
{
  TallTestClock clock = { .now = g_get_real_time () / 1000 - age * SECOND };
  g_autoptr (TallStore) store = tall_test_open (table, &clock);
  g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, 1, 3);
  gint64 revision;
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, &revision, &error));
  return revision;
}

static gint64
fill (TallTable *table)
{
  put (table, "deleted", 10);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  must (tall_front_delete_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "deleted", NULL, &error));
  return put (table, "half", TTL / 2);
}

/* By a clock that is fast by so many seconds. @revision: of the one that lives; 0: none does */
static void
expect_living (TallTable *table, gint64 fast, gint64 revision)
{
  TallTestClock clock = { .now = g_get_real_time () / 1000 + fast * SECOND };
  g_autoptr (TallStore) store = tall_test_open (table, &clock);
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      g_autoptr (GError) error = NULL;
      gint64 found = 0;
      g_autoptr (TallOrder) order =
          tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, orders[i], &found, &error);
      if (order == NULL)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
      g_assert_cmpint (found, ==, i == 0 ? revision : 0);
    }
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (TALL_FRONT (store), TALL_TEST_CUSTOMER, NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, revision != 0);
}

static guint64
read_ttl (TallTable *table, const char *name)
{
  g_autoptr (TallTableSpec) spec =
      must (tall_table_describe_table (table, name, TALL_NO_DEADLINE, &error));
  return spec->ttl;
}

static void
expect_verified (TallTable *table)
{
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  TallVerifySummary summary;
  const TallVerifyOptions options = { .alone = TRUE };
  must (tall_front_verify (TALL_FRONT (store), &options, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
}

static void
migrate (TallTable *table, const TallLayout *to)
{
  TallMigrateSummary summary;
  const TallMigrateOptions options = { .move = { .layout = to } };
  must (tall_migrate_run (table, &options, &summary, &error));
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_SWITCHED);
}

static void
test_pair (gconstpointer data)
{
  const Pair *pair = data;
  g_autoptr (TallTable) table = tall_memory_table_new ();
  g_autoptr (TallTable) reference = tall_memory_table_new ();
  tall_test_create (table, pair->from->name, "hashed", TTL);
  tall_test_create (reference, pair->to->name, "hashed", TTL);
  gint64 revision = fill (table);
  expect_living (table, 0, revision);

  migrate (table, pair->to);
  expect_living (table, 0, revision);
  expect_verified (table);
  g_assert_cmpuint (read_ttl (table, "orders-2"), ==, read_ttl (reference, "orders"));
  /* Where rows stay, the age decides, by the clock of whoever asks. */
  if (read_ttl (table, "orders-2") == 0)
    expect_living (table, TTL / 2 + 2 * DIFFERENCE, 0);

  migrate (table, pair->from);
  expect_living (table, 0, revision);
  expect_verified (table);
}

static gboolean
is_there (TallTable *table, const char *number)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  g_autoptr (TallOrder) order =
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, number, NULL, &error);
  if (order == NULL)
    g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
  return order != NULL;
}

/* What has ended stays away, and its number can be used again. */
static void
test_ended (gconstpointer data)
{
  const Pair *pair = data;
  g_autoptr (TallTable) table = tall_memory_table_new ();
  tall_test_create (table, pair->from->name, "hashed", SHORT_TTL);
  put (table, "half", 0);
  while (is_there (table, "half"))
    g_usleep (POLL);
  migrate (table, pair->to);
  g_assert_false (is_there (table, "half"));
  expect_verified (table);
  put (table, "half", 0);
}

int
main (int argc, char **argv)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  static Pair pairs[20];
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpuint (n * (n - 1), ==, G_N_ELEMENTS (pairs));
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      guint from = i / (n - 1);
      pairs[i] = (Pair){ layouts[from], layouts[(from + 1 + i % (n - 1)) % n] };
      g_autofree char *path =
          g_strdup_printf ("/migrate/ttl/%s-%s", pairs[i].from->name, pairs[i].to->name);
      g_test_add_data_func (path, &pairs[i], test_pair);
    }
  static const Pair ended[] = { { &tall_layout_blob, &tall_layout_record_type },
                                { &tall_layout_record_type, &tall_layout_normalized } };
  g_test_add_data_func ("/migrate/ttl/ended/blob", &ended[0], test_ended);
  g_test_add_data_func ("/migrate/ttl/ended/record-type", &ended[1], test_ended);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A migration reads everything once: it keeps nothing of that in memory, and takes nothing away
 * from what others read again and again. */
#include "tall-copy-pair.h"
#include "migrate/migrate.h"
#include "tall-must.h"
#include "tall-test-directory.h"

#define N_ORDERS 200
#define N_LINES 50

typedef struct
{
  const TallLayout *from;
  const TallLayout *to;
} Pair;

static gdouble
measure (TallTable *table, const char *name)
{
  g_autoptr (GArray) measures = tall_table_list_measures (table);
  for (guint i = 0; i < measures->len; i++)
    {
      const TallTableMeasure *one = &g_array_index (measures, TallTableMeasure, i);
      if (g_str_equal (one->name, name))
        return one->value;
    }
  g_error ("nobody measures %s", name);
}

/* Closed, so that all lies in files. */
static void
fill (const char *directory, const TallLayout *layout)
{
  g_autoptr (TallTable) table = tall_test_open_table (directory);
  tall_test_create (table, layout->name, "hashed", 0);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 0, i, N_LINES);
      must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
    }
}

static void
get_all (TallTable *table)
{
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = must (
          tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, number, NULL, &error));
    }
}

/* Puts less into the cache than a tenth of what is stored. */
static void
copy (TallTable *table, const TallLayout *to, guint n_copied)
{
  gdouble stored = measure (table, "table_file_bytes");
  gdouble before = measure (table, "block_cache_bytes");
  TallMigrateSummary summary;
  const TallMigrateOptions options = { .move = { .layout = to }, .pass_only = TRUE };
  must (tall_migrate_run (table, &options, &summary, &error));
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_PASSED);
  g_assert_cmpuint (summary.n_copied, ==, n_copied);
  gdouble cached = measure (table, "block_cache_bytes") - before;
  g_test_message ("%u copied, %.0f bytes stored, %.0f cached", n_copied, stored, cached);
  g_assert_cmpfloat (cached, <, stored / 10);
}

static void
test_cache (gconstpointer data)
{
  const Pair *pair = data;
  g_autofree char *directory = tall_test_directory_new ();
  fill (directory, pair->from);
  g_autoptr (TallTable) table = tall_test_open_table (directory);
  gdouble stored = measure (table, "table_file_bytes");
  copy (table, pair->to, N_ORDERS);
  gdouble copied = measure (table, "block_cache_bytes");
  get_all (table);
  g_assert_cmpfloat (measure (table, "block_cache_bytes") - copied, >, stored / 2);

  /* Another process goes on, and has to compare everything with what is in the target. */
  g_clear_object (&table);
  table = tall_test_open_table (directory);
  copy (table, pair->to, 0);
  g_clear_object (&table);
  tall_test_directory_remove (directory);
}

int
main (int argc, char **argv)
{
  static const Pair pairs[] = { { &tall_layout_blob, &tall_layout_normalized },
                                { &tall_layout_normalized, &tall_layout_blob },
                                { &tall_layout_record_type, &tall_layout_wide } };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/migrate/cache/%s-%s", pairs[i].from->name, pairs[i].to->name);
      g_test_add_data_func (path, &pairs[i], test_cache);
    }
  return g_test_run ();
}

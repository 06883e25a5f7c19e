/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Random orders and customers come back equal under every layout and key strategy, on the tables
 * that need no server. */
#include "tall-test-directory.h"
#include "tall-test-pairs.h"
#include "tall-test-round-trip.h"
#include "tall-test-store.h"

#define N_ORDERS 150

typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  gboolean rocksdb; /* or memory */
} Kind;

static void
test_round_trip (gconstpointer data)
{
  const Kind *kind = data;
  g_autofree char *directory = kind->rocksdb ? tall_test_directory_new () : NULL;
  TallTable *table = tall_test_open_table (directory);

  tall_test_round_trip (table, kind->layout, kind->key_strategy, N_ORDERS);

  g_object_unref (table);
  if (directory != NULL)
    tall_test_directory_remove (directory);
}

int
main (int argc, char *argv[])
{
  guint n_layouts, n_strategies;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);
  guint n_kinds = n_layouts * n_strategies * 2;
  g_autofree Kind *kinds = g_new0 (Kind, n_kinds);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n_kinds; i++)
    {
      guint layout = i / 2 / n_strategies, strategy = i / 2 % n_strategies;
      if (!tall_test_takes_pair (layout, n_layouts, strategy, n_strategies, i % 2))
        continue;
      kinds[i] = (Kind){ layouts[layout], strategies[strategy], i % 2 };
      g_autofree char *path =
          g_strdup_printf ("/round-trip/%s/%s/%s", kinds[i].layout->name,
                           kinds[i].key_strategy->name, kinds[i].rocksdb ? "rocksdb" : "memory");
      g_test_add_data_func (path, &kinds[i], test_round_trip);
    }
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What is wrong is found and mended on a real HBase, by a gateway that `tools/hbase/hbase run`
 * names in the environment. Its delete markers stay, and hide what is put below them. */
#include <unistd.h>

#include "table/hbase/table.h"
#include "tall-test-mending.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define GATEWAYS "TALLORDER_HBASE_BINARY"

/* The rest is mended by the same calls. */
static const char *const names[] = {
  "left-claim-and-cells", "left-old-cells",      "left-new-cells",
  "never-loaded",         "lost-hint",           "never-hinted-at",
  "another-date",         "changed-hint",        "never-id-there",
  "never-id-back",        "never-customer-cell", NULL
};

static TallTable *
open_table (const TallStoreKind *kind)
{
  g_auto (GStrv) addresses = g_strsplit (g_getenv (GATEWAYS), ",", 0);
  g_autofree char *name = g_strdup_printf ("repair-%s-%s-%d", kind->layout->name,
                                           kind->key_strategy->name, (int)getpid ());
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.gateways = (const char *const *)addresses;
  options.name = name;
  options.call_timeout = 60000;
  return must (tall_hbase_table_open (&options, &error));
}

static void
test_damage (gconstpointer data)
{
  guint n;
  const TallStoreKind *kind = data;
  const TallTestDamage *damages = tall_test_damages (&n);
  if (g_getenv (GATEWAYS) == NULL)
    {
      g_test_skip (GATEWAYS " is not set: run by tools/hbase/hbase run");
      return;
    }
  TallStoreFixture self = { .clock = { .now = TALL_TEST_NOW }, .table = open_table (kind) };
  tall_test_create (self.table, kind->layout->name, kind->key_strategy->name, 0);
  self.store = tall_test_open (self.table, &self.clock);
  self.front = TALL_FRONT (self.store);
  g_autoptr (TallOrder) sound = tall_test_marked_order ("sound", 1, 1, 3);
  tall_fixture_put (&self, sound, NULL);
  for (guint i = 0; i < n; i++)
    if (g_strv_contains (names, damages[i].name))
      tall_test_check_mended (&self, kind, &damages[i]);
  tall_test_check_left (&self, kind);
  g_object_unref (self.store);
  g_object_unref (self.table);
}

int
main (int argc, char *argv[])
{
  static TallStoreKind kinds[16];
  guint n_layouts;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpuint (n_layouts, <=, G_N_ELEMENTS (kinds));
  for (guint i = 0; i < n_layouts; i++)
    {
      g_autofree char *path = g_strdup_printf ("/repair/%s/hbase", layouts[i]->name);
      kinds[i] = (TallStoreKind){ .layout = layouts[i], .key_strategy = &tall_key_numeric };
      g_test_add_data_func (path, &kinds[i], test_damage);
    }
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A server over a new store in memory, of the layout and key strategy named, or over the front of
 * the tests ("front" instead of a layout), for clients in other languages: prints the address that
 * it listens on, and stops when its standard input ends. */

#include <stdio.h>

#include "table/memory-table.h"
#include "service/server/server.h"
#include "store/store.h"
#include "tall-test-front.h"

static void
wait_for_end_of_input (void)
{
  while (getchar () != EOF)
    continue;
}

static TallFront *
open_store (TallTable *table, const char *layout, const char *key, GError **error)
{
  if (g_str_equal (layout, "front"))
    return tall_test_front_new ();
  TallStoreSettings settings = { .layout = tall_layout_find (layout, error),
                                 .indexes = "item=line.item_number time(sales_date)?" };
  if (settings.layout == NULL)
    return NULL;
  settings.key_strategy = tall_key_strategy_find (key, error);
  if (settings.key_strategy == NULL)
    return NULL;

  if (!tall_store_create (table, &settings, error))
    return NULL;
  TallStore *store = tall_store_open (table, NULL, NULL, NULL, error);
  return store != NULL ? TALL_FRONT (store) : NULL;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_memory_table_new ();
  g_autoptr (TallFront) front =
      open_store (table, argc > 1 ? argv[1] : "blob", argc > 2 ? argv[2] : "hashed", &error);
  g_autoptr (TallServer) server = NULL;

  if (front != NULL)
    server = tall_server_new (front, "127.0.0.1:0", NULL, &error);
  if (server == NULL)
    {
      g_printerr ("%s: %s\n", argv[0], error->message);
      return 1;
    }

  printf ("listening on %s\n", tall_server_get_address (server));
  fflush (stdout);
  wait_for_end_of_input ();
  return tall_server_stop (server) ? 0 : 1;
}

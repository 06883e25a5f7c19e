/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* After an erase that compacts, no file of an embedded store has a byte of the customer's texts. */
#include "table/rocksdb/table.h"
#include "tall-error.h"
#include "tall-test-directory.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define CUSTOMER "zebra-17"
#define OTHER "HANAR"
#define N_ORDERS 5
#define N_OTHERS 40

/* What an order and a customer of the tests say, and the numbers. */
static const char *const texts[] = {
  CUSTOMER, "okapi-", "Vins et alcools", "Queso Cabrales", "paul.henriot", "Reims", NULL
};

typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
} Kind;

static TallStore *
open_store (const char *directory, const Kind *kind, gboolean create)
{
  g_autoptr (TallTable) table = tall_test_open_table (directory);
  if (create)
    tall_test_create (table, kind->layout->name, kind->key_strategy->name, 0);
  return tall_test_open (table, NULL);
}

static void
put_order (TallStore *store, const char *customer, guint number, guint n_lines)
{
  g_autofree char *text = g_strdup_printf ("okapi-%u", number);
  g_autoptr (TallOrder) order = tall_test_order_with_lines (customer, text, n_lines);
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
}

/* Those of the other have nothing that is looked for. */
static void
put_other (TallStore *store, guint number)
{
  g_autofree char *text = g_strdup_printf ("%u", number);
  g_autoptr (TallOrder) order = tall_test_empty_order (OTHER, text, 1);
  tall_test_add_lines (order, 0, 1, 3);
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
}

static void
populate (TallStore *store)
{
  g_autoptr (TallCustomer) customer = tall_test_plain_customer (CUSTOMER);
  must (tall_front_put_customer (TALL_FRONT (store), customer, NULL, NULL, &error));
  for (guint i = 1; i <= N_ORDERS; i++)
    put_order (store, CUSTOMER, i, i == 1 ? 400 : i); /* the first one is claimed */
  put_order (store, CUSTOMER, 2, 3);
  must (tall_front_delete_order (TALL_FRONT (store), CUSTOMER, "okapi-3", NULL, &error));
  for (guint i = 1; i <= N_OTHERS; i++)
    put_other (store, i);
}

static const char *
find_text (const char *path)
{
  gsize len;
  g_autofree char *bytes = NULL;
  must (g_file_get_contents (path, &bytes, &len, &error));
  for (guint i = 0; texts[i] != NULL; i++)
    if (memmem (bytes, len, texts[i], strlen (texts[i])) != NULL)
      return texts[i];
  return NULL;
}

/* Returns: how many files have one of the texts */
static guint
count_files (const char *directory, gboolean shows)
{
  guint n = 0;
  const char *name;
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      const char *found = find_text (path);
      n += found != NULL;
      if (found != NULL && shows)
        g_printerr ("%s has “%s”\n", path, found);
    }
  return n;
}

static void
erase (TallStore *store)
{
  const TallEraseOptions options = { .compact = TRUE, .alone = TRUE };
  g_autoptr (TallErasePart) part =
      must (tall_front_erase_customer (TALL_FRONT (store), CUSTOMER, &options, &error));
  g_assert_cmpint (part->stage, ==, TALL_ERASE_DONE);
  g_assert_cmpuint (part->counts.n_orders, ==, N_ORDERS - 1);
  g_assert_cmpuint (part->counts.n_marks, ==, N_ORDERS + 1);
  gboolean names_manifest = FALSE;
  for (gsize i = 0; i < part->n_left; i++)
    names_manifest |= strstr (part->left[i], "MANIFEST") != NULL;
  g_assert_true (names_manifest);
}

static void
check_others (TallStore *store)
{
  for (guint i = 1; i <= N_OTHERS; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order =
          must (tall_front_get_order (TALL_FRONT (store), OTHER, number, NULL, &error));
    }
}

static void
test_files (gconstpointer kind)
{
  g_autofree char *directory = tall_test_directory_new ();
  TallStore *store = open_store (directory, kind, TRUE);
  populate (store);
  g_object_unref (store); /* some of it is in tables, some in the log */
  g_assert_cmpuint (count_files (directory, FALSE), >, 0);
  store = open_store (directory, kind, FALSE);
  put_order (store, CUSTOMER, N_ORDERS, 2);
  g_assert_cmpuint (count_files (directory, FALSE), >, 1);
  erase (store);
  check_others (store);
  g_object_unref (store);
  g_object_unref (open_store (directory, kind, FALSE)); /* begins another MANIFEST */
  g_assert_cmpuint (count_files (directory, TRUE), ==, 0);
  store = open_store (directory, kind, FALSE);
  check_others (store);
  put_order (store, CUSTOMER, 1, 1);
  g_object_unref (store);
  tall_test_directory_remove (directory);
}

/* While others use the store it waits until no late call needs the markers. */
static void
test_not_alone (void)
{
  g_autofree char *directory = tall_test_directory_new ();
  TallTable *table = tall_test_open_table (directory);
  guint64 ticket = 0;
  gboolean done = TRUE;
  tall_test_create (table, "blob", "hashed", 0);
  for (guint i = 0; i < 3; i++)
    {
      must (tall_table_compact (table, FALSE, &ticket, &done, &error));
      g_assert_false (done);
      g_assert_cmpuint (ticket, >, 0);
    }
  while (!done)
    {
      must (tall_table_compact (table, TRUE, &ticket, &done, &error));
      g_usleep (1000);
    }
  guint64 another = 0; /* of a later write; what was done for an earlier one does not count */
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  put_other (store, 1);
  must (tall_table_compact (table, FALSE, &another, &done, &error));
  g_assert_false (done);
  g_assert_cmpuint (another, >, ticket);
  g_clear_object (&store);
  g_object_unref (table);
  tall_test_directory_remove (directory);
}

int
main (int argc, char **argv)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  static Kind kinds[32];
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < 2 * n; i++)
    {
      kinds[i] = (Kind){ layouts[i / 2], i % 2 == 0 ? &tall_key_hashed : &tall_key_numeric };
      g_autofree char *path = g_strdup_printf ("/erase/files/%s/%s", kinds[i].layout->name,
                                               kinds[i].key_strategy->name);
      g_test_add_data_func (path, &kinds[i], test_files);
    }
  g_test_add_func ("/erase/files/not-alone", test_not_alone);
  return g_test_run ();
}

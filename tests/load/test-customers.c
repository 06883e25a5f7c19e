/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/grouper.h"
#include "tall-test-loads.h"
#include "tall-must.h"

#define MAP "[mapping]\nkind=customers\n[customer]\nnumber=C\nname=N\n"
#define HEADER "C,N\n"
#define N_FILES 2

typedef struct
{
  GHashTable *names; /* of a customer's first row, by its number */
  guint n_emitted;
} Seen;

static void
check_item (TallLoadItem *taken, gpointer data)
{
  g_autoptr (TallLoadItem) item = taken;
  Seen *self = data;
  const char *name = g_hash_table_lookup (self->names, item->customer->number);
  g_assert_cmpstr (item->customer->name, ==, name);
  self->n_emitted++;
}

/* Rows of customers of whom some come twice. */
static void
add_files (TallTestLoad *load, Seen *seen, guint n_rows, GRand *rand)
{
  for (guint f = 0; f < N_FILES; f++)
    {
      g_autoptr (GString) text = g_string_new (HEADER);
      for (guint i = 0; i < n_rows; i++)
        {
          g_autofree char *number = g_strdup_printf ("%d", g_rand_int_range (rand, 0, 1000));
          g_autofree char *name = g_strdup_printf ("%u-%u", f, i);
          g_string_append_printf (text, "%s,%s\n", number, name);
          if (!g_hash_table_contains (seen->names, number))
            g_hash_table_insert (seen->names, g_steal_pointer (&number), g_steal_pointer (&name));
        }
      tall_test_load_add (load, NULL, text->str, -1);
    }
}

static void
group (const TallTestLoad *load, Seen *seen)
{
  g_autoptr (GError) error = NULL;
  const TallSpoolPlace place = { .folder = g_get_tmp_dir () };
  g_autoptr (TallGrouper) grouper =
      tall_grouper_new (load->files, NULL, &place, load->rejects, check_item, seen);
  for (guint f = 0; f < N_FILES; f++)
    {
      TallCsvRow row;
      TallCsvReader *reader = tall_load_files_get (load->files, f)->reader;
      tall_grouper_begin_file (grouper, f);
      while (tall_csv_reader_next (reader, &row, &error) == TALL_CSV_ROW)
        must (tall_grouper_push (grouper, &row, &error));
      g_assert_no_error (error);
    }
}

/* The first row of each customer counts. */
static void
test_twice (void)
{
  for (guint32 seed = 0; seed < 20; seed++)
    {
      const guint n_rows = 200;
      g_auto (TallTestLoad) load;
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      Seen seen = { .names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
      tall_test_load_init (&load, MAP);
      add_files (&load, &seen, n_rows, rand);
      tall_load_files_start (load.files);
      for (guint f = 0; f < N_FILES; f++)
        tall_rejects_add_file (load.rejects, f == 0 ? "a" : "b", tall_slice_str (HEADER));
      group (&load, &seen);
      guint n_customers = g_hash_table_size (seen.names);
      g_assert_cmpuint (seen.n_emitted, ==, n_customers);
      g_assert_cmpuint (tall_rejects_get_count (load.rejects), ==, N_FILES * n_rows - n_customers);
      g_hash_table_unref (seen.names);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/customers/twice", test_twice);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/assembler.h"
#include "tall-must.h"

#define MAP "[order]\ncustomer_number=C\norder_number=O\n[line]\nquantity=Q\n"
#define MIB (1024 * 1024)
#define MOST 64 /* MiB of rows in one order */

static void
note_item (TallLoadItem *taken, gpointer data)
{
  g_autoptr (TallLoadItem) item = taken;
  *(guint *)data += tall_load_item_count_rows (item);
}

/* Gives an order rows of 1 MiB, and then one of @last bytes. Returns how many rows are emitted. */
static guint
assemble (TallRejects *rejects, guint n_rows, gsize last)
{
  g_autofree char *bytes = g_malloc0 (MIB);
  static const char *const columns[] = { "C", "O", "Q", NULL };
  static const char *const fields[] = { "A", "1", "1", NULL };
  guint n_emitted = 0;
  g_autoptr (TallMapping) mapping = must (tall_mapping_parse ("m", MAP, -1, &error));
  must (tall_mapping_bind (mapping, columns, &error));
  g_autoptr (TallAssembler) assembler = tall_assembler_new (rejects, note_item, &n_emitted);
  tall_assembler_begin (assembler, mapping, "A", "1");
  for (guint i = 0; i <= n_rows; i++)
    {
      const TallCsvRow row = { .line = i + 2,
                               .raw = tall_slice (bytes, i < n_rows ? MIB : last),
                               .fields = fields,
                               .n_fields = 3,
                               .column = TALL_CSV_NO_COLUMN };
      tall_assembler_push (assembler, mapping, &row);
    }
  tall_assembler_finish (assembler);
  return n_emitted;
}

/* The rows of an order are kept until it is stored, so it may not have any number of bytes. */
static void
test_bound (void)
{
  g_autoptr (TallRejects) fits = tall_rejects_new (NULL, NULL);
  g_assert_cmpuint (assemble (fits, MOST - 1, MIB), ==, MOST);
  g_assert_cmpuint (tall_rejects_get_count (fits), ==, 0);

  g_autoptr (TallRejects) over = tall_rejects_new (NULL, NULL);
  g_assert_cmpuint (assemble (over, MOST, 1), ==, 0);
  g_assert_cmpuint (tall_rejects_get_count (over), ==, MOST + 1);
  const TallRejectTally *first = g_ptr_array_index (tall_rejects_get_tally (over), 0);
  g_assert_cmpstr (first->reason, ==, "the order is too large");
  g_assert_cmpuint (first->first_line, ==, MOST + 2);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/assembler/bound", test_bound);
  return g_test_run ();
}

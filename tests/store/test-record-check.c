/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bulk.h"
#include "tall-error.h"
#include "store/record/deployment.h"
#include "tall-test-record.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* The numbers of the deployment record that have a check, `ttl` and `bulk_revision`: a changed
 * digit must neither let orders expire nor give a revision twice. */

typedef struct
{
  guint64 number;
  const char *stored;
} Case;

static const Case cases[] = {
  { 0, "0/5feceb66" },
  { 3600, "3600/8b34042b" },
  { 86400, "86400/b045dd9c" },
  { 12288, "12288/36bf10ff" },
  { G_MAXUINT64, "18446744073709551615/2cdb2626" },
};

/* Neither version wrote that. */
static const char *const damaged[] = {
  "",
  " ",
  "-1",
  "+1",
  "1 ",
  "0x1",
  "one",
  "/5feceb66",
  "0/",
  "0/5fece",
  "0/",
  "0 5feceb66",
  "0/5feceb66/",
  "0/5feceb66 ",
  "00/5feceb66",
  "1/5feceb66",
  "0/5FECEB66",
  "18446744073709551616",
};

static void
expect (TallSlice stored, guint64 number)
{
  guint64 is;
  must (tall_record_parse_number (stored, "ttl", G_MAXUINT64, &is, &error));
  g_assert_cmpuint (is, ==, number);
}

static void
expect_damaged (TallSlice stored, guint64 max)
{
  g_autoptr (GError) error = NULL;
  guint64 number;
  if (tall_record_parse_number (stored, "ttl", max, &number, &error))
    g_error ("“%.*s” is taken", (int)stored.len, (const char *)stored.data);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "column ttl is"));
  g_assert_cmpuint (strlen (error->message), <, 1500);
}

static void
test_stored (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *stored = tall_record_print_number (cases[i].number);
      g_autofree char *earlier = g_strdup_printf ("%" G_GUINT64_FORMAT, cases[i].number);
      g_assert_cmpstr (stored, ==, cases[i].stored);
      expect (tall_slice_str (stored), cases[i].number);
      expect (tall_slice_str (earlier), cases[i].number);
      if (cases[i].number > 0)
        expect_damaged (tall_slice_str (stored), cases[i].number - 1);
    }
}

static void
test_damaged (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (damaged); i++)
    expect_damaged (tall_slice_str (damaged[i]), G_MAXUINT64);
  expect_damaged (tall_slice ("0\0", 2), G_MAXUINT64);
  expect_damaged (tall_slice ("0/5feceb66\0", 11), G_MAXUINT64);
  g_autofree char *huge = g_strnfill (1 << 20, '0');
  memset (huge, '\xff', 1 << 19);
  expect_damaged (tall_slice_str (huge), G_MAXUINT64);
}

/* No bit can be flipped, and no digit of a check left out. */
static void
test_flipped (void)
{
  for (guint i = 0; i < 1000; i++)
    {
      g_autofree char *stored =
          tall_record_print_number (i < G_N_ELEMENTS (cases) ? cases[i].number : i * 4096);
      gsize len = strlen (stored);
      for (gsize bit = 0; bit < 8 * len; bit++)
        {
          g_autofree char *text = g_strdup (stored);
          text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
          expect_damaged (tall_slice (text, len), G_MAXUINT64);
        }
      for (gsize cut = len - 8; cut < len; cut++)
        expect_damaged (tall_slice (stored, cut), G_MAXUINT64);
    }
}

static void
expect_refused (TallTable *table, const char *column)
{
  must_fail (tall_store_open (table, NULL, NULL, NULL, &error), TALL_ERROR_DAMAGED, column);
}

/* With one bit flipped, what is two hours old would be gone. */
static void
test_ttl (void)
{
  g_autoptr (TallTable) table = tall_test_open_table (NULL);
  tall_test_create (table, "blob", "hashed", 86400);
  tall_test_record_expect (table, "ttl", "86400/b045dd9c");
  tall_test_record_expect (table, "bulk_revision", "0/5feceb66");
  tall_test_record_write (table, "ttl", "06400/b045dd9c", 0);
  expect_refused (table, "column ttl is");
  tall_test_record_write (table, "ttl", "86400", 0); /* of an earlier version */
  g_object_unref (tall_test_open (table, NULL));
}

/* Loads one new order. @result: (out): what becomes of it */
static void
load (TallStore *store, const char *number, TallBulkResult *result)
{
  g_autoptr (TallOrder) order = tall_test_marked_order (number, 0, 0, 1);
  g_autoptr (TallBulk) bulk = must (tall_bulk_begin (TALL_FRONT (store), NULL, &error));
  *result = (TallBulkResult){ 0 };
  must (tall_bulk_put_orders (bulk, &order, 1, result, &error));
  must (tall_bulk_end (bulk, &error));
}

/* A load looks itself, however long the store has been open. */
static void
test_loads (void)
{
  TallBulkResult result;
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  tall_test_record_write (table, "bulk_revision", "8192", 0); /* of an earlier version */
  load (store, "1", &result);
  g_assert_no_error (result.error);
  g_assert_cmpint (result.outcome, ==, TALL_BULK_STORED);
  tall_test_record_expect (table, "bulk_revision", "12288/36bf10ff");

  tall_test_record_write (table, "bulk_revision", "02288/36bf10ff", 0);
  load (store, "2", &result);
  g_assert_error (result.error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (result.error->message, "restore the deployment"));
  tall_bulk_result_clear (&result);
  tall_test_record_expect (table, "bulk_revision", "02288/36bf10ff");
  expect_refused (table, "column bulk_revision is");
  must_fail (tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "2", NULL, &error),
             TALL_ERROR_NOT_FOUND);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/record-check/stored", test_stored);
  g_test_add_func ("/record-check/damaged", test_damaged);
  g_test_add_func ("/record-check/flipped", test_flipped);
  g_test_add_func ("/record-check/ttl", test_ttl);
  g_test_add_func ("/record-check/loads", test_loads);
  return g_test_run ();
}

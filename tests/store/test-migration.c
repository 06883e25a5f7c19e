/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "store/record/migration.h"
#include "tall-must.h"

/* The column `migration` of the deployment record. */

#define SEAL "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b"

static const char *const possible[] = {
  "1 none 0 1 - -",
  "1 none 0 2 - unsealed",
  "1 none 0 9223372036854775807 - unsealed,reopened",
  "12 none 0 12 - -",
  "1 copying 2 2 - -",
  "2 copying 5 5 - unsealed",
  "1 copying 2 2 - reopened",
  "1 sealing 2 2 - unsealed",
  "1 closing 2 2 " SEAL " -",
  "1 aborting 2 2 - unsealed",
  "1 aborting 2 2 " SEAL " unsealed,reopened",
  "1 aborting 0 1 - unsealed",
};

/* None of it is ever written. */
static const char *const damaged[] = {
  "",
  " ",
  "1",
  "1 none 0 1 -",
  "1 none 0 1 - - ",
  " 1 none 0 1 - -",
  "1  none 0 1 - -",
  "1 none 0 1 - - -",
  "01 none 0 1 - -",
  "+1 none 0 1 - -",
  "-1 none 0 1 - -",
  "0 none 0 1 - -",
  "1 none 0 0 - -",
  "2 none 0 1 - -",
  "1 none 2 2 - -",
  "1 none 0 9223372036854775808 - -",
  "1 none 0 18446744073709551617 - -",
  "1 NONE 0 1 - -",
  "1 resting 0 1 - -",
  "1 none 0 1 " SEAL " -",
  "1 none 0 1 - reopened,unsealed",
  "1 none 0 1 - unsealed,",
  "1 none 0 1 - unsealedreopened",
  "1 none 0 1 - sealed",
  "1 none 0 1  -",
  "1 copying 0 1 - -",
  "1 copying 2 3 - -",
  "1 copying 1 1 - -",
  "3 copying 2 3 - -",
  "1 copying 2 2 " SEAL " -",
  "1 sealing 2 2 " SEAL " -",
  "1 closing 2 2 - -",
  "1 closing 2 2 1b4e28ba -",
  "1 closing 2 2 " SEAL SEAL " -",
  "1 aborting 2 2 - -",
  "1 aborting 0 1 " SEAL " unsealed",
  "1 sealing 2 2 - reopened",
  "1 sealing 2 2 - unsealed,reopened",
  "1 closing 2 2 " SEAL " reopened",
};

static void
test_possible (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (possible); i++)
    {
      TallMigration migration;
      must (tall_migration_parse (&migration, tall_slice_str (possible[i]), &error));
      g_autofree char *text = tall_migration_print (&migration);
      g_assert_cmpstr (text, ==, possible[i]);
    }
}

static void
test_fields (void)
{
  TallMigration migration;
  must (tall_migration_parse (
      &migration, tall_slice_str ("3 aborting 7 7 " SEAL " unsealed,reopened"), &error));
  g_assert_cmpuint (migration.generation, ==, 3);
  g_assert_cmpint (migration.phase, ==, TALL_MIGRATION_ABORTING);
  g_assert_cmpuint (migration.target, ==, 7);
  g_assert_cmpuint (migration.last, ==, 7);
  g_assert_cmpstr (migration.seal, ==, SEAL);
  g_assert_true (migration.unsealed);
  g_assert_true (migration.reopened);
  g_assert_cmpstr (tall_migration_phase_get_name (migration.phase), ==, "aborting");

  migration = TALL_MIGRATION_INIT;
  g_autofree char *text = tall_migration_print (&migration);
  g_assert_cmpstr (text, ==, possible[0]);
}

static void
expect_damaged (TallSlice text)
{
  g_autoptr (GError) error = NULL;
  TallMigration migration;
  if (tall_migration_parse (&migration, text, &error))
    g_error ("“%.*s” is taken", (int)text.len, (const char *)text.data);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_cmpuint (strlen (error->message), <, 1000);
}

static void
test_damaged (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (damaged); i++)
    expect_damaged (tall_slice_str (damaged[i]));

  expect_damaged (tall_slice ("1 none 0 1 - -\0", 15));
  expect_damaged (tall_slice ("1 none 0 1 - -\0x", 16));
  expect_damaged (tall_slice ("1 none 0 1 -\0-", 14));
  g_autofree char *huge = g_strnfill (1 << 20, ' ');
  expect_damaged (tall_slice_str (huge));
  memset (huge, '\xff', 1 << 20);
  expect_damaged (tall_slice_str (huge));
}

/* As it is stored, byte for byte. */
static void
test_check (void)
{
  static const char *const stored[] = {
    "2 none 0 2 - - aaa2527c",
    "1 closing 2 2 " SEAL " unsealed fb1096ed",
  };
  for (guint i = 0; i < G_N_ELEMENTS (stored); i++)
    {
      TallMigration migration;
      must (tall_migration_parse (&migration, tall_slice_str (stored[i]), &error));
      g_autofree char *text = tall_migration_print (&migration);
      g_autofree char *checked = tall_migration_add_check (text);
      g_assert_cmpstr (checked, ==, stored[i]);
    }
}

/* With a check, no byte can be flipped, and no digit of the check left out. */
static void
test_flipped (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (possible); i++)
    {
      g_autofree char *stored = tall_migration_add_check (possible[i]);
      gsize len = strlen (stored);
      for (gsize at = 0; at < len; at++)
        for (guint bit = 0; bit < 8; bit++)
          {
            g_autofree char *text = g_strdup (stored);
            text[at] = (char)(text[at] ^ (1 << bit));
            expect_damaged (tall_slice (text, len));
          }
      for (gsize cut = strlen (possible[i]) + 1; cut < len; cut++)
        expect_damaged (tall_slice (stored, cut));
    }
}

/* An earlier version wrote no check. What is taken is printed so. */
static void
test_flipped_unchecked (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (possible); i++)
    for (gsize at = 0; at < strlen (possible[i]); at++)
      for (guint bit = 0; bit < 8; bit++)
        {
          g_autofree char *text = g_strdup (possible[i]);
          TallMigration migration;
          text[at] = (char)(text[at] ^ (1 << bit));
          TallSlice slice = tall_slice (text, strlen (possible[i]));
          if (!tall_migration_parse (&migration, slice, NULL))
            continue;
          g_autofree char *printed = tall_migration_print (&migration);
          g_assert_true (tall_slice_equal (tall_slice_str (printed), slice));
        }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migration/possible", test_possible);
  g_test_add_func ("/migration/fields", test_fields);
  g_test_add_func ("/migration/damaged", test_damaged);
  g_test_add_func ("/migration/check", test_check);
  g_test_add_func ("/migration/flipped", test_flipped);
  g_test_add_func ("/migration/flipped-unchecked", test_flipped_unchecked);
  return g_test_run ();
}

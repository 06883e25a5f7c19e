/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"

static void
test_details (void)
{
  g_autoptr (GError) invalid = NULL;
  g_autoptr (GError) conflict = NULL;
  tall_error_set_invalid (&invalid, "shipping_locations[0].name", "Bad %s", "name");
  tall_error_set_conflict (&conflict, 42, "Revision %d is stored", 42);

  g_autoptr (GError) copy = g_error_copy (invalid);
  g_assert_error (copy, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (copy->message, ==, "Bad name");
  g_assert_cmpstr (tall_error_get_field (copy), ==, "shipping_locations[0].name");
  g_assert_error (conflict, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_cmpint (tall_error_get_revision (conflict), ==, 42);
}

static void
test_foreign (void)
{
  g_autoptr (GError) foreign = g_error_new (G_FILE_ERROR, G_FILE_ERROR_NOENT, "gone");
  g_assert_null (tall_error_get_field (foreign));
  g_assert_cmpint (tall_error_get_revision (foreign), ==, 0);
}

static void
test_names (void)
{
  for (int code = TALL_ERROR_NOT_FOUND; code <= TALL_ERROR_INTERNAL; code++)
    g_assert_cmpstr (tall_error_code_name (code), !=, "unknown");
  g_assert_cmpstr (tall_error_code_name (0), ==, "unknown");
  g_assert_cmpstr (tall_error_code_name (99), ==, "unknown");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/error/details", test_details);
  g_test_add_func ("/base/error/foreign", test_foreign);
  g_test_add_func ("/base/error/names", test_names);
  return g_test_run ();
}

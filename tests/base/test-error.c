/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"

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
  for (int code = TALL_ERROR_NOT_FOUND; code <= TALL_ERROR_SHUT; code++)
    g_assert_cmpstr (tall_error_code_name (code), !=, "unknown");
  g_assert_cmpstr (tall_error_code_name (0), ==, "unknown");
  g_assert_cmpstr (tall_error_code_name (99), ==, "unknown");
}

/* As the IDL says of each code what it means; a new one must be decided on. */
static void
test_meanings (void)
{
  static const struct
  {
    TallError code;
    gboolean of_one, not_done, passing, unreadable;
  } table[] = {
    { TALL_ERROR_NOT_FOUND, TRUE, TRUE, FALSE, FALSE },
    { TALL_ERROR_CONFLICT, TRUE, TRUE, FALSE, FALSE },
    { TALL_ERROR_INVALID, TRUE, TRUE, FALSE, FALSE },
    { TALL_ERROR_TOO_LARGE, TRUE, TRUE, FALSE, FALSE },
    { TALL_ERROR_KEY_COLLISION, TRUE, TRUE, FALSE, FALSE },
    { TALL_ERROR_UNSUPPORTED, FALSE, TRUE, FALSE, FALSE },
    { TALL_ERROR_OVERLOADED, FALSE, TRUE, TRUE, FALSE },
    { TALL_ERROR_UNAVAILABLE, FALSE, TRUE, TRUE, FALSE },
    { TALL_ERROR_TIMED_OUT, FALSE, TRUE, TRUE, FALSE },
    { TALL_ERROR_OUTCOME_UNKNOWN, FALSE, FALSE, TRUE, FALSE },
    { TALL_ERROR_DAMAGED, TRUE, TRUE, FALSE, TRUE },
    { TALL_ERROR_NEWER_VERSION, TRUE, TRUE, FALSE, TRUE },
    { TALL_ERROR_INTERNAL, FALSE, FALSE, FALSE, FALSE },
    { TALL_ERROR_FORBIDDEN, FALSE, TRUE, FALSE, FALSE },
    { TALL_ERROR_SHUT, FALSE, FALSE, TRUE, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GError) error = g_error_new_literal (TALL_ERROR, (gint)table[i].code, "");
      g_assert_cmpuint (table[i].code, ==, i + TALL_ERROR_NOT_FOUND);
      g_assert_cmpint (tall_error_is_of_one (error), ==, table[i].of_one);
      g_assert_cmpint (tall_error_is_not_done (error), ==, table[i].not_done);
      g_assert_cmpint (tall_error_is_passing (error), ==, table[i].passing);
      g_assert_cmpint (tall_error_is_unreadable (error), ==, table[i].unreadable);
    }
  g_assert_cmpstr (tall_error_code_name (TALL_ERROR_NOT_FOUND + G_N_ELEMENTS (table)), ==,
                   "unknown");
}

/* The detail stays with the error, behind every prefix, and out of the message. */
static void
test_detail (void)
{
  g_autoptr (GError) error = NULL;

  tall_error_set_detailed (&error, TALL_ERROR_UNAVAILABLE, "/srv: %s", "%s is full", "the disk");
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_prefix_error (&error, "Storing: ");
  g_autoptr (GError) copy = g_error_copy (error);
  g_clear_error (&error);
  g_assert_cmpstr (copy->message, ==, "Storing: the disk is full");
  g_assert_cmpstr (tall_error_get_detail (copy), ==, "/srv: %s");
  g_autofree char *all = tall_error_describe (copy);
  g_assert_cmpstr (all, ==, "Storing: the disk is full (/srv: %s)");

  g_autoptr (GError) plain = g_error_new (TALL_ERROR, TALL_ERROR_NOT_FOUND, "gone");
  g_assert_null (tall_error_get_detail (plain));
  g_autofree char *text = tall_error_describe (plain);
  g_assert_cmpstr (text, ==, "gone");
  g_autoptr (GError) foreign = g_error_new (G_FILE_ERROR, 1, "not ours");
  g_assert_null (tall_error_get_detail (foreign));
  tall_error_set_detailed (NULL, TALL_ERROR_INTERNAL, "x", "y");
}

static void
assert_means_nothing (const GError *error)
{
  g_assert_false (tall_error_is_of_one (error));
  g_assert_false (tall_error_is_not_done (error));
  g_assert_false (tall_error_is_passing (error));
  g_assert_false (tall_error_is_unreadable (error));
}

static void
test_no_meaning (void)
{
  g_autoptr (GError) foreign = g_error_new (G_FILE_ERROR, TALL_ERROR_TIMED_OUT, "gone");
  g_autoptr (GError) later = g_error_new (TALL_ERROR, TALL_ERROR_SHUT + 1, "of a later version");
  g_autoptr (GError) negative = g_error_new (TALL_ERROR, -1, "of no version");
  assert_means_nothing (NULL);
  assert_means_nothing (foreign);
  assert_means_nothing (later);
  assert_means_nothing (negative);
}

/* One statement sets an error and is FALSE, also where nobody wants to know why. */
static void
test_fail (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (tall_error_fail (&error, TALL_ERROR_TOO_LARGE, "%d bytes", 9));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE);
  g_assert_cmpstr (error->message, ==, "9 bytes");
  g_assert_null (tall_error_get_field (error));
  g_clear_error (&error);
  g_assert_false (tall_error_fail_invalid (&error, "price", "%s is wrong", "it"));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==, "it is wrong");
  g_assert_cmpstr (tall_error_get_field (error), ==, "price");
  g_assert_false (tall_error_fail (NULL, TALL_ERROR_DAMAGED, "nobody hears it"));
  g_assert_false (tall_error_fail_invalid (NULL, NULL, "nobody hears it"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/error/details", test_details);
  g_test_add_func ("/base/error/detail", test_detail);
  g_test_add_func ("/base/error/foreign", test_foreign);
  g_test_add_func ("/base/error/names", test_names);
  g_test_add_func ("/base/error/meanings", test_meanings);
  g_test_add_func ("/base/error/no-meaning", test_no_meaning);
  g_test_add_func ("/base/error/fail", test_fail);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "library/open.h"
#include "tall-test-directory.h"
#include "tall-must.h"

/* Tests that every kind of tables is described whole, and that addresses are read by what the kinds
 * say. */

static TallTableAddress *
parse (const char *url)
{
  return must (tall_table_kinds_parse (url, &error));
}

static void
assert_refused (const char *url, const char *what)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (tall_table_kinds_parse (url, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, "store");
  if (strstr (error->message, what) == NULL)
    g_error ("“%s” is not in: %s", what, error->message);
}

/* An address of the kind that has one parameter. */
static char *
make_url (const TallTableKind *kind, const char *name, const char *value)
{
  const char *place = kind->is_embedded ? "/tmp/place" : "host:1";
  return g_strdup_printf ("%s%s?%s=%s", kind->scheme, place, name, value);
}

static void
test_place (gconstpointer data)
{
  const TallTableKind *kind = data;
  g_autofree char *url = make_url (kind, "name", "a%20b");
  assert_refused (url, "a name is not empty and has no spaces");
  g_autofree char *named = make_url (kind, "name", "a%3Fb");
  g_autoptr (TallTableAddress) address = parse (named);
  g_assert_true (address->kind == kind);
  g_assert_cmpstr (address->name, ==, "a?b");
  g_assert_cmpstr (address->place, ==, kind->is_embedded ? "/tmp/place" : "host:1");

  g_autoptr (TallTableAddress) copy = tall_table_address_copy (address);
  tall_table_address_set_name (copy, NULL);
  tall_table_address_set_place (copy, "elsewhere");
  g_assert_cmpstr (address->name, ==, "a?b");
  g_assert_cmpstr (copy->place, ==, "elsewhere");
  g_assert_null (copy->name);

  g_autofree char *missing = g_strdup_printf ("%s is missing", kind->what);
  assert_refused (kind->scheme, missing);
}

/* Both words of each parameter, what counts without it, and another word. */
static void
test_choices (gconstpointer data)
{
  const TallTableKind *kind = data;
  g_autofree char *form = tall_table_kind_make_form (kind);
  for (guint i = 0; kind->choices[i].name != NULL; i++)
    {
      const TallTableChoice *choice = &kind->choices[i];
      for (guint k = 0; k < 2; k++)
        {
          g_autofree char *url = make_url (kind, choice->name, choice->words[k]);
          g_autoptr (TallTableAddress) address = parse (url);
          g_assert_cmpint (address->choices[i], ==, k == 1);
        }
      g_autofree char *plain = make_url (kind, "name", "n");
      g_autoptr (TallTableAddress) usual = parse (plain);
      g_assert_cmpint (usual->choices[i], ==, choice->usual);
      g_autofree char *wrong = make_url (kind, choice->name, "maybe");
      g_autofree char *advice =
          g_strdup_printf ("choose %s or %s", choice->words[0], choice->words[1]);
      assert_refused (wrong, advice);
      assert_refused (wrong, form);
      g_assert_nonnull (strstr (form, choice->name));
    }
  g_autofree char *unknown = make_url (kind, "colour", "red");
  assert_refused (unknown, "there is no parameter “colour”; known are: name");
}

/* The names differ, and no address belongs to two kinds. */
static void
test_apart (void)
{
  guint n;
  const TallTableKind *const *kinds = tall_table_kinds (&n);
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n; k++)
      {
        g_assert_true (i == k || !g_str_equal (kinds[i]->name, kinds[k]->name));
        g_assert_true (i == k || !g_str_has_prefix (kinds[i]->scheme, kinds[k]->scheme));
      }
}

/* An embedded store is made only if it may be; its tables say the name of their kind. */
static void
test_open (gconstpointer data)
{
  const TallTableKind *kind = data;
  g_autofree char *directory = tall_test_directory_new ();
  g_autofree char *url = g_strdup_printf ("%s%s/new?name=n", kind->scheme, directory);
  g_autoptr (TallTableAddress) address = parse (url);
  must_fail (tall_table_address_open (address, FALSE, &error), TALL_ERROR_NOT_FOUND);

  g_autoptr (TallTable) table = must (tall_table_address_open (address, TRUE, &error));
  TallTableInfo info;
  tall_table_get_info (table, &info);
  g_assert_cmpstr (info.kind, ==, kind->name);
  g_assert_cmpstr (info.deployment, ==, "n");
  g_assert_true (info.is_exclusive);
  g_clear_object (&table);
  tall_test_directory_remove (directory);
}

static void
add (const TallTableKind *kind, const char *name, GTestDataFunc function)
{
  g_autofree char *path = g_strdup_printf ("/table/address/%s/%s", kind->name, name);
  g_test_add_data_func (path, kind, function);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  guint n;
  const TallTableKind *const *kinds = tall_table_kinds (&n);
  for (guint i = 0; i < n; i++)
    {
      add (kinds[i], "place", test_place);
      add (kinds[i], "choices", test_choices);
      if (kinds[i]->is_embedded)
        add (kinds[i], "open", test_open);
    }
  g_test_add_func ("/table/address/apart", test_apart);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/field.h"
#include "load/mapping/sniff.h"
#include "model/model-type.h"
#include "tall-test-files.h"
#include "tall-must.h"

#include <glib/gstdio.h>

static char *
sniff (const char *header)
{
  gboolean is_whole;
  g_autofree char *csv = g_strconcat ("order_number,customer_number,", header, "\nO,C,\n", NULL);
  g_autofree char *path = tall_test_write_file (csv, -1);
  const char *paths[] = { path }, *names[] = { NULL };
  char *text = must (tall_sniff (paths, names, 1, &is_whole, &error));
  g_remove (path);
  return text;
}

/* A column that is called as a field is that field, also one that is new in the model. */
static void
test_own_names (void)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    {
      const char *scope = tall_csv_field_scope_name (fields[i].scope);
      TallModelKind kind = tall_model_kind (fields[i].field);
      if (fields[i].scope == TALL_SCOPE_CUSTOMER || kind == TALL_MODEL_NUMBER
          || kind == TALL_MODEL_ATTRIBUTES)
        continue;
      g_autofree char *full = g_strconcat (scope, ".", fields[i].name, NULL);
      g_autofree char *line = g_strdup_printf ("\n%s=%s\n", fields[i].name, full);
      g_autofree char *text = sniff (full);
      g_test_message ("%s", text);
      g_assert_nonnull (strstr (text, line));
    }
}

/* Without the name of its group, if there is one field of that name. */
static void
test_short_names (void)
{
  static const char *const names[] = { "ship_date", "address.city", "item_number", "quantity" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *line = g_strdup_printf ("\n%s=%s\n", names[i], names[i]);
      g_autofree char *text = sniff (names[i]);
      g_test_message ("%s", text);
      g_assert_nonnull (strstr (text, line));
    }
  g_autofree char *number = sniff ("number");
  g_assert_null (strstr (number, "\nnumber=number\n"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/sniff/own-names", test_own_names);
  g_test_add_func ("/load/sniff/short-names", test_short_names);
  return g_test_run ();
}

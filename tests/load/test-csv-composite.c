/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "load/mapping/mapping.h"
#include "tall-test-files.h"
#include "tall-must.h"

static void
test_values (void)
{
  static const char *const columns[] = { "A", "B", "C", "a + b", NULL };
  static const struct
  {
    const char *expression;
    const char *fields[4];
    const char *value;
  } cases[] = {
    { "A + B", { "x", "y", "", "" }, "xy" },
    { "A+B", { "x", "y", "", "" }, "xy" },
    { "A + \" \" + B", { "x", "y", "", "" }, "x y" },
    { "A + \" + \" + B", { "x", "y", "", "" }, "x + y" },
    { "A + \" \" + B", { "", "y", "", "" }, "y" },
    { "A + \" \" + B", { "x", "", "", "" }, "x" },
    { "A + \" \" + B", { "", "", "", "" }, "" },
    { "A + \", \" + B + \", \" + C", { "x", "", "z", "" }, "x, z" },
    { "A + \", \" + B + \", \" + C", { "", "y", "z", "" }, "y, z" },
    { "A + \", \" + B + \", \" + C", { "x", "y", "", "" }, "x, y" },
    { "A + \", \" + B + \", \" + C", { "x", "", "", "" }, "x" },
    { "A + \" (\" + B + \")\"", { "x", "y", "", "" }, "x (y)" },
    { "A + \" (\" + B + \")\"", { "x", "", "", "" }, "x" },
    { "\"INV-\" + A", { "7", "", "", "" }, "INV-7" },
    { "\"INV-\" + A", { "", "", "", "" }, "" },
    { "\"INV-\" + A + \"-X\"", { "7", "", "", "" }, "INV-7-X" },
    { "\"EUR\"", { "", "", "", "" }, "EUR" },
    { "A + A", { "ab", "", "", "" }, "abab" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s of %s, %s, %s", cases[i].expression, cases[i].fields[0],
                      cases[i].fields[1], cases[i].fields[2]);
      g_autofree char *missing = NULL;
      g_autoptr (TallCsvComposite) composite =
          tall_csv_composite_new (cases[i].expression, columns, &missing);
      g_assert_cmpstr (missing, ==, NULL);
      g_autoptr (GString) text = g_string_new (NULL);
      tall_csv_composite_write (composite, cases[i].fields, text);
      g_assert_cmpstr (text->str, ==, cases[i].value);
    }
}

static void
test_missing (void)
{
  static const char *const columns[] = { "A", "B", NULL };
  static const char *const cases[][2] = {
    { "A + X", "X" },
    { "A + ", "" },
    { "+", "" },
    { "A + \"x", "\"x" },
    { "A B + A", "A B" },
    { "A + \"x\"y + B", "\"x\"y" },
    { "\"x\" \"y\"", "\"x\" \"y\"" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i][0]);
      g_autofree char *missing = NULL;
      g_assert_null (tall_csv_composite_new (cases[i][0], columns, &missing));
      g_assert_cmpstr (missing, ==, cases[i][1]);
    }
}

static char *
load_rows (const char *map, const char *csv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallMapping) mapping = must (tall_mapping_parse ("m", map, -1, &error));
  g_autofree char *path = tall_test_write_file (csv, -1);
  g_autoptr (TallCsvReader) reader =
      tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, &error);
  g_remove (path);
  g_assert_no_error (error);
  if (!tall_mapping_bind_reader (mapping, reader, &error))
    return g_strdup (error->message);
  g_autoptr (GString) all = g_string_new (NULL);
  TallCsvRow row;
  while (tall_csv_reader_next (reader, &row, &error) == TALL_CSV_ROW)
    {
      for (guint i = 0; i < mapping->sources->len; i++)
        {
          const char *text = tall_mapping_get_value (mapping, tall_mapping_get_source (mapping, i),
                                                     row.fields, row.n_fields);
          g_string_append_printf (all, "%s%s", i > 0 ? "|" : "", text != NULL ? text : "-");
        }
      g_string_append (all, row.reason != NULL ? " bad\n" : "\n");
    }
  g_assert_no_error (error);
  return g_string_free (g_steal_pointer (&all), FALSE);
}

/* Every field can be made of several columns, and has its default if they are all empty. */
static void
test_mapping (void)
{
  g_autofree char *rows = load_rows ("[order]\ncustomer_number=C\norder_number=Y + \"/\" + O\n"
                                     "currency=\"EUR\"\n"
                                     "[location]\nname=First + \" \" + Last\n[line]\n"
                                     "description=P + Q\n"
                                     "[defaults]\nlocation.name=nobody\n",
                                     "C,O,Y,First,Last,P + Q\n"
                                     "c1,1,2025,Ada,King,x\n"
                                     "c1,2,,,King,x\n"
                                     "c1,3,2025,,,y\n"
                                     "c1,4,2025,\xff,,y\n"
                                     "c1,5\n");
  g_assert_cmpstr (rows, ==,
                   "c1|2025/1|EUR|Ada King|x\n"
                   "c1|2|EUR|King|x\n"
                   "c1|2025/3|EUR|nobody|y\n"
                   "c1|2025/4|EUR|\xff|y bad\n"
                   "c1|-|-|nobody|- bad\n");
  g_autofree char *missing =
      load_rows ("[order]\ncustomer_number=C\norder_number=Y + \"/\" + O\n", "C,O\n");
  g_assert_cmpstr (missing, ==,
                   "Mapping m, [order] order_number: the file has no column “Y”; it has: C, O");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/csv-composite/values", test_values);
  g_test_add_func ("/load/csv-composite/missing", test_missing);
  g_test_add_func ("/load/csv-composite/mapping", test_mapping);
  return g_test_run ();
}

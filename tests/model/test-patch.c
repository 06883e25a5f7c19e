/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model-type.h"
#include "tall-error.h"
#include "tall-json.h"
#include "tall-patch.h"
#include "tall-must.h"

/* What is changed. Its canonical JSON, without the numbers of customer and order. */
#define HEAD "{\"customer_number\":\"C\",\"order_number\":\"1\""
#define BEFORE                                                                                     \
  HEAD ",\"sales_date\":\"1996-07-04T00:00:00.000Z\",\"shipping_locations\":["                     \
       "{\"number\":1,\"name\":\"A\",\"address\":{\"city\":\"Reims\"},\"line_items\":["            \
       "{\"number\":1,\"item_number\":\"11\",\"quantity\":\"12\",\"discount\":\"0.5\"},"           \
       "{\"number\":3}]},"                                                                         \
       "{\"number\":2,\"line_items\":[{\"number\":2,\"price\":\"1.50\"}]}],"                       \
       "\"attributes\":{\"a\":\"1\",\"b=c\":\"2\"}}"

#define TAX "{\"kind\":\"tax\",\"amount\":\"4.50\",\"line\":3}"
#define TWO "adjustments=[" TAX ",{\"kind\":\"fee\",\"amount\":\"1\"}]\n"

typedef struct
{
  const char *changes; /* a line each */
  const char *part;    /* of the order afterwards; NULL: the changes are refused */
  const char *field;   /* that the error names; NULL: the changes are made */
  const char *message; /* in it */
} Case;

static const Case cases[] = {
  { "currency=EUR", "Z\",\"currency\":\"EUR\",", NULL, NULL },
  { "currency=", "\"currency\":\"\",", NULL, NULL },
  { "currency=a = b\t", "\"currency\":\"a = b\\t\",", NULL, NULL },
  { "sales_date=1997-01-02", "\"sales_date\":\"1997-01-02T00:00:00.000Z\"", NULL, NULL },
  { "-sales_date", HEAD ",\"shipping", NULL, NULL },
  { "location[2].name=B", "{\"number\":2,\"name\":\"B\"", NULL, NULL },
  { "location[1].address.city=Paris", "{\"city\":\"Paris\"}", NULL, NULL },
  { "location[2].address.zip=1", "{\"number\":2,\"address\":{\"zip\":\"1\"}", NULL, NULL },
  { "-location[2].address.zip", "{\"number\":2,\"line_items\"", NULL, NULL },
  { "-location[1].address.city", "\"address\":{},", NULL, NULL },
  { "-location[1].address", "\"name\":\"A\",\"line_items\"", NULL, NULL },
  { "location[1].address={\"state\":\"x\"}", "\"address\":{\"state\":\"x\"},", NULL, NULL },
  { "line[2].quantity=3", "{\"number\":2,\"quantity\":\"3\",\"price\"", NULL, NULL },
  { "location[2].line[2].quantity=3", "{\"number\":2,\"quantity\":\"3\",\"price\"", NULL, NULL },
  { "line[1].quantity+=1", "\"quantity\":\"13\",", NULL, NULL },
  { "line[1].quantity-=12.50", "\"quantity\":\"-0.50\",", NULL, NULL },
  { "line[1].quantity+=-1\nline[1].quantity+=0.5", "\"quantity\":\"11.5\",", NULL, NULL },
  { "line[2].price+=9223372036854775.30", "\"price\":\"9223372036854776.80\"", NULL, NULL },
  { "-line[1].quantity\n-line[1].discount", "\"item_number\":\"11\"}", NULL, NULL },
  { "-line[3]", "\"0.5\"}]}", NULL, NULL },
  { "-line[1]\n-line[3]", "\"city\":\"Reims\"}},", NULL, NULL },
  { "-location[1]", "\"shipping_locations\":[{\"number\":2", NULL, NULL },
  { "-location[1]\n-location[2]", "Z\",\"attributes\"", NULL, NULL },
  { "+location[7]", "\"1.50\"}]},{\"number\":7}]", NULL, NULL },
  { "+location[3]={\"name\":\"x\",\"line_items\":[{\"number\":9},{\"number\":8}]}",
    "{\"number\":3,\"name\":\"x\",\"line_items\":[{\"number\":8},{\"number\":9}]}", NULL, NULL },
  { "+location[2].line[4]\nline[4].item_number={\"x\":1}",
    "\"1.50\"},{\"number\":4,\"item_number\":\"{\\\"x\\\":1}\"}]", NULL, NULL },
  { "+location[1].line[2147483647]={\"number\":2147483647,\"price\":\"9.80\"}",
    "{\"number\":3},{\"number\":2147483647,\"price\":\"9.80\"}", NULL, NULL },
  { "line[1]={\"item_number\":\"42\"}", "[{\"number\":1,\"item_number\":\"42\"},{", NULL, NULL },
  { "location[1]={}", "[{\"number\":1},{\"number\":2", NULL, NULL },
  { "-line[1]\n+location[2].line[1]", "[{\"number\":1},{\"number\":2,", NULL, NULL },
  { "attribute.a=2", "{\"a\":\"2\",", NULL, NULL },
  { "attribute.c.d=x=y", "\"b=c\":\"2\",\"c.d\":\"x=y\"}", NULL, NULL },
  { "attribute[\"b=c\"]=3", "\"b=c\":\"3\"}", NULL, NULL },
  { "attribute[\"a\\\"]=\\u0041\"]=", "\"a\\\"]=A\":\"\",", NULL, NULL },
  { "-attribute.a", "\"attributes\":{\"b=c\"", NULL, NULL },
  { "-attribute.none\n-currency", "\"attributes\":{\"a\":\"1\",", NULL, NULL },
  { "-attribute[\"b=c\"]\n-attribute.a", "\"1.50\"}]}]}", NULL, NULL },
  { "-attributes", "\"1.50\"}]}]}", NULL, NULL },
  { "attributes={\"x\":\"y\"}", "\"attributes\":{\"x\":\"y\"}", NULL, NULL },
  { "location[1].line_items=[{\"number\":5}]", "\"line_items\":[{\"number\":5}]}", NULL, NULL },
  { "billing_address.city=Paris", "\"billing_address\":{\"city\":\"Paris\"}}", NULL, NULL },
  { "billing_address.city=Paris\n-billing_address", "\"b=c\":\"2\"}}", NULL, NULL },
  { "adjustments=[" TAX "]", "\"adjustments\":[" TAX "]}", NULL, NULL },
  { "adjustments=[" TAX "]\n-line[3]\n-adjustments", "\"b=c\":\"2\"}}", NULL, NULL },

  { "+adjustment=" TAX, "\"adjustments\":[" TAX "]}", NULL, NULL },
  { TWO "adjustment[fee].amount=2", "[" TAX ",{\"kind\":\"fee\",\"amount\":\"2\"}]}", NULL, NULL },
  { TWO "adjustment[2].amount-=1.50\nadjustment[2].kind=a=b]\nadjustment[2].description=",
    "[" TAX ",{\"kind\":\"a=b]\",\"amount\":\"-0.50\",\"description\":\"\"}]}", NULL, NULL },
  { TWO "adjustment[2].line=3\n-adjustment[1]", "[{\"kind\":\"fee\",\"amount\":\"1\",\"line\":3}]}",
    NULL, NULL },
  { TWO "adjustment[2].line=3\n-adjustment[2].line\n-adjustment[1]",
    "[{\"kind\":\"fee\",\"amount\":\"1\"}]}", NULL, NULL },
  { TWO "adjustment[2].kind=1\nadjustment[1].amount=9",
    "[" TAX ",{\"kind\":\"1\",\"amount\":\"9\"}]}", NULL, NULL },
  { TWO "-adjustment[fee]\n-adjustment[tax]", "\"b=c\":\"2\"}}", NULL, NULL },
  { TWO "adjustment[1]={\"kind\":\"tip\",\"amount\":\"3\"}",
    "[{\"kind\":\"tip\",\"amount\":\"3\"},{\"kind\":\"fee\"", NULL, NULL },

  { "-adjustment[tax]", NULL, "adjustment[tax]", "no such adjustment" },
  { "-adjustment[1]", NULL, "adjustment[1]", "no such adjustment" },
  { TWO "-adjustment[0]", NULL, "adjustment[0]", "no such adjustment" },
  { TWO "adjustment[3].amount=1", NULL, "adjustment[3]", "no such adjustment" },
  { TWO "-adjustment[fee", NULL, "adjustment[fee", "no such adjustment" },
  { TWO "-adjustment[fee]x", NULL, "adjustment[fee]", "a dot and a name" },
  { TWO "-adjustment[fee].amount", NULL, "adjustment[fee].amount", "has to be there" },
  { TWO "-adjustment[fee].kind", NULL, "adjustment[fee].kind", "has to be there" },
  { TWO "adjustment[fee].kind=", NULL, "adjustment[fee].kind", "empty" },
  { TWO "adjustment[fee].line=0", NULL, "adjustment[fee].line", "out of range" },
  { TWO "adjustment[fee]+=1", NULL, "adjustment[fee]", "only numbers are added to" },
  { TWO "+adjustment[fee]=" TAX, NULL, "adjustment[fee]", "+adjustment are added" },
  { TWO "+adjustment=" TAX "\n-adjustment[tax]", NULL, "adjustment[tax]", "has 2 of that kind" },
  { "+adjustment", NULL, "adjustment.kind", "missing" },
  { "+adjustment={\"kind\":\"tax\"}", NULL, "adjustment.amount", "missing" },
  { "adjustments=[{\"kind\":\"tax\"}]", NULL, "adjustments[0].amount", "missing" },
  { "adjustments=[{\"kind\":\"\",\"amount\":\"1\"}]", NULL, "adjustments[0].kind", "empty" },
  { "adjustments+=1", NULL, "adjustments", "only numbers are added to" },
  { "curency=x", NULL, "curency", "known here (order) are customer_number, order_number, sales" },
  { "=x", NULL, "changes", "a place is missing" },
  { "currency", NULL, "currency", "a value is missing" },
  { "-currency=x", NULL, "currency", "takes no value" },
  { "+currency=x", NULL, "currency", "only +location[L]" },
  { "+location[1].name=x", NULL, "location[1].name", "only +location[L]" },
  { "customer_number=D", NULL, "customer_number", "cannot be changed" },
  { "-order_number", NULL, "order_number", "cannot be changed" },
  { "line[1].number=7", NULL, "line[1].number", "cannot be changed" },
  { "currency+=1", NULL, "currency", "only numbers are added to" },
  { "location[1]+=1", NULL, "location[1]", "only numbers are added to" },
  { "attribute.a+=1", NULL, "attribute.a", "only numbers are added to" },
  { "line[3].quantity+=1", NULL, "line[3].quantity", "nothing to add to" },
  { "line[1].quantity+=x", NULL, "line[1].quantity", "not a decimal" },
  { "line[1].quantity-=-9223372036854775808", NULL, "line[1].quantity", "too large" },
  { "line[2].price+=92233720368547758.07", NULL, "line[2].price", "does not fit" },
  { "line[1].discount+=0.6", NULL, "line[1].discount", "a rate from 0 to 1" },
  { "line[1].discount=2", NULL, "line[1].discount", "a rate from 0 to 1" },
  { "line[1].quantity=many", NULL, "line[1].quantity", "not a decimal" },
  { "sales_date=tomorrow", NULL, "sales_date", "date" },
  { "line[4].quantity=1", NULL, "line[4]", "the order has no line 4" },
  { "-line[4]", NULL, "line[4]", "the order has no line 4" },
  { "location[2].line[1].price=1", NULL, "location[2].line[1]", "the location has no line 1" },
  { "location[3].name=x", NULL, "location[3]", "the order has no location 3" },
  { "+location[3].line[9]", NULL, "location[3].line[9]", "the order has no location 3" },
  { "+location[1]", NULL, "location[1]", "has a location 1 already" },
  { "+location[1].line[2]", NULL, "location[1].line[2]", "has a line 2 already" },
  { "+line[9]", NULL, "line[9]", "Write +location[L].line[9]" },
  { "+location[1].line[9]={\"number\":8}", NULL, "location[1].line[9]", "has the number 8" },
  { "+location[1].line[9]={\"prize\":\"8\"}", NULL, "location[1].line[9].prize", "unknown field" },
  { "+location[1].line[9]={\"discount\":\"8\"}", NULL, "location[1].line[9].discount", "a rate" },
  { "+location[1].line[9]={", NULL, "location[1].line[9]", "JSON, line 1" },
  { "+location[1].line[9]=[]", NULL, "location[1].line[9]", "one JSON object" },
  { "location[1].address={}, \"x\":{}", NULL, "location[1].address", "one value" },
  { "location[1]={\"line_items\":[{}]}", NULL, "location[1].line_items[0].number", "missing" },
  { "location[0].name=x", NULL, "location[0]", "a number from 1" },
  { "line[2147483648].price=1", NULL, "line[2147483648]", "a number from 1" },
  { "line[x].price=1", NULL, "line[", "a number from 1" },
  { "line[1", NULL, "line[1", "a value is missing" },
  { "line[1]x=1", NULL, "line[1]", "a dot and a name" },
  { "line[1].=1", NULL, "line[1]", "a dot and a name" },
  { "line.price=1", NULL, "line", "unknown field" },
  { "currency.x=1", NULL, "currency", "no fields of its own" },
  { "location[1].address.=1", NULL, "location[1].address", "unknown field" },
  { "location[1].address.town=1", NULL, "location[1].address.town", "(address) are line1" },
  { "location[1].attribute.a=1", NULL, "location[1].attribute", "unknown field" },
  { "attribute.=1", NULL, "attribute", "attribute.NAME" },
  { "attribute[]=1", NULL, "attribute[]", "attribute.NAME" },
  { "attribute[\"a=1", NULL, "attribute[\"a=1", "a value is missing" },
  { "attribute[\"a\",\"b\"]=1", NULL, "attribute[\"a\",\"b\"]", "attribute.NAME" },
  { "attribute.d=1\nattribute.d.=1\nline[9].price=1", NULL, "line[9]", "no line 9" },
  { "location[1]={\"line_items\":[{\"number\":2}]}", NULL,
    "shipping_locations[1].line_items[0].number", "unique" },
};

static gboolean
patch (TallOrder *order, const char *lines, GError **error)
{
  g_auto (GStrv) changes = g_strsplit (lines, "\n", -1);
  return tall_order_patch (order, (const char *const *)changes, g_strv_length (changes), error);
}

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *one = &cases[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (TallOrder) order = must (tall_order_from_json (BEFORE, -1, &error));
      gboolean done = patch (order, one->changes, &error);
      g_test_message ("%s: %s", one->changes, done ? "done" : error->message);
      if (one->part == NULL)
        {
          g_assert_false (done);
          g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
          g_assert_cmpstr (tall_error_get_field (error), ==, one->field);
          g_assert_true (g_str_has_prefix (error->message, one->field));
          g_assert_nonnull (strstr (error->message, one->message));
          continue;
        }
      g_assert_no_error (error);
      g_autofree char *after = tall_order_to_json (order, FALSE);
      g_test_message ("%s", after);
      g_assert_nonnull (strstr (after, one->part));
    }
}

/* Each field of the model that is not a number of something can be set, and cleared again. */
static void
set_and_clear (const char *prefix, const TallModelType *type)
{
  static const char *const values[] = {
    [TALL_MODEL_TEXT] = "text",  [TALL_MODEL_DATE] = "1996-07-04T00:00:00.000Z",
    [TALL_MODEL_DECIMAL] = "-3", [TALL_MODEL_RATE] = "0.25",
    [TALL_MODEL_STRUCT] = "{}",  [TALL_MODEL_LIST] = "[]",
    [TALL_MODEL_TEXTS] = "[]",   [TALL_MODEL_ATTRIBUTES] = "{}",
    [TALL_MODEL_STRUCTS] = "[]",
  };
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallModelField *field = &type->fields[i];
      if (tall_model_field_is_required (field))
        continue;
      g_autoptr (GError) error = NULL;
      g_autoptr (TallOrder) order = tall_order_from_json (BEFORE, -1, &error);
      const char *value = values[tall_model_kind (field)];
      g_autofree char *place = g_strconcat (prefix, field->name, NULL);
      g_autofree char *set = g_strdup_printf ("%s=%s", place, value);
      g_autofree char *clear = g_strdup_printf ("-%s", place);
      g_autofree char *shown =
          field->label == PROTOBUF_C_LABEL_REPEATED
              ? g_strdup ("")
              : g_strdup_printf ("\"%s\":%s%s%s", field->name, value[0] == '{' ? "" : "\"", value,
                                 value[0] == '{' ? "" : "\"");
      gboolean done = patch (order, clear, &error) && patch (order, set, &error);
      g_assert_no_error (error);
      g_assert_true (done);
      g_autofree char *after = tall_order_to_json (order, FALSE);
      g_assert_nonnull (strstr (after, shown));
      if (tall_model_kind (field) == TALL_MODEL_STRUCT)
        {
          g_autofree char *inner = g_strconcat (place, ".", NULL);
          set_and_clear (inner, field->descriptor);
        }
    }
}

static void
test_every_field (void)
{
  set_and_clear ("", &tall_model_order);
  set_and_clear ("location[1].", &tall_model_location);
  set_and_clear ("line[3].", &tall_model_line);
}

/* An example of each form is done, and nothing of it is lost. */
static void
test_forms (void)
{
  guint n = 0;
  g_autoptr (TallOrder) order =
      must (tall_order_from_json (HEAD ",\"shipping_locations\":[{\"number\":1,\"line_items\":["
                                       "{\"number\":3,\"quantity\":\"1\"},{\"number\":4}]}]}",
                                  -1, &error));
  for (; tall_patch_forms[n].form != NULL; n++)
    if (tall_patch_forms[n].example[0] != '-')
      must (patch (order, tall_patch_forms[n].example, &error));
  g_assert_cmpuint (n, >, 5);
  g_autofree char *after = tall_order_to_json (order, FALSE);
  g_assert_cmpstr (after, ==,
                   HEAD ",\"currency\":\"EUR\",\"shipping_locations\":[{\"number\":1,\"address\":"
                        "{\"city\":\"Reims\"},\"line_items\":[{\"number\":3,\"quantity\":\"3\"},"
                        "{\"number\":4,\"item_number\":\"42\"},{\"number\":5,\"item_number\":"
                        "\"11\",\"quantity\":\"2\"}]},{\"number\":2}],\"attributes\":{\"status\":"
                        "\"paid\"},\"adjustments\":[{\"kind\":\"shipping\",\"amount\":\"5.95\"}]}");
}

static void
expect_refused (const char *const *changes, guint n, TallError code, const char *message)
{
  g_autoptr (TallOrder) order = tall_order_from_json (BEFORE, -1, NULL);
  must_fail (tall_order_patch (order, changes, n, &error), code, message);
}

static void
test_limits (void)
{
  g_autofree char *half = g_strnfill (TALL_PATCH_MAX_BYTES / 2, 'x');
  g_autofree char *long_name = g_strconcat ("attribute.", half, "=1", NULL);
  g_autofree char *deep = g_strnfill (100000, '[');
  g_autofree char *deep_line = g_strconcat ("line[1]={\"x\":", deep, NULL);
  g_autofree char *long_address = g_strnfill (4097, 'x');
  g_autofree char *address = g_strconcat ("location[1].address.zip=", long_address, NULL);
  const char *many[TALL_PATCH_MAX_CHANGES + 1];
  for (guint i = 0; i < G_N_ELEMENTS (many); i++)
    many[i] = "currency=x";

  g_autoptr (TallOrder) order = tall_order_from_json (BEFORE, -1, NULL);
  g_assert_true (tall_order_patch (order, many, TALL_PATCH_MAX_CHANGES, NULL));
  expect_refused (many, G_N_ELEMENTS (many), TALL_ERROR_TOO_LARGE, "at most 1000 changes");
  expect_refused (NULL, 0, TALL_ERROR_INVALID, "there is none");
  expect_refused ((const char *[]){ long_name, long_name }, 2, TALL_ERROR_TOO_LARGE,
                  "at most 1048576 bytes");
  expect_refused ((const char *[]){ "currency=x", "" }, 2, TALL_ERROR_INVALID,
                  "changes[1]: the ch");
  expect_refused ((const char *[]){ "currency=\xff" }, 1, TALL_ERROR_INVALID, "not valid UTF-8");
  expect_refused (&(const char *){ deep_line }, 1, TALL_ERROR_INVALID, "nested too deeply");
  expect_refused (&(const char *){ address }, 1, TALL_ERROR_TOO_LARGE, "at most 4096 bytes");
}

static void
test_json (void)
{
  static const char *const bad[] = {
    "", "{}", "[]", "[1]", "[\"a\",[\"b\"]]", "\"a\"", "[\"a\"],\"b\":[]", "[\"a\"", "[\"a\"]]",
  };
  g_auto (GStrv) changes =
      must (tall_patch_from_json (" [\"a=\\\"\\u00e9\\n\", \"-b\"]\n", -1, &error));
  g_assert_cmpuint (g_strv_length (changes), ==, 2);
  g_assert_cmpstr (changes[0], ==, "a=\"é\n");
  g_assert_cmpstr (changes[1], ==, "-b");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) refused = NULL;
      g_assert_null (tall_patch_from_json (bad[i], -1, &refused));
      g_assert_error (refused, TALL_ERROR, TALL_ERROR_INVALID);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/patch/cases", test_cases);
  g_test_add_func ("/patch/every-field", test_every_field);
  g_test_add_func ("/patch/forms", test_forms);
  g_test_add_func ("/patch/limits", test_limits);
  g_test_add_func ("/patch/json", test_json);
  return g_test_run ();
}

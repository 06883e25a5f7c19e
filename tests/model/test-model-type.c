/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model-type.h"
#include "tall-test-orders.h"
#include "tall-must.h"

static const TallModelType *const all[] = {
  &tall_model_address,    &tall_model_line,  &tall_model_location,
  &tall_model_adjustment, &tall_model_order, &tall_model_customer,
};

static char *
idl_type_of (const TallModelField *field)
{
  switch (tall_model_kind (field))
    {
    case TALL_MODEL_NUMBER:
      return g_strdup ("string");
    case TALL_MODEL_TEXT:
      return g_strdup ("optional string");
    case TALL_MODEL_POSITION:
      return g_strdup (tall_model_field_is_required (field) ? "i32" : "optional i32");
    case TALL_MODEL_DATE:
      return g_strdup ("optional i64");
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      return g_strdup (tall_model_field_is_required (field) ? "Decimal" : "optional Decimal");
    case TALL_MODEL_STRUCT:
      return g_strdup_printf ("optional %s", tall_model_field_type (field)->short_name);
    case TALL_MODEL_LIST:
      return g_strdup_printf ("list<%s>", tall_model_field_type (field)->short_name);
    case TALL_MODEL_STRUCTS:
      return g_strdup_printf ("optional list<%s>", tall_model_field_type (field)->short_name);
    case TALL_MODEL_TEXTS:
      return g_strdup ("list<string>");
    case TALL_MODEL_ATTRIBUTES:
      return g_strdup ("map<string, string>");
    default:
      g_assert_not_reached ();
    }
}

/* The fields of a struct of the IDL as a text: number, type and name of each. */
static char *
find_in_idl (const char *idl, const char *name)
{
  g_autofree char *start = g_strdup_printf ("\nstruct %s {\n", name);
  const char *body = strstr (idl, start);
  g_assert_nonnull (body);
  body += strlen (start);
  g_autofree char *fields = g_strndup (body, strcspn (body, "}"));

  g_autoptr (GRegex) regex = g_regex_new ("^  (\\d+: .*\\w),?$", G_REGEX_MULTILINE, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autoptr (GString) found = g_string_new (NULL);
  g_regex_match (regex, fields, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *field = g_match_info_fetch (match, 1);
      g_string_append_printf (found, "%s\n", field);
    }
  return g_string_free (g_steal_pointer (&found), FALSE);
}

/* The numbers, names and types are those of idl/. */
static void
test_idl (void)
{
  g_autofree char *idl = NULL;
  g_autofree char *path =
      g_build_filename (g_getenv ("TALL_SOURCE_ROOT"), "idl", "tallorder.thrift", NULL);
  must (g_file_get_contents (path, &idl, NULL, &error));
  for (guint k = 0; k < G_N_ELEMENTS (all); k++)
    {
      g_autoptr (GString) expected = g_string_new (NULL);
      g_autofree char *found = find_in_idl (idl, all[k]->short_name);
      for (guint i = 0; i < all[k]->n_fields; i++)
        {
          const TallModelField *field = &all[k]->fields[i];
          g_autofree char *type = idl_type_of (field);
          g_string_append_printf (expected, "%u: %s %s\n", field->id, type, field->name);
        }
      g_assert_cmpstr (found, ==, expected->str);
    }
}

/* What the forms rely on: the order of fields, and how structs and lists are made up. */
static void
test_shape (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (all); k++)
    for (guint i = 0; i < all[k]->n_fields; i++)
      {
        const TallModelField *field = &all[k]->fields[i];
        const TallModelType *type = tall_model_field_type (field);
        TallModelKind kind = tall_model_kind (field);
        g_assert_cmpuint (field->id, ==, i + 1);
        g_assert_true (i == 0 || !tall_model_field_is_required (field)
                       || tall_model_field_is_required (&field[-1]));
        g_assert_cmpint (type != NULL, ==,
                         kind == TALL_MODEL_STRUCT || kind == TALL_MODEL_LIST
                             || kind == TALL_MODEL_STRUCTS);
        if (kind == TALL_MODEL_LIST)
          g_assert_cmpint (tall_model_kind (&type->fields[0]), ==, TALL_MODEL_POSITION);
        for (guint j = 0; kind == TALL_MODEL_STRUCT && j < type->n_fields; j++)
          g_assert_cmpint (tall_model_kind (&type->fields[j]), ==, TALL_MODEL_TEXT);
      }
}

static void
test_describe (void)
{
  g_autofree char *order = tall_model_describe (&tall_model_order);
  g_autofree char *line = tall_model_describe (&tall_model_line);
  g_assert_cmpstr (order, ==, "order");
  g_assert_cmpstr (line, ==, "line item");
}

typedef gboolean (*Differs) (gpointer data);

/* Makes one field another one, asks, and puts it back. */
static void
change_field (const TallModelField *field, gpointer base, Differs differs, gpointer data)
{
  TallModelKind kind = tall_model_kind (field);
  gsize size = kind == TALL_MODEL_POSITION ? sizeof (gint32) : sizeof (gint64);
  g_autofree gpointer before = g_memdup2 ((char *)base + field->offset, size);
  if (kind == TALL_MODEL_NUMBER || kind == TALL_MODEL_TEXT)
    tall_model_set_pointer (field, base, "other");
  else if (kind == TALL_MODEL_POSITION)
    ++*tall_model_position (field, base);
  else if (kind == TALL_MODEL_DATE)
    ++*tall_model_date (field, base);
  else if (field->label == PROTOBUF_C_LABEL_REPEATED)
    --*tall_model_count (field, base);
  else
    tall_model_set_pointer (field, base, NULL);
  g_assert_true (differs (data));

  memcpy ((char *)base + field->offset, before, size);
  if (field->label == PROTOBUF_C_LABEL_REPEATED)
    ++*tall_model_count (field, base);
  g_assert_false (differs (data));
}

/* The same of what a decimal or a flag says. */
static void
change_value (const TallModelField *field, gpointer base, Differs differs, gpointer data)
{
  if (field->descriptor == &tall_model_decimal)
    {
      TallDecimal *decimal = tall_model_get_pointer (field, base);
      decimal->unscaled++;
      g_assert_true (differs (data));
      decimal->unscaled--;
    }
  else if (field->label == PROTOBUF_C_LABEL_OPTIONAL && field->quantifier_offset > 0)
    {
      *tall_model_flag (field, base) = FALSE;
      g_assert_true (differs (data));
      *tall_model_flag (field, base) = TRUE;
    }
}

static void
change_fields (const TallModelType *type, gpointer base, Differs differs, gpointer data)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallModelField *field = &type->fields[i];
      g_test_message ("%s of %s", field->name, type->name);
      change_value (field, base, differs, data);
      change_field (field, base, differs, data);
    }
}

static gboolean
orders_differ (gpointer data)
{
  TallOrder *const *pair = data;
  gboolean equal = tall_order_equal (pair[0], pair[1]);
  g_assert_cmpint (equal, ==, tall_order_equal (pair[1], pair[0]));
  return !equal;
}

static TallOrder *
make_order (void)
{
  TallOrder *order = tall_test_order_with_lines ("C", "1", 2);
  tall_order_add_attribute (order, "k", "v");
  TallAdjustment *adjustment = tall_order_add_adjustment (order, "discount", -1, 0);
  adjustment->description = tall_arena_strdup (tall_order_get_arena (order), "spring");
  adjustment->has_line = TRUE;
  adjustment->line = 2;
  order->billing_address = tall_address_new (tall_order_get_arena (order));
  return order;
}

/* Each field of an order in turn becomes another one. */
static void
test_order_fields_count (void)
{
  g_autoptr (TallOrder) a = make_order ();
  g_autoptr (TallOrder) b = make_order ();
  TallOrder *pair[] = { a, b };
  TallShippingLocation *location = b->shipping_locations[0];
  change_fields (&tall_model_order, b, orders_differ, pair);
  change_fields (&tall_model_location, location, orders_differ, pair);
  change_fields (&tall_model_address, location->address, orders_differ, pair);
  change_fields (&tall_model_line, location->line_items[1], orders_differ, pair);
  change_fields (&tall_model_adjustment, b->adjustments[0], orders_differ, pair);
}

static gboolean
customers_differ (gpointer data)
{
  TallCustomer *const *pair = data;
  return !tall_customer_equal (pair[0], pair[1]);
}

static void
test_customer_fields_count (void)
{
  g_autoptr (TallCustomer) a = tall_test_plain_customer ("C");
  g_autoptr (TallCustomer) b = tall_test_plain_customer ("C");
  TallCustomer *pair[] = { a, b };
  change_fields (&tall_model_customer, b, customers_differ, pair);
  change_fields (&tall_model_address, b->address, customers_differ, pair);
}

static void
test_measure (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 1);
  TallShippingLocation *location = order->shipping_locations[0];
  g_assert_cmpuint (tall_model_measure_texts (&tall_model_location, location), ==, 0);
  location->name = tall_arena_strdup (tall_order_get_arena (order), "abc");
  location->address = tall_address_new (tall_order_get_arena (order));
  location->address->country = tall_arena_strdup (tall_order_get_arena (order), "de");
  location->address->line1 = tall_arena_strdup (tall_order_get_arena (order), "");
  g_assert_cmpuint (tall_model_measure_texts (&tall_model_location, location), ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/type/idl", test_idl);
  g_test_add_func ("/model/type/shape", test_shape);
  g_test_add_func ("/model/type/describe", test_describe);
  g_test_add_func ("/model/type/order-fields-count", test_order_fields_count);
  g_test_add_func ("/model/type/customer-fields-count", test_customer_fields_count);
  g_test_add_func ("/model/type/measure", test_measure);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model-type.h"
#include "tall-test-orders.h"

#include "customer.pb-c.h"
#include "order.pb-c.h"

/* Each type under its name in proto/ and idl/. */
typedef struct
{
  const TallModelType *type;
  const ProtobufCMessageDescriptor *proto;
  gsize apart; /* bytes at the start of the struct that are no field: the arena */
} Known;

static const Known all[] = {
  { &tall_model_address, &tall_pb__address__descriptor, 0 },
  { &tall_model_line, &tall_pb__line_item__descriptor, 0 },
  { &tall_model_location, &tall_pb__shipping_location__descriptor, 0 },
  { &tall_model_order, &tall_pb__order__descriptor, sizeof (TallArena *) },
  { &tall_model_customer, &tall_pb__customer__descriptor, sizeof (TallArena *) },
};

static const char *
name_of (const TallModelType *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (all[i].type == type)
      return all[i].proto->short_name;
  g_assert_not_reached ();
}

static ProtobufCType
proto_type_of (TallModelKind kind)
{
  switch (kind)
    {
    case TALL_MODEL_NUMBER:
    case TALL_MODEL_TEXT:
    case TALL_MODEL_TEXTS:
      return PROTOBUF_C_TYPE_STRING;
    case TALL_MODEL_POSITION:
      return PROTOBUF_C_TYPE_INT32;
    case TALL_MODEL_DATE:
      return PROTOBUF_C_TYPE_SINT64;
    default:
      return PROTOBUF_C_TYPE_MESSAGE;
    }
}

static ProtobufCLabel
proto_label_of (const TallModelField *field)
{
  if (tall_model_field_is_required (field))
    return PROTOBUF_C_LABEL_REQUIRED;
  return field->kind >= TALL_MODEL_LIST ? PROTOBUF_C_LABEL_REPEATED : PROTOBUF_C_LABEL_OPTIONAL;
}

/* The numbers, names and types are those of proto/. */
static void
test_proto (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (all); k++)
    {
      const TallModelType *type = all[k].type;
      g_test_message ("%s", type->name);
      g_assert_cmpuint (type->n_fields, ==, all[k].proto->n_fields);
      for (guint i = 0; i < type->n_fields; i++)
        {
          const ProtobufCFieldDescriptor *theirs = &all[k].proto->fields[i];
          const TallModelField *field = &type->fields[i];
          g_assert_cmpstr (field->name, ==, theirs->name);
          g_assert_cmpuint (theirs->id, ==, i + 1);
          g_assert_cmpint (theirs->type, ==, proto_type_of (field->kind));
          g_assert_cmpint (theirs->label, ==, proto_label_of (field));
        }
    }
}

static char *
idl_type_of (const TallModelField *field)
{
  switch (field->kind)
    {
    case TALL_MODEL_NUMBER:
      return g_strdup ("string");
    case TALL_MODEL_TEXT:
      return g_strdup ("optional string");
    case TALL_MODEL_POSITION:
      return g_strdup ("i32");
    case TALL_MODEL_DATE:
      return g_strdup ("optional i64");
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      return g_strdup ("optional Decimal");
    case TALL_MODEL_STRUCT:
      return g_strdup_printf ("optional %s", name_of (field->type));
    case TALL_MODEL_LIST:
      return g_strdup_printf ("list<%s>", name_of (field->type));
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

/* The same of idl/. */
static void
test_idl (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *idl = NULL;
  g_autofree char *path =
      g_build_filename (g_getenv ("TALL_SOURCE_ROOT"), "idl", "tallorder.thrift", NULL);
  g_file_get_contents (path, &idl, NULL, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < G_N_ELEMENTS (all); k++)
    {
      g_autoptr (GString) expected = g_string_new (NULL);
      g_autofree char *found = find_in_idl (idl, all[k].proto->short_name);
      for (guint i = 0; i < all[k].type->n_fields; i++)
        {
          const TallModelField *field = &all[k].type->fields[i];
          g_autofree char *type = idl_type_of (field);
          g_string_append_printf (expected, "%u: %s %s\n", i + 1, type, field->name);
        }
      g_assert_cmpstr (found, ==, expected->str);
    }
}

static gsize
size_of (TallModelKind kind)
{
  switch (kind)
    {
    case TALL_MODEL_POSITION:
      return sizeof (gint32);
    case TALL_MODEL_DATE:
      return sizeof (gint64);
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      return sizeof (TallDecimal);
    case TALL_MODEL_ATTRIBUTES:
      return sizeof (TallAttributes);
    default:
      return sizeof (gpointer);
    }
}

/* Every member of a struct is a field, so no eight bytes are left over. */
static void
test_members (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (all); k++)
    {
      const TallModelType *type = all[k].type;
      g_autofree guint8 *known = g_malloc0 (type->size);
      memset (known, 1, all[k].apart);
      for (guint i = 0; i < type->n_fields; i++)
        {
          const TallModelField *field = &type->fields[i];
          memset (known + field->offset, 1, size_of (field->kind));
          if (field->beside != 0)
            memset (known + field->beside, 1, sizeof (gboolean));
        }
      for (gsize at = 0; at < type->size; at += sizeof (gpointer))
        g_assert_nonnull (memchr (known + at, 1, sizeof (gpointer)));
    }
}

/* What the forms rely on: the order of fields, and how structs and lists are made up. */
static void
test_shape (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (all); k++)
    for (guint i = 0; i < all[k].type->n_fields; i++)
      {
        const TallModelField *field = &all[k].type->fields[i];
        g_assert_true (i == 0 || !tall_model_field_is_required (field)
                       || tall_model_field_is_required (&field[-1]));
        g_assert_cmpint (field->type != NULL, ==,
                         field->kind == TALL_MODEL_STRUCT || field->kind == TALL_MODEL_LIST);
        if (field->kind == TALL_MODEL_LIST)
          g_assert_cmpint (field->type->fields[0].kind, ==, TALL_MODEL_POSITION);
        for (guint j = 0; field->kind == TALL_MODEL_STRUCT && j < field->type->n_fields; j++)
          g_assert_cmpint (field->type->fields[j].kind, ==, TALL_MODEL_TEXT);
      }
}

typedef gboolean (*Differs) (gpointer data);

/* Makes one field another one, asks, and puts it back. */
static void
change_value (const TallModelField *field, gpointer base, Differs differs, gpointer data)
{
  gsize size = size_of (field->kind);
  g_autofree gpointer before = g_memdup2 ((char *)base + field->offset, size);
  if (field->kind == TALL_MODEL_NUMBER || field->kind == TALL_MODEL_TEXT)
    tall_model_set_pointer (field, base, "other");
  else if (field->kind == TALL_MODEL_POSITION)
    ++*tall_model_position (field, base);
  else if (field->kind == TALL_MODEL_DATE)
    ++*tall_model_date (field, base);
  else if (field->kind == TALL_MODEL_DECIMAL || field->kind == TALL_MODEL_RATE)
    ++tall_model_decimal (field, base)->unscaled;
  else if (field->kind == TALL_MODEL_ATTRIBUTES)
    tall_model_attributes (field, base)->n_items--;
  else if (field->kind == TALL_MODEL_STRUCT)
    tall_model_set_pointer (field, base, NULL);
  else
    --*tall_model_count (field, base);
  g_assert_true (differs (data));

  memcpy ((char *)base + field->offset, before, size);
  if (field->kind == TALL_MODEL_LIST || field->kind == TALL_MODEL_TEXTS)
    ++*tall_model_count (field, base);
  g_assert_false (differs (data));
}

static void
change_fields (const TallModelType *type, gpointer base, Differs differs, gpointer data)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallModelField *field = &type->fields[i];
      g_test_message ("%s of %s", field->name, type->name);
      if (field->kind == TALL_MODEL_DATE || field->kind == TALL_MODEL_DECIMAL
          || field->kind == TALL_MODEL_RATE)
        {
          *tall_model_flag (field, base) = FALSE;
          g_assert_true (differs (data));
          *tall_model_flag (field, base) = TRUE;
        }
      change_value (field, base, differs, data);
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
make_order (TallAttribute *attribute)
{
  TallOrder *order = tall_test_order_with_lines ("C", "1", 2);
  order->attributes = (TallAttributes){ attribute, 1 };
  return order;
}

/* Each field of an order in turn becomes another one. */
static void
test_order_fields_count (void)
{
  char texts[][2] = { "k", "v" };
  TallAttribute attribute = { texts[0], texts[1] };
  g_autoptr (TallOrder) a = make_order (&attribute);
  g_autoptr (TallOrder) b = make_order (&attribute);
  TallOrder *pair[] = { a, b };
  TallShippingLocation *location = &b->shipping_locations[0];
  change_fields (&tall_model_order, b, orders_differ, pair);
  change_fields (&tall_model_location, location, orders_differ, pair);
  change_fields (&tall_model_address, location->address, orders_differ, pair);
  change_fields (&tall_model_line, &location->line_items[1], orders_differ, pair);
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
  TallShippingLocation *location = &order->shipping_locations[0];
  g_assert_cmpuint (tall_model_measure_texts (&tall_model_location, location), ==, 0);
  location->name = tall_arena_strdup (order->arena, "abc");
  location->address = tall_arena_new0 (order->arena, TallAddress);
  location->address->country = tall_arena_strdup (order->arena, "de");
  location->address->line1 = tall_arena_strdup (order->arena, "");
  g_assert_cmpuint (tall_model_measure_texts (&tall_model_location, location), ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/type/proto", test_proto);
  g_test_add_func ("/model/type/idl", test_idl);
  g_test_add_func ("/model/type/members", test_members);
  g_test_add_func ("/model/type/shape", test_shape);
  g_test_add_func ("/model/type/order-fields-count", test_order_fields_count);
  g_test_add_func ("/model/type/customer-fields-count", test_customer_fields_count);
  g_test_add_func ("/model/type/measure", test_measure);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/json-build.h"

#include "model/json.h"

static void add_object (JsonBuilder *builder, const TallModelType *type, gconstpointer base);

static void
add_list (JsonBuilder *builder, const TallModelField *field, gconstpointer base)
{
  gsize n = *tall_model_count (field, base);
  gpointer const *elements = tall_model_get_pointer (field, base);
  if (n == 0)
    return;

  tall_json_begin_array (builder, field->name);
  for (gsize i = 0; i < n; i++)
    if (field->type == PROTOBUF_C_TYPE_STRING)
      json_builder_add_string_value (builder, elements[i]);
    else
      add_object (builder, field->descriptor, elements[i]);
  json_builder_end_array (builder);
}

static void
add_attributes (JsonBuilder *builder, const TallModelField *field, gconstpointer base)
{
  gsize n = *tall_model_count (field, base);
  TallAttribute *const *items = tall_model_get_pointer (field, base);
  if (n == 0)
    return;

  tall_json_begin_object (builder, field->name);
  for (gsize i = 0; i < n; i++)
    tall_json_add_text (builder, items[i]->key, items[i]->value);
  json_builder_end_object (builder);
}

static void
add_date (JsonBuilder *builder, const TallModelField *field, gconstpointer base)
{
  char date[TALL_DATE_TEXT_SIZE];
  if (*tall_model_flag (field, base))
    tall_json_add_text (builder, field->name,
                        tall_date_format (*tall_model_date (field, base), date));
}

/* A text, struct or decimal that is there. */
static void
add_value (JsonBuilder *builder, const TallModelField *field, gconstpointer value)
{
  char decimal[TALL_DECIMAL_TEXT_SIZE];
  json_builder_set_member_name (builder, field->name);
  if (field->type == PROTOBUF_C_TYPE_STRING)
    json_builder_add_string_value (builder, value);
  else if (field->descriptor == &tall_model_decimal)
    json_builder_add_string_value (builder,
                                   tall_decimal_format (*(const TallDecimal *)value, decimal));
  else
    add_object (builder, field->descriptor, value);
}

static void
add_field (JsonBuilder *builder, const TallModelField *field, gconstpointer base)
{
  switch (tall_model_kind (field))
    {
    case TALL_MODEL_NUMBER:
    case TALL_MODEL_TEXT:
    case TALL_MODEL_STRUCT:
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      if (tall_model_get_pointer (field, base) != NULL)
        add_value (builder, field, tall_model_get_pointer (field, base));
      break;
    case TALL_MODEL_POSITION:
      if (tall_model_has_position (field, base))
        tall_json_add_number (builder, field->name, *tall_model_position (field, base));
      break;
    case TALL_MODEL_DATE:
      add_date (builder, field, base);
      break;
    case TALL_MODEL_LIST:
    case TALL_MODEL_STRUCTS:
    case TALL_MODEL_TEXTS:
      add_list (builder, field, base);
      break;
    case TALL_MODEL_ATTRIBUTES:
      add_attributes (builder, field, base);
      break;
    default:
      g_assert_not_reached ();
    }
}

static void
add_object (JsonBuilder *builder, const TallModelType *type, gconstpointer base)
{
  json_builder_begin_object (builder);
  for (guint i = 0; i < type->n_fields; i++)
    add_field (builder, &type->fields[i], base);
  json_builder_end_object (builder);
}

/* json-glib 1.6.6 leaves the last of the control characters, U+001F, as it is, which is not JSON.
 * It never stands outside a text. */
static char *
escape_rest (char *json)
{
  if (strchr (json, '\x1f') == NULL)
    return json;

  GString *escaped = g_string_new (json);
  g_free (json);
  g_string_replace (escaped, "\x1f", "\\u001f", 0);
  return g_string_free (escaped, FALSE);
}

static char *
write_json (const TallModelType *type, gconstpointer value, gboolean pretty)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  add_object (builder, type, value);

  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  return escape_rest (json_to_string (root, pretty));
}

/**
 * tall_order_to_json:
 * @self: a normalized order
 * @pretty: TRUE for people, with line breaks and indents; FALSE for one line
 *
 * Returns: (transfer full): canonical JSON: equal orders give equal texts
 */
char *
tall_order_to_json (const TallOrder *self, gboolean pretty)
{
  return write_json (&tall_model_order, self, pretty);
}

/**
 * tall_customer_to_json:
 * @self: a normalized customer
 * @pretty: TRUE for people, with line breaks and indents; FALSE for one line
 *
 * Returns: (transfer full): canonical JSON: equal customers give equal texts
 */
char *
tall_customer_to_json (const TallCustomer *self, gboolean pretty)
{
  return write_json (&tall_model_customer, self, pretty);
}

void
tall_json_add_text (JsonBuilder *builder, const char *name, const char *text)
{
  if (text == NULL)
    return;
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

/**
 * tall_json_add_texts:
 * @texts: (nullable): ended by NULL; NULL: the list is left out
 */
void
tall_json_add_texts (JsonBuilder *builder, const char *name, const char *const *texts)
{
  if (texts == NULL)
    return;
  tall_json_begin_array (builder, name);
  for (guint i = 0; texts[i] != NULL; i++)
    json_builder_add_string_value (builder, texts[i]);
  json_builder_end_array (builder);
}

void
tall_json_add_number (JsonBuilder *builder, const char *name, gint64 number)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, number);
}

void
tall_json_add_double (JsonBuilder *builder, const char *name, double number)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, number);
}

void
tall_json_add_flag (JsonBuilder *builder, const char *name, gboolean flag)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, flag);
}

void
tall_json_begin_object (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
}

void
tall_json_begin_array (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
}

/**
 * tall_json_build:
 * @pretty: over several lines
 *
 * Returns: (transfer full): the text of what was built
 */
char *
tall_json_build (JsonBuilder *builder, gboolean pretty)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  return json_to_string (root, pretty);
}

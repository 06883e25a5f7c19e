/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/json.h"

static void add_object (JsonBuilder *builder, const TallModelType *type, gconstpointer base);

static void
add_list (JsonBuilder *builder, const TallModelField *field, gconstpointer base)
{
  guint n = *tall_model_count (field, base);
  const char *elements = tall_model_get_pointer (field, base);
  if (n == 0)
    return;

  tall_json_begin_array (builder, field->name);
  for (guint i = 0; i < n; i++)
    if (field->kind == TALL_MODEL_TEXTS)
      json_builder_add_string_value (builder, ((char *const *)(gconstpointer)elements)[i]);
    else
      add_object (builder, field->type, elements + i * field->type->size);
  json_builder_end_array (builder);
}

static void
add_attributes (JsonBuilder *builder, const char *name, const TallAttributes *attributes)
{
  if (attributes->n_items == 0)
    return;

  tall_json_begin_object (builder, name);
  for (guint i = 0; i < attributes->n_items; i++)
    tall_json_add_text (builder, attributes->items[i].key, attributes->items[i].value);
  json_builder_end_object (builder);
}

/* A pointer to a text or struct that is absent if NULL. */
static void
add_pointer (JsonBuilder *builder, const TallModelField *field, gconstpointer value)
{
  if (value == NULL)
    return;

  json_builder_set_member_name (builder, field->name);
  if (field->kind == TALL_MODEL_STRUCT)
    add_object (builder, field->type, value);
  else
    json_builder_add_string_value (builder, value);
}

static void
add_optional (JsonBuilder *builder, const TallModelField *field, gconstpointer base)
{
  if (!*tall_model_flag (field, base))
    return;

  char decimal[TALL_DECIMAL_TEXT_SIZE];
  char date[TALL_DATE_TEXT_SIZE];
  if (field->kind == TALL_MODEL_DATE)
    tall_json_add_text (builder, field->name,
                        tall_date_format (*tall_model_date (field, base), date));
  else
    tall_json_add_text (builder, field->name,
                        tall_decimal_format (*tall_model_decimal (field, base), decimal));
}

static void
add_field (JsonBuilder *builder, const TallModelField *field, gconstpointer base)
{
  switch (field->kind)
    {
    case TALL_MODEL_NUMBER:
    case TALL_MODEL_TEXT:
    case TALL_MODEL_STRUCT:
      add_pointer (builder, field, tall_model_get_pointer (field, base));
      break;
    case TALL_MODEL_POSITION:
      tall_json_add_number (builder, field->name, *tall_model_position (field, base));
      break;
    case TALL_MODEL_DATE:
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      add_optional (builder, field, base);
      break;
    case TALL_MODEL_LIST:
    case TALL_MODEL_TEXTS:
      add_list (builder, field, base);
      break;
    case TALL_MODEL_ATTRIBUTES:
      add_attributes (builder, field->name, tall_model_attributes (field, base));
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

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "model/json.h"
#include "tall-limits.h"

#define REVISION "revision"
#define PART "part"

typedef struct
{
  TallArena *arena; /* of what is read; not owned */
  GString *path;    /* of the present field; not owned */
  gint64 *revision; /* (nullable): where that of the outermost object goes */
  GError **error;
} Input;

static gboolean read_object (Input *self, const TallModelType *type, JsonNode *node, gpointer base);

static gboolean input_fail (const Input *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
input_fail (const Input *self, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  if (self->path->len == 0)
    tall_error_set_invalid (self->error, NULL, "%s", what);
  else
    tall_error_set_invalid (self->error, self->path->str, "%s: %s", self->path->str, what);
  return FALSE;
}

static const char *
describe_node (JsonNode *node)
{
  switch (json_node_get_node_type (node))
    {
    case JSON_NODE_OBJECT:
      return "an object";
    case JSON_NODE_ARRAY:
      return "a list";
    case JSON_NODE_NULL:
      return "null; leave out what is absent";
    case JSON_NODE_VALUE:
      break;
    default:
      g_assert_not_reached ();
    }

  GType type = json_node_get_value_type (node);
  if (type == G_TYPE_STRING)
    return "a text";
  if (type == G_TYPE_BOOLEAN)
    return "a truth value";
  return type == G_TYPE_DOUBLE ? "a number with point or exponent" : "a number";
}

/* Returns: (nullable): the text of @node, NULL with an error if it is something else */
static const char *
get_text (const Input *self, JsonNode *node, const char *wanted)
{
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    return json_node_get_string (node);

  input_fail (self, "must be %s, not %s", wanted, describe_node (node));
  return NULL;
}

static gboolean
read_text (Input *self, JsonNode *node, char **text)
{
  *text = tall_arena_strdup (self->arena, get_text (self, node, "a text"));
  return *text != NULL;
}

static gboolean
read_position (Input *self, JsonNode *node, gint32 *position)
{
  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_INT64)
    return input_fail (self, "must be a whole number, not %s", describe_node (node));

  gint64 value = json_node_get_int (node);
  if (value < 1 || value > G_MAXINT32)
    return input_fail (self, "%" G_GINT64_FORMAT " is out of range, which is 1 to %d", value,
                       G_MAXINT32);
  *position = value;
  return TRUE;
}

/* Puts the path in front of an error from below. */
static gboolean
finish_parse (const Input *self, gboolean parsed, GError *local)
{
  if (!parsed)
    input_fail (self, "%s", local->message);
  g_clear_error (&local);
  return parsed;
}

static gboolean
read_date (Input *self, JsonNode *node, gint64 *date)
{
  const char *text = get_text (self, node, "a date as a text, such as \"1996-07-04\"");
  if (text == NULL)
    return FALSE;

  GError *local = NULL;
  gboolean parsed = tall_date_parse (text, date, &local);
  return finish_parse (self, parsed, local);
}

static gboolean
read_decimal (Input *self, const TallModelField *field, JsonNode *node, gpointer base)
{
  const char *text = get_text (self, node, "a decimal as a text, such as \"9.80\"");
  if (text == NULL)
    return FALSE;

  GError *local = NULL;
  TallDecimal *decimal = tall_decimal_new (self->arena, 0, 0);
  tall_model_set_pointer (field, base, decimal);
  gboolean parsed = tall_decimal_parse (text, -1, decimal, &local);
  return finish_parse (self, parsed, local);
}

static gboolean
read_pointer (Input *self, const TallModelField *field, JsonNode *node, gpointer base)
{
  gpointer value = tall_model_new (field->descriptor, self->arena);
  tall_model_set_pointer (field, base, value);
  return read_object (self, field->descriptor, node, value);
}

static gboolean
read_element (Input *self, const TallModelField *field, JsonNode *node, gpointer *element)
{
  if (field->type == PROTOBUF_C_TYPE_STRING)
    return read_text (self, node, (char **)element);
  *element = tall_model_new (field->descriptor, self->arena);
  return read_object (self, field->descriptor, node, *element);
}

static gboolean
read_list (Input *self, const TallModelField *field, JsonNode *node, gpointer base)
{
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return input_fail (self, "must be a list, not %s", describe_node (node));

  JsonArray *array = json_node_get_array (node);
  guint n = json_array_get_length (array);
  gpointer *elements = tall_arena_newa0 (self->arena, gpointer, n);
  tall_model_set_pointer (field, base, elements);
  *tall_model_count (field, base) = n;

  gsize before = self->path->len;
  for (guint i = 0; i < n; i++)
    {
      JsonNode *element = json_array_get_element (array, i);
      g_string_append_printf (self->path, "[%u]", i);
      if (!read_element (self, field, element, &elements[i]))
        return FALSE;
      g_string_truncate (self->path, before);
    }
  return TRUE;
}

static void
enter (Input *self, const char *name)
{
  if (self->path->len > 0)
    g_string_append_c (self->path, '.');
  g_autofree char *shown = tall_json_shorten (name);
  g_string_append (self->path, shown);
}

static gboolean
read_attributes (Input *self, const TallModelField *field, JsonNode *node, gpointer base)
{
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return input_fail (self, "must be an object of texts, not %s", describe_node (node));

  JsonObject *object = json_node_get_object (node);
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;
  gsize before = self->path->len;
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &value))
    {
      TallAttribute *item = tall_attribute_new (self->arena, key, NULL);
      tall_model_append (field, base, self->arena, item);
      enter (self, key);
      if (!read_text (self, value, &item->value))
        return FALSE;
      g_string_truncate (self->path, before);
    }
  return TRUE;
}

/* The outermost object may have a revision: it is about what was stored once, and is not part of
 * what is to be stored. */
static gboolean
read_revision (const Input *self, JsonNode *node)
{
  gboolean is_whole =
      JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64;
  if (is_whole && json_node_get_int (node) > 0)
    {
      if (self->revision != NULL)
        *self->revision = json_node_get_int (node);
      return TRUE;
    }
  return input_fail (self, "must be a whole number above 0, not %s", describe_node (node));
}

static gboolean
read_field (Input *self, const TallModelField *field, JsonNode *node, gpointer base)
{
  switch (tall_model_kind (field))
    {
    case TALL_MODEL_NUMBER:
    case TALL_MODEL_TEXT:
      return read_text (self, node, &G_STRUCT_MEMBER (char *, base, field->offset));
    case TALL_MODEL_POSITION:
      if (!tall_model_field_is_required (field))
        *tall_model_flag (field, base) = TRUE;
      return read_position (self, node, tall_model_position (field, base));
    case TALL_MODEL_DATE:
      *tall_model_flag (field, base) = TRUE;
      return read_date (self, node, tall_model_date (field, base));
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      return read_decimal (self, field, node, base);
    case TALL_MODEL_STRUCT:
      return read_pointer (self, field, node, base);
    case TALL_MODEL_LIST:
    case TALL_MODEL_STRUCTS:
    case TALL_MODEL_TEXTS:
      return read_list (self, field, node, base);
    case TALL_MODEL_ATTRIBUTES:
      return read_attributes (self, field, node, base);
    default:
      g_assert_not_reached ();
    }
}

static gboolean
fail_unknown (const Input *self, const TallModelType *type, gboolean outermost)
{
  g_autofree char *known = tall_model_list_fields (type);
  return input_fail (self, "unknown field; known here %s%s", known, outermost ? ", " REVISION : "");
}

/* Whether a field is there though no member says so: the number of a part that a path names. */
static gboolean
is_given (const TallModelField *field, gconstpointer base)
{
  return tall_model_kind (field) == TALL_MODEL_POSITION && *tall_model_position (field, base) != 0;
}

static gboolean
check_required (Input *self, const TallModelType *type, JsonObject *object, gconstpointer base)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallModelField *field = &type->fields[i];
      if (!tall_model_field_is_required (field) || json_object_has_member (object, field->name)
          || is_given (field, base))
        continue;
      enter (self, field->name);
      return input_fail (self, "the field is missing");
    }
  return TRUE;
}

static gboolean
read_member (
    Input *self, const TallModelType *type, const char *name, JsonNode *node, gpointer base)
{
  const TallModelField *field = tall_model_find_field (type, name);
  gboolean outermost = self->path->len == 0;
  enter (self, name);
  if (field != NULL)
    return read_field (self, field, node, base);
  if (outermost && g_str_equal (name, REVISION))
    return read_revision (self, node);
  if (type == &tall_model_order && g_str_equal (name, PART))
    return input_fail (self, "this is only a part of an order, and storing it would lose the rest; "
                             "change the order by a patch");
  return fail_unknown (self, type, outermost);
}

static gboolean
read_object (Input *self, const TallModelType *type, JsonNode *node, gpointer base)
{
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return input_fail (self, "must be an object, not %s", describe_node (node));

  JsonObject *object = json_node_get_object (node);
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;
  gsize before = self->path->len;
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      if (!read_member (self, type, name, value, base))
        return FALSE;
      g_string_truncate (self->path, before);
    }
  return check_required (self, type, object, base);
}

static gboolean
read_root (const char *text,
           gssize len,
           const TallModelType *type,
           TallArena *arena,
           gpointer base,
           gint64 *revision,
           GError **error)
{
  g_autoptr (JsonNode) root = tall_json_parse (text, len < 0 ? strlen (text) : (gsize)len, error);
  if (root == NULL)
    return FALSE;

  g_autoptr (GString) path = g_string_new (NULL);
  Input input = { arena, path, revision, error };
  return read_object (&input, type, root, base);
}

/**
 * tall_order_from_json:
 * @len: bytes of @text, -1 if it ends with NUL
 *
 * Takes exactly what tall_order_to_json() writes, its members in any order and with any white space
 * between them; lists and attributes may also be there and empty. A member `revision` may be there,
 * too, and is read over. Unknown and repeated fields are
 * refused rather than lost.
 *
 * Returns: (transfer full) (nullable): the order, normalized; NULL with %TALL_ERROR_INVALID that
 *   names the field's path, or line and position where @text is not JSON, or with
 *   %TALL_ERROR_TOO_LARGE
 */
TallOrder *
tall_order_from_json (const char *text, gssize len, GError **error)
{
  return tall_order_from_json_with_revision (text, len, NULL, error);
}

/**
 * tall_order_from_json_with_revision:
 * @revision: (optional) (out): what the member `revision` says; unchanged if there is none
 *
 * Returns: (transfer full) (nullable): as tall_order_from_json()
 */
TallOrder *
tall_order_from_json_with_revision (const char *text, gssize len, gint64 *revision, GError **error)
{
  g_autoptr (TallOrder) order = tall_order_new (NULL, NULL);
  if (!read_root (text, len, &tall_model_order, tall_order_get_arena (order), order, revision,
                  error)
      || !tall_order_normalize (order, error))
    return NULL;
  return g_steal_pointer (&order);
}

/**
 * tall_customer_from_json:
 * @len: bytes of @text, -1 if it ends with NUL
 *
 * The same for a customer as tall_order_from_json() for an order.
 *
 * Returns: (transfer full) (nullable): the customer, normalized; NULL with an error
 */
TallCustomer *
tall_customer_from_json (const char *text, gssize len, GError **error)
{
  return tall_customer_from_json_with_revision (text, len, NULL, error);
}

/**
 * tall_customer_from_json_with_revision:
 *
 * The same for a customer as tall_order_from_json_with_revision() for an order.
 */
TallCustomer *
tall_customer_from_json_with_revision (const char *text,
                                       gssize len,
                                       gint64 *revision,
                                       GError **error)
{
  g_autoptr (TallCustomer) customer = tall_customer_new (NULL);
  if (!read_root (text, len, &tall_model_customer, tall_customer_get_arena (customer), customer,
                  revision, error)
      || !tall_customer_normalize (customer, error))
    return NULL;
  return g_steal_pointer (&customer);
}

/* What stands for itself, and needs no JSON around it. */
static gboolean
is_plain (const TallModelField *field)
{
  switch (tall_model_kind (field))
    {
    case TALL_MODEL_POSITION:
    case TALL_MODEL_STRUCT:
    case TALL_MODEL_LIST:
    case TALL_MODEL_STRUCTS:
    case TALL_MODEL_TEXTS:
    case TALL_MODEL_ATTRIBUTES:
      return FALSE;
    default:
      return TRUE;
    }
}

/* An object with the one member @name, or without a name just an object. */
static JsonNode *
parse_part (const char *name, const char *text, const char *path, GError **error)
{
  g_autofree char *wrapped =
      name != NULL ? g_strdup_printf ("{\"%s\":%s}", name, text) : g_strdup (text);
  g_autoptr (GError) local = NULL;
  g_autoptr (JsonNode) root = tall_json_parse (wrapped, strlen (wrapped), &local);
  if (root != NULL && (name == NULL || json_object_get_size (json_node_get_object (root)) == 1))
    return g_steal_pointer (&root);

  if (g_error_matches (local, TALL_ERROR, TALL_ERROR_TOO_LARGE))
    g_propagate_prefixed_error (error, g_steal_pointer (&local), "%s: ", path);
  else
    tall_error_set_invalid (error, path, "%s: %s", path,
                            local != NULL ? local->message : "JSON: one value is expected");
  return NULL;
}

/**
 * tall_json_read_field:
 * @path: of the field, for errors
 * @text: a text, date or decimal as it is; a struct or list as JSON
 * @arena: of @base
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, which names the path, or %TALL_ERROR_TOO_LARGE
 */
gboolean
tall_json_read_field (const TallModelField *field,
                      const char *path,
                      const char *text,
                      TallArena *arena,
                      gpointer base,
                      GError **error)
{
  g_autoptr (GString) own_path = g_string_new (path);
  Input input = { arena, own_path, NULL, error };
  gboolean plain = is_plain (field);
  g_autoptr (JsonNode) root = plain ? json_node_init_string (json_node_alloc (), text)
                                    : parse_part (field->name, text, path, error);
  if (root == NULL)
    return FALSE;
  JsonNode *value =
      plain ? root : json_object_get_member (json_node_get_object (root), field->name);
  return read_field (&input, field, value, base);
}

/**
 * tall_json_read_part:
 * @path: of the part, for errors
 * @text: a JSON object; the number of the part may be missing if @base has it
 * @base: (inout): of @type, with nothing in it but perhaps its number
 *
 * Returns: FALSE like tall_json_read_field()
 */
gboolean
tall_json_read_part (const TallModelType *type,
                     const char *path,
                     const char *text,
                     TallArena *arena,
                     gpointer base,
                     GError **error)
{
  g_autoptr (GString) own_path = g_string_new (path);
  Input input = { arena, own_path, NULL, error };
  g_autoptr (JsonNode) root = parse_part (NULL, text, path, error);
  return root != NULL && read_object (&input, type, root, base);
}

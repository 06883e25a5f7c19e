/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-patch.h"

#include "base/fail.h"
#include "base/text.h"
#include "model/check.h"
#include "model/json.h"

#define ATTRIBUTE "attribute"
#define ADJUSTMENT "adjustment"

/* Help, manual and documents take the forms from here. */
const TallPatchForm tall_patch_forms[] = {
  { "FIELD=VALUE", "sets a field of the order", "currency=EUR" },
  { "location[L].FIELD=VALUE", "sets a field of location L", "location[1].address.city=Reims" },
  { "line[N].FIELD=VALUE", "sets a field of line N, in whichever location", "line[3].quantity=2" },
  { "attribute.NAME=VALUE", "sets an attribute; attribute[\"NAME\"] takes any name",
    "attribute.status=paid" },
  { "line[N].FIELD+=NUMBER", "adds to a number that is there; -= subtracts",
    "line[3].quantity+=1" },
  { "-PLACE", "clears a field or attribute, removes a line, or a location with its lines",
    "-line[4]" },
  { "+location[L]", "adds a location; ={JSON} says what is in it", "+location[2]" },
  { "+location[L].line[N]", "adds a line to location L; ={JSON} says what is in it",
    "+location[1].line[5]={\"item_number\":\"11\",\"quantity\":\"2\"}" },
  { "location[L]={JSON}, line[N]={JSON}", "replaces a location with its lines, or a line",
    "line[4]={\"item_number\":\"42\"}" },
  { "+adjustment={JSON}", "adds an adjustment, as the last one",
    "+adjustment={\"kind\":\"shipping\",\"amount\":\"4.95\"}" },
  { "adjustment[A].FIELD=VALUE", "sets a field of adjustment A; +=, -=, ={JSON} and - work, too",
    "adjustment[shipping].amount=5.95" },
  { NULL, NULL, NULL },
};

typedef enum
{
  SETS,
  ADDS,
  SUBTRACTS,
  CLEARS,
  INSERTS,
} Verb;

/* One change on its way through the order. */
typedef struct
{
  TallOrder *order;
  Verb verb;
  const char *place; /* the text of the change; from here … */
  const char *at;    /* … to here the place was read */
  const char *end;   /* of the place */
  const char *value; /* NULL: none */
  GError **error;
} Change;

static gboolean change_fail (const Change *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Names the place as far as it was read. */
static gboolean
change_fail (const Change *self, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  gsize len = (gsize)(self->at - self->place);
  g_autofree char *read = g_strndup (self->place, len > 0 && self->at[-1] == '.' ? len - 1 : len);
  g_autofree char *path = tall_json_shorten (read[0] != '\0' ? read : "changes");
  return tall_error_fail_invalid (self->error, path, "%s: %s", path, what);
}

/* @prefix: of the paths that a check gives; @invalid: (transfer full): what it has found, or NULL
 */
static gboolean
finish_check (const Change *self, const char *prefix, gboolean valid, GError *invalid)
{
  if (valid)
    return TRUE;
  if (g_error_matches (invalid, TALL_ERROR, TALL_ERROR_INVALID))
    {
      g_autofree char *path = g_strconcat (prefix, tall_error_get_field (invalid), NULL);
      tall_error_set_invalid (self->error, path, "%s%s", prefix, invalid->message);
      g_error_free (invalid);
    }
  else
    g_propagate_prefixed_error (self->error, invalid, "%s", prefix);
  return FALSE;
}

/* Where the first = outside of a quoted name stands; NULL: there is none. */
static const char *
find_equals (const char *text)
{
  gboolean quoted = FALSE;
  for (gsize i = 0; text[i] != '\0'; i++)
    if (quoted && text[i] == '\\' && text[i + 1] != '\0')
      i++;
    else if (text[i] == '"')
      quoted = !quoted && i > 0 && text[i - 1] == '[';
    else if (text[i] == '=' && !quoted)
      return text + i;
  return NULL;
}

/* Divides a change into what is done, where, and with what. */
static gboolean
split (Change *self, const char *text)
{
  self->verb = text[0] == '-' ? CLEARS : text[0] == '+' ? INSERTS : SETS;
  self->place = self->at = self->verb == SETS ? text : text + 1;
  const char *equals = find_equals (self->place);
  self->end = equals != NULL ? equals : self->place + strlen (self->place);
  self->value = equals != NULL ? equals + 1 : NULL;
  if (self->verb == SETS && self->value != NULL && self->end > self->place
      && (equals[-1] == '+' || equals[-1] == '-'))
    {
      self->verb = equals[-1] == '+' ? ADDS : SUBTRACTS;
      self->end--;
    }
  if (self->end == self->place)
    return change_fail (self, "a place is missing: PLACE=VALUE sets it, and -PLACE clears it");
  if (self->verb == INSERTS || (self->verb == CLEARS) == (self->value == NULL))
    return TRUE;
  self->at = self->end;
  return change_fail (self, self->verb == CLEARS
                                ? "what is cleared takes no value"
                                : "a value is missing: PLACE=VALUE sets it, and -PLACE clears it");
}

/* ---- Locations and lines ---- */

/* Reads the dot behind a bracket, if more follows. */
static gboolean
end_name (Change *self)
{
  if (self->at == self->end)
    return TRUE;
  if (*self->at != '.' || self->at + 1 == self->end)
    return change_fail (self, "a dot and a name are expected here, or nothing");
  self->at++;
  return TRUE;
}

/* Reads NAME[NUMBER] if it comes next, with the dot after it. @number: (out): 0 if it does not */
static gboolean
take_number (Change *self, const char *name, gint32 *number)
{
  gsize len = strlen (name);
  *number = 0;
  if ((gsize)(self->end - self->at) <= len || memcmp (self->at, name, len) != 0
      || self->at[len] != '[')
    return TRUE;
  guint64 value = 0;
  const char *at = self->at + len + 1;
  for (; at < self->end && g_ascii_isdigit (*at) && value <= G_MAXINT32; at++)
    value = value * 10 + (guint64)(*at - '0');
  gboolean closed = at < self->end && *at == ']';
  self->at = closed ? at + 1 : at;
  if (!closed || value < 1 || value > G_MAXINT32)
    return change_fail (self, "%s[…] takes a number from 1 to %d", name, G_MAXINT32);
  *number = (gint32)value;
  return end_name (self);
}

/* An element of a list of the order. */
typedef struct
{
  gpointer *elements; /* of the list */
  gsize *n;
  gsize index;
  ProtobufCMessage *part; /* NULL: it is not there */
} Spot;

static Spot
find_location (const Change *self, gint32 number)
{
  TallOrder *order = self->order;
  for (gsize i = 0; i < order->n_shipping_locations; i++)
    if (order->shipping_locations[i]->number == number)
      return (Spot){ (gpointer *)order->shipping_locations, &order->n_shipping_locations, i,
                     &order->shipping_locations[i]->base };
  return (Spot){ .part = NULL };
}

/* @location: (nullable): where to look; NULL: everywhere */
static Spot
find_line (const Change *self, gconstpointer location, gint32 number)
{
  for (gsize i = 0; i < self->order->n_shipping_locations; i++)
    {
      TallShippingLocation *in = self->order->shipping_locations[i];
      for (gsize k = 0; (location == NULL || in == location) && k < in->n_line_items; k++)
        if (in->line_items[k]->number == number)
          return (Spot){ (gpointer *)in->line_items, &in->n_line_items, k,
                         &in->line_items[k]->base };
    }
  return (Spot){ .part = NULL };
}

/* Returns: how many adjustments @which names: those of that kind, else the one at that place.
 * @spot: (out): the last of them */
static guint
find_adjustment (TallOrder *order, const char *which, Spot *spot)
{
  guint64 place = 0;
  guint n_found = 0;
  gsize found = 0;
  for (gsize i = 0; i < order->n_adjustments; i++)
    if (g_str_equal (order->adjustments[i]->kind, which))
      {
        found = i;
        n_found++;
      }
  if (n_found == 0 && order->n_adjustments > 0
      && g_ascii_string_to_unsigned (which, 10, 1, order->n_adjustments, &place, NULL))
    {
      found = place - 1;
      n_found = 1;
    }
  if (n_found > 0)
    *spot = (Spot){ (gpointer *)order->adjustments, &order->n_adjustments, found,
                    &order->adjustments[found]->base };
  return n_found;
}

/* Reads adjustment[KIND] or adjustment[PLACE] if it comes next, with the dot after it. @spot:
 * (out): without a part if it does not */
static gboolean
take_adjustment (Change *self, Spot *spot)
{
  TallOrder *order = self->order;
  gsize len = strlen (ADJUSTMENT "[");
  *spot = (Spot){ .part = NULL };
  if ((gsize)(self->end - self->at) < len || memcmp (self->at, ADJUSTMENT "[", len) != 0)
    return TRUE;
  const char *name = self->at + len;
  const char *close = memchr (name, ']', (gsize)(self->end - name));
  const char *name_end = close != NULL ? close : self->end;
  g_autofree char *which = g_strndup (name, (gsize)(name_end - name));
  guint n_found = find_adjustment (order, which, spot);
  self->at = close != NULL ? close + 1 : self->end;
  if (close == NULL || n_found == 0)
    return change_fail (self, "the order has no such adjustment");
  if (n_found > 1)
    return change_fail (self, "the order has %u of that kind: say which by its place, from 1",
                        n_found);
  return end_name (self);
}

/* @number: of a location or line; 0: it is an adjustment, which has none
 *
 * Returns: (nullable): a new part with what the value says; NULL with an error */
static gpointer
make_part (const Change *self, const TallModelType *type, gint32 number)
{
  TallArena *arena = tall_order_get_arena (self->order);
  g_autofree char *path = g_strndup (self->place, (gsize)(self->end - self->place));
  g_autofree char *prefix = g_strconcat (path, ".", NULL);
  gpointer part = tall_model_new (type, arena);
  const TallModelField *field = tall_model_find_field (type, "number");
  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);

  if (number != 0)
    *tall_model_position (field, part) = number;
  if (self->value != NULL
      && !tall_json_read_part (type, path, self->value, arena, part, self->error))
    return NULL;
  if (number != 0 && *tall_model_position (field, part) != number)
    {
      change_fail (self, "its JSON has the number %d; leave that out",
                   *tall_model_position (field, part));
      return NULL;
    }
  gboolean valid = tall_check_fields (&check, type, part);
  return finish_check (self, prefix, valid, invalid) ? part : NULL;
}

static gboolean
insert_location (const Change *self, gint32 number)
{
  TallOrder *order = self->order;
  if (find_location (self, number).part != NULL)
    return change_fail (self, "the order has a location %d already", number);
  gpointer part = make_part (self, &tall_model_location, number);
  if (part != NULL)
    tall_arena_append (tall_order_get_arena (order), &order->shipping_locations,
                       &order->n_shipping_locations, part);
  return part != NULL;
}

/* @location: (nullable): NULL: the change names none */
static gboolean
insert_line (const Change *self, TallShippingLocation *location, gint32 number)
{
  if (location == NULL)
    return change_fail (self, "where does it go? Write +location[L].line[%d]", number);
  if (find_line (self, NULL, number).part != NULL)
    return change_fail (self, "the order has a line %d already", number);
  gpointer part = make_part (self, &tall_model_line, number);
  if (part != NULL)
    tall_arena_append (tall_order_get_arena (self->order), &location->line_items,
                       &location->n_line_items, part);
  return part != NULL;
}

static gboolean
insert_adjustment (const Change *self)
{
  TallOrder *order = self->order;
  gpointer part = make_part (self, &tall_model_adjustment, 0);
  if (part != NULL)
    tall_arena_append (tall_order_get_arena (order), &order->adjustments, &order->n_adjustments,
                       part);
  return part != NULL;
}

/* Removes or replaces a whole location, line or adjustment. */
static gboolean
change_part (const Change *self, Spot spot, gint32 number)
{
  if (self->verb == CLEARS)
    {
      gsize behind = --*spot.n - spot.index;
      memmove (spot.elements + spot.index, spot.elements + spot.index + 1,
               behind * sizeof *spot.elements);
      return TRUE;
    }
  if (self->verb != SETS)
    return change_fail (self, "only numbers are added to, such as the quantity of a line");
  gpointer part = make_part (self, spot.part->descriptor, number);
  if (part != NULL)
    spot.elements[spot.index] = part;
  return part != NULL;
}

/* ---- Fields ---- */

static void
clear_field (const TallModelField *field, gpointer base)
{
  if (tall_model_kind (field) == TALL_MODEL_DATE)
    {
      *tall_model_flag (field, base) = FALSE;
      *tall_model_date (field, base) = 0;
      return;
    }
  if (tall_model_kind (field) == TALL_MODEL_POSITION)
    {
      *tall_model_flag (field, base) = FALSE;
      *tall_model_position (field, base) = 0;
      return;
    }
  tall_model_set_pointer (field, base, NULL);
  if (field->label == PROTOBUF_C_LABEL_REPEATED)
    *tall_model_count (field, base) = 0;
}

static gboolean
add_to_field (const Change *self, const TallModelField *field, gpointer base)
{
  TallModelKind kind = tall_model_kind (field);
  if (kind != TALL_MODEL_DECIMAL && kind != TALL_MODEL_RATE)
    return change_fail (self, "only numbers are added to, such as a quantity");
  const TallDecimal *before = tall_model_get_pointer (field, base);
  if (before == NULL)
    return change_fail (self, "there is nothing to add to; set it");

  GError *invalid = NULL;
  TallDecimal number;
  if (!tall_decimal_parse (self->value, -1, &number, &invalid))
    {
      change_fail (self, "%s", invalid->message);
      g_error_free (invalid);
      return FALSE;
    }
  if (self->verb == SUBTRACTS && number.unscaled == G_MININT64)
    return change_fail (self, "the number is too large");
  if (self->verb == SUBTRACTS)
    number.unscaled = -number.unscaled;
  TallDecimal sum;
  if (!tall_decimal_add (*before, number, &sum))
    return change_fail (self, "the sum does not fit in 64 bits");
  tall_model_set_pointer (
      field, base, tall_decimal_new (tall_order_get_arena (self->order), sum.unscaled, sum.scale));
  return TRUE;
}

/* @name: where the last name of the place begins */
static gboolean
change_field (const Change *self, const TallModelField *field, gpointer base, const char *name)
{
  gboolean is_of_adjustment = ((ProtobufCMessage *)base)->descriptor == &tall_model_adjustment;
  if (tall_model_field_is_required (field) && !is_of_adjustment)
    return change_fail (self, "it says which one it is, and cannot be changed");
  if (tall_model_field_is_required (field) && self->verb == CLEARS)
    return change_fail (self, "it has to be there; or remove the whole adjustment");
  if (self->verb == ADDS || self->verb == SUBTRACTS)
    {
      if (!add_to_field (self, field, base))
        return FALSE;
    }
  else
    clear_field (field, base);

  g_autofree char *path = g_strndup (self->place, (gsize)(self->end - self->place));
  if (self->verb == SETS && tall_model_kind (field) == TALL_MODEL_STRUCT && self->value[0] != '{')
    return change_fail (self,
                        "it takes an object of JSON, {…}; or name a field of it, as in %s.city",
                        path);
  if (self->verb == SETS
      && !tall_json_read_field (field, path, self->value, tall_order_get_arena (self->order), base,
                                self->error))
    return FALSE;
  g_autofree char *prefix = g_strndup (self->place, (gsize)(name - self->place));
  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_field (&check, field, base);
  return finish_check (self, prefix, valid, invalid);
}

/* The struct in a field. One that is absent is made if something is to be set in it; otherwise
 * there is nothing in what stands for it. */
static gpointer
enter_struct (const Change *self, const TallModelField *field, gpointer base)
{
  gpointer inner = tall_model_get_pointer (field, base);
  if (inner != NULL)
    return inner;
  inner = tall_model_new (field->descriptor, tall_order_get_arena (self->order));
  if (self->verb == SETS)
    tall_model_set_pointer (field, base, inner);
  return inner;
}

/* @base: of @type; what stands at @at is in it */
static gboolean
change_field_in (Change *self, const TallModelType *type, gpointer base)
{
  for (;;)
    {
      const char *name = self->at;
      const char *dot = memchr (name, '.', (gsize)(self->end - name));
      g_autofree char *text = g_strndup (name, (gsize)((dot != NULL ? dot : self->end) - name));
      self->at = name + strlen (text);
      const TallModelField *field = tall_model_find_field (type, text);
      if (field == NULL)
        {
          g_autofree char *known = tall_model_list_fields (type);
          return change_fail (self, "unknown field; known here %s%s", known,
                              type == &tall_model_order
                                  ? "; parts are written as location[L], line[N], "
                                    "adjustment[A] and attribute.NAME"
                                  : "");
        }
      if (dot == NULL)
        return change_field (self, field, base, name);
      if (tall_model_kind (field) != TALL_MODEL_STRUCT)
        return change_fail (self, "it has no fields of its own");
      base = enter_struct (self, field, base);
      type = field->descriptor;
      self->at++;
    }
}

/* ---- Attributes ---- */

/* Returns: (transfer full) (nullable): the name, which goes to the end of the place; NULL with an
 * error */
static char *
read_attribute_name (Change *self)
{
  const char *start = self->at + strlen (ATTRIBUTE);
  gsize len = (gsize)(self->end - start);
  g_autofree char *name = NULL;
  self->at = self->end;
  if (start[0] == '.')
    name = g_strndup (start + 1, len - 1);
  else if (len >= 4 && start[1] == '"' && start[len - 2] == '"' && start[len - 1] == ']')
    {
      g_autofree char *object = g_strdup_printf ("{%.*s:0}", (int)(len - 2), start + 1);
      g_autoptr (JsonNode) root = tall_json_parse (object, strlen (object), NULL);
      g_autoptr (GList) names =
          root != NULL ? json_object_get_members (json_node_get_object (root)) : NULL;
      name = names != NULL && names->next == NULL ? g_strdup (names->data) : NULL;
    }
  if (name != NULL && name[0] != '\0')
    return g_steal_pointer (&name);
  change_fail (self, "an attribute is written as attribute.NAME or attribute[\"NAME\"]");
  return NULL;
}

static gboolean
change_attribute (Change *self)
{
  TallOrder *order = self->order;
  g_autofree char *name = read_attribute_name (self);
  gsize i = 0;
  if (name == NULL)
    return FALSE;
  if (self->verb == ADDS || self->verb == SUBTRACTS)
    return change_fail (self, "only numbers are added to; the name of an attribute that ends so is "
                              "written as attribute[\"NAME\"]");
  while (i < order->n_attributes && !g_str_equal (order->attributes[i]->key, name))
    i++;
  if (self->verb == SETS && i == order->n_attributes)
    tall_order_add_attribute (order, name, self->value);
  else if (self->verb == SETS)
    order->attributes[i] = tall_attribute_new (tall_order_get_arena (order), name, self->value);
  else if (i < order->n_attributes)
    memmove (order->attributes + i, order->attributes + i + 1,
             (--order->n_attributes - i) * sizeof *order->attributes);
  return TRUE;
}

static gboolean
is_attribute (const Change *self)
{
  gsize len = strlen (ATTRIBUTE);
  return (gsize)(self->end - self->at) > len && memcmp (self->at, ATTRIBUTE, len) == 0
         && (self->at[len] == '.' || self->at[len] == '[');
}

/* ---- Whole changes ---- */

static gboolean
apply (Change *self)
{
  gint32 location_number, line_number;
  Spot spot = { .part = NULL };
  if ((self->verb != INSERTS && !take_adjustment (self, &spot))
      || !take_number (self, "location", &location_number)
      || !take_number (self, "line", &line_number))
    return FALSE;
  if (spot.part != NULL)
    return self->at == self->end ? change_part (self, spot, 0)
                                 : change_field_in (self, spot.part->descriptor, spot.part);
  if (self->verb == INSERTS && strlen (ADJUSTMENT) == (gsize)(self->end - self->at)
      && memcmp (self->at, ADJUSTMENT, strlen (ADJUSTMENT)) == 0)
    return insert_adjustment (self);

  gboolean is_whole = self->at == self->end && (location_number != 0 || line_number != 0);
  if (self->verb == INSERTS && !is_whole)
    {
      self->at = self->end;
      return change_fail (self,
                          "only +location[L], +location[L].line[N] and +adjustment are added");
    }
  if (self->verb == INSERTS && line_number == 0)
    return insert_location (self, location_number);

  spot.part = &self->order->base;
  gpointer location = NULL;
  if (location_number != 0)
    {
      spot = find_location (self, location_number);
      location = spot.part;
      if (location == NULL)
        return change_fail (self, "the order has no location %d", location_number);
    }
  if (self->verb == INSERTS)
    return insert_line (self, location, line_number);
  if (line_number != 0)
    spot = find_line (self, location, line_number);
  if (spot.part == NULL)
    return change_fail (self, "the %s has no line %d", location != NULL ? "location" : "order",
                        line_number);

  if (is_whole)
    return change_part (self, spot, line_number != 0 ? line_number : location_number);
  if (spot.part == &self->order->base && is_attribute (self))
    return change_attribute (self);
  return change_field_in (self, spot.part->descriptor, spot.part);
}

/**
 * tall_patch_from_json:
 * @text: a list of texts: `["line[3].quantity=2", "-line[4]"]`
 * @len: bytes of @text, -1 if it ends with NUL
 *
 * Returns: (transfer full) (nullable): the changes; NULL with %TALL_ERROR_INVALID
 */
GStrv
tall_patch_from_json (const char *text, gssize len, GError **error)
{
  g_autoptr (GString) object = g_string_new ("{\"changes\":");
  g_string_append_len (object, text, len);
  g_string_append_c (object, '}');
  g_autoptr (JsonNode) root = tall_json_parse (object->str, object->len, error);
  if (root == NULL)
    return NULL;
  JsonNode *list = json_object_get_member (json_node_get_object (root), "changes");
  guint n = JSON_NODE_HOLDS_ARRAY (list) ? json_array_get_length (json_node_get_array (list)) : 0;
  g_autoptr (GStrvBuilder) changes = g_strv_builder_new ();
  gboolean valid = n > 0 && json_object_get_size (json_node_get_object (root)) == 1;
  for (guint i = 0; i < n && valid; i++)
    {
      JsonNode *change = json_array_get_element (json_node_get_array (list), i);
      valid = JSON_NODE_HOLDS_VALUE (change) && json_node_get_value_type (change) == G_TYPE_STRING;
      if (valid)
        g_strv_builder_add (changes, json_node_get_string (change));
    }
  if (valid)
    return g_strv_builder_end (changes);
  tall_error_set_invalid (error, "changes",
                          "a list of texts is expected, such as [\"line[3].quantity=2\"]");
  return NULL;
}

/**
 * tall_patch_check:
 * @changes: @n of them
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE that names the limit, or with %TALL_ERROR_INVALID if
 *   there is nothing to be changed, or a text is empty, not UTF-8, or without a form of a change
 */
gboolean
tall_patch_check (const char *const *changes, guint n, GError **error)
{
  gsize size = 0;
  if (n == 0)
    return tall_error_fail_invalid (error, "changes", "changes: there is none");
  if (n > TALL_PATCH_MAX_CHANGES)
    return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                            "a patch has at most %d changes, this one has %u: put the whole order",
                            TALL_PATCH_MAX_CHANGES, n);
  for (guint i = 0; i < n; i++)
    {
      gsize len = changes[i] != NULL ? strlen (changes[i]) : 0;
      size += len;
      if (len > 0 && tall_text_is_utf8 (tall_slice (changes[i], len)))
        continue;
      g_autofree char *path = g_strdup_printf ("changes[%u]", i);
      return tall_error_fail_invalid (error, path, "%s: %s", path,
                                      len > 0 ? "the text is not valid UTF-8"
                                              : "the change is empty");
    }
  if (size > TALL_PATCH_MAX_BYTES)
    return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                            "the changes of a patch have at most %d bytes together, these have "
                            "%" G_GSIZE_FORMAT ": put the whole order",
                            TALL_PATCH_MAX_BYTES, size);
  for (guint i = 0; i < n; i++)
    {
      gint32 location, line;
      Change change = { .error = error };
      if (!split (&change, changes[i]) || !take_number (&change, "location", &location)
          || !take_number (&change, "line", &line))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_order_patch:
 * @self: a normalized order that a function has returned; after an error it is to be thrown away
 * @changes: @n of them, each in a form of #tall_patch_forms, made one after the other
 *
 * Changes parts of an order. What can be changed follows `proto/`, as JSON does. The value of a
 * text, date or number goes to the end of its change, as it is; other values are JSON.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID and the place that is wrong, or whose value is; with
 *   %TALL_ERROR_TOO_LARGE if the patch, or the order with it, is beyond a limit
 */
gboolean
tall_order_patch (TallOrder *self, const char *const *changes, guint n, GError **error)
{
  if (!tall_patch_check (changes, n, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      Change change = { .order = self, .error = error };
      if (!split (&change, changes[i]) || !apply (&change))
        return FALSE;
    }
  return tall_order_normalize (self, error);
}

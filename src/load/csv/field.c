/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/field.h"

#define ORDER_NUMBER "order_number"
#define ATTRIBUTE "attribute."
#define ADJUSTMENT "adjustment."

static const TallModelType *const types[TALL_N_SCOPES] = {
  &tall_model_order,
  &tall_model_location,
  &tall_model_line,
  &tall_model_customer,
};

/* Money of the order, or of a line of it. What files call discounts and refunds has no sign. */
static void
add_adjustments (GArray *fields, TallCsvScope scope)
{
  const TallModelField *field = tall_model_find_field (&tall_model_order, "adjustments");
  const TallCsvField added[] = {
    { scope, ADJUSTMENT "KIND", field, NULL, ADJUSTMENT, NULL },
    { scope, "discount_amount", field, NULL, NULL, "discount" },
    { scope, "refund_amount", field, NULL, NULL, "refund" },
  };
  g_array_append_vals (fields, added, G_N_ELEMENTS (added));
}

static void
add_field (GArray *fields, TallCsvScope scope, const TallModelField *field)
{
  TallCsvField added = { scope, field->name, field, NULL, NULL, NULL };
  TallModelKind kind = tall_model_kind (field);
  const TallModelType *type = kind == TALL_MODEL_STRUCT ? field->descriptor : NULL;
  if (kind == TALL_MODEL_ATTRIBUTES)
    {
      added.name = ATTRIBUTE "NAME";
      added.prefix = ATTRIBUTE;
    }
  if (kind != TALL_MODEL_LIST && kind != TALL_MODEL_STRUCTS && kind != TALL_MODEL_STRUCT)
    g_array_append_val (fields, added);

  for (guint i = 0; type != NULL && i < type->n_fields; i++)
    {
      const TallModelField *inner = &type->fields[i];
      char *name = g_strconcat (field->name, ".", inner->name, NULL);
      added = (TallCsvField){ scope, name, inner, field, NULL, NULL };
      g_array_append_val (fields, added);
    }
}

static gpointer
make_fields (gpointer data G_GNUC_UNUSED)
{
  GArray *fields = g_array_new (FALSE, FALSE, sizeof (TallCsvField));
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    {
      for (guint i = 0; i < types[scope]->n_fields; i++)
        add_field (fields, scope, &types[scope]->fields[i]);
      if (scope == TALL_SCOPE_ORDER || scope == TALL_SCOPE_LINE)
        add_adjustments (fields, scope);
    }
  return fields;
}

/* @n: (out) how many. Returns: all fields, by scope; any thread may call it */
const TallCsvField *
tall_csv_fields (guint *n)
{
  static GOnce once = G_ONCE_INIT;
  const GArray *fields = g_once (&once, make_fields, NULL);
  *n = fields->len;
  return (const TallCsvField *)(gpointer)fields->data;
}

/* @name: such as `sales_date` or `attribute.freight`. Returns: (nullable): the field; NULL if there
 * is none of that name */
const TallCsvField *
tall_csv_field_find (TallCsvScope scope, const char *name)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    if (fields[i].scope == scope
        && (fields[i].prefix != NULL ? g_str_has_prefix (name, fields[i].prefix)
                                           && name[strlen (fields[i].prefix)] != '\0'
                                     : g_str_equal (fields[i].name, name)))
      return &fields[i];
  return NULL;
}

/* @name: one by which the field was found. Returns: (nullable): of which attribute, or kind of
 * adjustments, it is; NULL: of none */
const char *
tall_csv_field_get_part (const TallCsvField *self, const char *name)
{
  return self->prefix != NULL ? name + strlen (self->prefix) : self->kind;
}

gboolean
tall_csv_field_is_order_number (const TallCsvField *self)
{
  return tall_model_kind (self->field) == TALL_MODEL_NUMBER
         && g_str_equal (self->name, ORDER_NUMBER);
}

/* The number of an order's customer, or of a customer. */
gboolean
tall_csv_field_is_customer_number (const TallCsvField *self)
{
  return tall_model_kind (self->field) == TALL_MODEL_NUMBER
         && !g_str_equal (self->name, ORDER_NUMBER);
}

const char *
tall_csv_field_scope_name (TallCsvScope scope)
{
  static const char *const names[TALL_N_SCOPES] = { "order", "location", "line", "customer" };
  return names[scope];
}

/* Returns: what a text is that does not fit the field, whatever it says */
const char *
tall_csv_field_fault (const TallCsvField *self)
{
  switch (tall_model_kind (self->field))
    {
    case TALL_MODEL_POSITION:
      return "is not the number of a location or line";
    case TALL_MODEL_DATE:
      return "is not a date";
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_STRUCTS:
      return "is not a number";
    case TALL_MODEL_RATE:
      return "is not a discount";
    default:
      return "is not valid";
    }
}

static TallDecimal *
add_decimal (const TallModelField *field, TallArena *arena, gpointer base)
{
  TallDecimal *decimal = tall_decimal_new (arena, 0, 0);
  tall_model_set_pointer (field, base, decimal);
  return decimal;
}

/* The address that the field belongs to, made if there is none yet. */
static gpointer
get_address (const TallModelField *field, TallArena *arena, gpointer target)
{
  gpointer address = tall_model_get_pointer (field, target);
  if (address == NULL)
    {
      address = tall_model_new (field->descriptor, arena);
      tall_model_set_pointer (field, target, address);
    }
  return address;
}

/* Gives one field its value. Numbers of orders, customers, locations and lines, attributes and
 * adjustments are their caller's. @arena: where texts go. @target: the struct of the field's scope.
 * @text: what the column holds. Returns: FALSE with %TALL_ERROR_INVALID if @text does not fit the
 * field */
gboolean
tall_csv_field_set (const TallCsvField *self,
                    const TallValueFormat *format,
                    TallArena *arena,
                    gpointer target,
                    const char *text,
                    GError **error)
{
  const TallModelField *field = self->field;
  gpointer base = self->address != NULL ? get_address (self->address, arena, target) : target;
  switch (tall_model_kind (field))
    {
    case TALL_MODEL_TEXT:
      tall_model_set_pointer (field, base, tall_arena_strdup (arena, text));
      return TRUE;
    case TALL_MODEL_TEXTS:
      tall_model_append (field, base, arena, tall_arena_strdup (arena, text));
      return TRUE;
    case TALL_MODEL_DATE:
      *tall_model_flag (field, base) = TRUE;
      return tall_parse_date (text, format, tall_model_date (field, base), error);
    case TALL_MODEL_DECIMAL:
      return tall_parse_decimal (text, format, add_decimal (field, arena, base), error);
    case TALL_MODEL_RATE:
      return tall_parse_discount (text, format, add_decimal (field, arena, base), error);
    default:
      g_return_val_if_reached (FALSE);
    }
}

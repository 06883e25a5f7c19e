/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/row.h"
#include "tall-error.h"

/* Whether the mapping has fields of that scope. */
gboolean
tall_row_has_fields (const TallMapping *mapping, TallCsvScope scope)
{
  return tall_mapping_count_sources (mapping, scope) > 0;
}

/* The source of the numbers of locations or lines; NULL: the file does not number them. */
const TallMappingSource *
tall_row_find_position (const TallMapping *mapping, TallCsvScope scope)
{
  for (guint i = 0; i < tall_mapping_count_sources (mapping, scope); i++)
    {
      const TallMappingSource *source = tall_mapping_get_source_of (mapping, scope, i);
      if (source->field->field->kind == TALL_MODEL_POSITION)
        return source;
    }
  return NULL;
}

/**
 * tall_row_set_fields:
 * @fault: (out): which column is wrong, if one is
 *
 * Gives the fields of one scope their values from a row.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if a value does not fit
 */
gboolean
tall_row_set_fields (const TallMapping *mapping,
                     TallCsvScope scope,
                     const TallCsvRow *row,
                     const TallRowTarget *target,
                     TallRowFault *fault,
                     GError **error)
{
  for (guint i = 0; i < tall_mapping_count_sources (mapping, scope); i++)
    {
      const TallMappingSource *source = tall_mapping_get_source_of (mapping, scope, i);
      const TallModelField *field = source->field->field;
      if (tall_model_field_is_required (field))
        continue;
      const char *text = tall_mapping_get_value (mapping, source, row->fields, row->n_fields);
      if (text == NULL)
        continue;
      if (field->kind == TALL_MODEL_ATTRIBUTES)
        {
          TallAttribute *attribute = &target->attributes->items[target->attributes->n_items++];
          attribute->key = tall_arena_strdup (target->arena, source->attribute);
          attribute->value = tall_arena_strdup (target->arena, text);
          continue;
        }
      if (tall_csv_field_set (source->field, &mapping->format, target->arena, target->base, text,
                              error))
        continue;
      *fault = (TallRowFault){ source->column, tall_csv_field_fault (source->field) };
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_row_read_position:
 * @scope: whose lines or locations the file numbers
 * @number: (out):
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if the row has no valid number
 */
gboolean
tall_row_read_position (const TallMapping *mapping,
                        TallCsvScope scope,
                        const TallCsvRow *row,
                        gint32 *number,
                        TallRowFault *fault,
                        GError **error)
{
  const TallMappingSource *source = tall_row_find_position (mapping, scope);
  const char *text = tall_mapping_get_value (mapping, source, row->fields, row->n_fields);
  *fault = (TallRowFault){ source->column, tall_csv_field_fault (source->field) };
  return tall_parse_position (text != NULL ? text : "", number, error);
}

/* A location without lines is worth one only if the row says something of it. */
gboolean
tall_row_names_location (const TallMapping *mapping, const TallCsvRow *row)
{
  for (guint i = 0; i < tall_mapping_count_sources (mapping, TALL_SCOPE_LOCATION); i++)
    {
      const TallMappingSource *source =
          tall_mapping_get_source_of (mapping, TALL_SCOPE_LOCATION, i);
      if (tall_mapping_get_value (mapping, source, row->fields, row->n_fields) != NULL)
        return TRUE;
    }
  return FALSE;
}

/**
 * tall_row_make_customer:
 * @row: a good row of a file of customers
 * @fault: (out): what is wrong, if it does not fit
 *
 * Returns: (transfer full): the customer; NULL with %TALL_ERROR_INVALID if the row does not fit
 */
TallCustomer *
tall_row_make_customer (const TallMapping *mapping,
                        const char *number,
                        const TallCsvRow *row,
                        TallRowFault *fault,
                        GError **error)
{
  g_autoptr (TallCustomer) customer = tall_customer_new (number);
  customer->attributes.items =
      tall_arena_newa0 (customer->arena, TallAttribute,
                        tall_mapping_count_sources (mapping, TALL_SCOPE_CUSTOMER));
  TallRowTarget target = { customer->arena, customer, &customer->attributes };
  if (!tall_row_set_fields (mapping, TALL_SCOPE_CUSTOMER, row, &target, fault, error))
    return NULL;
  return g_steal_pointer (&customer);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-draft.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "tall-row.h"

typedef struct
{
  TallShippingLocation *location; /* in the order's arena */
  GArray *lines;                  /* of TallLineItem */
  const char *signature;          /* all its texts in one */
  guint64 line;                   /* of the file, where it was first seen … */
  const char *file_name;          /* … which has this name; NULL: there is only one */
} DraftLocation;

/* Of a row. */
typedef struct
{
  guint64 line;
  const char *file_name; /* NULL: there is only one file */
} Place;

struct _TallDraft
{
  const TallMapping *mapping; /* not owned; of the file of the row that is added */
  TallOrder *order;           /* owned; NULL when finished */
  guint64 first_line;         /* of the file; 0 before the first row */
  const char *first_file;     /* its name; NULL: there is only one */
  char **first_values;        /* of every source, in the first row */
  gboolean has_lines;         /* the mapping names fields of lines */
  gboolean numbers_locations; /* the file numbers locations … */
  gboolean numbers_lines;     /* … and lines */
  GPtrArray *locations;       /* of DraftLocation */
  GHashTable *by_signature;   /* char * → DraftLocation, if the file does not number them */
  GHashTable *by_number;      /* number of a location → DraftLocation, if it does */
  GHashTable *line_numbers;   /* number of an order line → Place */
  guint n_lines;
};

static void
location_free (gpointer data)
{
  DraftLocation *self = data;
  g_array_unref (self->lines);
  g_free (self);
}

TallDraft *
tall_draft_new (const TallMapping *mapping, const char *customer_number, const char *order_number)
{
  TallDraft *self = g_new0 (TallDraft, 1);
  self->mapping = mapping;
  self->order = tall_order_new (customer_number, order_number);
  self->has_lines = tall_row_has_fields (mapping, TALL_SCOPE_LINE);
  self->numbers_locations = tall_row_find_position (mapping, TALL_SCOPE_LOCATION) != NULL;
  self->numbers_lines = tall_row_find_position (mapping, TALL_SCOPE_LINE) != NULL;
  self->locations = g_ptr_array_new_with_free_func (location_free);
  self->by_signature = g_hash_table_new (g_str_hash, g_str_equal);
  self->by_number = g_hash_table_new (NULL, NULL);
  self->line_numbers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return self;
}

void
tall_draft_free (TallDraft *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->by_signature);
  g_hash_table_unref (self->by_number);
  g_hash_table_unref (self->line_numbers);
  g_ptr_array_unref (self->locations);
  tall_order_free (self->order);
  g_free (self);
}

static gboolean
set_order_fields (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  TallArena *arena = self->order->arena;
  guint n_sources = self->mapping->sources->len;
  self->first_line = row->line;
  self->first_file = row->file_name;
  self->first_values = tall_arena_newa0 (arena, char *, n_sources);
  for (guint i = 0; i < n_sources; i++)
    self->first_values[i] = tall_arena_strdup (
        arena, tall_mapping_get_value (self->mapping, tall_mapping_get_source (self->mapping, i),
                                       row->fields, row->n_fields));

  self->order->attributes.items = tall_arena_newa0 (arena, TallAttribute, n_sources);
  TallRowTarget target = { arena, self->order, &self->order->attributes };
  return tall_row_set_fields (self->mapping, TALL_SCOPE_ORDER, row, &target, fault, error);
}

static const char *
name_absent (const char *text)
{
  return text != NULL ? text : "nothing";
}

/* What belongs to the order has to be the same in all its rows. */
static gboolean
compare_order_fields (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  for (guint i = 0; i < self->mapping->sources->len; i++)
    {
      const TallMappingSource *source = tall_mapping_get_source (self->mapping, i);
      if (source->field->scope != TALL_SCOPE_ORDER
          || tall_csv_field_is_customer_number (source->field))
        continue;
      const char *text = tall_mapping_get_value (self->mapping, source, row->fields, row->n_fields);
      if (g_strcmp0 (text, self->first_values[i]) == 0)
        continue;
      *fault = (TallRowFault){ source->column, "contradicts another line of the same order" };
      g_autofree char *place = tall_csv_describe_line (self->first_line, self->first_file);
      tall_error_set_invalid (error, NULL, "“%s” contradicts %s of the same order: “%s”",
                              name_absent (text), place, name_absent (self->first_values[i]));
      return FALSE;
    }
  return TRUE;
}

/* All texts of the row's location in one, so that equal locations are recognised. Bytes that UTF-8
 * does not have end each of them, or stand for one that is absent. */
static char *
make_signature (TallDraft *self, const TallCsvRow *row)
{
  g_autoptr (GString) signature = g_string_new (NULL);
  for (guint i = 0; i < self->mapping->sources->len; i++)
    {
      const TallMappingSource *source = tall_mapping_get_source (self->mapping, i);
      if (source->field->scope != TALL_SCOPE_LOCATION
          || source->field->field->kind == TALL_MODEL_POSITION)
        continue;
      const char *text = tall_mapping_get_value (self->mapping, source, row->fields, row->n_fields);
      if (text != NULL)
        g_string_append (signature, text);
      g_string_append_c (signature, text != NULL ? '\xff' : '\xfe');
    }
  return g_string_free (g_steal_pointer (&signature), FALSE);
}

static gboolean
check_room (TallDraft *self, TallRowFault *fault, GError **error)
{
  if (self->n_lines + self->locations->len < TALL_MAX_LINES_AND_LOCATIONS)
    return TRUE;
  *fault = (TallRowFault){ NULL, "the order is too large" };
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "the order has more than %d lines and locations", TALL_MAX_LINES_AND_LOCATIONS);
  return FALSE;
}

static DraftLocation *
add_location (TallDraft *self,
              const TallCsvRow *row,
              gint32 number,
              const char *signature,
              TallRowFault *fault,
              GError **error)
{
  if (!check_room (self, fault, error))
    return NULL;
  TallArena *arena = self->order->arena;
  DraftLocation *added = g_new0 (DraftLocation, 1);
  added->location = tall_arena_new0 (arena, TallShippingLocation);
  added->location->number = number;
  added->lines = g_array_new (FALSE, TRUE, sizeof (TallLineItem));
  added->signature = tall_arena_strdup (arena, signature);
  added->line = row->line;
  added->file_name = row->file_name;
  g_ptr_array_add (self->locations, added);
  g_hash_table_insert (self->by_signature, (gpointer)added->signature, added);
  g_hash_table_insert (self->by_number, GINT_TO_POINTER (number), added);

  TallRowTarget target = { arena, added->location, NULL };
  if (!tall_row_set_fields (self->mapping, TALL_SCOPE_LOCATION, row, &target, fault, error))
    return NULL;
  return added;
}

static DraftLocation *
find_location (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  g_autofree char *signature = make_signature (self, row);
  if (!self->numbers_locations)
    {
      DraftLocation *found = g_hash_table_lookup (self->by_signature, signature);
      return found != NULL ? found
                           : add_location (self, row, (gint32)self->locations->len + 1, signature,
                                           fault, error);
    }
  gint32 number;
  if (!tall_row_read_position (self->mapping, TALL_SCOPE_LOCATION, row, &number, fault, error))
    return NULL;
  DraftLocation *found = g_hash_table_lookup (self->by_number, GINT_TO_POINTER (number));
  if (found == NULL)
    return add_location (self, row, number, signature, fault, error);
  if (g_str_equal (found->signature, signature))
    return found;
  fault->kind = "a location has different names, addresses or dates";
  g_autofree char *place = tall_csv_describe_line (found->line, found->file_name);
  tall_error_set_invalid (error, NULL,
                          "location %d contradicts %s, where it has another name, address or date",
                          number, place);
  return NULL;
}

static gboolean
number_line (
    TallDraft *self, const TallCsvRow *row, gint32 *number, TallRowFault *fault, GError **error)
{
  *number = (gint32)self->n_lines + 1;
  if (!self->numbers_lines)
    return TRUE;
  if (!tall_row_read_position (self->mapping, TALL_SCOPE_LINE, row, number, fault, error))
    return FALSE;
  const Place *taken = g_hash_table_lookup (self->line_numbers, GINT_TO_POINTER (*number));
  if (taken != NULL)
    {
      fault->kind = "a line number stands twice in the order";
      const char *file = taken->file_name != NULL ? taken->file_name : "the file";
      g_autofree char *place = tall_csv_describe_line (taken->line, file);
      tall_error_set_invalid (error, NULL, "the order has a line %d already, in %s", *number,
                              place);
      return FALSE;
    }
  const Place place = { row->line, row->file_name };
  g_hash_table_insert (self->line_numbers, GINT_TO_POINTER (*number),
                       g_memdup2 (&place, sizeof place));
  return TRUE;
}

static gboolean
add_line (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  DraftLocation *location = find_location (self, row, fault, error);
  if (location == NULL || !check_room (self, fault, error))
    return FALSE;
  TallLineItem line = { 0 };
  TallRowTarget target = { self->order->arena, &line, NULL };
  if (!number_line (self, row, &line.number, fault, error)
      || !tall_row_set_fields (self->mapping, TALL_SCOPE_LINE, row, &target, fault, error))
    return FALSE;
  g_array_append_val (location->lines, line);
  self->n_lines++;
  return TRUE;
}

/**
 * tall_draft_add_row:
 * @mapping: bound to the file of the row; has the sources of the draft's in the same order
 * @row: a good row of this order
 * @fault: (out): what is wrong, if it does not fit
 *
 * Adds an order line, and its location if it is new; a file whose mapping has no fields of lines
 * gives orders without lines, and a location where a row says something of one. After a failure the
 * draft is of no more use.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID or %TALL_ERROR_TOO_LARGE if the row does not fit
 */
gboolean
tall_draft_add_row (TallDraft *self,
                    const TallMapping *mapping,
                    const TallCsvRow *row,
                    TallRowFault *fault,
                    GError **error)
{
  self->mapping = mapping;
  if (self->first_line == 0 ? !set_order_fields (self, row, fault, error)
                            : !compare_order_fields (self, row, fault, error))
    return FALSE;

  if (!self->has_lines)
    return !tall_row_names_location (self->mapping, row)
           || find_location (self, row, fault, error) != NULL;
  return add_line (self, row, fault, error);
}

/**
 * tall_draft_finish:
 *
 * Returns: (transfer full): the order made of all rows; the draft is empty then
 */
TallOrder *
tall_draft_finish (TallDraft *self)
{
  TallOrder *order = g_steal_pointer (&self->order);
  guint n = self->locations->len;
  order->shipping_locations = tall_arena_newa0 (order->arena, TallShippingLocation, n);
  order->n_shipping_locations = n;
  for (guint i = 0; i < n; i++)
    {
      const DraftLocation *drafted = g_ptr_array_index (self->locations, i);
      TallShippingLocation *location = &order->shipping_locations[i];
      *location = *drafted->location;
      location->n_line_items = drafted->lines->len;
      location->line_items = tall_arena_memdup (order->arena, drafted->lines->data,
                                                drafted->lines->len * sizeof (TallLineItem));
    }
  return order;
}

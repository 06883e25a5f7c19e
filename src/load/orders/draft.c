/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/draft.h"
#include "load/orders/draft-locations.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "load/orders/row.h"

typedef struct
{
  TallLineItem item;
  TallDraftLocation *location;
  TallPlace place;
} DraftLine;

struct _TallDraft
{
  const TallMapping *mapping; /* not owned; of the file of the row that is added */
  TallOrder *order;           /* owned; NULL: none is begun */
  TallPlace first;            /* of the first row; its line is 0 before it */
  char **first_values;        /* in the first row, of every source of the order's own fields */
  gboolean has_lines;         /* the mapping names fields of lines */
  gboolean numbers_locations; /* the file numbers locations … */
  gboolean numbers_lines;     /* … and lines */
  TallDraftLocations locations;
  GArray *lines;       /* of DraftLine */
  gint32 highest_line; /* number of one */

  /* Most rows have a higher number than the rows before: only if one has not, the lines are put
   * into the table */
  guint n_known_lines;      /* so many of the first are there */
  GHashTable *line_numbers; /* number of an order line → its place in @lines, from 1 */
};

TallDraft *
tall_draft_new (void)
{
  TallDraft *self = g_new0 (TallDraft, 1);
  tall_draft_locations_init (&self->locations);
  self->lines = g_array_new (FALSE, FALSE, sizeof (DraftLine));
  self->line_numbers = g_hash_table_new (NULL, NULL);
  return self;
}

void
tall_draft_free (TallDraft *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->line_numbers);
  g_array_unref (self->lines);
  tall_draft_locations_clear (&self->locations);
  tall_order_free (self->order);
  g_free (self);
}

static void
forget_rows (TallDraft *self)
{
  tall_draft_locations_forget (&self->locations);
  g_hash_table_remove_all (self->line_numbers);
  g_array_set_size (self->lines, 0);
  self->n_known_lines = 0;
  self->highest_line = 0;
  self->first = (TallPlace){ 0 };
}

/**
 * tall_draft_begin:
 * @mapping: of the file of the first row
 *
 * Begins an order; one that was not finished is dropped.
 */
void
tall_draft_begin (TallDraft *self,
                  const TallMapping *mapping,
                  const char *customer_number,
                  const char *order_number)
{
  forget_rows (self);
  tall_order_free (self->order);
  self->order = tall_order_new (customer_number, order_number);
  self->mapping = mapping;
  self->has_lines = tall_row_has_fields (mapping, TALL_SCOPE_LINE);
  self->numbers_locations = tall_row_find_position (mapping, TALL_SCOPE_LOCATION) != NULL;
  self->numbers_lines = tall_row_find_position (mapping, TALL_SCOPE_LINE) != NULL;
}

/* What has to be the same in all rows of an order. */
static gboolean
is_of_order (const TallMappingSource *source)
{
  return source->field->field->kind != TALL_MODEL_NUMBER;
}

static gboolean
set_order_fields (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  TallArena *arena = self->order->arena;
  guint n_sources = tall_mapping_count_sources (self->mapping, TALL_SCOPE_ORDER);
  self->first = (TallPlace){ row->line, row->file_name };
  self->first_values = tall_arena_newa0 (arena, char *, n_sources);
  for (guint i = 0; i < n_sources; i++)
    {
      const TallMappingSource *source =
          tall_mapping_get_source_of (self->mapping, TALL_SCOPE_ORDER, i);
      if (is_of_order (source))
        self->first_values[i] = tall_arena_strdup (
            arena, tall_mapping_get_value (self->mapping, source, row->fields, row->n_fields));
    }

  self->order->attributes.items = tall_arena_newa0 (arena, TallAttribute, n_sources);
  TallRowTarget target = { arena, self->order, &self->order->attributes };
  return tall_row_set_fields (self->mapping, TALL_SCOPE_ORDER, row, &target, fault, error);
}

static char *
describe_place (const TallPlace *place)
{
  return tall_csv_describe_line (place->line, place->file_name);
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
  for (guint i = 0; i < tall_mapping_count_sources (self->mapping, TALL_SCOPE_ORDER); i++)
    {
      const TallMappingSource *source =
          tall_mapping_get_source_of (self->mapping, TALL_SCOPE_ORDER, i);
      if (!is_of_order (source))
        continue;
      const char *text = tall_mapping_get_value (self->mapping, source, row->fields, row->n_fields);
      if (g_strcmp0 (text, self->first_values[i]) == 0)
        continue;
      *fault = (TallRowFault){ source->column, "contradicts another line of the same order" };
      g_autofree char *place = describe_place (&self->first);
      tall_error_set_invalid (error, NULL, "“%s” contradicts %s of the same order: “%s”",
                              name_absent (text), place, name_absent (self->first_values[i]));
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_room (TallDraft *self, TallRowFault *fault, GError **error)
{
  if (self->lines->len + self->locations.all->len < TALL_MAX_LINES_AND_LOCATIONS)
    return TRUE;
  *fault = (TallRowFault){ NULL, "the order is too large" };
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "the order has more than %d lines and locations", TALL_MAX_LINES_AND_LOCATIONS);
  return FALSE;
}

/* Of the row that was signed last. */
static TallDraftLocation *
add_location (
    TallDraft *self, const TallCsvRow *row, gint32 number, TallRowFault *fault, GError **error)
{
  if (!check_room (self, fault, error))
    return NULL;
  TallArena *arena = self->order->arena;
  TallDraftLocation *added = tall_arena_new0 (arena, TallDraftLocation);
  added->location = tall_arena_new0 (arena, TallShippingLocation);
  added->location->number = number;
  added->signature = tall_arena_strdup (arena, self->locations.signature->str);
  added->place = (TallPlace){ row->line, row->file_name };
  g_ptr_array_add (self->locations.all, added);

  TallRowTarget target = { arena, added->location, NULL };
  if (!tall_row_set_fields (self->mapping, TALL_SCOPE_LOCATION, row, &target, fault, error))
    return NULL;
  return added;
}

/* Mostly that of the row before. */
static TallDraftLocation *
find_by_texts (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  guint n = self->lines->len;
  TallDraftLocation *found = n > 0 ? g_array_index (self->lines, DraftLine, n - 1).location : NULL;
  if (found != NULL && tall_draft_location_is_signed (found, self->mapping, row))
    return found;
  const char *signature = tall_draft_locations_sign (&self->locations, self->mapping, row);
  found = tall_draft_locations_find (&self->locations, signature);
  return found != NULL
             ? found
             : add_location (self, row, (gint32)self->locations.all->len + 1, fault, error);
}

static TallDraftLocation *
find_location (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  gint32 number;
  if (!self->numbers_locations)
    return find_by_texts (self, row, fault, error);
  if (!tall_row_read_position (self->mapping, TALL_SCOPE_LOCATION, row, &number, fault, error))
    return NULL;
  TallDraftLocation *found = tall_draft_locations_find_number (&self->locations, number);
  if (found == NULL)
    {
      tall_draft_locations_sign (&self->locations, self->mapping, row);
      return add_location (self, row, number, fault, error);
    }
  if (tall_draft_location_is_signed (found, self->mapping, row))
    return found;
  fault->kind = "a location has different names, addresses or dates";
  g_autofree char *place = describe_place (&found->place);
  tall_error_set_invalid (error, NULL,
                          "location %d contradicts %s, where it has another name, address or date",
                          number, place);
  return NULL;
}

/* NULL: there is none of that number yet. */
static const DraftLine *
find_line (TallDraft *self, gint32 number)
{
  if (number > self->highest_line)
    return NULL;
  for (; self->n_known_lines < self->lines->len; self->n_known_lines++)
    {
      gint32 known = g_array_index (self->lines, DraftLine, self->n_known_lines).item.number;
      g_hash_table_insert (self->line_numbers, GINT_TO_POINTER (known),
                           GUINT_TO_POINTER (self->n_known_lines + 1));
    }
  guint found =
      GPOINTER_TO_UINT (g_hash_table_lookup (self->line_numbers, GINT_TO_POINTER (number)));
  return found > 0 ? &g_array_index (self->lines, DraftLine, found - 1) : NULL;
}

static gboolean
number_line (
    TallDraft *self, const TallCsvRow *row, gint32 *number, TallRowFault *fault, GError **error)
{
  *number = (gint32)self->lines->len + 1;
  if (!self->numbers_lines)
    return TRUE;
  if (!tall_row_read_position (self->mapping, TALL_SCOPE_LINE, row, number, fault, error))
    return FALSE;
  const DraftLine *taken = find_line (self, *number);
  if (taken == NULL)
    return TRUE;
  fault->kind = "a line number stands twice in the order";
  const char *file = taken->place.file_name != NULL ? taken->place.file_name : "the file";
  g_autofree char *place = tall_csv_describe_line (taken->place.line, file);
  tall_error_set_invalid (error, NULL, "the order has a line %d already, in %s", *number, place);
  return FALSE;
}

static gboolean
add_line (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  TallDraftLocation *location = find_location (self, row, fault, error);
  if (location == NULL || !check_room (self, fault, error))
    return FALSE;
  DraftLine line = { .location = location, .place = { row->line, row->file_name } };
  TallRowTarget target = { self->order->arena, &line.item, NULL };
  if (!number_line (self, row, &line.item.number, fault, error)
      || !tall_row_set_fields (self->mapping, TALL_SCOPE_LINE, row, &target, fault, error))
    return FALSE;
  g_array_append_val (self->lines, line);
  self->highest_line = MAX (self->highest_line, line.item.number);
  location->n_lines++;
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
  if (self->first.line == 0 ? !set_order_fields (self, row, fault, error)
                            : !compare_order_fields (self, row, fault, error))
    return FALSE;

  if (!self->has_lines)
    return !tall_row_names_location (self->mapping, row)
           || find_location (self, row, fault, error) != NULL;
  return add_line (self, row, fault, error);
}

/* Gives each location its lines, in the order of the rows. */
static void
distribute_lines (TallDraft *self)
{
  for (guint i = 0; i < self->locations.all->len; i++)
    {
      const TallDraftLocation *location = g_ptr_array_index (self->locations.all, i);
      location->location->line_items =
          tall_arena_newa0 (self->order->arena, TallLineItem, location->n_lines);
    }
  for (guint i = 0; i < self->lines->len; i++)
    {
      const DraftLine *line = &g_array_index (self->lines, DraftLine, i);
      TallShippingLocation *location = line->location->location;
      location->line_items[location->n_line_items++] = line->item;
    }
}

/**
 * tall_draft_finish:
 *
 * Returns: (transfer full): the order made of all rows; none is begun then
 */
TallOrder *
tall_draft_finish (TallDraft *self)
{
  distribute_lines (self);
  TallOrder *order = g_steal_pointer (&self->order);
  guint n = self->locations.all->len;
  order->shipping_locations = tall_arena_newa0 (order->arena, TallShippingLocation, n);
  order->n_shipping_locations = n;
  for (guint i = 0; i < n; i++)
    {
      const TallDraftLocation *drafted = g_ptr_array_index (self->locations.all, i);
      order->shipping_locations[i] = *drafted->location;
    }
  return order;
}

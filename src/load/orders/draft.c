/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/draft.h"

#include "tall-error.h"
#include "tall-limits.h"

/* A location of an order under construction. */
typedef struct
{
  TallShippingLocation *location;
  const char *signature; /* all its texts in one */
  TallPlace place;       /* where it was first seen */
} TallDraftLocation;

/* The locations of an order under construction, which owns them, and how to find one: most orders
 * have one, so the tables are only filled when something is looked for. */
typedef struct
{
  GString *signature;       /* of the last row that was signed */
  GPtrArray *all;           /* of TallDraftLocation; the caller adds them */
  guint n_known;            /* so many of the first are in the tables */
  GHashTable *by_signature; /* char * → TallDraftLocation */
  GHashTable *by_number;    /* number of a location → TallDraftLocation */
} TallDraftLocations;

/* Whether the mapping has fields of that scope. */
static gboolean
row_has_fields (const TallMapping *mapping, TallCsvScope scope)
{
  return tall_mapping_count_sources (mapping, scope) > 0;
}

/* The source of the numbers of locations or lines; NULL: the file does not number them. */
static const TallMappingSource *
row_find_position (const TallMapping *mapping, TallCsvScope scope)
{
  for (guint i = 0; i < tall_mapping_count_sources (mapping, scope); i++)
    {
      const TallMappingSource *source = tall_mapping_get_source_of (mapping, scope, i);
      if (tall_model_kind (source->field->field) == TALL_MODEL_POSITION)
        return source;
    }
  return NULL;
}

/* @fault: (out): which column is wrong, if one is
 *
 * Gives the fields of one scope their values from a row.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if a value does not fit */
static gboolean
row_set_fields (const TallMapping *mapping,
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
      if (tall_model_kind (field) == TALL_MODEL_ATTRIBUTES)
        {
          tall_model_append (field, target->base, target->arena,
                             tall_attribute_new (target->arena, source->attribute, text));
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

/* @scope: whose lines or locations the file numbers
 * @number: (out):
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if the row has no valid number */
static gboolean
row_read_position (const TallMapping *mapping,
                   TallCsvScope scope,
                   const TallCsvRow *row,
                   gint32 *number,
                   TallRowFault *fault,
                   GError **error)
{
  const TallMappingSource *source = row_find_position (mapping, scope);
  const char *text = tall_mapping_get_value (mapping, source, row->fields, row->n_fields);
  *fault = (TallRowFault){ source->column, tall_csv_field_fault (source->field) };
  return tall_parse_position (text != NULL ? text : "", number, error);
}

/* A location without lines is worth one only if the row says something of it. */
static gboolean
row_names_location (const TallMapping *mapping, const TallCsvRow *row)
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
  TallRowTarget target = { tall_customer_get_arena (customer), customer };
  if (!row_set_fields (mapping, TALL_SCOPE_CUSTOMER, row, &target, fault, error))
    return NULL;
  return g_steal_pointer (&customer);
}

/* Bytes that UTF-8 does not have. */
#define PRESENT '\xff'
#define ABSENT '\xfe'

static void
draft_locations_init (TallDraftLocations *self)
{
  self->signature = g_string_new (NULL);
  self->all = g_ptr_array_new ();
  self->n_known = 0;
  self->by_signature = g_hash_table_new (g_str_hash, g_str_equal);
  self->by_number = g_hash_table_new (NULL, NULL);
}

static void
draft_locations_clear (TallDraftLocations *self)
{
  g_string_free (self->signature, TRUE);
  g_hash_table_unref (self->by_signature);
  g_hash_table_unref (self->by_number);
  g_ptr_array_unref (self->all);
}

/* Another order begins. */
static void
draft_locations_forget (TallDraftLocations *self)
{
  g_hash_table_remove_all (self->by_signature);
  g_hash_table_remove_all (self->by_number);
  g_ptr_array_set_size (self->all, 0);
  self->n_known = 0;
}

/* What the row says of its location by source @i, NULL if nothing. FALSE: the source numbers
 * locations, which says nothing of them. */
static gboolean
get_text (const TallMapping *mapping, const TallCsvRow *row, guint i, const char **text)
{
  const TallMappingSource *source = tall_mapping_get_source_of (mapping, TALL_SCOPE_LOCATION, i);
  if (tall_model_kind (source->field->field) == TALL_MODEL_POSITION)
    return FALSE;
  *text = tall_mapping_get_value (mapping, source, row->fields, row->n_fields);
  return TRUE;
}

/* Returns: (transfer none): all texts of the row's location in one, so that equal locations are
 *   recognised, until the next call. Bytes that UTF-8 does not have end each of them, or stand for
 *   one that is absent */
static const char *
draft_locations_sign (TallDraftLocations *self, const TallMapping *mapping, const TallCsvRow *row)
{
  g_string_truncate (self->signature, 0);
  for (guint i = 0; i < tall_mapping_count_sources (mapping, TALL_SCOPE_LOCATION); i++)
    {
      const char *text;
      if (!get_text (mapping, row, i, &text))
        continue;
      if (text != NULL)
        g_string_append (self->signature, text);
      g_string_append_c (self->signature, text != NULL ? PRESENT : ABSENT);
    }
  return self->signature->str;
}

/* Returns: whether the row's location has the texts of @self, without making one of them */
static gboolean
draft_location_is_signed (const TallDraftLocation *self,
                          const TallMapping *mapping,
                          const TallCsvRow *row)
{
  const char *rest = self->signature;
  for (guint i = 0; i < tall_mapping_count_sources (mapping, TALL_SCOPE_LOCATION); i++)
    {
      const char *text;
      if (!get_text (mapping, row, i, &text))
        continue;
      gsize len = text != NULL ? strlen (text) : 0;
      if (strncmp (rest, text != NULL ? text : "", len) != 0
          || rest[len] != (text != NULL ? PRESENT : ABSENT))
        return FALSE;
      rest += len + 1;
    }
  return *rest == '\0';
}

static void
know_all (TallDraftLocations *self)
{
  for (; self->n_known < self->all->len; self->n_known++)
    {
      TallDraftLocation *location = g_ptr_array_index (self->all, self->n_known);
      g_hash_table_insert (self->by_signature, (gpointer)location->signature, location);
      g_hash_table_insert (self->by_number, GINT_TO_POINTER (location->location->number), location);
    }
}

/* Returns: (transfer none) (nullable): the location with these texts */
static TallDraftLocation *
draft_locations_find (TallDraftLocations *self, const char *signature)
{
  know_all (self);
  return g_hash_table_lookup (self->by_signature, signature);
}

/* Returns: (transfer none) (nullable): the location of that number */
static TallDraftLocation *
draft_locations_find_number (TallDraftLocations *self, gint32 number)
{
  know_all (self);
  return g_hash_table_lookup (self->by_number, GINT_TO_POINTER (number));
}

typedef struct
{
  TallLineItem *item;
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
  draft_locations_init (&self->locations);
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
  draft_locations_clear (&self->locations);
  tall_order_free (self->order);
  g_free (self);
}

static void
forget_rows (TallDraft *self)
{
  draft_locations_forget (&self->locations);
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
  self->has_lines = row_has_fields (mapping, TALL_SCOPE_LINE);
  self->numbers_locations = row_find_position (mapping, TALL_SCOPE_LOCATION) != NULL;
  self->numbers_lines = row_find_position (mapping, TALL_SCOPE_LINE) != NULL;
}

/* What has to be the same in all rows of an order. */
static gboolean
is_of_order (const TallMappingSource *source)
{
  return tall_model_kind (source->field->field) != TALL_MODEL_NUMBER;
}

static gboolean
set_order_fields (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  TallArena *arena = tall_order_get_arena (self->order);
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

  TallRowTarget target = { arena, self->order };
  return row_set_fields (self->mapping, TALL_SCOPE_ORDER, row, &target, fault, error);
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
  TallArena *arena = tall_order_get_arena (self->order);
  TallDraftLocation *added = tall_arena_new0 (arena, TallDraftLocation);
  added->location = tall_order_add_location (self->order, number);
  added->signature = tall_arena_strdup (arena, self->locations.signature->str);
  added->place = (TallPlace){ row->line, row->file_name };
  g_ptr_array_add (self->locations.all, added);

  TallRowTarget target = { arena, added->location };
  if (!row_set_fields (self->mapping, TALL_SCOPE_LOCATION, row, &target, fault, error))
    return NULL;
  return added;
}

/* Mostly that of the row before. */
static TallDraftLocation *
find_by_texts (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  guint n = self->lines->len;
  TallDraftLocation *found = n > 0 ? g_array_index (self->lines, DraftLine, n - 1).location : NULL;
  if (found != NULL && draft_location_is_signed (found, self->mapping, row))
    return found;
  const char *signature = draft_locations_sign (&self->locations, self->mapping, row);
  found = draft_locations_find (&self->locations, signature);
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
  if (!row_read_position (self->mapping, TALL_SCOPE_LOCATION, row, &number, fault, error))
    return NULL;
  TallDraftLocation *found = draft_locations_find_number (&self->locations, number);
  if (found == NULL)
    {
      draft_locations_sign (&self->locations, self->mapping, row);
      return add_location (self, row, number, fault, error);
    }
  if (draft_location_is_signed (found, self->mapping, row))
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
      gint32 known = g_array_index (self->lines, DraftLine, self->n_known_lines).item->number;
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
  if (!row_read_position (self->mapping, TALL_SCOPE_LINE, row, number, fault, error))
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
  gint32 number;
  if (!number_line (self, row, &number, fault, error))
    return FALSE;
  TallArena *arena = tall_order_get_arena (self->order);
  TallLineItem *item = tall_location_add_line (location->location, arena, number);
  TallRowTarget target = { arena, item };
  if (!row_set_fields (self->mapping, TALL_SCOPE_LINE, row, &target, fault, error))
    return FALSE;
  DraftLine line = { item, location, { row->line, row->file_name } };
  g_array_append_val (self->lines, line);
  self->highest_line = MAX (self->highest_line, number);
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
    return !row_names_location (self->mapping, row)
           || find_location (self, row, fault, error) != NULL;
  return add_line (self, row, fault, error);
}

/**
 * tall_draft_finish:
 *
 * Returns: (transfer full): the order made of all rows; none is begun then
 */
TallOrder *
tall_draft_finish (TallDraft *self)
{
  return g_steal_pointer (&self->order);
}

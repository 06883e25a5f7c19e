/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/assembler.h"

#include "base/fail.h"
#include "tall-limits.h"

/* A location of an order under construction. */
typedef struct
{
  TallShippingLocation *location;
  const char *signature; /* all its texts in one */
  TallPlace place;       /* where it was first seen */
} Location;

struct _TallDraft
{
  const TallMapping *mapping; /* not owned; of the file of the row that is added */
  TallOrder *order;           /* owned; NULL: none is begun; has in its arena: */
  TallPlace first;            /* of the first row; its line is 0 before it */
  char **first_values;        /* in the first row, of every source of the order's own fields */
  gboolean numbers_locations; /* the file does */
  gboolean numbers_lines;
  guint n_lines;
  guint n_locations;
  Location *last;           /* of the row before; NULL: none */
  GHashTable *by_signature; /* char * → Location, or, where the file numbers them … */
  GHashTable *by_number;    /* … number → Location */
  GHashTable *line_numbers; /* → TallPlace, where the file numbers lines */
  GString *signature;       /* of the row's location */
};

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

/* Files have a 0 where there is nothing. */
static gboolean
add_adjustment (const TallMappingSource *source,
                const TallValueFormat *format,
                const TallRowTarget *target,
                const char *text,
                GError **error)
{
  TallDecimal amount;
  if (!tall_parse_decimal (text, format, &amount, error))
    return FALSE;
  if (amount.unscaled == 0)
    return TRUE;
  if (source->field->kind != NULL
      && __builtin_sub_overflow ((gint64)0, amount.unscaled, &amount.unscaled))
    return tall_error_fail_invalid (error, NULL, "“%s” is too small", text);
  TallAdjustment *added =
      tall_order_add_adjustment (target->order, source->part, amount.unscaled, amount.scale);
  added->has_line = target->line != 0;
  added->line = target->line;
  return TRUE;
}

/* Gives the fields of one scope their values from a row. @fault: (out) which column is wrong, if
 * one is. Returns: FALSE with %TALL_ERROR_INVALID if a value does not fit */
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
      const char *text = tall_mapping_read (mapping, source, row);
      if (text == NULL)
        continue;
      if (tall_model_kind (field) == TALL_MODEL_ATTRIBUTES)
        {
          tall_model_append (field, target->base, target->arena,
                             tall_attribute_new (target->arena, source->part, text));
          continue;
        }
      if (tall_model_kind (field) == TALL_MODEL_STRUCTS
              ? add_adjustment (source, &mapping->format, target, text, error)
              : tall_csv_field_set (source->field, &mapping->format, target->arena, target->base,
                                    text, error))
        continue;
      *fault = (TallRowFault){ source->column, tall_csv_field_fault (source->field) };
      return FALSE;
    }
  return TRUE;
}

/* @scope: whose lines or locations the file numbers. @number: (out). Returns: FALSE with
 * %TALL_ERROR_INVALID if the row has no valid number */
static gboolean
row_read_position (const TallMapping *mapping,
                   TallCsvScope scope,
                   const TallCsvRow *row,
                   gint32 *number,
                   TallRowFault *fault,
                   GError **error)
{
  const TallMappingSource *source = row_find_position (mapping, scope);
  const char *text = tall_mapping_read (mapping, source, row);
  *fault = (TallRowFault){ source->column, tall_csv_field_fault (source->field) };
  return tall_parse_position (text != NULL ? text : "", number, error);
}

/* Whether the row says something of its location, or line. */
static gboolean
row_says (const TallMapping *mapping, TallCsvScope scope, const TallCsvRow *row)
{
  for (guint i = 0; i < tall_mapping_count_sources (mapping, scope); i++)
    {
      const TallMappingSource *source = tall_mapping_get_source_of (mapping, scope, i);
      if (tall_mapping_read (mapping, source, row) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* @row: a good row of a file of customers. @fault: (out) what is wrong, if it does not fit.
 * Returns: (transfer full): the customer; NULL with %TALL_ERROR_INVALID if the row does not fit */
TallCustomer *
tall_row_make_customer (const TallMapping *mapping,
                        const char *number,
                        const TallCsvRow *row,
                        TallRowFault *fault,
                        GError **error)
{
  g_autoptr (TallCustomer) customer = tall_customer_new (number);
  TallRowTarget target = { tall_customer_get_arena (customer), customer, NULL, 0 };
  if (!row_set_fields (mapping, TALL_SCOPE_CUSTOMER, row, &target, fault, error))
    return NULL;
  return g_steal_pointer (&customer);
}

TallDraft *
tall_draft_new (void)
{
  TallDraft *self = g_new0 (TallDraft, 1);
  self->signature = g_string_new (NULL);
  self->by_signature = g_hash_table_new (g_str_hash, g_str_equal);
  self->by_number = g_hash_table_new (NULL, NULL);
  self->line_numbers = g_hash_table_new (NULL, NULL);
  return self;
}

void
tall_draft_free (TallDraft *self)
{
  if (self == NULL)
    return;
  g_string_free (self->signature, TRUE);
  g_hash_table_unref (self->by_signature);
  g_hash_table_unref (self->by_number);
  g_hash_table_unref (self->line_numbers);
  tall_order_free (self->order);
  g_free (self);
}

/* Begins an order; one that was not finished is dropped. */
void
tall_draft_begin (TallDraft *self, const char *customer_number, const char *order_number)
{
  g_hash_table_remove_all (self->by_signature);
  g_hash_table_remove_all (self->by_number);
  g_hash_table_remove_all (self->line_numbers);
  tall_order_free (self->order);
  self->order = tall_order_new (customer_number, order_number);
  self->first = (TallPlace){ 0 };
  self->n_lines = self->n_locations = 0;
  self->last = NULL;
}

static gboolean
set_order_fields (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  TallArena *arena = tall_order_get_arena (self->order);
  guint n_sources = tall_mapping_count_sources (self->mapping, TALL_SCOPE_ORDER);
  self->first = (TallPlace){ row->line, row->file_name };
  self->numbers_locations = row_find_position (self->mapping, TALL_SCOPE_LOCATION) != NULL;
  self->numbers_lines = row_find_position (self->mapping, TALL_SCOPE_LINE) != NULL;
  self->first_values = tall_arena_newa0 (arena, char *, n_sources);
  for (guint i = 0; i < n_sources; i++)
    {
      const TallMappingSource *source =
          tall_mapping_get_source_of (self->mapping, TALL_SCOPE_ORDER, i);
      self->first_values[i] =
          tall_arena_strdup (arena, tall_mapping_read (self->mapping, source, row));
    }

  TallRowTarget target = { arena, self->order, self->order, 0 };
  return row_set_fields (self->mapping, TALL_SCOPE_ORDER, row, &target, fault, error);
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
      const char *text = tall_mapping_read (self->mapping, source, row);
      if (g_strcmp0 (text, self->first_values[i]) == 0)
        continue;
      *fault = (TallRowFault){ source->column, "contradicts another line of the same order" };
      g_autofree char *place = tall_csv_describe_line (self->first.line, self->first.file_name);
      return tall_error_fail_invalid (error, NULL, "“%s” contradicts %s of the same order: “%s”",
                                      name_absent (text), place,
                                      name_absent (self->first_values[i]));
    }
  return TRUE;
}

static gboolean
check_room (const TallDraft *self, TallRowFault *fault, GError **error)
{
  if (self->n_lines + self->n_locations < TALL_MAX_LINES_AND_LOCATIONS)
    return TRUE;
  *fault = (TallRowFault){ NULL, "the order is too large" };
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                          "the order has more than %d lines and locations",
                          TALL_MAX_LINES_AND_LOCATIONS);
}

/* Bytes that UTF-8 does not have. */
#define PRESENT '\xff'
#define ABSENT '\xfe'

/* What the row says of its location by source @i, NULL if nothing. FALSE: the source numbers
 * locations, which says nothing of them. */
static gboolean
get_text (const TallDraft *self, const TallCsvRow *row, guint i, const char **text)
{
  const TallMappingSource *source =
      tall_mapping_get_source_of (self->mapping, TALL_SCOPE_LOCATION, i);
  *text = tall_mapping_read (self->mapping, source, row);
  return !self->numbers_locations || tall_model_kind (source->field->field) != TALL_MODEL_POSITION;
}

/* Makes one text of all those of the row's location, so that equal locations are recognised. */
static const char *
sign_location (TallDraft *self, const TallCsvRow *row)
{
  const char *text;
  g_string_truncate (self->signature, 0);
  for (guint i = 0; i < tall_mapping_count_sources (self->mapping, TALL_SCOPE_LOCATION); i++)
    if (get_text (self, row, i, &text))
      {
        g_string_append (self->signature, text != NULL ? text : "");
        g_string_append_c (self->signature, text != NULL ? PRESENT : ABSENT);
      }
  return self->signature->str;
}

/* Whether the row's location has the texts of another, mostly that of the row before: without
 * making one of them. */
static gboolean
is_signed (const TallDraft *self, const Location *location, const TallCsvRow *row)
{
  const char *text, *rest = location->signature;
  for (guint i = 0; i < tall_mapping_count_sources (self->mapping, TALL_SCOPE_LOCATION); i++)
    if (get_text (self, row, i, &text))
      {
        gsize len = text != NULL ? strlen (text) : 0;
        if (strncmp (rest, text != NULL ? text : "", len) != 0
            || rest[len] != (text != NULL ? PRESENT : ABSENT))
          return FALSE;
        rest += len + 1;
      }
  return *rest == '\0';
}

/* Of the row that was signed last. */
static Location *
add_location (
    TallDraft *self, const TallCsvRow *row, gint32 number, TallRowFault *fault, GError **error)
{
  if (!check_room (self, fault, error))
    return NULL;
  TallArena *arena = tall_order_get_arena (self->order);
  Location *added = tall_arena_new0 (arena, Location);
  added->location = tall_order_add_location (self->order, number);
  added->signature = tall_arena_strdup (arena, self->signature->str);
  added->place = (TallPlace){ row->line, row->file_name };
  self->n_locations++;
  TallRowTarget target = { arena, added->location, NULL, 0 };
  return row_set_fields (self->mapping, TALL_SCOPE_LOCATION, row, &target, fault, error) ? added
                                                                                         : NULL;
}

static Location *
find_by_texts (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  if (self->last != NULL && is_signed (self, self->last, row))
    return self->last;
  Location *found = g_hash_table_lookup (self->by_signature, sign_location (self, row));
  if (found != NULL)
    return found;
  found = add_location (self, row, (gint32)self->n_locations + 1, fault, error);
  if (found != NULL)
    g_hash_table_insert (self->by_signature, (gpointer)found->signature, found);
  return found;
}

static Location *
find_by_number (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  gint32 number;
  if (!row_read_position (self->mapping, TALL_SCOPE_LOCATION, row, &number, fault, error))
    return NULL;
  Location *found = g_hash_table_lookup (self->by_number, GINT_TO_POINTER (number));
  if (found == NULL)
    {
      sign_location (self, row);
      found = add_location (self, row, number, fault, error);
      g_hash_table_insert (self->by_number, GINT_TO_POINTER (number), found);
      return found;
    }
  if (is_signed (self, found, row))
    return found;
  fault->kind = "a location has different names, addresses or dates";
  g_autofree char *place = tall_csv_describe_line (found->place.line, found->place.file_name);
  tall_error_set_invalid (error, NULL,
                          "location %d contradicts %s, where it has another name, address or date",
                          number, place);
  return NULL;
}

static gboolean
find_location (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  self->last = self->numbers_locations ? find_by_number (self, row, fault, error)
                                       : find_by_texts (self, row, fault, error);
  return self->last != NULL;
}

/* Lines are numbered in the order of the file, unless that does it. */
static gboolean
number_line (
    TallDraft *self, const TallCsvRow *row, gint32 *number, TallRowFault *fault, GError **error)
{
  *number = (gint32)self->n_lines + 1;
  if (!self->numbers_lines)
    return TRUE;
  if (!row_read_position (self->mapping, TALL_SCOPE_LINE, row, number, fault, error))
    return FALSE;
  const TallPlace *taken = g_hash_table_lookup (self->line_numbers, GINT_TO_POINTER (*number));
  if (taken == NULL)
    {
      TallPlace *place = tall_arena_new0 (tall_order_get_arena (self->order), TallPlace);
      *place = (TallPlace){ row->line, row->file_name };
      g_hash_table_insert (self->line_numbers, GINT_TO_POINTER (*number), place);
      return TRUE;
    }
  fault->kind = "a line number stands twice in the order";
  const char *file = taken->file_name != NULL ? taken->file_name : "the file";
  g_autofree char *place = tall_csv_describe_line (taken->line, file);
  return tall_error_fail_invalid (error, NULL, "the order has a line %d already, in %s", *number,
                                  place);
}

/* A join gives an order without lines a row all the same. In a flat file a row is a line. */
static gboolean
check_line (const TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  if (self->mapping->sql == NULL || row_says (self->mapping, TALL_SCOPE_LINE, row))
    return TRUE;
  *fault = (TallRowFault){ NULL, "the row has nothing of a line" };
  return tall_error_fail_invalid (
      error, NULL,
      "the row has nothing of a line: all columns “line.…” are empty; leave "
      "such rows out, by WHERE or by JOIN in place of LEFT JOIN");
}

static gboolean
add_line (TallDraft *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  gint32 number;
  if (!check_line (self, row, fault, error) || !find_location (self, row, fault, error)
      || !check_room (self, fault, error) || !number_line (self, row, &number, fault, error))
    return FALSE;
  TallArena *arena = tall_order_get_arena (self->order);
  TallRowTarget target = { arena, tall_location_add_line (self->last->location, arena, number),
                           self->order, number };
  self->n_lines++;
  return row_set_fields (self->mapping, TALL_SCOPE_LINE, row, &target, fault, error);
}

/* Adds an order line, and its location if it is new; a file whose mapping has no fields of lines
 * gives orders without lines, and a location where a row says something of one. After a failure the
 * draft is of no more use. @mapping: bound to the file of the row; has the sources of the draft's
 * in the same order. @row: a good row of this order. @fault: (out) what is wrong, if it does not
 * fit. Returns: FALSE with %TALL_ERROR_INVALID or %TALL_ERROR_TOO_LARGE if the row does not fit */
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

  if (tall_mapping_count_sources (mapping, TALL_SCOPE_LINE) == 0)
    return !row_says (mapping, TALL_SCOPE_LOCATION, row) || find_location (self, row, fault, error);
  return add_line (self, row, fault, error);
}

/* Returns: (transfer full): the order made of all rows; none is begun then */
TallOrder *
tall_draft_finish (TallDraft *self)
{
  return g_steal_pointer (&self->order);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/assembler.h"

#include "base/fail.h"
#include "tall-limits.h"

/* The struct whose fields a row fills in. */
typedef struct
{
  TallArena *arena; /* where its texts go */
  gpointer base;    /* the struct */
  TallOrder *order; /* for its adjustments; NULL: it has none */
  gint32 line;      /* number of the line that they belong to; 0: to none */
} TallRowTarget;

/* Where a row is. */
typedef struct
{
  guint64 line;
  const char *file_name; /* NULL: there is only one file */
} TallPlace;

/* A location of an order under construction. */
typedef struct
{
  TallShippingLocation *location;
  const char *signature; /* all its texts in one */
  TallPlace place;       /* where it was first seen */
} Location;

/* How often a row is there, by its text. */
typedef struct
{
  guint file;    /* that had it last … */
  guint here;    /* … so often … */
  guint earlier; /* … and a file before it at most so often */
} Seen;

struct _TallAssembler
{
  TallRejects *rejects; /* not owned */
  TallAssemblerEmit emit;
  gpointer data;

  char order_number[TALL_MAX_NUMBER_BYTES + 1];
  TallLoadItem *item;  /* the rows of the order so far; NULL: no order is open */
  GHashTable *seen;    /* char * → Seen: its rows, once a second file has one */
  guint64 failed_line; /* where the row is that it was rejected for; 0: not rejected */
  const char *failed_file;

  /* What is made of the rows: */
  const TallMapping *first_mapping; /* not owned; of the file of the first row … */
  const TallMapping *mapping;       /* … and of that of the row that is added */
  TallOrder *order;           /* owned; NULL: none is open, or it is rejected; in its arena: */
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

static gboolean
set_order_fields (TallAssembler *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
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
compare_order_fields (TallAssembler *self,
                      const TallCsvRow *row,
                      TallRowFault *fault,
                      GError **error)
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
check_room (const TallAssembler *self, TallRowFault *fault, GError **error)
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
get_text (const TallAssembler *self, const TallCsvRow *row, guint i, const char **text)
{
  const TallMappingSource *source =
      tall_mapping_get_source_of (self->mapping, TALL_SCOPE_LOCATION, i);
  *text = tall_mapping_read (self->mapping, source, row);
  return !self->numbers_locations || tall_model_kind (source->field->field) != TALL_MODEL_POSITION;
}

/* Makes one text of all those of the row's location, so that equal locations are recognised. */
static const char *
sign_location (TallAssembler *self, const TallCsvRow *row)
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
is_signed (const TallAssembler *self, const Location *location, const TallCsvRow *row)
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
    TallAssembler *self, const TallCsvRow *row, gint32 number, TallRowFault *fault, GError **error)
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
find_by_texts (TallAssembler *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
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
find_by_number (TallAssembler *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
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
find_location (TallAssembler *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  self->last = self->numbers_locations ? find_by_number (self, row, fault, error)
                                       : find_by_texts (self, row, fault, error);
  return self->last != NULL;
}

/* Lines are numbered in the order of the file, unless that does it. */
static gboolean
number_line (
    TallAssembler *self, const TallCsvRow *row, gint32 *number, TallRowFault *fault, GError **error)
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
check_line (const TallAssembler *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
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
add_line (TallAssembler *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
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
 * order is of no more use. @mapping: bound to the file of the row; has the sources of the first in
 * the same order. @row: a good row of this order. @fault: (out) what is wrong, if it does not fit.
 * Returns: FALSE with %TALL_ERROR_INVALID or %TALL_ERROR_TOO_LARGE if the row does not fit */
static gboolean
draft_row (TallAssembler *self,
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

/* Bytes of the file that the rows of one order may take: they are kept until it is stored. */
#define MAX_ORDER_BYTES (64 * 1024 * 1024)

#define KIND_SIBLING "another row of the same order was rejected"
#define KIND_OTHER_FILE "another file has other rows of the same order"

TallAssembler *
tall_assembler_new (TallRejects *rejects, TallAssemblerEmit emit, gpointer data)
{
  TallAssembler *self = g_new0 (TallAssembler, 1);
  self->rejects = rejects;
  self->emit = emit;
  self->data = data;
  self->seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->signature = g_string_new (NULL);
  self->by_signature = g_hash_table_new (g_str_hash, g_str_equal);
  self->by_number = g_hash_table_new (NULL, NULL);
  self->line_numbers = g_hash_table_new (NULL, NULL);
  return self;
}

/* What its rows have is in its arena. */
static void
drop_order (TallAssembler *self)
{
  g_hash_table_remove_all (self->by_signature);
  g_hash_table_remove_all (self->by_number);
  g_hash_table_remove_all (self->line_numbers);
  g_clear_pointer (&self->order, tall_order_free);
}

static void
close_order (TallAssembler *self)
{
  drop_order (self);
  g_clear_pointer (&self->item, tall_load_item_free);
  g_hash_table_remove_all (self->seen);
  self->failed_line = 0;
}

void
tall_assembler_free (TallAssembler *self)
{
  if (self == NULL)
    return;
  close_order (self);
  g_string_free (self->signature, TRUE);
  g_hash_table_unref (self->by_signature);
  g_hash_table_unref (self->by_number);
  g_hash_table_unref (self->line_numbers);
  g_hash_table_unref (self->seen);
  g_free (self);
}

/* Finishes the order before, and begins another. @mapping: stays the caller's until the order is
 * finished. @customer: (nullable): NULL if it is not known; then no row may follow. */
void
tall_assembler_begin (TallAssembler *self,
                      const TallMapping *mapping,
                      const char *customer,
                      const char *order)
{
  tall_assembler_finish (self);
  self->item = tall_load_item_new ();
  self->first_mapping = mapping;
  g_strlcpy (self->order_number, order, sizeof self->order_number);
  self->order = customer != NULL ? tall_order_new (customer, order) : NULL;
  self->first = (TallPlace){ 0 };
  self->n_lines = self->n_locations = 0;
  self->last = NULL;
}

/* Rejects a row, or all rows so far, because of another. */
static void
reject_for_sibling (TallAssembler *self, const TallCsvRow *row)
{
  g_autofree char *place = tall_csv_describe_line (self->failed_line, self->failed_file);
  g_autofree char *reason =
      g_strdup_printf ("order %s is rejected because of %s", self->order_number, place);
  if (row != NULL)
    tall_rejects_add (self->rejects, row, NULL, KIND_SIBLING, reason);
  else
    tall_load_item_reject (self->item, self->rejects, KIND_SIBLING, reason);
}

/* Rejects the order that is open, with all rows so far and all that come. @line: of the row that is
 * to blame. @file_name: (nullable): of the file that has it, as in #TallCsvRow. */
void
tall_assembler_fail (TallAssembler *self, guint64 line, const char *file_name)
{
  if (self->failed_line != 0)
    return;
  self->failed_line = line;
  self->failed_file = file_name;
  drop_order (self);
  reject_for_sibling (self, NULL);
}

static gboolean
check_bytes (TallAssembler *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  if (self->item->raw->len + row->raw.len <= MAX_ORDER_BYTES)
    return TRUE;
  *fault = (TallRowFault){ NULL, "the order is too large" };
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                          "the rows of order %s take more than %d bytes", self->order_number,
                          MAX_ORDER_BYTES);
}

/* Adds a row that fits to the order that is open. */
static gboolean
add_row (TallAssembler *self,
         const TallMapping *mapping,
         const TallCsvRow *row,
         TallRowFault *fault,
         GError **error)
{
  if (!check_bytes (self, row, fault, error) || !draft_row (self, mapping, row, fault, error))
    return FALSE;
  tall_load_item_add_row (self->item, row);
  return TRUE;
}

/* Returns: whether a file before has the text, too, as often as this file has had it by now */
static gboolean
note_text (TallAssembler *self, guint file, TallSlice raw)
{
  char *text = g_strndup ((const char *)raw.data, raw.len);
  Seen *seen = g_hash_table_lookup (self->seen, text);
  if (seen == NULL)
    {
      seen = g_new0 (Seen, 1);
      g_hash_table_insert (self->seen, g_steal_pointer (&text), seen);
    }
  if (seen->file != file)
    *seen = (Seen){ file, 0, MAX (seen->earlier, seen->here) };
  g_free (text);
  return ++seen->here <= seen->earlier;
}

/* Whether two files have their columns in the same places. */
static gboolean
are_alike (const TallMapping *a, const TallMapping *b)
{
  for (guint i = 0; i < a->sources->len; i++)
    if (tall_mapping_get_source (a, i)->index != tall_mapping_get_source (b, i)->index)
      return FALSE;
  return TRUE;
}

/* Whether an earlier file has the same row. Files that overlap have many. */
static gboolean
is_repeated (TallAssembler *self, const TallMapping *mapping, const TallCsvRow *row)
{
  const TallLoadItem *item = self->item;
  guint n_unknown = g_hash_table_size (self->seen) == 0 ? item->rows->len : 0;
  for (guint i = 0; i < n_unknown; i++)
    {
      const TallItemRow *known = &g_array_index (item->rows, TallItemRow, i);
      note_text (self, known->file, tall_slice (item->raw->data + known->offset, known->len));
    }
  return are_alike (self->first_mapping, mapping) && note_text (self, row->file, row->raw);
}

/* Takes a row of an order that has begun in another file. */
static gboolean
try_across (TallAssembler *self,
            const TallMapping *mapping,
            const TallCsvRow *row,
            TallRowFault *fault,
            GError **error)
{
  guint first = g_array_index (self->item->rows, TallItemRow, 0).file;
  if (is_repeated (self, mapping, row))
    {
      if (!check_bytes (self, row, fault, error))
        return FALSE;
      tall_load_item_add_row (self->item, row);
      g_array_index (self->item->rows, TallItemRow, self->item->rows->len - 1).is_repeated = TRUE;
      return TRUE;
    }
  if (mapping->across_files)
    return add_row (self, mapping, row, fault, error);
  *fault = (TallRowFault){ NULL, KIND_OTHER_FILE };
  return tall_error_fail_invalid (
      error, NULL,
      "order %s has rows in %s, too, but not this one of %s; if orders go on "
      "in another file, say --across-files",
      self->order_number, tall_rejects_get_file_name (self->rejects, first), row->file_name);
}

/* @mapping: bound to the file of the row. @row: the next good row of the order that is open: its
 * rows come file by file. */
void
tall_assembler_push (TallAssembler *self, const TallMapping *mapping, const TallCsvRow *row)
{
  g_autoptr (GError) error = NULL;
  TallRowFault fault;
  if (self->failed_line != 0)
    reject_for_sibling (self, row);
  else
    {
      const GArray *rows = self->item->rows;
      gboolean is_first = rows->len == 0 || g_array_index (rows, TallItemRow, 0).file == row->file;
      if ((is_first ? add_row : try_across) (self, mapping, row, &fault, &error))
        return;
      tall_rejects_add (self->rejects, row, fault.column, fault.kind, error->message);
      tall_assembler_fail (self, row->line, row->file_name);
    }
}

/* Emits the order that is open, unless it is rejected. */
void
tall_assembler_finish (TallAssembler *self)
{
  if (self->order != NULL)
    {
      TallLoadItem *item = g_steal_pointer (&self->item);
      item->order = g_steal_pointer (&self->order);
      self->emit (item, self->data);
    }
  close_order (self);
}

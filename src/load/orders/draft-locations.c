/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/draft-locations.h"

/* Bytes that UTF-8 does not have. */
#define PRESENT '\xff'
#define ABSENT '\xfe'

void
tall_draft_locations_init (TallDraftLocations *self)
{
  self->signature = g_string_new (NULL);
  self->all = g_ptr_array_new ();
  self->n_known = 0;
  self->by_signature = g_hash_table_new (g_str_hash, g_str_equal);
  self->by_number = g_hash_table_new (NULL, NULL);
}

void
tall_draft_locations_clear (TallDraftLocations *self)
{
  g_string_free (self->signature, TRUE);
  g_hash_table_unref (self->by_signature);
  g_hash_table_unref (self->by_number);
  g_ptr_array_unref (self->all);
}

/* Another order begins. */
void
tall_draft_locations_forget (TallDraftLocations *self)
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
  if (source->field->field->kind == TALL_MODEL_POSITION)
    return FALSE;
  *text = tall_mapping_get_value (mapping, source, row->fields, row->n_fields);
  return TRUE;
}

/**
 * tall_draft_locations_sign:
 *
 * Returns: (transfer none): all texts of the row's location in one, so that equal locations are
 *   recognised, until the next call. Bytes that UTF-8 does not have end each of them, or stand for
 *   one that is absent
 */
const char *
tall_draft_locations_sign (TallDraftLocations *self,
                           const TallMapping *mapping,
                           const TallCsvRow *row)
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

/**
 * tall_draft_location_is_signed:
 *
 * Returns: whether the row's location has the texts of @self, without making one of them
 */
gboolean
tall_draft_location_is_signed (const TallDraftLocation *self,
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

/**
 * tall_draft_locations_find:
 *
 * Returns: (transfer none) (nullable): the location with these texts
 */
TallDraftLocation *
tall_draft_locations_find (TallDraftLocations *self, const char *signature)
{
  know_all (self);
  return g_hash_table_lookup (self->by_signature, signature);
}

/**
 * tall_draft_locations_find_number:
 *
 * Returns: (transfer none) (nullable): the location of that number
 */
TallDraftLocation *
tall_draft_locations_find_number (TallDraftLocations *self, gint32 number)
{
  know_all (self);
  return g_hash_table_lookup (self->by_number, GINT_TO_POINTER (number));
}

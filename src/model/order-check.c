/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/check.h"
#include "tall-error.h"
#include "tall-limits.h"

/* Where a location or line with a number stands in the lists as they were given. */
typedef struct
{
  gint32 number;
  guint location;
  guint line; /* TALL_NOWHERE: the location itself */
} Place;

static gboolean
check_counts (const TallOrder *self, GError **error)
{
  guint64 n = self->n_shipping_locations;
  for (guint i = 0; i < self->n_shipping_locations; i++)
    n += self->shipping_locations[i]->n_line_items;
  if (n <= TALL_MAX_LINES_AND_LOCATIONS)
    return TRUE;

  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "an order has at most %d lines and locations together, this one has "
               "%" G_GUINT64_FORMAT ": split it",
               TALL_MAX_LINES_AND_LOCATIONS, n);
  return FALSE;
}

static gboolean
check_location (TallCheck *check, TallShippingLocation *location)
{
  if (!tall_check_fields (check, &tall_model_location, location))
    return FALSE;

  for (check->line = 0; check->line < location->n_line_items; check->line++)
    if (!tall_check_fields (check, &tall_model_line, location->line_items[check->line]))
      return FALSE;
  check->line = TALL_NOWHERE;
  return TRUE;
}

static gboolean
check_order (TallOrder *self, TallCheck *check)
{
  if (!tall_check_fields (check, &tall_model_order, self))
    return FALSE;

  for (check->location = 0; check->location < self->n_shipping_locations; check->location++)
    if (!check_location (check, self->shipping_locations[check->location]))
      return FALSE;
  check->location = TALL_NOWHERE;
  return TRUE;
}

/* TRUE if the numbers of locations, and those of all lines together, strictly ascend, as they
 * nearly always do. Then no number is there twice either. */
static gboolean
is_ascending (const TallOrder *self)
{
  gint32 last_location = 0;
  gint32 last_line = 0;
  for (guint i = 0; i < self->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = self->shipping_locations[i];
      if (location->number <= last_location)
        return FALSE;
      last_location = location->number;

      for (guint k = 0; k < location->n_line_items; k++)
        {
          if (location->line_items[k]->number <= last_line)
            return FALSE;
          last_line = location->line_items[k]->number;
        }
    }
  return TRUE;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *left = a;
  const Place *right = b;
  if (left->number != right->number)
    return left->number < right->number ? -1 : 1;
  if (left->location != right->location)
    return left->location < right->location ? -1 : 1;
  return (left->line > right->line) - (left->line < right->line);
}

/* Sorts @places and refuses a number that is there twice. */
static gboolean
check_unique (GArray *places, GError **error)
{
  g_array_sort (places, compare_places);
  for (guint i = 1; i < places->len; i++)
    {
      const Place *first = &g_array_index (places, Place, i - 1);
      const Place *second = &g_array_index (places, Place, i);
      if (first->number != second->number)
        continue;

      TallCheck check = TALL_CHECK_INIT (error);
      check.location = first->location;
      check.line = first->line;
      g_autofree char *other = tall_check_path (&check, NULL);
      check.location = second->location;
      check.line = second->line;
      if (second->line == TALL_NOWHERE)
        return tall_check_fail (&check, "number",
                                "%s has the same number %d; a location’s number "
                                "is unique in the order",
                                other, second->number);
      return tall_check_fail (&check, "number",
                              "%s has the same number %d; a line’s number is "
                              "unique in the whole order",
                              other, second->number);
    }
  return TRUE;
}

static gboolean
check_duplicates (const TallOrder *self, GError **error)
{
  g_autoptr (GArray) locations = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (Place));
  for (guint i = 0; i < self->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = self->shipping_locations[i];
      Place place = { location->number, i, TALL_NOWHERE };
      g_array_append_val (locations, place);
      for (guint k = 0; k < location->n_line_items; k++)
        {
          Place line = { location->line_items[k]->number, i, k };
          g_array_append_val (lines, line);
        }
    }
  return check_unique (locations, error) && check_unique (lines, error);
}

static int
compare_locations (gconstpointer a, gconstpointer b)
{
  gint32 left = (*(TallShippingLocation *const *)a)->number;
  gint32 right = (*(TallShippingLocation *const *)b)->number;
  return (left > right) - (left < right);
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  gint32 left = (*(TallLineItem *const *)a)->number;
  gint32 right = (*(TallLineItem *const *)b)->number;
  return (left > right) - (left < right);
}

static void
sort_lists (TallOrder *self)
{
  for (guint i = 0; i < self->n_shipping_locations; i++)
    {
      TallShippingLocation *location = self->shipping_locations[i];
      if (location->n_line_items > 1)
        qsort (location->line_items, location->n_line_items, sizeof (TallLineItem *),
               compare_lines);
    }
  if (self->n_shipping_locations > 1)
    qsort (self->shipping_locations, self->n_shipping_locations, sizeof (TallShippingLocation *),
           compare_locations);
}

/**
 * tall_order_normalize:
 *
 * Checks everything that an order promises (`tall-limits.h` and the comments of the fields), and
 * sorts locations and lines by number and attributes by the bytes of the key. Every order must have
 * passed before it is encoded, stored or compared. Fields are checked before anything is sorted, so
 * that paths in errors count positions as they were given.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE that names the limit, or with %TALL_ERROR_INVALID and
 *   the field's path
 */
gboolean
tall_order_normalize (TallOrder *self, GError **error)
{
  TallCheck check = TALL_CHECK_INIT (error);
  if (!check_counts (self, error) || !check_order (self, &check))
    return FALSE;

  if (!is_ascending (self))
    {
      if (!check_duplicates (self, error))
        return FALSE;
      sort_lists (self);
    }
  return tall_attributes_sort (self->attributes, self->n_attributes, error)
         && tall_check_size (&check, &self->base, "an order", ": split it");
}

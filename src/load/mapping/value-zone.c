/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "load/mapping/value.h"

#define MS_PER_SECOND 1000
#define SECONDS_PER_DAY (24 * 60 * 60)

/* Seconds that the clock is ahead of UTC at a time of UTC. */
static gint64
get_offset (GTimeZone *zone, gint64 utc)
{
  gint interval = g_time_zone_find_interval (zone, G_TIME_TYPE_UNIVERSAL, utc);
  return g_time_zone_get_offset (zone, interval);
}

/**
 * tall_settle_time:
 * @local: what a clock shows, as milliseconds since the epoch that it would be in UTC
 * @is_day: the text names a day, and no time
 * @zone: (nullable): of the clock; NULL: UTC
 * @date: (out): milliseconds since the epoch
 *
 * Finds the time at which a clock shows something. Of two, where it is set back, the earlier
 * counts. A time that it passes over, where it is set forward, is none; the beginning of a day is
 * then as much later as it is set forward.
 *
 * Returns: FALSE if there is no such time
 */
gboolean
tall_settle_time (gint64 local, gboolean is_day, GTimeZone *zone, gint64 *date)
{
  *date = local;
  if (zone == NULL)
    return TRUE;
  gint64 second = local / MS_PER_SECOND - (local % MS_PER_SECOND < 0);
  gint64 before = get_offset (zone, second - SECONDS_PER_DAY);
  gint64 after = get_offset (zone, second + SECONDS_PER_DAY);
  /* The larger offset gives the earlier time. */
  gint64 larger = MAX (before, after), smaller = MIN (before, after);
  gint64 offset = get_offset (zone, second - larger) == larger ? larger : smaller;
  gboolean exists = get_offset (zone, second - offset) == offset;
  *date = local - (exists ? offset : before) * MS_PER_SECOND;
  return exists || is_day;
}

/**
 * tall_refuse_time:
 *
 * Sets the error for a time that tall_settle_time() does not find.
 *
 * Returns: FALSE
 */
gboolean
tall_refuse_time (const char *text, GTimeZone *zone, GError **error)
{
  tall_error_set_invalid (error, NULL,
                          "“%s” is no time in %s, where the clock is set forward over it", text,
                          g_time_zone_get_identifier (zone));
  return FALSE;
}

/**
 * tall_expand_year:
 * @two_digits: 0 … 99
 * @first_year: that they can mean, such as 1970
 *
 * Returns: the year of the hundred from @first_year on that ends so
 */
guint
tall_expand_year (guint two_digits, guint first_year)
{
  return first_year + (two_digits + 100 - first_year % 100) % 100;
}

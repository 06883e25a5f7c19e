/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-generation.h"
#include "tall-migrate-report.h"
#include "tall-output.h"
#include "tall-status.h"
#include "tall-table-access.h"
#include "tall-text.h"

/* What a phase means to those who use the deployment, and who may end it. */
static const struct
{
  const char *phase;
  const char *text;
} phases[] = {
  { "copying",
    "Orders are being copied; everybody goes on. If no “tallorder migrate” runs, call it\n"
    "to go on, or “tallorder migrate --abort” to give it up.\n" },
  { "sealing", "Writes wait for a migration. If no “tallorder migrate” runs, call it to go on, or\n"
               "“tallorder migrate --abort” to give it up.\n" },
  { "closing", "Reads and writes wait for a migration. If no “tallorder migrate” runs, call it to\n"
               "go on, or “tallorder migrate --abort” to give it up.\n" },
  { "aborting", "A migration is being given up, and reads and writes may wait. If no “tallorder\n"
                "migrate --abort” runs, call it to finish that.\n" },
};

static gboolean
is_idle (const TallDescription *description)
{
  return description->phase == NULL || g_str_equal (description->phase, "none");
}

/* The generation of a table; 0: it is of all. */
static guint64
find_generation (const TallTableSpec *spec)
{
  g_autofree char *short_name = NULL;
  return g_str_equal (spec->name, "meta") ? 0
                                          : tall_generation_split_name (spec->name, &short_name);
}

/**
 * tall_status_is_table:
 *
 * Returns: whether @spec is the table of that short name in the generation that counts
 */
gboolean
tall_status_is_table (const TallStatus *self, const TallTableSpec *spec, const char *name)
{
  g_autofree char *short_name = NULL;
  guint64 generation = tall_generation_split_name (spec->name, &short_name);
  return generation == MAX (self->description->generation, TALL_FIRST_GENERATION)
         && g_strcmp0 (short_name, name) == 0;
}

/* The server itself works on it. */
static void
print_running (const TallMigrateState *state)
{
  g_autoptr (GString) line = g_string_new (NULL);
  tall_migrate_report_append (line, state, FALSE);
  tall_print ("\nThe server works on that: %s.\n“tallorder migrate --server” without options "
              "follows it, and with --abort gives a migration up.\n",
              line->str);
}

/**
 * tall_status_print_phase:
 *
 * Prints what is going on, and who can end it.
 */
void
tall_status_print_phase (const TallStatus *self)
{
  if (self->migration != NULL)
    {
      print_running (self->migration);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    if (g_strcmp0 (phases[i].phase, self->description->phase) == 0)
      tall_print ("\n%s", phases[i].text);
}

/* Tables that are left of another generation, and nobody needs. */
static void
print_left (const TallStatus *self)
{
  guint n = 0;
  for (guint i = 0; i < self->tables->len; i++)
    {
      guint64 generation = find_generation (g_ptr_array_index (self->tables, i));
      n += generation != 0 && generation != self->description->generation;
    }
  if (n > 0)
    tall_print ("\nTables of a generation other than %" G_GUINT64_FORMAT
                " do not count: %u. “tallorder migrate --drop-source”\nremoves them.\n",
                self->description->generation, n);
}

/* Tables that a late call has shut. */
static void
print_shut (const TallStatus *self)
{
  for (guint i = 0; i < self->tables->len; i++)
    {
      const TallTableSpec *spec = g_ptr_array_index (self->tables, i);
      if (spec->access == TALL_ACCESS_OPEN
          || find_generation (spec) != self->description->generation)
        continue;
      g_autofree char *clean = tall_text_clean (spec->name);
      tall_print (
          "\nTable %s is %s, and no migration is going on: “tallorder migrate --abort” opens "
          "it.\n",
          clean, tall_table_access_name (spec->access));
    }
}

/**
 * tall_status_print_tables_left:
 *
 * Prints what migrations have left behind, where none is going on.
 */
void
tall_status_print_tables_left (const TallStatus *self)
{
  if (!is_idle (self->description) || self->description->generation == 0)
    return;
  print_left (self);
  print_shut (self);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "store/record/generation.h"
#include "cli/migrate-report.h"
#include "cli/output.h"
#include "cli/status.h"
#include "table/table-access.h"
#include "base/text.h"

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

/**
 * tall_status_count_unused:
 *
 * Counts the tables that are left of other generations, and nobody needs.
 */
void
tall_status_count_unused (TallStatus *self)
{
  if (!is_idle (self->description) || self->description->generation == 0)
    return;
  for (guint i = 0; i < self->tables->len; i++)
    {
      guint64 generation = find_generation (g_ptr_array_index (self->tables, i));
      self->n_unused += generation != 0 && generation != self->description->generation;
    }
}

static void
take_note (TallStatus *self, const TallFinding *note)
{
  if (note->kind == TALL_FINDING_UNUSED_TABLES)
    self->n_unused = note->n_rows;
  if (note->load == NULL)
    return;
  TallUnfinishedLoad *load = g_new (TallUnfinishedLoad, 1);
  *load = *note->load;
  load->name = g_strdup (note->load->name);
  g_ptr_array_add (self->loads, load);
}

/**
 * tall_status_ask_server:
 *
 * Asks a server for what loads and migrations have left. One that does not tell it to this client,
 * or is too old to, is not asked for more.
 */
void
tall_status_ask_server (TallStatus *self, TallFront *front)
{
  g_autoptr (TallVerifyPart) part = NULL;
  const TallVerifyRequest request = { .most = 1, .notes = TRUE };
  if (self->description->generation == 0) /* older than notes */
    return;
  part = tall_front_verify_some (front, &request, &self->no_loads);
  if (g_error_matches (self->no_loads, TALL_ERROR, TALL_ERROR_UNSUPPORTED)
      || g_error_matches (self->no_loads, TALL_ERROR, TALL_ERROR_FORBIDDEN))
    g_clear_error (&self->no_loads);
  if (part == NULL)
    return;
  self->loads = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_unfinished_load_free);
  for (guint i = 0; i < part->n_findings; i++)
    take_note (self, &part->findings[i]);
}

/* Tables that are left of another generation, and nobody needs. */
static void
print_left (const TallStatus *self)
{
  if (self->n_unused > 0)
    tall_print ("\n%u %s of another generation than %" G_GUINT64_FORMAT
                ", and %s not count; “tallorder migrate\n--drop-source” removes %s.\n",
                self->n_unused, self->n_unused == 1 ? "table is" : "tables are",
                self->description->generation, self->n_unused == 1 ? "does" : "do",
                self->n_unused == 1 ? "it" : "them");
}

/* Tables that a late call has shut. */
static void
print_shut (const TallStatus *self)
{
  for (guint i = 0; self->tables != NULL && i < self->tables->len; i++)
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

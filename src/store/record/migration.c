/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/migration.h"

#include "base/fail.h"
#include "store/record/deployment.h"
#include "store/record/generation.h"
#include "store/record/tables.h"

#define N_WORDS 6
#define MAX_SHOWN 200 /* bytes of a damaged text; more than any that is not */
#define NOTHING "-"   /* in the place of a seal or of marks */
#define MARK_UNSEALED "unsealed"
#define MARK_REOPENED "reopened"

static const char *const phases[] = {
  [TALL_MIGRATION_NONE] = "none",         [TALL_MIGRATION_COPYING] = "copying",
  [TALL_MIGRATION_SEALING] = "sealing",   [TALL_MIGRATION_CLOSING] = "closing",
  [TALL_MIGRATION_ABORTING] = "aborting",
};

/**
 * tall_migration_phase_get_name:
 *
 * Returns: (transfer none): as the record has it
 */
const char *
tall_migration_phase_get_name (TallMigrationPhase phase)
{
  return phases[phase];
}

/**
 * tall_migration_begin:
 * @self: nothing is going on
 *
 * Returns: the target gets a number that was never given
 */
TallMigration
tall_migration_begin (const TallMigration *self)
{
  TallMigration to = *self;
  to.phase = TALL_MIGRATION_COPYING;
  to.target = to.last = self->last + 1;
  return to;
}

/**
 * tall_migration_seal:
 * @self: copying; no call that opens what is closed is under way any more
 */
TallMigration
tall_migration_seal (const TallMigration *self)
{
  TallMigration to = *self;
  to.phase = TALL_MIGRATION_SEALING;
  to.reopened = FALSE;
  return to;
}

/**
 * tall_migration_close:
 * @self: sealing
 * @seal: the UUID of the seal under which the last pass ran
 */
TallMigration
tall_migration_close (const TallMigration *self, const char *seal)
{
  TallMigration to = *self;
  to.phase = TALL_MIGRATION_CLOSING;
  g_strlcpy (to.seal, seal, sizeof to.seal);
  return to;
}

/**
 * tall_migration_switch:
 * @self: closing
 *
 * Returns: the target counts. The marks are of the tables that counted before
 */
TallMigration
tall_migration_switch (const TallMigration *self)
{
  return (TallMigration){ .generation = self->target, .last = self->last };
}

/**
 * tall_migration_abort:
 * @self: any phase; also none, for tables that a late call has shut, and aborting, if something is
 *   found closed only now
 * @closed: whether a table was found closed
 */
TallMigration
tall_migration_abort (const TallMigration *self, gboolean closed)
{
  TallMigration to = *self;
  to.phase = TALL_MIGRATION_ABORTING;
  to.unsealed = TRUE;
  to.reopened = self->reopened || closed || self->phase == TALL_MIGRATION_CLOSING;
  return to;
}

/**
 * tall_migration_give_up:
 * @self: aborting, and the tables are open
 *
 * Returns: nothing is going on; the number of the target stays given, and the marks stay
 */
TallMigration
tall_migration_give_up (const TallMigration *self)
{
  TallMigration to = *self;
  to.phase = TALL_MIGRATION_NONE;
  to.target = 0;
  to.seal[0] = '\0';
  return to;
}

static char *
name_marks (const TallMigration *self)
{
  const char *marks[3] = { NULL };
  guint n = 0;
  if (self->unsealed)
    marks[n++] = MARK_UNSEALED;
  if (self->reopened)
    marks[n++] = MARK_REOPENED;
  return n > 0 ? g_strjoinv (",", (char **)marks) : g_strdup (NOTHING);
}

/**
 * tall_migration_print:
 *
 * Returns: (transfer full): GENERATION PHASE TARGET LAST SEAL MARKS; layout/FORMAT.md says more
 */
char *
tall_migration_print (const TallMigration *self)
{
  g_autofree char *marks = name_marks (self);
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                          " %s %s",
                          self->generation, phases[self->phase], self->target, self->last,
                          self->seal[0] != '\0' ? self->seal : NOTHING, marks);
}

/**
 * tall_migration_add_check:
 * @text: as tall_migration_print() gives it
 *
 * Returns: (transfer full): the text as it is stored: with its check, a word more
 */
char *
tall_migration_add_check (const char *text)
{
  g_autofree char *check = tall_record_check (text);
  return g_strdup_printf ("%s %s", text, check);
}

static gboolean
parse_phase (TallMigration *self, const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    if (g_str_equal (phases[i], word))
      {
        self->phase = (TallMigrationPhase)i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
parse_seal (TallMigration *self, const char *word)
{
  if (g_str_equal (word, NOTHING))
    return TRUE;
  return g_uuid_string_is_valid (word)
         && g_strlcpy (self->seal, word, sizeof self->seal) < sizeof self->seal;
}

static gboolean
parse_number (guint64 *number, const char *word)
{
  return g_ascii_string_to_unsigned (word, 10, 0, G_MAXINT64, number, NULL);
}

/* Marks are not looked at closely here: what is printed again must be the same. */
static gboolean
parse_words (TallMigration *self, char *const *words)
{
  self->unsealed = strstr (words[5], MARK_UNSEALED) != NULL;
  self->reopened = strstr (words[5], MARK_REOPENED) != NULL;
  return parse_number (&self->generation, words[0]) && parse_phase (self, words[1])
         && parse_number (&self->target, words[2]) && parse_number (&self->last, words[3])
         && parse_seal (self, words[4]);
}

/**
 * tall_migration_is_possible:
 *
 * Returns: whether a process that keeps to the rules can have written that
 */
gboolean
tall_migration_is_possible (const TallMigration *self)
{
  gboolean has_target = self->target != 0;
  gboolean has_seal = self->seal[0] != '\0';
  if (self->generation == 0 || self->last < self->generation || self->last > G_MAXINT64
      || (has_target && (self->target != self->last || self->target == self->generation)))
    return FALSE;
  if (self->reopened
      && (self->phase == TALL_MIGRATION_SEALING || self->phase == TALL_MIGRATION_CLOSING))
    return FALSE;
  if (self->phase == TALL_MIGRATION_NONE)
    return !has_target && !has_seal;
  /* What a late call has shut is opened by an abort, too. */
  if (self->phase == TALL_MIGRATION_ABORTING)
    return self->unsealed && (has_target || !has_seal);
  return has_target && has_seal == (self->phase == TALL_MIGRATION_CLOSING);
}

/* Whether @text is what is stored for a step of a migration. Earlier versions wrote no check. */
static gboolean
parse (TallMigration *self, TallSlice text)
{
  g_autofree char *given = g_strndup ((const char *)text.data, text.len);
  g_auto (GStrv) words = g_strsplit (given, " ", N_WORDS + 2);
  guint n_words = g_strv_length (words);
  *self = (TallMigration){ 0 };
  if ((n_words != N_WORDS && n_words != N_WORDS + 1) || !parse_words (self, words)
      || !tall_migration_is_possible (self))
    return FALSE;
  g_autofree char *printed = tall_migration_print (self);
  g_autofree char *checked = tall_migration_add_check (printed);
  return tall_slice_equal (tall_slice_str (n_words == N_WORDS ? printed : checked), text);
}

/**
 * tall_migration_parse:
 * @self: (out): what the column says
 * @text: with a check, or without one
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if that is not exactly what tall_migration_print() and
 *   tall_migration_add_check() give for some step of a migration
 */
gboolean
tall_migration_parse (TallMigration *self, TallSlice text, GError **error)
{
  if (parse (self, text))
    return TRUE;
  g_autofree char *shown = tall_slice_to_debug (tall_slice (text.data, MIN (text.len, MAX_SHOWN)));
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "The deployment record's column migration is %s: no step of a migration, "
                          "or not as it was written; restore the deployment from a backup",
                          shown);
}

#define MAX_ATTEMPTS 3 /* of a step whose answer is lost or false */

/* One attempt to change the record. */
typedef struct
{
  TallTable *table;
  gint64 deadline;
  const char *id; /* of the deployment; NULL: of whichever is there */
  const char *is; /* what the column `migration` must say; this and the next without its check */
  const char *to;
  const char *const *next; /* nullable: %TALL_N_MOVING texts to be written */
  gboolean switches;       /* the next settings become those that count */
} Step;

/* What the column says, without its check. NULL with @error set: it is damaged. */
static char *
print_column (const TallCell *cell, GError **error)
{
  TallMigration migration = TALL_MIGRATION_INIT;
  if (cell != NULL && !tall_migration_parse (&migration, cell->value, error))
    return NULL;
  return tall_migration_print (&migration);
}

static TallReadResult *
read_row (const Step *step, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, TALL_META_TABLE, TALL_RECORD_ROW);
  g_autoptr (TallReadResult) result = tall_table_read (step->table, plan, step->deadline, error);
  if (result == NULL)
    return NULL;
  if (result->results[0].n_rows == 1)
    return g_steal_pointer (&result);
  g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND, "there is no such deployment any more");
  return NULL;
}

static void
put_format (TallBatch *batch, TallMutation *record, int format, gint64 timestamp)
{
  tall_mutation_put (batch, record, tall_slice_str (TALL_COLUMN_FORMAT), timestamp,
                     tall_slice_str (tall_arena_printf (batch->arena, "%d", format)));
}

static void
put_next (TallBatch *batch, TallMutation *record, const char *const *next, gint64 timestamp)
{
  for (guint i = 0; i < TALL_N_MOVING; i++)
    tall_mutation_put (batch, record,
                       tall_slice_str (
                           tall_arena_printf (batch->arena, TALL_NEXT "%s", tall_record_moving[i])),
                       timestamp, tall_slice_str (next[i]));
  if (strchr (next[TALL_MOVING_INDEX], '\n') != NULL)
    put_format (batch, record, TALL_FORMAT_OF_INDEXES, timestamp);
}

/* The next settings lose their prefix. */
static gboolean
put_switch (
    TallBatch *batch, TallMutation *record, const TallRow *row, gint64 timestamp, GError **error)
{
  int format = TALL_FORMAT_OF_GENERATIONS;
  for (guint i = 0; i < TALL_N_MOVING; i++)
    {
      g_autofree char *name = g_strconcat (TALL_NEXT, tall_record_moving[i], NULL);
      const TallCell *cell = tall_row_find_latest (row, tall_slice_str (name));
      if (cell == NULL)
        return tall_error_fail (error, TALL_ERROR_DAMAGED, "the deployment record has no column %s",
                                name);
      tall_mutation_put (batch, record, tall_slice_str (tall_record_moving[i]), timestamp,
                         cell->value);
      if (i == TALL_MOVING_INDEX && memchr (cell->value.data, '\n', cell->value.len) != NULL)
        format = TALL_FORMAT_OF_INDEXES;
    }
  put_format (batch, record, format, timestamp);
  return TRUE;
}

/* Writes the step once over what was read. A lost answer is not an error here: what there is then
 * says what has become of it. */
static gboolean
write_step (const Step *step, const TallRow *row, gboolean *matched, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *record = tall_batch_add (batch, TALL_META_TABLE, TALL_RECORD_ROW);
  const TallCell *cell = tall_row_find_latest (row, tall_slice_str (TALL_COLUMN_MIGRATION));
  gint64 timestamp = tall_record_find_timestamp (row, error);
  if (timestamp == 0)
    return FALSE;
  g_autofree char *to = tall_migration_add_check (step->to);
  tall_mutation_put (batch, record, tall_slice_str (TALL_COLUMN_MIGRATION), timestamp,
                     tall_slice_str (to));
  if (step->next != NULL)
    put_next (batch, record, step->next, timestamp);
  if (step->switches && !put_switch (batch, record, row, timestamp, error))
    return FALSE;
  const TallConditionalWrite write = {
    .mutations = &record,
    .n = 1,
    .qualifier = tall_slice_str (TALL_COLUMN_MIGRATION),
    .expected = cell != NULL ? &cell->value : NULL,
    .durability = TALL_DURABLE,
    .deadline = step->deadline,
  };
  if (tall_table_apply_if (step->table, &write, matched, &cause)
      || g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* Reads, and writes if the record is as expected. @settled: (out): @done is set */
static gboolean
attempt_step (const Step *step, gboolean *settled, gboolean *done, GError **error)
{
  g_autoptr (TallReadResult) result = read_row (step, error);
  if (result == NULL)
    return FALSE;
  const TallRow *row = &result->results[0].rows[0];
  if (step->id != NULL && !tall_record_is_of (row, step->id))
    return tall_error_fail (error, TALL_ERROR_NOT_FOUND,
                            "the deployment that was to be migrated was dropped, and perhaps "
                            "another one made in its place");
  g_autofree char *now =
      print_column (tall_row_find_latest (row, tall_slice_str (TALL_COLUMN_MIGRATION)), error);
  if (now == NULL)
    return FALSE;
  *done = g_str_equal (now, step->to);
  *settled = *done || !g_str_equal (now, step->is);
  if (*settled)
    return TRUE;
  if (!write_step (step, row, done, error))
    return FALSE;
  *settled = *done;
  return TRUE;
}

/* @wrote: an attempt was sent whose answer is not known */
static gboolean
fail (gboolean wrote, GError *cause, GError **error)
{
  if (wrote && cause != NULL)
    cause->code = TALL_ERROR_OUTCOME_UNKNOWN;
  if (cause != NULL)
    g_propagate_prefixed_error (error, cause, "Writing the migration into the deployment record: ");
  else
    g_set_error (
        error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
        "Writing the migration into the deployment record: no answer was certain; do it again");
  return FALSE;
}

/**
 * tall_migration_change:
 * @id: (nullable): of the deployment, which another one of its name may have replaced
 * @is: what the record must say
 * @to: the step that follows, as a function of store/record/migration.h gives it
 * @next: (nullable) (array fixed-size=7): texts of the columns %tall_record_moving, for the step
 *   that begins a migration
 * @done: (out): whether the record says @to, whoever has written that; FALSE: it says something
 *   else, because another process was faster
 *
 * Makes one step of a migration: one conditional write, which the switch shares with the settings
 * that count from then on. A lost answer is settled by reading; if nothing has happened, it is sent
 * again, as anybody might who resumes the migration.
 *
 * Returns: TRUE if @done is set; FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if the step may have been
 *   made; with any other error it was not, and will not be
 */
gboolean
tall_migration_change (TallTable *table,
                       const char *id,
                       const TallMigration *is,
                       const TallMigration *to,
                       const char *const *next,
                       gint64 deadline,
                       gboolean *done,
                       GError **error)
{
  g_return_val_if_fail (tall_migration_is_possible (is), FALSE);
  g_return_val_if_fail (tall_migration_is_possible (to), FALSE);

  g_autofree char *is_text = tall_migration_print (is);
  g_autofree char *to_text = tall_migration_print (to);
  const Step step = { .table = table,
                      .deadline = deadline,
                      .id = id,
                      .is = is_text,
                      .to = to_text,
                      .next = next,
                      .switches = to->generation != is->generation };
  *done = FALSE;
  for (guint i = 0; i < MAX_ATTEMPTS; i++)
    {
      GError *cause = NULL;
      gboolean settled = FALSE;
      if (!attempt_step (&step, &settled, done, &cause))
        return fail (i > 0, cause, error);
      if (settled)
        return TRUE;
    }
  return fail (TRUE, NULL, error);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/migration.h"

#include "tall-error.h"
#include "store/record/record-check.h"

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
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record's column migration is %s: no step of a migration, or not as "
               "it was written; restore the deployment from a backup",
               shown);
  return FALSE;
}

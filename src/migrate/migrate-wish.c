/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrate-wish.h"

#include "tall-error.h"
#include "table/table-kind.h"

#define N_SETTINGS 9

static const char *const labels[N_SETTINGS] = {
  "layout",   "key strategy", "index", "number of regions", "compression", "Bloom filter",
  "encoding", "pause",        "rate",
};

/**
 * tall_migrate_wish_copy:
 *
 * Returns: a copy, with its texts in @arena
 */
TallMigrateWish
tall_migrate_wish_copy (const TallMigrateWish *self, TallArena *arena)
{
  TallMigrateWish copy = *self;
  copy.move.compression = tall_arena_strdup (arena, self->move.compression);
  copy.move.bloom_filter = tall_arena_strdup (arena, self->move.bloom_filter);
  copy.move.block_encoding = tall_arena_strdup (arena, self->move.block_encoding);
  copy.move.sample = NULL;
  return copy;
}

/**
 * tall_migrate_wish_check:
 * @kind: of the place of the tables
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if such tables can never be there
 */
gboolean
tall_migrate_wish_check (const TallMigrateWish *self, const TallTableKind *kind, GError **error)
{
  const TallMove *move = &self->move;
  const TallTableSpec spec = { .compression = (char *)move->compression,
                               .bloom_filter = (char *)move->bloom_filter,
                               .block_encoding = (char *)move->block_encoding };
  g_autoptr (GError) cause = NULL;
  if (kind->is_embedded && move->regions > 1)
    tall_error_set_invalid (error, "regions",
                            "an embedded store has no regions; leave --to-regions out");
  else if (!kind->check_spec (&spec, &cause))
    tall_error_set_invalid (error, NULL, "%s", cause->message);
  else
    return TRUE;
  return FALSE;
}

/* Its settings in the order of the labels, as texts; NULL: not said. */
static void
list (const TallMigrateWish *self, TallArena *arena, const char *texts[N_SETTINGS])
{
  const TallMove *move = &self->move;
  const char *const said[N_SETTINGS] = {
    move->layout != NULL ? move->layout->name : NULL,
    move->key_strategy != NULL ? move->key_strategy->name : NULL,
    move->has_index ? tall_index_kind_get_name (move->index) : NULL,
    move->regions != 0 ? tall_arena_printf (arena, "%u", move->regions) : NULL,
    move->compression,
    move->bloom_filter,
    move->block_encoding,
    self->pause != 0
        ? tall_arena_printf (arena, "%g s", (gdouble)self->pause / (gdouble)G_USEC_PER_SEC)
        : NULL,
    self->rate != 0 ? tall_arena_printf (arena, "%u a second", self->rate) : NULL,
  };
  memcpy (texts, said, sizeof said);
}

static gboolean
fail_busy (const TallMigrateWish *running, GError **error)
{
  static const char *const doing[] = {
    [TALL_MIGRATE_MOVE] = "A migration is going on here; let it end, or give it up with "
                          "`tallorder migrate --abort`",
    [TALL_MIGRATE_ABORT] = "A migration is being given up here; try again when that is done",
    [TALL_MIGRATE_DROP_SOURCE] = "Tables from before a switch are being removed here; try again "
                                 "when that is done",
  };
  tall_error_set_conflict (error, 0, "%s", doing[running->task]);
  return FALSE;
}

static gboolean
check_pass_only (const TallMigrateWish *self, const TallMigrateWish *running, GError **error)
{
  if (self->pass_only == running->pass_only)
    return TRUE;
  tall_error_set_conflict (
      error, 0,
      running->pass_only ? "A migration runs here that only copies, and does not switch; call "
                           "it with --pass-only to follow it, and again to switch"
                         : "A migration runs here that switches when it has copied; leave "
                           "--pass-only out to follow it, or give it up with `tallorder "
                           "migrate --abort`");
  return FALSE;
}

/**
 * tall_migrate_wish_may_join:
 * @running: what runs
 *
 * Whether what runs is what is wished. Settings may be left out, but not be others.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT
 */
gboolean
tall_migrate_wish_may_join (const TallMigrateWish *self,
                            const TallMigrateWish *running,
                            GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (256);
  const char *wanted[N_SETTINGS], *begun[N_SETTINGS];
  if (self->task != running->task)
    return fail_busy (running, error);
  list (self, arena, wanted);
  list (running, arena, begun);
  for (guint i = 0; i < N_SETTINGS; i++)
    if (wanted[i] != NULL && (begun[i] == NULL || g_ascii_strcasecmp (wanted[i], begun[i]) != 0))
      {
        tall_error_set_conflict (error, 0,
                                 "A migration runs here already, and its %s is %s, not %s; leave "
                                 "that option out to follow it, or give it up with `tallorder "
                                 "migrate --abort`",
                                 labels[i], begun[i] != NULL ? begun[i] : "not given", wanted[i]);
        return FALSE;
      }
  return check_pass_only (self, running, error);
}

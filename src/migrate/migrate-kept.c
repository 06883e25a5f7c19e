/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrate-kept.h"

/**
 * tall_migrate_kept_new:
 *
 * Returns: (transfer full): a task that is about to run, with an id of its own
 */
TallMigrateKept *
tall_migrate_kept_new (TallMigrateTask task)
{
  TallMigrateKept *self = g_new0 (TallMigrateKept, 1);
  g_autofree char *id = g_uuid_string_random ();
  self->state = g_new0 (TallMigrateState, 1);
  self->state->arena = tall_arena_new (0);
  self->state->id = tall_arena_strdup (self->state->arena, id);
  self->state->task = task;
  self->unfit = g_array_new (FALSE, FALSE, sizeof (TallMigrateUnfit));
  self->reported = g_get_monotonic_time ();
  return self;
}

void
tall_migrate_kept_free (TallMigrateKept *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->unfit);
  tall_migrate_state_free (self->state);
  g_free (self);
}

/**
 * tall_migrate_kept_take_progress:
 *
 * Notes how far it is, and how fast it is in this pass, which began at the last report of the one
 * before.
 */
void
tall_migrate_kept_take_progress (TallMigrateKept *self, const TallMigrateProgress *progress)
{
  TallMigrateState *state = self->state;
  gint64 now = g_get_monotonic_time ();
  if (progress->stage != state->progress.stage || progress->pass != state->progress.pass)
    self->pass_begun = self->reported;
  self->reported = now;
  state->progress = *progress;
  gint64 elapsed = MAX (now - self->pass_begun, 1);
  state->rate = (guint64)((gdouble)progress->n_looked * G_USEC_PER_SEC / (gdouble)elapsed);
  guint64 left = progress->n_all > progress->n_looked ? progress->n_all - progress->n_looked : 0;
  state->time_left = state->rate > 0 ? (gint64)(left * G_USEC_PER_SEC / state->rate) : 0;
}

static TallMigrateUnfit
copy_unfit (TallArena *arena, const TallMigrateUnfit *from)
{
  return (TallMigrateUnfit){
    .customer_number = tall_arena_strdup (arena, from->customer_number),
    .order_number = tall_arena_strdup (arena, from->order_number),
    .table = tall_arena_strdup (arena, from->table),
    .row = tall_slice (tall_arena_memdup (arena, from->row.data, from->row.len), from->row.len),
    .message = tall_arena_strdup (arena, from->message),
  };
}

/**
 * tall_migrate_kept_take_unfit:
 *
 * Notes something that cannot be copied, unless there are enough.
 */
void
tall_migrate_kept_take_unfit (TallMigrateKept *self, const TallUnfit *unfit)
{
  if (self->unfit->len >= TALL_MIGRATE_MAX_UNFIT)
    return;
  const TallMigrateUnfit given = { .customer_number = (char *)unfit->customer_number,
                                   .order_number = (char *)unfit->order_number,
                                   .table = (char *)unfit->table,
                                   .row = unfit->row,
                                   .message = unfit->error->message };
  TallMigrateUnfit copy = copy_unfit (self->state->arena, &given);
  g_array_append_val (self->unfit, copy);
}

/**
 * tall_migrate_kept_copy:
 * @seen: so many of what cannot be copied are left out
 * @most: so many of the others are copied
 *
 * Returns: (transfer full): how far it is, or how it has ended
 */
TallMigrateState *
tall_migrate_kept_copy (const TallMigrateKept *self, guint seen, guint most)
{
  const TallMigrateState *state = self->state;
  TallMigrateState *copy = g_new0 (TallMigrateState, 1);
  *copy = *state;
  copy->arena = tall_arena_new (0);
  copy->id = tall_arena_strdup (copy->arena, state->id);
  copy->plan = state->plan != NULL ? tall_migrate_plan_copy (copy->arena, state->plan) : NULL;
  copy->error = state->error != NULL ? g_error_copy (state->error) : NULL;
  seen = MIN (seen, self->unfit->len);
  copy->n_unfit = MIN (self->unfit->len - seen, most);
  copy->unfit = tall_arena_newa0 (copy->arena, TallMigrateUnfit, MAX (copy->n_unfit, 1));
  for (guint i = 0; i < copy->n_unfit; i++)
    copy->unfit[i] =
        copy_unfit (copy->arena, &g_array_index (self->unfit, TallMigrateUnfit, seen + i));
  return copy;
}

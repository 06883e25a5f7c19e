/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-mover.h"

#include "tall-error.h"
#include "tall-failing-table.h"
#include "migrate/migrate.h"
#include "tall-newcomer.h"

#define PAUSE (60 * G_USEC_PER_SEC) /* that it may estimate: it always seals */

/* Of all movers of this process: one that says that no call of others is on its way is alone. */
static GRWLock alone;

/* Of the tables of all movers: not owned. */
static GPtrArray *tables;

struct _TallMover
{
  TallMixOptions *mix;
  const TallTarget *target;
  TallWriter *writer; /* of the caller */
  guint number;       /* of the next newcomer, in the history */
  GRand *rand;
  GThread *thread; /* NULL: it has ended */
  guint stop_at;   /* calls of on_progress until it gives up; 0: it does not */
  guint n_switched;
  guint n_aborted;
  guint n_failed; /* begun again by another call */
};

static gboolean
is_over (const TallMover *self)
{
  return g_atomic_int_get (&self->mix->stop) || tall_history_now () >= self->mix->end;
}

static gboolean
on_progress (const TallMigrateProgress *progress G_GNUC_UNUSED, gpointer data)
{
  TallMover *self = data;
  return self->stop_at == 0 || --self->stop_at > 0;
}

/* Anything, also what is there already: that is refused. */
static void
choose (TallMover *self, TallMove *move)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  move->layout = layouts[g_rand_int_range (self->rand, 0, (gint32)n)];
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n);
  move->key_strategy = strategies[g_rand_int_range (self->rand, 0, (gint32)n)];
}

static void
give_up (TallMover *self)
{
  const TallMigrateOptions options = { 0 };
  g_rw_lock_reader_lock (&alone);
  self->n_aborted += tall_migrate_abort (self->writer->table, &options, NULL);
  g_rw_lock_reader_unlock (&alone);
}

/* @move: all zero: what has begun. Returns: whether the target counts now. */
static gboolean
run_migration (TallMover *self, const TallMove *move, gboolean settled, GError **error)
{
  TallMigrateSummary summary;
  const TallMigrateOptions options = {
    .move = *move,
    .pause = PAUSE,
    .settled = settled,
    .on_progress = on_progress,
    .data = self,
  };
  self->n_failed++;
  if (!tall_migrate_run (self->writer->table, &options, &summary, error))
    return FALSE;
  self->n_failed--;
  if (summary.outcome != TALL_MIGRATE_SWITCHED)
    return FALSE;
  self->n_switched++;
  g_atomic_int_add (&self->mix->n_awaited, -1);
  return TRUE;
}

/* What is on its way arrives, as if gateways were restarted. With the lock. */
static void
settle (void)
{
  for (guint i = 0; i < tables->len; i++)
    if (TALL_IS_FAILING_TABLE (tables->pdata[i]))
      tall_failing_table_deliver_late (tables->pdata[i]);
}

/* Where an abort has opened tables, somebody has to say that nothing of that is left. */
static gboolean
migrate (TallMover *self, const TallMove *move, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_rw_lock_reader_lock (&alone);
  gboolean switched = run_migration (self, move, FALSE, &cause);
  g_rw_lock_reader_unlock (&alone);
  if (cause == NULL || strstr (cause->message, "--settled") == NULL)
    {
      if (cause != NULL)
        g_propagate_error (error, g_steal_pointer (&cause));
      return switched;
    }
  g_rw_lock_writer_lock (&alone);
  settle ();
  switched = run_migration (self, move, TRUE, error);
  g_rw_lock_writer_unlock (&alone);
  return switched;
}

/* A process that begins after the switch. */
static void
come_in (TallMover *self)
{
  g_autoptr (TallNewcomer) late =
      tall_newcomer_new (self->mix, self->target, self->number++, g_rand_int (self->rand), NULL);
  if (late != NULL)
    tall_newcomer_work (late);
}

static void
move_once (TallMover *self)
{
  TallMove move = { 0 };
  choose (self, &move);
  self->stop_at =
      g_rand_int_range (self->rand, 0, 3) == 0 ? (guint)g_rand_int_range (self->rand, 1, 20) : 0;
  gboolean switched = migrate (self, &move, NULL);
  if (!switched && !is_over (self))
    switched = migrate (self, &(const TallMove){ 0 }, NULL);
  guint n;
  if (switched && g_rand_boolean (self->rand)
      && !tall_store_drop_source (self->writer->table, &n, NULL))
    self->n_failed++;
  if (switched)
    come_in (self);
  else if (g_rand_int_range (self->rand, 0, 4) == 0)
    give_up (self);
}

static gpointer
run (gpointer data)
{
  TallMover *self = data;
  while (!is_over (self))
    move_once (self);
  return NULL;
}

/**
 * tall_mover_start:
 * @target: what newcomers open
 * @thread: number of the first newcomer in the history; the others follow
 */
TallMover *
tall_mover_start (
    TallMixOptions *mix, const TallTarget *target, TallWriter *writer, guint thread, guint32 seed)
{
  TallMover *self = g_new0 (TallMover, 1);
  self->mix = mix;
  self->target = target;
  self->writer = writer;
  self->number = thread;
  self->rand = g_rand_new_with_seed (seed);
  g_rw_lock_writer_lock (&alone);
  if (tables == NULL)
    tables = g_ptr_array_new ();
  g_ptr_array_add (tables, writer->table);
  g_rw_lock_writer_unlock (&alone);
  self->thread = g_thread_new ("mover", run, self);
  return self;
}

void
tall_mover_stop (TallMover *self)
{
  g_clear_pointer (&self->thread, g_thread_join);
}

/* Ends what has begun: goes on with it, or aborts it where that has begun. */
static gboolean
end (TallMover *self, GError **error)
{
  const TallMigrateOptions options = { 0 };
  g_autoptr (GError) cause = NULL;
  self->stop_at = 0;
  if (migrate (self, &(const TallMove){ 0 }, &cause)
      || g_error_matches (cause, TALL_ERROR, TALL_ERROR_INVALID))
    return TRUE;
  return tall_migrate_abort (self->writer->table, &options, error);
}

/**
 * tall_mover_finish:
 *
 * When nothing fails any more: ends what has begun, so that everything can be read. Prints what it
 * has done as JSON.
 */
gboolean
tall_mover_finish (TallMover *self, GError **error)
{
  gboolean done = end (self, error);
  g_print ("{\"switched\":%u,\"aborted\":%u,\"failed\":%u}\n", self->n_switched, self->n_aborted,
           self->n_failed);
  g_prefix_error (error, "Moving: ");
  return done;
}

void
tall_mover_free (TallMover *self)
{
  tall_mover_stop (self);
  g_rw_lock_writer_lock (&alone);
  g_ptr_array_remove (tables, self->writer->table);
  if (tables->len == 0)
    g_clear_pointer (&tables, g_ptr_array_unref);
  g_rw_lock_writer_unlock (&alone);
  g_rand_free (self->rand);
  g_free (self);
}

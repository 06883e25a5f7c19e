/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-tour.h"

#include "tall-error.h"
#include "migrate/migrate.h"
#include "tall-newcomer.h"
#include "tall-still.h"

#define PAUSE (60 * G_USEC_PER_SEC) /* that it may estimate: it always seals */

/* What it goes through. */
static const struct
{
  const char *name;
  gboolean layouts;
  gboolean keys;
} ways[] = {
  { "layouts", TRUE, FALSE },
  { "keys", FALSE, TRUE },
  { "both", TRUE, TRUE },
};

struct _TallTour
{
  TallMixOptions *mix;
  const TallTarget *target;
  TallWriter *writer; /* of the caller */
  guint way;          /* of @ways */
  const char *still;  /* nullable: what does not change, as tall_still_describe() says */
  guint first_layout;
  guint first_key;
  guint number;          /* of the next newcomer, in the history */
  TallNewcomer *between; /* owned: it came during the migration; NULL: nobody has */
  GThread *thread;       /* NULL: it has ended */
  guint n_done;          /* migrations */
  GError *error;         /* owned: why it has ended early */
};

/* The position after step @i of a walk through @n things, a prime number, that begins and ends at
 * 0 and goes from each to each other one once. */
static guint
find_position (guint i, guint n)
{
  return (i % n + 1) * (i / n + 1) % n;
}

static guint
find_layout (const TallLayout *layout)
{
  guint n, i = 0;
  const TallLayout *const *layouts = tall_layouts (&n);
  while (layouts[i] != layout)
    i++;
  return i;
}

static guint
find_key (const TallKeyStrategy *key)
{
  guint n, i = 0;
  const TallKeyStrategy *const *keys = tall_key_strategies (&n);
  while (keys[i] != key)
    i++;
  return i;
}

static guint
count_steps (void)
{
  guint n_layouts, n_keys;
  tall_layouts (&n_layouts);
  tall_key_strategies (&n_keys);
  g_assert (n_layouts == 5 && n_keys == 5); /* the walk needs a prime number, and the same */
  return n_layouts * (n_layouts - 1);
}

static void
choose (const TallTour *self, guint step, TallMove *move)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  guint position = find_position (step, n);
  if (ways[self->way].layouts)
    move->layout = layouts[(self->first_layout + position) % n];
  const TallKeyStrategy *const *keys = tall_key_strategies (&n);
  if (ways[self->way].keys)
    move->key_strategy = keys[(self->first_key + position) % n];
}

static TallNewcomer *
come_in (TallTour *self)
{
  guint32 seed = self->number;
  return tall_newcomer_new (self->mix, self->target, self->number++, seed, &self->error);
}

/* Somebody comes in at the first that is heard of it: at the seal, mostly. */
static gboolean
on_progress (const TallMigrateProgress *progress G_GNUC_UNUSED, gpointer data)
{
  TallTour *self = data;
  if (self->between == NULL && self->error == NULL)
    self->between = come_in (self);
  return TRUE;
}

static gboolean
migrate (TallTour *self, guint step)
{
  TallMigrateSummary summary;
  TallMigrateOptions options = { .pause = PAUSE, .on_progress = on_progress, .data = self };
  choose (self, step, &options.move);
  if (!tall_migrate_run (self->writer->table, &options, &summary, &self->error)
      || self->error != NULL)
    return FALSE;
  if (summary.outcome == TALL_MIGRATE_SWITCHED && self->between != NULL)
    return TRUE;
  g_set_error (&self->error, TALL_ERROR, TALL_ERROR_INTERNAL,
               "It ended with outcome %d, and %s came in meanwhile", summary.outcome,
               self->between != NULL ? "somebody" : "nobody");
  return FALSE;
}

/* A put that is refused, as another was faster just then, leaves its hint. */
static void
on_finding (const TallFinding *finding, gpointer data)
{
  TallTour *self = data;
  if (finding->kind != TALL_FINDING_DANGLING_HINT && !tall_finding_kind_is_note (finding->kind)
      && self->error == NULL)
    g_set_error (&self->error, TALL_ERROR, TALL_ERROR_DAMAGED, "%s (order %s of %s)",
                 finding->message, finding->order_number, finding->customer_number);
}

/* Nobody else works meanwhile. */
static gboolean
verify (TallTour *self, TallFront *front)
{
  TallVerifySummary summary;
  GError *error = NULL;
  const TallVerifyOptions options = { .alone = TRUE, .on_finding = on_finding, .data = self };
  if (!tall_front_verify (front, &options, &summary, &error))
    {
      g_clear_error (&self->error);
      self->error = error;
    }
  return self->error == NULL;
}

static gboolean
expect_still (TallTour *self, TallFront *front)
{
  return self->still == NULL || tall_still_check (front, self->still, &self->error);
}

/* Those that came before, during and after the migration see the same. */
static gboolean
check (TallTour *self)
{
  g_autoptr (TallNewcomer) between = g_steal_pointer (&self->between);
  g_autoptr (TallNewcomer) after = come_in (self);
  if (after == NULL)
    return FALSE;
  tall_newcomer_work (between);
  tall_newcomer_work (after);
  tall_gate_shut (self->mix->gate);
  gboolean good = expect_still (self, TALL_FRONT (self->writer->store))
                  && expect_still (self, tall_newcomer_get_front (between))
                  && expect_still (self, tall_newcomer_get_front (after))
                  && verify (self, tall_newcomer_get_front (after));
  tall_gate_open (self->mix->gate);
  return good;
}

static gboolean
is_over (TallTour *self)
{
  if (!g_atomic_int_get (&self->mix->stop) && tall_history_now () < self->mix->end)
    return FALSE;
  g_set_error (&self->error, TALL_ERROR, TALL_ERROR_TIMED_OUT, "The time was too short");
  return TRUE;
}

/* Of each other migration the old tables stay. */
static gpointer
run (gpointer data)
{
  TallTour *self = data;
  guint n_steps = count_steps (), n_dropped;
  gboolean good = TRUE;
  for (guint i = 0; i < n_steps && good; i++)
    {
      good =
          !is_over (self) && migrate (self, i) && check (self)
          && (i % 2 == 0 || tall_store_drop_source (self->writer->table, &n_dropped, &self->error));
      self->n_done += good;
    }
  g_atomic_int_set (&self->mix->stop, TRUE);
  return NULL;
}

static gboolean
find_way (const char *what, guint *way)
{
  for (*way = 0; *way < G_N_ELEMENTS (ways); (*way)++)
    if (g_str_equal (what, ways[*way].name))
      return TRUE;
  return FALSE;
}

gboolean
tall_tour_knows (const char *what)
{
  guint way;
  return find_way (what, &way);
}

/**
 * tall_tour_start:
 * @mix: with a gate; it ends when the tour does
 * @target: what newcomers open
 * @what: `layouts`, `keys` or `both`
 * @still: (nullable): what tall_still_describe() says all the while
 * @thread: number of the first newcomer in the history; the others follow
 */
TallTour *
tall_tour_start (TallMixOptions *mix,
                 const TallTarget *target,
                 TallWriter *writer,
                 const char *what,
                 const char *still,
                 guint thread)
{
  TallTour *self = g_new0 (TallTour, 1);
  self->mix = mix;
  self->target = target;
  self->writer = writer;
  self->still = still;
  self->number = thread;
  self->first_layout = find_layout (tall_store_get_layout (writer->store));
  self->first_key = find_key (tall_store_get_key_strategy (writer->store));
  if (!find_way (what, &self->way))
    g_assert_not_reached ();
  self->thread = g_thread_new ("tour", run, self);
  return self;
}

/**
 * tall_tour_finish:
 *
 * When the mix has ended. Prints as JSON how many migrations there were.
 *
 * Returns: FALSE if one of them failed, or if something was not right after it
 */
gboolean
tall_tour_finish (TallTour *self, GError **error)
{
  g_clear_pointer (&self->thread, g_thread_join);
  g_print ("{\"switched\":%u}\n", self->n_done);
  if (self->error == NULL)
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&self->error),
                              "Migration %u: ", self->n_done + 1);
  return FALSE;
}

void
tall_tour_free (TallTour *self)
{
  g_clear_pointer (&self->thread, g_thread_join);
  tall_newcomer_free (self->between);
  g_clear_error (&self->error);
  g_free (self);
}

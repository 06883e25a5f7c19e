/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-mender.h"

#include <gio/gio.h>

struct _TallMender
{
  const TallMixOptions *mix;
  TallWriter *writer; /* of the caller */
  TallMenderWay way;
  GThread *thread; /* NULL: it has ended */
  gint stop;       /* atomic */
  guint64 n_runs;
  guint64 n_findings;
  guint64 n_mended;
  guint64 n_explained; /* of the findings: by writers that were late */
  gint64 since;        /* time of the history: what is found was read after it */
  char *first;         /* owned, nullable: the first finding */
};

static gboolean
is_over (const TallMender *self)
{
  return g_atomic_int_get (&self->stop) || g_atomic_int_get (&self->mix->stop)
         || tall_history_now () >= self->mix->end;
}

static gboolean
on_progress (const TallVerifySummary *summary G_GNUC_UNUSED, gpointer data)
{
  ((TallMender *)data)->since = tall_history_now ();
  return !is_over (data);
}

/* A put that is refused, as another was faster just then, leaves its hint. */
static gboolean
is_usual (TallMender *self, const TallFinding *finding)
{
  if (self->way == TALL_MENDER_REPAIR)
    return FALSE;
  gboolean explained = tall_late_explains (self->mix->late, finding, self->since);
  self->n_explained += explained;
  return explained || finding->kind == TALL_FINDING_DANGLING_HINT;
}

static void
on_finding (const TallFinding *finding, gpointer data)
{
  TallMender *self = data;
  if (!tall_finding_kind_is_note (finding->kind) && !is_usual (self, finding)
      && self->first == NULL)
    self->first =
        g_strdup_printf ("%s: %s (order %s of %s)", tall_finding_kind_info (finding->kind)->name,
                         finding->message, finding->order_number, finding->customer_number);
}

static gboolean
verify (TallMender *self, TallVerifyOptions *options, GError **error)
{
  TallVerifySummary summary;
  options->repair = self->way == TALL_MENDER_REPAIR;
  options->on_finding = on_finding;
  options->data = self;
  self->since = tall_history_now ();
  gboolean done = tall_front_verify (TALL_FRONT (self->writer->store), options, &summary, error);
  self->n_runs++;
  self->n_findings += summary.n_findings;
  self->n_mended += summary.n_mended;
  return done;
}

/* A run that fails is just begun again. */
static gpointer
run (gpointer data)
{
  TallMender *self = data;
  while (!is_over (self))
    {
      TallVerifyOptions options = { .alone = self->way != TALL_MENDER_REPORT,
                                    .on_progress = on_progress };
      if (!verify (self, &options, NULL))
        g_usleep (G_USEC_PER_SEC / 100);
    }
  return NULL;
}

/**
 * tall_mender_parse_way:
 * @way: (out):
 *
 * Returns: FALSE if no way has this name
 */
gboolean
tall_mender_parse_way (const char *name, TallMenderWay *way)
{
  static const char *const names[] = { "report", "hasty", "repair" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      {
        *way = i;
        return TRUE;
      }
  return FALSE;
}

/**
 * tall_mender_start:
 * @mix: with a #TallLate unless it mends; then no call may fail
 */
TallMender *
tall_mender_start (const TallMixOptions *mix, TallWriter *writer, TallMenderWay way)
{
  TallMender *self = g_new0 (TallMender, 1);
  self->mix = mix;
  self->writer = writer;
  self->way = way;
  self->thread = g_thread_new ("mender", run, self);
  return self;
}

void
tall_mender_stop (TallMender *self)
{
  g_atomic_int_set (&self->stop, TRUE);
  g_clear_pointer (&self->thread, g_thread_join);
}

static gboolean
fail (const TallMender *self, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "Verifying: %s", self->first);
  return FALSE;
}

/**
 * tall_mender_finish:
 *
 * When nobody writes any more and nothing fails: mends what is left, and looks whether that is all.
 * Prints what it has done as JSON.
 */
gboolean
tall_mender_finish (TallMender *self, GError **error)
{
  TallVerifyOptions options = { .alone = TRUE };
  if (!verify (self, &options, error))
    return FALSE;
  g_print ("{\"runs\":%" G_GUINT64_FORMAT ",\"findings\":%" G_GUINT64_FORMAT
           ",\"mended\":%" G_GUINT64_FORMAT ",\"explained\":%" G_GUINT64_FORMAT ",\"late\":%u}\n",
           self->n_runs, self->n_findings, self->n_mended, self->n_explained,
           self->mix->late != NULL ? tall_late_count (self->mix->late) : 0);
  if (self->way != TALL_MENDER_REPAIR)
    return self->first == NULL || fail (self, error);
  g_clear_pointer (&self->first, g_free);
  if (!verify (self, &options, error))
    return FALSE;
  return self->first == NULL || fail (self, error);
}

void
tall_mender_free (TallMender *self)
{
  tall_mender_stop (self);
  g_free (self->first);
  g_free (self);
}

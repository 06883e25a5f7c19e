/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/program.h"

#include <gio/gio.h>
#include <signal.h>

#include "tall-error.h"

#define GRACE 5 /* seconds to clean up, after which it is killed */

/* One that is under way. */
typedef struct
{
  TallBenchProgram *program;
  GSubprocess *process;  /* owned */
  GCancellable *waiting; /* owned: ours for its output, which what it has begun may keep open */
  gboolean late;
  gboolean ended;
  GError *error; /* owned; NULL: none */
} Running;

static void
running_clear (Running *self)
{
  g_clear_object (&self->process);
  g_clear_object (&self->waiting);
  g_clear_error (&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Running, running_clear)

void
tall_bench_program_clear (TallBenchProgram *self)
{
  g_clear_pointer (&self->out, g_free);
  g_clear_pointer (&self->said, g_free);
}

static void
end (GObject *source, GAsyncResult *result, gpointer data)
{
  Running *self = data;
  g_subprocess_communicate_utf8_finish (G_SUBPROCESS (source), result, &self->program->out,
                                        &self->program->said, &self->error);
  self->ended = TRUE;
}

static gboolean
kill_it (gpointer data)
{
  Running *self = data;
  g_subprocess_force_exit (self->process);
  g_cancellable_cancel (self->waiting);
  return G_SOURCE_REMOVE;
}

static void
call_after (guint seconds, GSourceFunc function, Running *self)
{
  g_autoptr (GSource) source = g_timeout_source_new_seconds (seconds);
  g_source_set_callback (source, function, self, NULL);
  g_source_attach (source, g_main_context_get_thread_default ());
}

static gboolean
ask_to_end (gpointer data)
{
  Running *self = data;
  self->late = TRUE;
  g_subprocess_send_signal (self->process, SIGTERM);
  call_after (GRACE, kill_it, self);
  return G_SOURCE_REMOVE;
}

static void
communicate (Running *self, GMainContext *context)
{
  g_main_context_push_thread_default (context);
  g_subprocess_communicate_utf8_async (self->process, self->program->input, self->waiting, end,
                                       self);
  call_after (self->program->seconds, ask_to_end, self);
  while (!self->ended)
    g_main_context_iteration (context, TRUE);
  g_main_context_pop_thread_default (context);
}

/**
 * tall_bench_program_run:
 *
 * Runs a program to its end.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if it has not ended in time, and was ended; or if it
 *   cannot be run
 */
gboolean
tall_bench_program_run (TallBenchProgram *self, GError **error)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  const GSubprocessFlags flags =
      (self->input != NULL ? G_SUBPROCESS_FLAGS_STDIN_PIPE : G_SUBPROCESS_FLAGS_NONE)
      | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE;
  g_auto (Running) running = { .program = self, .waiting = g_cancellable_new () };
  running.process = g_subprocess_newv (self->arguments, flags, error);
  if (running.process == NULL)
    return FALSE;
  communicate (&running, context);
  if (!running.late && running.error == NULL)
    {
      self->successful = g_subprocess_get_successful (running.process);
      return TRUE;
    }
  if (running.late)
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s has not ended within %u s",
                 self->arguments[0], self->seconds);
  else
    g_propagate_error (error, g_steal_pointer (&running.error));
  return FALSE;
}

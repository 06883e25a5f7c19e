/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/acceptor.h"

/* Waiting after an accept that failed because the process has no descriptors left; milliseconds. */
#define PAUSE 100

struct _TallAcceptor
{
  GSocketListener *listener;
  TallAccepted accepted;
  TallAcceptFailed failed;
  gpointer data; /* of both */
  GThread *thread;
  GMainContext *context; /* of the thread */
  GCancellable *closing; /* cancelled, by the thread itself, to end it */
  gboolean waiting;      /* for a connection */
};

static gboolean
on_pause_over (gpointer data)
{
  *(gboolean *)data = FALSE;
  return G_SOURCE_REMOVE;
}

/* The process may be out of descriptors: until some are free, accepting fails at once, again and
 * again. */
static void
pause_accepting (TallAcceptor *self)
{
  gboolean pausing = TRUE;
  g_autoptr (GSource) source = g_timeout_source_new (PAUSE);

  g_source_set_callback (source, on_pause_over, &pausing, NULL);
  g_source_attach (source, self->context);
  while (pausing && !g_cancellable_is_cancelled (self->closing))
    g_main_context_iteration (self->context, TRUE);
  g_source_destroy (source);
}

static void
on_accepted (GObject *listener, GAsyncResult *result, gpointer data)
{
  TallAcceptor *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocket) socket =
      g_socket_listener_accept_socket_finish (G_SOCKET_LISTENER (listener), result, NULL, &error);

  if (socket != NULL)
    self->accepted (self->data, socket);
  else if (!g_cancellable_is_cancelled (self->closing))
    {
      self->failed (self->data, error);
      pause_accepting (self);
    }
  self->waiting = FALSE;
}

static gpointer
accept_all (gpointer data)
{
  TallAcceptor *self = data;

  g_main_context_push_thread_default (self->context);
  while (!g_cancellable_is_cancelled (self->closing))
    {
      self->waiting = TRUE;
      g_socket_listener_accept_socket_async (self->listener, self->closing, on_accepted, self);
      while (self->waiting)
        g_main_context_iteration (self->context, TRUE);
    }
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

static gboolean
on_closing (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_REMOVE;
}

/**
 * tall_acceptor_new:
 * @listener: a reference is taken
 * @data: stays until tall_acceptor_end()
 *
 * Returns: (transfer full): which accepts already
 */
TallAcceptor *
tall_acceptor_new (GSocketListener *listener,
                   TallAccepted accepted,
                   TallAcceptFailed failed,
                   gpointer data)
{
  TallAcceptor *self = g_new0 (TallAcceptor, 1);
  self->listener = g_object_ref (listener);
  self->accepted = accepted;
  self->failed = failed;
  self->data = data;
  self->context = g_main_context_new ();
  self->closing = g_cancellable_new ();
  self->thread = g_thread_new ("tall-accept", accept_all, self);
  return self;
}

/**
 * tall_acceptor_end:
 * @self: (transfer full):
 *
 * Accepts nothing more, and closes the listener. Not for the acceptor's own thread.
 */
void
tall_acceptor_end (TallAcceptor *self)
{
  /* The thread cancels what it waits for: cancelled from another thread, a cancellable leaks its
   * source now and then (GLib 2.74). */
  g_autoptr (GSource) source = g_idle_source_new ();
  g_source_set_callback (source, on_closing, self->closing, NULL);
  g_source_attach (source, self->context);
  g_thread_join (self->thread);

  g_socket_listener_close (self->listener);
  g_object_unref (self->listener);
  g_object_unref (self->closing);
  g_main_context_unref (self->context);
  g_free (self);
}

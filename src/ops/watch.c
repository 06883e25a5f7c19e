/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/watch.h"

#include "ops/watch-port.h"

struct _TallWatch
{
  TallMetricsSources sources; /* owns the readiness */
  TallWatchPort *port;
};

static gboolean
make_metrics (gpointer data, GString *reply)
{
  tall_metrics_write (&((TallWatch *)data)->sources, reply);
  return TRUE;
}

static gboolean
make_live (gpointer data G_GNUC_UNUSED, GString *reply)
{
  g_string_append (reply, "live\n");
  return TRUE;
}

static gboolean
make_ready (gpointer data, GString *reply)
{
  g_autofree char *reason = NULL;
  if (tall_readiness_get (((TallWatch *)data)->sources.readiness, &reason))
    {
      g_string_append (reply, "ready\n");
      return TRUE;
    }
  g_string_append_printf (reply, "not ready: %s\n", reason);
  return FALSE;
}

static const TallWatchPath paths[] = {
  { "/metrics", "text/plain; version=0.0.4; charset=utf-8", make_metrics },
  { "/live", TALL_WATCH_PLAIN_TEXT, make_live },
  { "/ready", TALL_WATCH_PLAIN_TEXT, make_ready },
  { NULL, NULL, NULL },
};

/**
 * tall_watch_new:
 * @address: `host:port` or `[v6 address]:port` to listen on; port 0 takes a free one
 * @server: stays, like the next two, until tall_watch_free()
 * @store: what the server shows
 * @moves: (nullable): its migrations
 *
 * Returns: (transfer full): which answers already; NULL with %TALL_ERROR_INVALID (the address), or
 *   %TALL_ERROR_UNAVAILABLE
 */
TallWatch *
tall_watch_new (const char *address,
                TallServer *server,
                TallStore *store,
                TallMigrateRunner *moves,
                GError **error)
{
  g_autoptr (TallWatch) self = g_new0 (TallWatch, 1);
  self->sources = (TallMetricsSources){
    .server = server,
    .store = store,
    .moves = moves,
    .readiness = tall_readiness_new (TALL_FRONT (store), NULL),
  };
  self->port = tall_watch_port_new (address, paths, self, error);
  if (self->port == NULL)
    return NULL;
  tall_readiness_begin (self->sources.readiness);
  return g_steal_pointer (&self);
}

/**
 * tall_watch_stop:
 *
 * The server stops: it is not ready any more, but live as long as its calls are waited for.
 */
void
tall_watch_stop (TallWatch *self)
{
  tall_readiness_stop (self->sources.readiness);
}

void
tall_watch_free (TallWatch *self)
{
  g_clear_pointer (&self->port, tall_watch_port_free);
  tall_readiness_end (self->sources.readiness);
  g_free (self);
}

/**
 * tall_watch_get_address:
 *
 * Returns: (transfer none): as tall_watch_port_get_address()
 */
const char *
tall_watch_get_address (TallWatch *self)
{
  return tall_watch_port_get_address (self->port);
}

gboolean
tall_watch_is_reachable (TallWatch *self)
{
  return tall_watch_port_is_reachable (self->port);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ops/metrics.h"

#include <glib.h>

/* Connections at the same time; a further one takes the place of the oldest. */
#define TALL_WATCH_MAX_CONNECTIONS 32

/* The type of an answer for people. */
#define TALL_WATCH_PLAIN_TEXT "text/plain; charset=utf-8"

/**
 * TallWatchPage:
 * @reply: (out): set to what is answered, text; empty
 *
 * Makes one page. It runs on the thread of the port, so it must not wait for anything.
 *
 * Returns: whether all is well; if not, the page is sent with status 503
 */
typedef gboolean (*TallWatchPage) (gpointer data, GString *reply);

/**
 * TallWatchPath:
 *
 * Where a page is found.
 */
typedef struct
{
  const char *path; /* such as `/live`; NULL ends a table */
  const char *type; /* of its content */
  TallWatchPage make;
} TallWatchPath;

/**
 * TallWatchPort:
 *
 * Shows pages to whoever watches this process, over HTTP, on a thread of its own.
 */
typedef struct _TallWatchPort TallWatchPort;

TallWatchPort *tall_watch_port_new (const char *address,
                                    const TallWatchPath *paths,
                                    gpointer data,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_watch_port_free (TallWatchPort *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallWatchPort, tall_watch_port_free)

const char *tall_watch_port_get_address (TallWatchPort *self);
gboolean tall_watch_port_is_reachable (TallWatchPort *self);

/**
 * TallWatch:
 *
 * Shows over HTTP how a server and its store are: `/metrics`, `/live` and `/ready`.
 */
typedef struct _TallWatch TallWatch;

TallWatch *tall_watch_new (const char *address,
                           TallServer *server,
                           TallStore *store,
                           TallMigrateRunner *moves,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_watch_stop (TallWatch *self);
void tall_watch_free (TallWatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallWatch, tall_watch_free)

TallWatchPort *tall_watch_get_port (TallWatch *self);

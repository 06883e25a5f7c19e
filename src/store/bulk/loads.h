/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/context.h"

/**
 * TallLoadRevisions:
 *
 * Revisions that a process has taken from the deployment record, for all its loads.
 */
typedef struct
{
  GMutex mutex; /* for all below */
  gint64 next;
  gint64 end;   /* the first that is not ours */
  gint64 taken; /* before that began: microseconds of g_get_monotonic_time() */
} TallLoadRevisions;

void tall_load_revisions_init (TallLoadRevisions *self);
void tall_load_revisions_clear (TallLoadRevisions *self);

/**
 * TallLoads:
 *
 * The revisions of one load. Each batch gets one that no other batch ever has, of any load; they
 * are taken from the deployment record, many at a time. They are below %TALL_FIRST_REVISION, and
 * grow; a load has larger ones than all that were taken before it was begun. The load stands in a
 * row of its own beside the record until it has ended. Any thread may call at any time.
 */
typedef struct
{
  const TallStoreContext *context;
  TallLoadRevisions *revisions; /* not owned */
  char *name;                   /* owned; NULL: not said */
  gint64 made;                  /* microseconds of g_get_monotonic_time() */

  GMutex mutex; /* for all below */
  gint64 first; /* of the load, which its row is known by; 0: it has no row yet */
  gint64 begun; /* milliseconds since the epoch */
} TallLoads;

void tall_loads_init (TallLoads *self,
                      const TallStoreContext *context,
                      TallLoadRevisions *revisions,
                      const char *name);
void tall_loads_clear (TallLoads *self);

gint64 tall_loads_take (TallLoads *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_loads_note (TallLoads *self, guint64 stored, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_loads_end (TallLoads *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

GPtrArray *tall_loads_list (const TallStoreContext *context,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/names.h"
#include "table/hbase/pool.h"

G_BEGIN_DECLS

typedef struct _TallHbaseCall TallHbaseCall;

/**
 * TallHbaseCall:
 *
 * One request to a gateway and its answer. It is the first member of a struct of the caller's.
 */
struct _TallHbaseCall
{
  gboolean (*send) (TallHbaseCall *self, TallTransport *transport, GError **error);
  gboolean (*receive) (TallHbaseCall *self,
                       TallTransport *transport,
                       TallHbaseTIOError **io,
                       GError **error);
  const char *table;  /* short name; NULL if the call is not about the rows of a table */
  gboolean harmless;  /* may be sent more than once */
  gboolean writes;    /* rows: its gateway must have passed the self-test */
  gboolean divisible; /* if there is no answer in time, it is not repeated but split */
  gboolean slow;      /* takes long, as calls on tables do */
  gboolean again;     /* set by receive: there is more to ask, with another request */
  gboolean done;      /* answered, for the last time */

  guint tries; /* used by tall_hbase_run(): how often it was sent */
};

gboolean tall_hbase_run (TallHbasePool *pool,
                         const TallHbaseNames *names,
                         TallHbaseCall *const *calls,
                         guint n,
                         gint64 deadline,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_run_on (TallHbasePool *pool,
                            const TallHbaseNames *names,
                            TallHbaseLink *link,
                            TallHbaseCall *const *calls,
                            guint n,
                            gint64 deadline,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/store/batch.h"
#include "load/store/storer.h"

G_BEGIN_DECLS

struct _TallStorer
{
  TallFront *front; /* owned */
  TallBulk *bulk;   /* owned */
  TallRejects *rejects;
  TallStorerOptions options;
  GThreadPool *pool;
  TallStall stall;
  TallLoadBatch *filling; /* owned; NULL: none */

  GMutex lock; /* of everything below */
  GCond settled;
  guint n_pending; /* batches */
  gsize pending_bytes;
  TallLoadLedger fresh; /* not safe yet */
  TallLoadLedger safe;
  guint64 retries;
  gboolean is_syncing;
  gint64 synced_at;
  GError *failure; /* why nothing is stored any more; NULL: all is well */
};

typedef gboolean (*TallStorerMakeSafe) (TallBulk *bulk, GError **error);

gboolean tall_storer_make_safe (TallStorer *self, TallStorerMakeSafe run, GError **error);
void tall_storer_store_batch (gpointer data, gpointer user_data);

G_END_DECLS

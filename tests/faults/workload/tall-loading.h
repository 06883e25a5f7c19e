/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bulk.h"
#include "tall-mix.h"

G_BEGIN_DECLS

/**
 * TallLoading:
 *
 * A thread that loads beside the mix: load after load, each of some batches of the orders that
 * everybody works on, and every fourth not ended, as if it was killed. The history has each order
 * of a batch as a call of its own.
 */
typedef struct _TallLoading TallLoading;

gboolean tall_loading_find (const char *name, TallBulkExisting *existing);
TallLoading *tall_loading_start (const TallMixOptions *mix,
                                 TallFront *front,
                                 TallBulkExisting existing,
                                 guint thread,
                                 guint32 seed);
void tall_loading_free (TallLoading *self);

G_END_DECLS

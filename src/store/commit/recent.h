/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"

/**
 * TallRecentCommit:
 *
 * One commit of an order.
 */
typedef struct
{
  gint64 replaced; /* revision */
  guint8 token[TALL_TOKEN_SIZE];
} TallRecentCommit;

TallRecent *tall_recent_new (void);
void tall_recent_free (TallRecent *self);
gboolean tall_recent_enter (TallRecent *self,
                            const TallOperation *operation) G_GNUC_WARN_UNUSED_RESULT;
void tall_recent_leave (TallRecent *self, const TallOperation *operation);
void
tall_recent_note (TallRecent *self, const TallOperation *operation, const TallState *committed);
gboolean tall_recent_find (TallRecent *self,
                           const TallOperation *operation,
                           gint64 revision,
                           TallRecentCommit *commit);

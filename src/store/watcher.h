/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/follower.h"

G_BEGIN_DECLS

/**
 * TallWatcher:
 *
 * A thread that reads the deployment record again and again, so that a process knows of a migration
 * before a table refuses a call. Nothing depends on it but speed: a call on a table that is being
 * closed may hang in a gateway.
 */
typedef struct _TallWatcher TallWatcher;

TallWatcher *tall_watcher_new (TallFollower *follower);
void tall_watcher_free (TallWatcher *self);

G_END_DECLS

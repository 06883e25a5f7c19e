/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* Pieces of work of one caller that are done at the same time, at most. A gateway serves 12
 * connections at once, and the embedded store syncs once for all who wait. */
#define TALL_WORKERS 16

/* Does the @i-th piece of work. */
typedef void (*TallWork) (gpointer data, guint i);

void tall_workers_run (TallWork work, gpointer data, guint n);
void tall_workers_run_apart (TallWork work, gpointer data, guint n);

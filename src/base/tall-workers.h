/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Does the @i-th piece of work. */
typedef void (*TallWork) (gpointer data, guint i);

void tall_workers_run (TallWork work, gpointer data, guint n);

G_END_DECLS

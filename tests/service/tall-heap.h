/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Counts all memory of the program that links it, whoever takes it, libraries included. */

void tall_heap_begin (void);

/* Returns: the most bytes that there were at once since tall_heap_begin(), beyond those before and
 * those that are there to stay */
gsize tall_heap_end (void);

G_END_DECLS

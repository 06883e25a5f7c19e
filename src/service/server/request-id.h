/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The request that a thread works on has an id. The log shows it, and so do errors of which only
 * the log says more: so what a user reports is found again. It says nothing else. */
void tall_request_id_begin (void);
void tall_request_id_end (void);
const char *tall_request_id_get (void);

G_END_DECLS

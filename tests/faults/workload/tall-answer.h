/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

const char *tall_answer_name (const GError *error);
GString *tall_answer_begin (const GError *error);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

const char *tall_suggest (const char *word, const char *const *choices);

G_END_DECLS

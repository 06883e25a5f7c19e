/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *tall_test_directory_new (void);
void tall_test_directory_remove (const char *directory);

G_END_DECLS

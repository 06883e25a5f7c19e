/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>

G_BEGIN_DECLS

/* Writes a new temporary file, which the caller removes; returns its path. */
char *tall_test_write_file (const char *text, gssize len);

/* The path of a file of the source tree, such as `tests/data/northwind/orders.csv`. */
char *tall_test_source_path (const char *path);

G_END_DECLS

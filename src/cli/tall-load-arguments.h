/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallLoadArgument:
 *
 * A file that `load` reads.
 */
typedef struct
{
  char *kind; /* as in `lines=FILE`; NULL: none is said */
  char *path; /* `-`: standard input */
} TallLoadArgument;

GPtrArray *
tall_load_arguments_expand (const char *const *arguments, guint n_arguments, GError **error);

G_END_DECLS

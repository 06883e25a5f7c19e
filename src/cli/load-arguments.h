/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/mapping/mapping.h"

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
  char *name; /* for messages; NULL: the path */
} TallLoadArgument;

GPtrArray *
tall_load_arguments_expand (const char *const *arguments, guint n_arguments, GError **error);

GPtrArray *tall_load_arguments_make_retried (GPtrArray *retried, const char *path);
gboolean tall_load_argument_find_kind (const TallLoadArgument *self,
                                       const TallMapping *mapping,
                                       guint *kind,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

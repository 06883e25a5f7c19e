/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

/* The rows of one file in a reject file, below the header of that file. Each row stands in the line
 * in which it stood in the file; the lines between are blank. */
typedef struct
{
  char *name;   /* of the original; empty if the reject file is of one file */
  FILE *file;   /* owned; without a name */
  guint64 line; /* that is written next */
  gboolean has_header;
} TallRetryFile;

GPtrArray *
tall_retry_unpack (const char *path, const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

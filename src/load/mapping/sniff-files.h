/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/mapping/sample.h"

G_BEGIN_DECLS

/**
 * TallSniffFile:
 *
 * One of several files, and how it is probably joined with those before it.
 */
typedef struct
{
  char *path;         /* owned */
  char *name;         /* owned: what the mapping calls it */
  TallSample *sample; /* owned */
  gint key;           /* the column that joins it; -1: none does */
  gint from; /* the position of the file that names its rows; -1: the order's number does */
  guint from_column;
} TallSniffFile;

GPtrArray *tall_sniff_files_read (const char *const *paths,
                                  const char *const *names,
                                  guint n,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_sniff_file_get_full_name (const TallSniffFile *file, guint column);
char *tall_sniff_file_get_telling_name (const TallSniffFile *file, guint column);
GHashTable *tall_sniff_file_index (const TallSniffFile *self, guint column);

static inline TallSniffFile *
tall_sniff_files_get (const GPtrArray *files, guint i)
{
  return g_ptr_array_index (files, i);
}

G_END_DECLS

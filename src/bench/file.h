/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallBenchFile:
 *
 * A CSV file of orders, and how much of it is read.
 */
typedef struct
{
  const char *path;
  const char *map;  /* a preset or a file, as for `load` */
  guint max_orders; /* the rest of the file is not looked at */
  guint max_lines;  /* of all orders together */
  guint64 max_rows; /* the file ends there, and its last order, which may go on, is left out; 0: no
                       limit */

  const gint *(*begin) (void); /* nullable; called when the file is open: gives what is not 0 any
                                * more, atomically, when reading is to stop */

  /* (out) */
  char *left_out; /* owned, nullable: a line for people about rows that are left out */
  double share;   /* of the file that was read, 0 … 1 */
} TallBenchFile;

GPtrArray *tall_bench_file_read (TallBenchFile *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

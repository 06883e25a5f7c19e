/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/options.h"
#include "load/store/files.h"
#include "tall-bulk.h"

G_BEGIN_DECLS

/**
 * TallLoadGiven:
 *
 * What the command line of `load` says. Texts are owned.
 */
typedef struct
{
  const TallCommand *command; /* not owned */
  char *map;
  const char *guess; /* not owned; the text of a mapping that is tried on the first rows */
  guint64 *n_good;   /* not owned; where the number of orders goes that it makes; NULL: nowhere */
  char *rejects;
  char *print_map;
  char *spool;
  char *on_existing;
  char *retry;
  TallBulkExisting existing; /* the same, understood */
  gboolean assume_new;
  gboolean unique_orders;
  gboolean across_files;
  gboolean allow_bad_rows;
  gboolean sniff;
  gboolean deletes;
  gint dry_run; /* orders to print; -1: no dry run */
  gint rate;
  char *max_rejects;
  guint64 max_rows; /* the same, understood */
  guint max_percent;
  gint jobs; /* 0: not given */
  gboolean json;
  gboolean quiet;
} TallLoadGiven;

gboolean tall_load_try (const TallOptions *options, const GPtrArray *arguments, const char *guess);
TallExit tall_load_run (const TallOptions *options, GPtrArray *arguments, const TallLoadGiven *own);

G_END_DECLS

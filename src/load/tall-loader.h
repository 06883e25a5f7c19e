/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-csv-reader.h"
#include "tall-front.h"
#include "tall-mapping.h"
#include "tall-storer.h"

G_BEGIN_DECLS

/**
 * TallLoadSummary:
 *
 * The result of a load. At the end of a load that was not stopped, the rows read are those of all
 * @counts and the rejected ones.
 */
typedef struct
{
  guint64 rows; /* read, without the header and blank lines */
  TallStorerCounts counts;
  guint64 apart; /* orders that were not stored as their rows do not follow each other */
} TallLoadSummary;

/**
 * TallLoadStage:
 * @TALL_LOAD_SURVEYS: the first pass, which looks where each order's rows are; a pipe is copied
 * @TALL_LOAD_STORES: the second pass, or the only one for customers
 */
typedef enum
{
  TALL_LOAD_SURVEYS,
  TALL_LOAD_STORES,
} TallLoadStage;

/**
 * TallLoadProgress:
 * @position: bytes of the file read
 * @size: bytes of the file; 0: not known
 *
 * Called every now and then by the thread that loads.
 */
typedef void (*TallLoadProgress) (TallLoadStage stage,
                                  const TallLoadSummary *summary,
                                  guint64 position,
                                  guint64 size,
                                  gpointer data);

/**
 * TallLoadOptions:
 *
 * Start from TALL_LOAD_OPTIONS_INIT.
 */
typedef struct
{
  TallStorerOptions storing; /* its name and @stop are set by the load */
  const char *folder;        /* where the copy of a pipe goes; NULL: where temporary files go */
  TallLoadProgress progress;
  gpointer data;
  const gint *stop; /* atomic; the load stops when it is not 0 any more; NULL: it never does */
} TallLoadOptions;

#define TALL_LOAD_OPTIONS_INIT                                                                     \
  {                                                                                                \
    .storing = TALL_STORER_OPTIONS_INIT                                                            \
  }

gboolean tall_load (TallFront *front,
                    TallCsvReader *reader,
                    const TallMapping *mapping,
                    TallRejects *rejects,
                    const TallLoadOptions *options,
                    TallLoadSummary *summary,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

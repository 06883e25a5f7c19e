/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-csv-reader.h"
#include "tall-front.h"
#include "tall-mapping.h"
#include "tall-rejects.h"

G_BEGIN_DECLS

/**
 * TallLoadSummary:
 *
 * The result of a load. At the end of a load that was not stopped, rows = stored_rows + rejected
 * rows.
 */
typedef struct
{
  guint64 rows;        /* read, without the header and blank lines */
  guint64 stored_rows; /* rows of orders and customers that are stored */
  guint64 orders;      /* stored */
  guint64 lines;       /* of these orders */
  guint64 customers;   /* stored */
  guint64 retries;     /* times that a put had to be tried again */
  guint64 apart;       /* orders that were not stored as their rows do not follow each other */
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
  guint jobs;         /* puts in flight at once, 1 … 256 */
  guint tries;        /* of one put while the store is not available */
  guint retry_delay;  /* milliseconds before the second try; doubles with each */
  const char *folder; /* where the copy of a pipe goes; NULL: where temporary files go */
  TallLoadProgress progress;
  gpointer data;
  const gint *stop; /* atomic; the load stops when it is not 0 any more; NULL: it never does */
} TallLoadOptions;

#define TALL_LOAD_OPTIONS_INIT                                                                     \
  {                                                                                                \
    .jobs = 8, .tries = 6, .retry_delay = 100                                                      \
  }

gboolean tall_load (TallFront *front,
                    TallCsvReader *reader,
                    const TallMapping *mapping,
                    TallRejects *rejects,
                    const TallLoadOptions *options,
                    TallLoadSummary *summary,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

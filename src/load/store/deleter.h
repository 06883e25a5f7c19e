/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "tall-front.h"
#include "load/mapping/mapping.h"
#include "load/store/rejects.h"
#include "load/store/storer.h"

G_BEGIN_DECLS

/* Orders, or customers, that had one end, and their rows of the file. */
typedef struct
{
  guint64 items;
  guint64 rows;
} TallDeleterTally;

/* At the end of a deletion that was not stopped, the rows read are those deleted, those absent and
 * the rejected ones. */
typedef struct
{
  guint64 rows; /* read, without the header and blank lines */
  TallDeleterTally deleted;
  TallDeleterTally absent; /* nothing of that number was stored */
} TallDeleterSummary;

/* Called for each row, by the thread that deletes. @position: bytes of the file read. @size: bytes
 * of the file; 0: not known. */
typedef void (*TallDeleterProgress) (const TallDeleterSummary *summary,
                                     guint64 position,
                                     guint64 size,
                                     gpointer data);

/* Start from TALL_DELETER_OPTIONS_INIT. */
typedef struct
{
  guint jobs;        /* that are deleted at once, 1 … 256 */
  guint tries;       /* of one while the store says at once that it is not available */
  guint retry_delay; /* milliseconds before the second try; doubles with each */
  guint patience;    /* seconds that the store may stand still */
  guint rate;        /* a second at most; 0: as many as there can be */
  const gint *stop;  /* atomic; it stops when it is not 0 any more; NULL: it never does */
  TallDeleterProgress progress;
  TallStalled stalled;
  gpointer data;
} TallDeleterOptions;

#define TALL_DELETER_OPTIONS_INIT                                                                  \
  {                                                                                                \
    .jobs = 8, .tries = 6, .retry_delay = 100, .patience = 600                                     \
  }

gboolean tall_deleter_run (TallFront *front,
                           TallCsvReader *reader,
                           const TallMapping *mapping,
                           TallRejects *rejects,
                           const TallDeleterOptions *options,
                           TallDeleterSummary *summary,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

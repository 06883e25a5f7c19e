/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"
#include "load/sql/query.h"
#include "load/store/storer.h"

G_BEGIN_DECLS

typedef enum
{
  TALL_LOAD_SURVEYS, /* the first pass, which looks where each order's rows are; a pipe is copied */
  TALL_LOAD_STORES,  /* the second pass, or the only one for customers */
  TALL_LOAD_GATHERS, /* assembles the orders whose rows were put aside */
} TallLoadStage;

/* The result of a load. At the end of a load that was not stopped, the rows read are those of all
 * @ends, the kept and the rejected ones; so they are of each file (#TallLoadFile). */
typedef struct
{
  guint64 rows; /* read, without the header and blank lines */
  TallLoadTally ends[TALL_LOAD_N_ENDS];
  guint64 retries; /* batches that were put again */
  TallLoadNamesakes namesakes;
  guint64 kept_rows;    /* of files in which orders look up something */
  guint64 spooled_rows; /* that were put aside until their order was complete */
  guint64 result_rows;  /* that a query has made of those of the files */
  guint64 bad_rows;     /* that it has not got, as they cannot be read */
  guint64 refused;      /* as tall_query_count_refused() says */
  const char *first_refused;
} TallLoadSummary;

/* Called every now and then by the thread that loads. @position: bytes of the file read, or rows
 * that were put aside and have been assembled. @size: bytes of the file, or rows that were put
 * aside; 0: not known. */
typedef void (*TallLoadProgress) (TallLoadStage stage,
                                  const TallLoadSummary *summary,
                                  guint64 position,
                                  guint64 size,
                                  gpointer data);

/* @item: an order or customer that a dry run would have stored, which may be taken out of it.
 * Returns: whether the dry run goes on */
typedef gboolean (*TallLoadShow) (TallLoadItem *item, gpointer data);

/* Start from TALL_LOAD_OPTIONS_INIT. */
struct _TallLoadOptions
{
  TallQuery *query;         /* what makes rows of theirs; NULL: they are those of the files */
  gboolean deletes;         /* what the rows name is deleted; then only their numbers count */
  gboolean allows_bad_rows; /* the query may do without those that cannot be read */
  TallBulkOptions bulk;     /* its name is set by the load */
  gboolean unique;   /* an order is rejected if another customer has one of its number; one batch is
                      * put at once then */
  guint jobs;        /* batches that are put at once, 256 at most; 0: as many as help */
  guint rate;        /* orders, or customers, a second at most; 0: as many as there can be */
  guint tries;       /* of one batch while the store says at once that it is not available */
  guint retry_delay; /* milliseconds before the second try; doubles with each */
  guint patience;    /* seconds that the store may stand still */
  const char *folder; /* where rows and pipes are kept for a while; NULL: where such files go */
  TallLoadProgress progress;
  TallLoadAnnounce announce;
  TallLoadShow show; /* of dry runs */
  TallStalled stalled;
  gpointer data;
  const gint *stop; /* atomic; the load stops when it is not 0 any more; NULL: it never does */
};

#define TALL_LOAD_OPTIONS_INIT                                                                     \
  {                                                                                                \
    .tries = 6, .retry_delay = 100, .patience = 600                                                \
  }

gboolean tall_load (TallFront *front,
                    const TallLoadFiles *files,
                    TallRejects *rejects,
                    const TallLoadOptions *options,
                    TallLoadSummary *summary,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

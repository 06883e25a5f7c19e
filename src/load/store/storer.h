/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "load/store/rejects.h"
#include "tall-bulk.h"
#include "tall-customer.h"
#include "tall-front.h"
#include "tall-order.h"

#include <glib.h>

G_BEGIN_DECLS

/* An order or a customer made of rows of the file, and those rows, so that they can be rejected
 * together. */
typedef struct
{
  TallOrder *order;       /* owned; NULL if it is a customer */
  TallCustomer *customer; /* owned; NULL if it is an order */
  GArray *rows;           /* of TallItemRow */
  GByteArray *raw;        /* the bytes of all rows */
  GError *unknown;        /* owned; of the first put after which it may be stored; NULL: none */
} TallLoadItem;

typedef struct
{
  guint file; /* as in #TallCsvRow */
  guint64 line;
  gsize offset; /* in @raw */
  gsize len;
  gboolean is_repeated; /* an earlier row of the customer, or in an earlier file one of the order,
                         * is the same */
} TallItemRow;

TallLoadItem *tall_load_item_new (void);
void tall_load_item_free (TallLoadItem *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallLoadItem, tall_load_item_free)

void tall_load_item_add_row (TallLoadItem *self, const TallCsvRow *row);

static inline guint
tall_load_item_count_rows (const TallLoadItem *self)
{
  return self->rows->len;
}

/* The line of the file where the item begins. */
static inline guint64
tall_load_item_get_line (const TallLoadItem *self)
{
  return self->rows->len > 0 ? g_array_index (self->rows, TallItemRow, 0).line : 0;
}

/* Whether there is nothing new in it. An order has its own rows first. */
static inline gboolean
tall_load_item_is_repeated (const TallLoadItem *self)
{
  return self->rows->len > 0 && g_array_index (self->rows, TallItemRow, 0).is_repeated;
}

char *tall_load_item_compare (const TallLoadItem *self,
                              TallFront *front,
                              gboolean *same,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_load_item_reject (TallLoadItem *self,
                            TallRejects *rejects,
                            const char *kind,
                            const char *reason);

/* What becomes of an order or a customer that is not rejected. */
typedef enum
{
  TALL_LOAD_STORED,    /* it is stored; and, of a count that is reported, safe from a crash */
  TALL_LOAD_REVIVED,   /* the same, of one that had been deleted */
  TALL_LOAD_UNCHANGED, /* the same was stored before */
  TALL_LOAD_SKIPPED,   /* another content was stored before, and was left */
  TALL_LOAD_OVERTAKEN, /* another program has written it at the same time */
  TALL_LOAD_REPEATED, /* only of rows, and of customers of such a row: an earlier one is the same */
  TALL_LOAD_N_ENDS
} TallLoadEnd;

/* Orders, or customers, that had one end. */
typedef struct
{
  guint64 items;
  guint64 rows;  /* of all files, of these */
  guint64 lines; /* of these orders */
} TallLoadTally;

/* Counts orders or customers by their end, and their rows also by their file. Not thread-safe. */
typedef struct
{
  TallLoadTally ends[TALL_LOAD_N_ENDS];
  GArray *files; /* of guint64[TALL_LOAD_N_ENDS]: rows, by number of the file; perhaps not of all */
} TallLoadLedger;

void tall_load_ledger_init (TallLoadLedger *self);
void tall_load_ledger_clear (TallLoadLedger *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallLoadLedger, tall_load_ledger_clear)

void tall_load_ledger_add (TallLoadLedger *self, const TallLoadItem *item, TallLoadEnd end);
void tall_load_ledger_move (TallLoadLedger *self, TallLoadLedger *from);
guint64 tall_load_ledger_count_rows (const TallLoadLedger *self, guint file, TallLoadEnd end);

char *tall_load_item_find_namesake (const TallLoadItem *self,
                                    TallFront *front,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* @result: what became of @item. Returns: FALSE if the item is to be put again */
typedef gboolean (*TallLoadSettle) (TallLoadItem *item,
                                    const TallBulkResult *result,
                                    gpointer data);

/* Orders, or customers, that are put together. Not thread-safe. */
typedef struct
{
  GPtrArray *items; /* of TallLoadItem, owned: those that are not settled */
  gsize bytes;      /* of the rows of all that were added */
  gboolean unique;  /* an order is refused if another customer has one of its number */
} TallLoadBatch;

TallLoadBatch *tall_load_batch_new (void);
void tall_load_batch_free (TallLoadBatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallLoadBatch, tall_load_batch_free)

void tall_load_batch_add (TallLoadBatch *self, TallLoadItem *item);
void tall_load_batch_put (
    TallLoadBatch *self, TallBulk *bulk, TallFront *front, TallLoadSettle settle, gpointer data);

/* Lets at most so many a second through, on average. Begin with the options set and the rest
 * zero. */
typedef struct
{
  guint rate;       /* a second; 0: as many as there can be */
  const gint *stop; /* atomic; nothing is waited for when it is not 0 any more; NULL: it never is */
  gint64 began;     /* monotonic time of the first */
  guint64 n;
} TallPace;

void tall_pace_wait (TallPace *self);

/* How long a load tries something again and again. A store that answers at once that it is not
 * available is tried some times. A store that stands still is waited for: it has time-outs, says
 * that it has too much to do, or takes a second and more until it fails. Begin with the three
 * bounds, and zeros. */
typedef struct
{
  guint tries;       /* of which each is refused at once */
  guint retry_delay; /* milliseconds before the second try; doubles with each */
  guint patience;    /* seconds that a store may stand still */

  guint n_tries;       /* that have failed … */
  guint n_refused;     /* … at once */
  gint64 first;        /* when the first of them began: microseconds; 0: none has */
  gint64 begun;        /* when the last one did */
  gboolean is_used_up; /* it has stood still for too long */
} TallPatience;

void tall_patience_begin (TallPatience *self, gint64 now);
gboolean tall_patience_goes_on (TallPatience *self, const GError *cause, gint64 now);
gboolean tall_patience_goes_on_after_race (TallPatience *self);
void tall_patience_explain (const TallPatience *self, GError **cause);
void tall_patience_sleep (const TallPatience *self);

/* Called every ten seconds or so while the store stands still, by any thread, by one at a time.
 * @seconds: since when something is tried. @most: seconds for which it is tried at most. @cause:
 * what the store says. */
typedef void (*TallStalled) (guint seconds, guint most, const GError *cause, gpointer data);

/* Says every now and then that a store stands still, for all who wait for it. Any thread may
 * call. */
typedef struct
{
  TallStalled stalled; /* NULL: nobody listens */
  gpointer data;
  GMutex lock;
  gint64 said_at; /* or when all began: microseconds */
} TallStall;

void tall_stall_init (TallStall *self, TallStalled stalled, gpointer data);
void tall_stall_clear (TallStall *self);
void
tall_stall_say (TallStall *self, const TallPatience *patience, const GError *cause, gint64 now);

/* The field of the error of an order that is not put as another customer has its number. */
#define TALL_LOAD_NAMESAKE "namesake"

/* Orders whose numbers another customer has, too, before they are put. One of each batch is looked
 * at: where a file comes again with other customers, nearly all are of that kind. */
typedef struct
{
  guint64 n_looked; /* orders; 0: there is no index on their numbers */
  guint64 n_found;
  char first[512]; /* its number and both customers, for people; "": none was found */
} TallLoadNamesakes;

/* Stores orders or customers: gathers them into batches, puts several of these at once, puts again
 * what fails for a while, rejects what the store refuses, and counts. It holds some batches, and
 * tall_storer_add() waits while there are enough. One thread adds; any may count. */
typedef struct _TallStorer TallStorer;
typedef struct _TallLoadOptions TallLoadOptions; /* of load/store/loader.h */

TallStorer *tall_storer_new (TallFront *front,
                             const TallLoadOptions *options,
                             const char *name,
                             TallRejects *rejects,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_storer_free (TallStorer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallStorer, tall_storer_free)

void tall_storer_add (TallStorer *self, TallLoadItem *item);
gboolean tall_storer_has_failed (TallStorer *self);
void tall_storer_count (TallStorer *self,
                        TallLoadTally ends[TALL_LOAD_N_ENDS],
                        guint64 *retries,
                        TallLoadNamesakes *namesakes);
gboolean tall_storer_finish (TallStorer *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

struct _TallStorer
{
  TallFront *front; /* owned */
  TallBulk *bulk;   /* owned; NULL: items are deleted */
  TallRejects *rejects;
  gboolean finds_numbers; /* there is an index on order numbers */
  const TallLoadOptions *options;
  const char *name; /* of what is loaded */
  guint jobs;
  GThreadPool *pool;
  TallStall stall;
  TallLoadBatch *filling; /* owned; NULL: none */

  GMutex lock; /* of everything below */
  GCond settled;
  guint n_pending; /* batches */
  gsize pending_bytes;
  TallLoadLedger fresh; /* not safe yet */
  TallLoadLedger safe;  /* once it is finished, without the lock, too */
  guint64 retries;
  TallLoadNamesakes namesakes;
  gboolean is_syncing;
  gint64 synced_at;
  GError *failure; /* why nothing is stored any more; NULL: all is well */
};

typedef gboolean (*TallStorerMakeSafe) (TallBulk *bulk, GError **error);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

#include <glib.h>

/**
 * TallIdsCache:
 *
 * Number → id, for what has been seen lately. When the young half is full it becomes the old one,
 * and the old one goes: what is asked for moves back to the young one. Any thread may call.
 */
typedef struct
{
  GMutex mutex; /* for both */
  GHashTable *young;
  GHashTable *old;
} TallIdsCache;

/* The short name of the table that holds them; layout/FORMAT.md draws its rows. */
#define TALL_IDS_TABLE "ids"

/* The one column of its rows that lead from an id to a number (`i` and the id) or from a number to
 * an id (`n` and the number, or `e` and its MD5 once the customer was erased). They are written
 * once and never again, but that an erase puts the MD5 in the place of the number: their cells need
 * no time. */
#define TALL_IDS_QUALIFIER tall_slice_str ("v")
#define TALL_IDS_TIMESTAMP 1
#define TALL_IDS_FROM_ID 'i'
#define TALL_IDS_FROM_NUMBER 'n'
#define TALL_IDS_FROM_ERASED 'e'
#define TALL_IDS_ID_SIZE 8
#define TALL_IDS_ERASED_SIZE                                                                       \
  17 /* of what stands for a number: a zero, which none has, and its MD5 */

/* The row with the last id that was given, and its column. */
#define TALL_IDS_COUNTER_ROW tall_slice_str ("c")
#define TALL_IDS_COUNTER_QUALIFIER tall_slice_str ("last")

/**
 * TallIds:
 *
 * The substituted ids of customers, for key strategies that need them: a number that has an id
 * keeps it for ever, and no id is given to two numbers, even if several processes ask at the same
 * time, die or are late. An id can be wasted. A bounded number of known ids is kept in memory. Any
 * thread may call at any time.
 */
typedef struct _TallIds TallIds;

TallIds *tall_ids_new (TallTable *table);
void tall_ids_free (TallIds *self);
void tall_ids_forget (TallIds *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallIds, tall_ids_free)

TallSlice tall_ids_get_value (const TallRow *row);
gboolean tall_ids_write_once (TallTable *table,
                              TallSlice key,
                              TallSlice value,
                              TallBatch *batch,
                              TallSlice *there,
                              gint64 deadline,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_ids_find (TallIds *self,
                        const char *const *numbers,
                        guint n,
                        guint64 *ids,
                        gint64 deadline,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_ids_find_number (TallIds *self, guint64 id, gint64 deadline, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_ids_take (TallIds *self, guint n, guint64 *first, gint64 deadline, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_ids_assign_taken (TallIds *self,
                                const char *number,
                                guint64 taken,
                                guint64 *id,
                                gint64 deadline,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_ids_assign (TallIds *self,
                          const char *number,
                          guint64 *id,
                          gint64 deadline,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_ids_begin_erase (TallIds *self,
                               const char *number,
                               guint64 id,
                               gint64 deadline,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_ids_erase (TallIds *self,
                         const char *number,
                         guint64 *n_rows,
                         gint64 deadline,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_ids_erase_ways_back (TallIds *self,
                                   const char *number,
                                   GByteArray *place,
                                   gboolean *ended,
                                   gint64 deadline,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

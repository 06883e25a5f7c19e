/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/store/files.h"

G_BEGIN_DECLS

/* What a query is run for. */
typedef enum
{
  TALL_QUERY_NUMBERS, /* rows have the numbers of customers and orders alone */
  TALL_QUERY_ROWS,    /* rows come as the files have them */
  TALL_QUERY_SORTED,  /* the rows of an order, or a customer, come together, in the order of the
                         files */
} TallQueryPass;

/* @row: of a file, good or bad, that the query reads. Returns: FALSE, perhaps with an error, if the
 * query is to end here */
typedef gboolean (*TallQueryTake) (const TallCsvRow *row, gpointer data, GError **error);

/* A mapping that is a query, run by SQLite over the rows of files. Its rows have the fields that
 * the query gives, and the line and the text of the row that they come from, as far as that is
 * known. Not thread-safe. */
typedef struct _TallQuery TallQuery;

TallQuery *tall_query_new (const TallLoadFiles *files,
                           const char *folder,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_query_free (TallQuery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallQuery, tall_query_free)

gboolean tall_sql_fits (const TallMapping *mapping, const char *const *columns);

void tall_query_watch (TallQuery *self, const gint *stop, TallQueryTake take, gpointer data);
gboolean tall_query_streams (const TallQuery *self);
gboolean
tall_query_begin (TallQuery *self, TallQueryPass pass, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCsvStep
tall_query_next (TallQuery *self, TallCsvRow *row, GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint64 tall_query_count_rows (const TallQuery *self);
guint64 tall_query_count_refused (const TallQuery *self, const char **first);
void tall_query_sum_up (TallQuery *self);

G_END_DECLS

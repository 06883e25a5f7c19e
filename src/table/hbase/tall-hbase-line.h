/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-gets.h"
#include "tall-table.h"

G_BEGIN_DECLS

/**
 * TallHbaseGetState:
 * @TALL_HBASE_GET_WAITING: in line
 * @TALL_HBASE_GET_LEADS: must find the connection for the gets in line
 * @TALL_HBASE_GET_TAKEN: in a request that is under way
 * @TALL_HBASE_GET_DONE: its row is there
 * @TALL_HBASE_GET_FAILED: there is an error
 * @TALL_HBASE_GET_ALONE: the request failed, perhaps because of another row
 *
 * The states of a get.
 */
typedef enum
{
  TALL_HBASE_GET_WAITING,
  TALL_HBASE_GET_LEADS,
  TALL_HBASE_GET_TAKEN,
  TALL_HBASE_GET_DONE,
  TALL_HBASE_GET_FAILED,
  TALL_HBASE_GET_ALONE,
} TallHbaseGetState;

/**
 * TallHbaseGet:
 *
 * The get of one row, in the memory of the thread that waits for it.
 */
typedef struct
{
  const TallRead *read;   /* not owned */
  gint64 deadline;        /* monotonic, in µs, as all times here */
  TallReadResult *result; /* owned; its arena takes the row straight from the reply */
  TallRow row;            /* %TALL_HBASE_GET_DONE */
  GError *error;          /* owned; %TALL_HBASE_GET_FAILED */

  gint64 since; /* in line */
  GMutex mutex; /* of @state; one for each get, as dozens are woken at once */
  GCond changed;
  TallHbaseGetState state; /* leaves WAITING with the line's mutex held as well */
} TallHbaseGet;

void tall_hbase_get_init (TallHbaseGet *self, const TallRead *read, gint64 deadline);
void tall_hbase_get_clear (TallHbaseGet *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseGet, tall_hbase_get_clear)

void tall_hbase_get_end (TallHbaseGet *self, TallHbaseGetState state);

/**
 * TallHbaseLine:
 *
 * Gets for rows of one table that wait to leave together. Decides who leaves when, and does no I/O.
 * Threads: any.
 */
typedef struct _TallHbaseLine TallHbaseLine;

TallHbaseLine *tall_hbase_line_new (guint max_waiting, gint64 patience);
void tall_hbase_line_free (TallHbaseLine *self);

gboolean tall_hbase_line_is_crowded (TallHbaseLine *self, guint n_connections);
guint tall_hbase_line_count (TallHbaseLine *self);

TallHbaseGetState
tall_hbase_line_wait (TallHbaseLine *self, TallHbaseGet *get, guint n_gateways, gint64 limit);
guint tall_hbase_line_leave (TallHbaseLine *self, TallHbaseGet *leader, TallHbaseGet **gets);
void tall_hbase_line_resign (TallHbaseLine *self);
void tall_hbase_line_end (TallHbaseLine *self, guint n, gsize bytes);

G_END_DECLS

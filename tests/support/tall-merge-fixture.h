/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Callers that find all connections to a gateway busy, so that they leave together. */

#include "tall-hbase-fixture.h"
#include "table/hbase/merge.h"
#include "base/trace.h"

G_BEGIN_DECLS

#define TALL_MERGE_N_LINKS 12

/* A gateway all of whose connections the test holds. */
typedef struct
{
  TallFakeGateway *gateway;
  TallHbasePool *pool;
  TallHbaseMerge *merge;
  TallHbaseLink *links[TALL_MERGE_N_LINKS];
} TallMergeFixture;

/* One that reads, in a thread of its own. */
typedef struct
{
  TallMergeFixture *fixture;
  const char *table;
  char *key;
  gint64 deadline;
  GThread *thread;
  char *found; /* the value of its row; NULL: it has none */
  GError *error;
  TallTrace trace;
} TallMergeReader;

void tall_merge_fixture_open (TallMergeFixture *self, TallHbaseOptions options);
void tall_merge_fixture_init (TallMergeFixture *self, guint wait_timeout, guint max_waiting);
void tall_merge_fixture_clear (TallMergeFixture *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallMergeFixture, tall_merge_fixture_clear)

void tall_merge_fixture_give_back (TallMergeFixture *self, guint n);
void tall_merge_fixture_wait (TallMergeFixture *fixture, guint n);
guint tall_merge_fixture_count (TallMergeFixture *fixture, const char *method);
void tall_merge_fixture_expect_merged (TallMergeFixture *fixture,
                                       guint kind,
                                       guint size,
                                       guint64 n_rows);

void tall_merge_readers_init (TallMergeReader *readers, guint n, TallMergeFixture *fixture);
void tall_merge_readers_run (TallMergeReader *readers, guint n, TallMergeFixture *fixture);
gpointer tall_merge_reader_read (gpointer data);
void tall_merge_reader_expect (TallMergeReader *self, int code);
void tall_merge_reader_expect_traced (const TallMergeReader *self);

G_END_DECLS

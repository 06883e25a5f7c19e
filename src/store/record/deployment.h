/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/migration.h"
#include "store/store.h"
#include "tall-bytes.h"

char *tall_record_check (const char *text);

char *tall_record_print_number (guint64 number);
char *tall_record_print_indexes (TallIndexKind kind, const char *indexes);
gboolean tall_record_parse_number (TallSlice stored,
                                   const char *column,
                                   guint64 max,
                                   guint64 *number,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The numbers of layout/FORMAT.md: of everything that is stored. A deployment begins with the
 * first; once it has moved to other tables, it has the second; with indexes besides the one by
 * date, or if it is moving to tables that have some, the third. */
#define TALL_FORMAT 1
#define TALL_FORMAT_OF_GENERATIONS 2
#define TALL_FORMAT_OF_INDEXES 3
#define TALL_NEWEST_FORMAT TALL_FORMAT_OF_INDEXES

typedef struct _TallDeployment TallDeployment;

/**
 * TallDeployment:
 *
 * The deployment record: what `init` has chosen, and migrations have changed. It is the row
 * `deployment` of the table `meta`. All its columns are text; layout/FORMAT.md lists them.
 */
struct _TallDeployment
{
  char *id; /* a UUID, made by `init` */
  char *layout;
  char *key_strategy;
  guint format;
  guint64 ttl;          /* seconds; 0 = orders never expire */
  guint regions;        /* that tables were to begin with; 0: not said */
  char *compression;    /* NULL: the store's default */
  char *bloom_filter;   /* the same */
  char *block_encoding; /* the same */
  gboolean read_only;
  TallIndexKind index;
  const char *indexes;  /* the others, as tall_indexes_parse() gives them; NULL: none */
  gint64 bulk_revision; /* the last one given to a bulk load; 0: none yet */
  TallMigration migration;
  TallDeployment *next; /* as it will be after the switch; NULL: no target is being made; owned */
  gint64 begun;         /* when @next was written: milliseconds, by the clock of who has begun */
};

/* Seconds: by how much the clocks of those who work on a deployment with a TTL, the servers of
 * HBase among them, may differ; half of the TTL if that is less. */
#define TALL_CLOCK_DIFFERENCE 600

gint64 tall_deployment_clock_difference (guint64 ttl);

void tall_deployment_free (TallDeployment *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallDeployment, tall_deployment_free)

gboolean tall_deployment_create (TallTable *table,
                                 const TallStoreSettings *settings,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_deployment_renew (TallTable *table, gint64 deadline, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallDeployment *
tall_deployment_read (TallTable *table, gint64 deadline, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* How the record is kept, for the files that read and write it. */

#define TALL_RECORD_ROW tall_slice_str ("deployment")

#define TALL_COLUMN_FORMAT "format"
#define TALL_COLUMN_ID "id"
#define TALL_COLUMN_LAYOUT "layout"
#define TALL_COLUMN_KEY_STRATEGY "key_strategy"
#define TALL_COLUMN_TTL "ttl"
#define TALL_COLUMN_MODE "mode"
#define TALL_COLUMN_BULK_REVISION "bulk_revision"
#define TALL_COLUMN_REGIONS "regions"
#define TALL_COLUMN_COMPRESSION "compression"
#define TALL_COLUMN_BLOOM_FILTER "bloom_filter"
#define TALL_COLUMN_BLOCK_ENCODING "block_encoding"
#define TALL_COLUMN_INDEX "index"

#define TALL_MODE_NORMAL "normal"
#define TALL_MODE_READ_ONLY "read-only"
#define TALL_COLUMN_MIGRATION "migration"

/* The columns that a migration changes, in one order for all who write them. */
#define TALL_N_MOVING 7
#define TALL_MOVING_INDEX 2 /* of several lines if there are others than the one by date */
extern const char *const tall_record_moving[TALL_N_MOVING];

/* Before the name of a column: what it will be after the switch of a migration. */
#define TALL_NEXT "next_"

/* In a column: not said. Needed where there may be an older value. */
#define TALL_NOT_SAID "-"

/* In the column `format`: the deployment was dropped, and the next one of that name begins with the
 * generation in the column `migration`. */
#define TALL_FORMAT_DROPPED "dropped"

gboolean tall_record_is_dropped (const TallRow *row);
gboolean tall_record_is_of (const TallRow *row, const char *id);
gint64 tall_record_find_timestamp (const TallRow *row, GError **error);

TallReadResult *tall_deployment_read_row (TallTable *table, gint64 deadline, GError **error);
TallDeployment *tall_deployment_parse (const TallRow *row,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

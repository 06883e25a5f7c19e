/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/migration.h"
#include "store/store.h"

G_BEGIN_DECLS

/* The numbers of layout/FORMAT.md: of everything that is stored. A deployment begins with the
 * first; once it has moved to other tables, it has the second. */
#define TALL_FORMAT 1
#define TALL_FORMAT_OF_GENERATIONS 2
#define TALL_NEWEST_FORMAT TALL_FORMAT_OF_GENERATIONS

typedef struct _TallDeployment TallDeployment;

/**
 * TallDeployment:
 *
 * The deployment record: what `init` has fixed, in the row `deployment` of the table `meta`. All
 * its columns are text; layout/FORMAT.md lists them.
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
  gint64 bulk_revision; /* the last one given to a bulk load; 0: none yet */
  TallMigration migration;
  TallDeployment *next; /* as it will be after the switch; NULL: no target is being made; owned */
};

/* Seconds: by how much the clocks of those who work on a deployment with a TTL, the servers of
 * HBase among them, may differ; half of the TTL if that is less. */
#define TALL_CLOCK_DIFFERENCE 600

gint64 tall_deployment_clock_difference (guint64 ttl);

void tall_deployment_free (TallDeployment *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallDeployment, tall_deployment_free)
TallDeployment *tall_deployment_make_next (const TallDeployment *self);

gboolean tall_deployment_create (TallTable *table,
                                 const TallStoreSettings *settings,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_deployment_renew (TallTable *table, gint64 deadline, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallDeployment *
tall_deployment_read (TallTable *table, gint64 deadline, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

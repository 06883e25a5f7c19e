/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/deployment.h"

/**
 * TallMove:
 *
 * What a migration is to change. All zero: it goes on with what another process has begun.
 */
typedef struct
{
  const TallLayout *layout;            /* NULL: as it is, or as begun; so are the others */
  const TallKeyStrategy *key_strategy; /* nullable */
  gboolean has_index;                  /* @index is set */
  TallIndexKind index;
  const char *indexes;      /* the others, as tall_indexes_parse() gives them */
  guint regions;            /* 0: as it is */
  const char *compression;  /* nullable */
  const char *bloom_filter; /* nullable */
  const char *block_encoding;
  const char *const *sample; /* nullable: as in #TallStoreSettings */
} TallMove;

/* What the settings are called, in the order of %tall_record_moving. */
extern const char *const tall_move_labels[TALL_N_MOVING];

gboolean tall_move_choose (TallMove *self,
                           const char *layout,
                           const char *key_strategy,
                           const char *index,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
const char **tall_move_list (TallArena *arena, const TallMove *move);
TallDeployment tall_move_apply (const TallMove *self, const TallDeployment *is);
gboolean tall_move_is_empty (const TallMove *move);
guint tall_move_find_other (const char *const *wanted, const char *const *begun, guint n);
gboolean tall_move_is_done (const TallMove *self, const TallDeployment *deployment);
TallDeployment *tall_move_begin (TallTable *table,
                                 const TallMove *move,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_move_create_tables (TallTable *table,
                                  const TallDeployment *deployment,
                                  const char *const *sample,
                                  gint64 deadline,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

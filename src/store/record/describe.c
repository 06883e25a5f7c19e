/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/describe.h"

#include "tall-limits.h"

static void
describe_migration (TallDescription *description, const TallDeployment *deployment)
{
  TallArena *arena = description->arena;
  const TallDeployment *next = deployment->next;
  description->generation = deployment->migration.generation;
  description->phase =
      tall_arena_strdup (arena, tall_migration_phase_get_name (deployment->migration.phase));
  if (next == NULL)
    return;
  description->next_layout = tall_arena_strdup (arena, next->layout);
  description->next_key_strategy = tall_arena_strdup (arena, next->key_strategy);
  description->next_index = tall_arena_strdup (arena, tall_index_kind_get_name (next->index));
}

/**
 * tall_describe:
 * @table: where the deployment is
 * @deployment: its record
 *
 * Returns: (transfer full): what `status` and the service say of it
 */
TallDescription *
tall_describe (TallTable *table, const TallDeployment *deployment)
{
  TallTableInfo info;
  tall_table_get_info (table, &info);
  TallDescription *description = g_new0 (TallDescription, 1);
  TallArena *arena = description->arena = tall_arena_new (0);
  description->name = tall_arena_strdup (arena, info.deployment);
  description->store = tall_arena_strdup (arena, info.kind);
  description->layout = tall_arena_strdup (arena, deployment->layout);
  description->key_strategy = tall_arena_strdup (arena, deployment->key_strategy);
  description->format = deployment->format;
  description->newest_format = TALL_NEWEST_FORMAT;
  description->schema = TALL_SCHEMA;
  description->read_only = deployment->read_only || info.is_read_only;
  description->version = tall_arena_strdup (arena, TALL_VERSION);
  description->has_details = TRUE;
  description->index = tall_arena_strdup (arena, tall_index_kind_get_name (deployment->index));
  description->ttl = deployment->ttl;
  description->regions = deployment->regions;
  description->compression = tall_arena_strdup (arena, deployment->compression);
  description->bloom_filter = tall_arena_strdup (arena, deployment->bloom_filter);
  description->block_encoding = tall_arena_strdup (arena, deployment->block_encoding);
  describe_migration (description, deployment);
  return description;
}

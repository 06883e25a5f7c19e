/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/deployment.h"
#include "store/follower.h"
#include "store/record/generation.h"
#include "tall-json.h"
#include "store/bulk/loads.h"
#include "store/verify/verify.h"

#define META "meta"
#define RECORD_ROW tall_slice_str ("deployment")

/* So that one part holds all notes. */
#define MOST_LOADS 200

static void
add (TallVerify *self, TallFindingKind kind, guint n_rows, const char *message)
{
  TallFinding finding = {
    .kind = kind, .table = META, .row = RECORD_ROW, .n_rows = n_rows, .message = message
  };
  tall_verify_report (self, &finding);
}

static void
add_load (TallVerify *self, const TallUnfinishedLoad *load)
{
  TallArena *arena = self->part->arena;
  TallUnfinishedLoad *copy = tall_arena_new0 (arena, TallUnfinishedLoad);
  g_autofree char *name = load->name != NULL ? g_utf8_make_valid (load->name, -1) : NULL;
  char begun[TALL_DATE_TEXT_SIZE];
  *copy = (TallUnfinishedLoad){ tall_arena_strdup (arena, name), load->begun, load->stored };
  TallFinding finding = { .kind = TALL_FINDING_UNFINISHED_LOAD,
                          .table = META,
                          .row = tall_slice_str ("load/"),
                          .n_rows = 1,
                          .load = copy };
  finding.message =
      tall_arena_printf (arena,
                         "%s, begun %s, has stored %" G_GINT64_FORMAT " orders and customers",
                         name != NULL ? name : "a load without a name",
                         tall_date_format (load->begun, begun), load->stored);
  tall_verify_report (self, &finding);
}

static gboolean
add_loads (TallVerify *self, GError **error)
{
  g_autoptr (GPtrArray) loads = tall_loads_list (self->context, error);
  for (guint i = 0; loads != NULL && i < MIN (loads->len, MOST_LOADS); i++)
    add_load (self, g_ptr_array_index (loads, i));
  return loads != NULL;
}

static void
add_migration (TallVerify *self, const TallDeployment *deployment)
{
  const TallDeployment *next = deployment->next;
  const char *phase = tall_migration_phase_get_name (deployment->migration.phase);
  g_autofree char *text =
      next == NULL
          ? g_strdup (phase)
          : g_strdup_printf ("%s, to layout %s, key strategy %s, index %s", phase, next->layout,
                             next->key_strategy, tall_index_kind_get_name (next->index));
  add (self, TALL_FINDING_UNFINISHED_MIGRATION, 1, text);
}

/* Those that cannot be listed now, as only HBase's master knows them, harm nobody. */
static void
add_tables (TallVerify *self, TallTable *table, guint64 generation)
{
  guint n = 0;
  g_auto (GStrv) names = tall_table_list_tables (table, tall_verify_deadline (), NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *short_name = NULL;
      n += !g_str_equal (names[i], META)
           && tall_generation_split_name (names[i], &short_name) != generation;
    }
  g_autofree char *text =
      g_strdup_printf ("%u tables of a generation other than %" G_GUINT64_FORMAT, n, generation);
  if (n > 0)
    add (self, TALL_FINDING_UNUSED_TABLES, n, text);
}

/**
 * tall_verify_add_notes:
 *
 * Adds what loads and migrations have left, or are doing.
 *
 * Returns: FALSE if the deployment record or the rows beside it could not be read now
 */
gboolean
tall_verify_add_notes (TallVerify *self, GError **error)
{
  const TallStoreContext *context = self->context;
  TallTable *table =
      context->follower != NULL ? tall_follower_get_table (context->follower) : context->table;
  g_autoptr (TallDeployment) deployment =
      tall_deployment_read (table, tall_verify_deadline (), error);
  if (deployment == NULL || !add_loads (self, error))
    return FALSE;
  if (deployment->migration.phase != TALL_MIGRATION_NONE)
    add_migration (self, deployment);
  else
    add_tables (self, table, deployment->migration.generation);
  return TRUE;
}

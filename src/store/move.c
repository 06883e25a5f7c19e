/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/move.h"

#include "base/fail.h"
#include "store/record/generation.h"
#include "store/record/tables.h"

#define MAX_ATTEMPTS 5 /* to begin, while others begin and abort */

#define AT_REGIONS 3 /* in %tall_record_moving */

const char *const tall_move_labels[TALL_N_MOVING] = {
  "layout", "key strategy", "index", "number of regions", "compression", "Bloom filter", "encoding",
};

/* The settings that a migration can change, in the order of %tall_record_moving. NULL: not said.
 * Returns: (transfer none): in @arena */
static const char **
list_texts (TallArena *arena,
            const char *layout,
            const char *key_strategy,
            const char *index,
            guint regions,
            const char *compression,
            const char *bloom_filter,
            const char *block_encoding)
{
  const char *regions_text = regions != 0 ? tall_arena_printf (arena, "%u", regions) : NULL;
  const char *texts[TALL_N_MOVING] = { layout,      key_strategy, index,         regions_text,
                                       compression, bloom_filter, block_encoding };
  return tall_arena_memdup (arena, texts, sizeof texts);
}

static const char *
print_indexes (TallArena *arena, TallIndexKind kind, const char *indexes)
{
  g_autofree char *text = tall_indexes_print (kind, indexes, ", ");
  return tall_arena_strdup (arena, text);
}

static const char **
list_deployment (TallArena *arena, const TallDeployment *deployment)
{
  return list_texts (arena, deployment->layout, deployment->key_strategy,
                     print_indexes (arena, deployment->index, deployment->indexes),
                     deployment->regions, deployment->compression, deployment->bloom_filter,
                     deployment->block_encoding);
}

/**
 * tall_move_list:
 *
 * Returns: (transfer none) (array fixed-size=7): its settings in the order of %tall_move_labels, in
 *   @arena; NULL: not said
 */
const char **
tall_move_list (TallArena *arena, const TallMove *move)
{
  return list_texts (arena, move->layout != NULL ? move->layout->name : NULL,
                     move->key_strategy != NULL ? move->key_strategy->name : NULL,
                     move->has_index ? print_indexes (arena, move->index, move->indexes) : NULL,
                     move->regions, move->compression, move->bloom_filter, move->block_encoding);
}

gboolean
tall_move_is_empty (const TallMove *move)
{
  g_autoptr (TallArena) arena = tall_arena_new (256);
  const char **wanted = tall_move_list (arena, move);
  guint i = 0;
  while (i < TALL_N_MOVING && wanted[i] == NULL)
    i++;
  return i == TALL_N_MOVING;
}

/* Of tables, compressions and the like are compared without regard to case, too. */
static gboolean
is_same (const char *const *a, const char *const *b, guint i)
{
  if (i == TALL_MOVING_INDEX)
    return g_strcmp0 (a[i], b[i]) == 0;
  return a[i] != NULL && b[i] != NULL ? g_ascii_strcasecmp (a[i], b[i]) == 0 : a[i] == b[i];
}

/**
 * tall_move_find_other:
 * @wanted: @n texts, of which those that are NULL are not said
 * @begun: @n texts
 *
 * Returns: the place of the first one that is wanted and not begun; @n: there is none
 */
guint
tall_move_find_other (const char *const *wanted, const char *const *begun, guint n)
{
  guint i = 0;
  while (i < n && (wanted[i] == NULL || is_same (wanted, begun, i)))
    i++;
  return i;
}

/* Whoever resumes a migration may leave its settings out, but not ask for others. */
static gboolean
check_begun (const TallDeployment *deployment, const TallMove *move, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (256);
  const char **wanted = tall_move_list (arena, move);
  if (deployment->next == NULL || deployment->migration.phase == TALL_MIGRATION_ABORTING)
    return tall_error_fail_conflict (error, 0,
                                     "A migration is being aborted; `tallorder migrate --abort` "
                                     "finishes that, and then another one can begin");
  const char **begun = list_deployment (arena, deployment->next);
  guint i = tall_move_find_other (wanted, begun, TALL_N_MOVING);
  if (i == TALL_N_MOVING)
    return TRUE;
  return tall_error_fail_conflict (
      error, 0,
      "A migration has begun, to the %s %s and not to %s; leave that option out to go on with it, "
      "or give it up with `tallorder migrate --abort`",
      tall_move_labels[i], begun[i] != NULL ? begun[i] : "by default", wanted[i]);
}

/**
 * tall_move_apply:
 *
 * Returns: @is, but for what is asked for; nothing is owned
 */
TallDeployment
tall_move_apply (const TallMove *self, const TallDeployment *is)
{
  TallDeployment target = *is;
  if (self->layout != NULL)
    target.layout = (char *)self->layout->name;
  if (self->key_strategy != NULL)
    target.key_strategy = (char *)self->key_strategy->name;
  if (self->has_index)
    {
      target.index = self->index;
      target.indexes = self->indexes;
    }
  if (self->regions != 0)
    target.regions = self->regions;
  if (self->compression != NULL)
    target.compression = (char *)self->compression;
  if (self->bloom_filter != NULL)
    target.bloom_filter = (char *)self->bloom_filter;
  if (self->block_encoding != NULL)
    target.block_encoding = (char *)self->block_encoding;
  return target;
}

/* Whether the deployment has all that is asked for. */
static gboolean
has_all (const TallDeployment *is, const TallMove *move)
{
  g_autoptr (TallArena) arena = tall_arena_new (256);
  const TallDeployment target = tall_move_apply (move, is);
  return tall_move_find_other (list_deployment (arena, &target), list_deployment (arena, is),
                               TALL_N_MOVING)
         == TALL_N_MOVING;
}

static gboolean
check_changes (const TallDeployment *is, const TallMove *move, GError **error)
{
  if (tall_move_is_empty (move))
    tall_error_set_invalid (error, "layout",
                            "No migration has begun that could be gone on with; say what is to "
                            "change, such as the layout");
  else if (has_all (is, move))
    {
      g_autofree char *indexes = tall_indexes_print (is->index, is->indexes, ", ");
      tall_error_set_invalid (error, "layout",
                              "There is nothing to change: the deployment has layout %s, key "
                              "strategy %s and index %s already",
                              is->layout, is->key_strategy, indexes);
    }
  else
    return TRUE;
  return FALSE;
}

/* Returns: (transfer none): what the record is to say, in @arena */
static const char *const *
list_next (TallArena *arena, const TallDeployment *to)
{
  const char **texts = list_deployment (arena, to);
  for (guint i = 0; i < TALL_N_MOVING; i++)
    if (texts[i] == NULL)
      texts[i] = i == AT_REGIONS ? "0" : TALL_NOT_SAID;
  g_autofree char *indexes = tall_record_print_indexes (to->index, to->indexes);
  texts[TALL_MOVING_INDEX] = tall_arena_strdup (arena, indexes);
  return texts;
}

/* The tables of the target, without `meta`, which is there.
 * @settings: (out): with texts of @to */
static GPtrArray *
plan_tables (const TallDeployment *to,
             const char *const *sample,
             TallStoreSettings *settings,
             GError **error)
{
  *settings = (TallStoreSettings){
    .layout = tall_layout_find (to->layout, error),
    .ttl = to->ttl,
    .index = to->index,
    .indexes = to->indexes,
    .regions = to->regions,
    .sample = sample,
    .compression = to->compression,
    .bloom_filter = to->bloom_filter,
    .block_encoding = to->block_encoding,
  };
  if (settings->layout == NULL)
    return NULL;
  settings->key_strategy = tall_key_strategy_find (to->key_strategy, error);
  if (settings->key_strategy == NULL)
    return NULL;
  GPtrArray *specs = tall_store_plan_tables (settings, error);
  if (specs != NULL)
    g_ptr_array_remove_index (specs, 0);
  return specs;
}

/* Tables of that number can only be there if an administrator has made them. */
static gboolean
check_tables (TallTable *table,
              const TallDeployment *to,
              guint64 target,
              const char *const *sample,
              gint64 deadline,
              GError **error)
{
  TallStoreSettings settings;
  g_autoptr (GPtrArray) specs = plan_tables (to, sample, &settings, error);
  if (specs == NULL)
    return FALSE;
  g_autoptr (TallTable) view = tall_generation_table_new (table, target);
  return tall_tables_check (view, specs, tall_tables_choose_rule (&settings), deadline, error);
}

/* Whether the record still says what it did when @is was read. */
static gboolean
is_unmoved (TallTable *table, const TallDeployment *is, gint64 deadline)
{
  g_autoptr (TallDeployment) now = tall_deployment_read (table, deadline, NULL);
  if (now == NULL)
    return TRUE;
  g_autofree char *is_text = tall_migration_print (&is->migration);
  g_autofree char *now_text = tall_migration_print (&now->migration);
  return g_str_equal (is_text, now_text);
}

/* Returns: TRUE also if somebody else was faster */
static gboolean
begin_new (TallTable *table,
           const TallDeployment *is,
           const TallMove *move,
           gint64 deadline,
           GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallArena) arena = tall_arena_new (512);
  gboolean done;
  if (!check_changes (is, move, error))
    return FALSE;
  if (is->migration.last == G_MAXINT64)
    return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                            "All numbers of generations are given; export the orders, and load "
                            "them into a new deployment");
  TallMigration to = tall_migration_begin (&is->migration);
  const TallDeployment target = tall_move_apply (move, is);
  if (check_tables (table, &target, to.target, move->sample, deadline, &cause))
    return tall_migration_change (table, is->id, &is->migration, &to, list_next (arena, &target),
                                  deadline, &done, error);
  /* They may be the tables of somebody who has begun meanwhile. */
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_CONFLICT) && !is_unmoved (table, is, deadline))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/**
 * tall_move_choose:
 * @layout: (nullable): a name, as all of them; NULL: as it is, or as begun
 * @key_strategy: (nullable):
 * @index: (nullable): as for tall_indexes_parse()
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if there is none of that name, naming those that there
 *   are
 */
gboolean
tall_move_choose (
    TallMove *self, const char *layout, const char *key_strategy, const char *index, GError **error)
{
  if (layout != NULL && (self->layout = tall_layout_choose (layout, error)) == NULL)
    return FALSE;
  if (key_strategy != NULL
      && (self->key_strategy = tall_key_strategy_choose (key_strategy, error)) == NULL)
    return FALSE;
  self->has_index = index != NULL;
  return index == NULL || tall_indexes_parse (index, &self->index, &self->indexes, error);
}

/**
 * tall_move_is_done:
 *
 * Returns: whether something is asked for, and the deployment has all of it
 */
gboolean
tall_move_is_done (const TallMove *self, const TallDeployment *deployment)
{
  return !tall_move_is_empty (self) && has_all (deployment, self);
}

/**
 * tall_move_begin:
 * @table: holds the tables of all generations
 *
 * Begins a migration, or finds the one that has begun: anybody may go on with it. Tables of the
 * target that an administrator has made must be empty, and kept as wanted.
 *
 * Returns: (transfer full): the deployment, with a target; NULL with %TALL_ERROR_CONFLICT if a
 *   migration to something else has begun, or is being aborted, or a table of the target is not
 * fit; %TALL_ERROR_INVALID if nothing would change, or settings make no sense; or with what
 *   tall_deployment_read() and tall_migration_change() say
 */
TallDeployment *
tall_move_begin (TallTable *table, const TallMove *move, gint64 deadline, GError **error)
{
  for (guint i = 0; i < MAX_ATTEMPTS; i++)
    {
      g_autoptr (TallDeployment) is = tall_deployment_read (table, deadline, error);
      if (is == NULL)
        return NULL;
      if (is->migration.phase != TALL_MIGRATION_NONE)
        return check_begun (is, move, error) ? g_steal_pointer (&is) : NULL;
      if (!begin_new (table, is, move, deadline, error))
        return NULL;
    }
  g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
               "Other processes begin and abort migrations again and again; wait for them");
  return NULL;
}

/**
 * tall_move_create_tables:
 * @table: holds the tables of all generations
 * @deployment: from tall_move_begin()
 * @sample: (nullable): as in #TallStoreSettings
 *
 * Creates the tables of the target that are not there. The others are taken, with what was copied
 * already: the number is given once, so they are of this migration.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if a table is kept in another way than was begun; or
 * with what the store says
 */
gboolean
tall_move_create_tables (TallTable *table,
                         const TallDeployment *deployment,
                         const char *const *sample,
                         gint64 deadline,
                         GError **error)
{
  g_return_val_if_fail (deployment->next != NULL, FALSE);

  TallStoreSettings settings;
  g_autoptr (GPtrArray) specs = plan_tables (deployment->next, sample, &settings, error);
  if (specs == NULL)
    return FALSE;
  g_autoptr (TallTable) view = tall_generation_table_new (table, deployment->migration.target);
  return tall_tables_create (view, specs, TALL_TABLES_OURS, deadline, error);
}

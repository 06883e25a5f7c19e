/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/tables.h"

#include "base/fail.h"
#include "store/read/ids.h"
#include "store/read/index.h"
#include "table/table-kind.h"
#include "tall-limits.h"

/* Adds a table that is kept as the settings say. */
static TallTableSpec *
add_table (GPtrArray *specs, const char *name, const TallStoreSettings *settings)
{
  TallTableSpec *spec = tall_table_spec_new (name);
  spec->compression = g_strdup (settings->compression);
  spec->bloom_filter = g_strdup (settings->bloom_filter);
  spec->block_encoding = g_strdup (settings->block_encoding);
  g_ptr_array_add (specs, spec);
  return spec;
}

/* For a table whose row keys begin with the customer part. */
static void
set_splits (TallTableSpec *spec, const GPtrArray *splits)
{
  if (splits->len == 0)
    return;
  spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (guint i = 0; i < splits->len; i++)
    {
      const GByteArray *split = g_ptr_array_index (splits, i);
      g_ptr_array_add (spec->splits, g_bytes_new (split->data, split->len));
    }
}

/* A name that only the store which is to keep the tables can judge; here, that it is one. */
static gboolean
check_choice (const char *field, const char *choice, GError **error)
{
  for (gsize i = 0; choice != NULL && (i == 0 || choice[i] != '\0'); i++)
    if (!g_ascii_isalnum (choice[i]) && choice[i] != '_')
      return tall_error_fail_invalid (
          error, field, "“%s” is not a name of a %s: those consist of letters, digits and _",
          choice, field);
  return TRUE;
}

/**
 * tall_store_plan_tables:
 *
 * Which tables a deployment has, and how they are to be kept. Tables of orders and customers are
 * split into regions; `meta` and `ids` are small and are not.
 *
 * Returns: (transfer full) (element-type TallTableSpec): `meta` first; NULL with
 *   %TALL_ERROR_INVALID
 */
GPtrArray *
tall_store_plan_tables (const TallStoreSettings *settings, GError **error)
{
  if (!check_choice ("compression", settings->compression, error)
      || !check_choice ("bloom_filter", settings->bloom_filter, error)
      || !check_choice ("block_encoding", settings->block_encoding, error))
    return NULL;
  g_autoptr (GPtrArray) splits =
      tall_key_strategy_make_splits (settings->key_strategy, MAX (settings->regions, 1),
                                     settings->sample, error);
  if (splits == NULL)
    return NULL;

  g_autoptr (GPtrArray) specs =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tall_table_spec_free);
  TallTableSpec *meta = tall_table_spec_new (TALL_META_TABLE);
  meta->max_versions = 1;
  g_ptr_array_add (specs, meta);
  if (settings->key_strategy->needs_id)
    add_table (specs, TALL_IDS_TABLE, settings)->max_versions = 1;
  for (const TallLayoutTable *wanted = settings->layout->tables; wanted->name != NULL; wanted++)
    {
      TallTableSpec *spec = add_table (specs, wanted->name, settings);
      spec->ttl = wanted->expires ? settings->ttl : 0;
      set_splits (spec, splits);
    }
  if (settings->index == TALL_INDEX_BY_DATE)
    {
      TallTableSpec *index = add_table (specs, TALL_INDEX_TABLE, settings);
      /* A hint is as old as the order that it leads to, and goes with it. Whether there is one is
       * all that counts, so that one version will do. */
      index->max_versions = 1;
      index->ttl = settings->ttl;
      set_splits (index, splits);
    }
  if (settings->indexes != NULL)
    {
      TallTableSpec *entries = add_table (specs, TALL_ENTRIES_TABLE, settings);
      entries->max_versions = 1; /* as a hint */
      entries->ttl = settings->ttl;
    }
  return g_steal_pointer (&specs);
}

static gboolean
refuse (const char *name, const char *what, const char *is, const char *wanted, GError **error)
{
  return tall_error_fail_conflict (error, 0,
                                   "Table %s is there already, with %s %s, and %s is wanted; drop "
                                   "the table, or ask for what it has",
                                   name, what, is, wanted);
}

static char *
name_number (guint64 number, const char *zero)
{
  return number == 0 ? g_strdup (zero) : g_strdup_printf ("%" G_GUINT64_FORMAT, number);
}

static gboolean
check_number (const char *name,
              const char *what,
              guint64 is,
              guint64 wanted,
              const char *zero,
              GError **error)
{
  g_autofree char *is_name = name_number (is, zero);
  g_autofree char *wanted_name = name_number (wanted, zero);
  return is == wanted || refuse (name, what, is_name, wanted_name, error);
}

/* What was not asked for may be anything. */
static gboolean
check_name (const char *name, const char *what, const char *is, const char *wanted, GError **error)
{
  return wanted == NULL || (is != NULL && g_ascii_strcasecmp (is, wanted) == 0)
         || refuse (name, what, is != NULL ? is : "the default", wanted, error);
}

static char *
name_split (const TallTableSpec *spec, guint i)
{
  return tall_slice_to_debug (tall_slice_bytes (g_ptr_array_index (spec->splits, i)));
}

static gboolean
check_splits (const TallTableSpec *is, const TallTableSpec *wanted, GError **error)
{
  guint n = tall_table_spec_count_regions (wanted);
  if (!check_number (is->name, "a number of regions of", tall_table_spec_count_regions (is), n, "0",
                     error))
    return FALSE;
  for (guint i = 0; i + 1 < n; i++)
    {
      if (g_bytes_equal (g_ptr_array_index (is->splits, i), g_ptr_array_index (wanted->splits, i)))
        continue;
      g_autofree char *is_name = name_split (is, i);
      g_autofree char *wanted_name = name_split (wanted, i);
      return refuse (is->name, "a region that begins at", is_name, wanted_name, error);
    }
  return TRUE;
}

static gboolean
check_spec (const TallTableSpec *is,
            const TallTableSpec *wanted,
            TallTablesRule rule,
            GError **error)
{
  const char *name = is->name;
  return check_number (name, "a number of versions of", is->max_versions, wanted->max_versions,
                       "all", error)
         && check_number (name, "a TTL in seconds of", is->ttl, wanted->ttl, "never", error)
         && check_name (name, "the compression", is->compression, wanted->compression, error)
         && check_name (name, "the Bloom filter", is->bloom_filter, wanted->bloom_filter, error)
         && check_name (name, "the block encoding", is->block_encoding, wanted->block_encoding,
                        error)
         && (rule != TALL_TABLES_THESE_REGIONS || check_splits (is, wanted, error));
}

static gboolean
check_empty (TallTable *table, const char *name, gint64 deadline, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read =
      tall_read_plan_add_scan (plan, name, (TallSlice)TALL_SLICE_INIT, (TallSlice)TALL_SLICE_INIT);
  read->limit = 1;
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, deadline, error);
  if (result == NULL)
    return FALSE;
  if (result->results[0].n_rows == 0)
    return TRUE;
  return tall_error_fail_conflict (error, 0,
                                   "There is no deployment, but a table %s that is not empty; "
                                   "choose another name, or drop the table if nobody needs it",
                                   name);
}

/* Takes a table that is there. Sets @absent if there is none. */
static gboolean
adopt (TallTable *table,
       const TallTableSpec *wanted,
       TallTablesRule rule,
       gint64 deadline,
       gboolean *absent,
       GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallTableSpec) is = tall_table_describe_table (table, wanted->name, deadline, &cause);
  *absent = g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND);
  if (*absent)
    return FALSE;
  if (is == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  return check_spec (is, wanted, rule, error)
         && (rule == TALL_TABLES_OURS || check_empty (table, wanted->name, deadline, error));
}

/* A store that answers “created” may have made something else: what it made is read back, and
 * dropped if it is not what was wanted. */
static gboolean
check_made (TallTable *table, const TallTableSpec *wanted, gint64 deadline, GError **error)
{
  if (wanted->splits == NULL)
    return TRUE;
  g_autoptr (TallTableSpec) is = tall_table_describe_table (table, wanted->name, deadline, error);
  g_autoptr (GError) cause = NULL;
  if (is == NULL)
    return FALSE;
  if (check_splits (is, wanted, &cause))
    return TRUE;
  gboolean dropped = tall_table_drop_table (table, wanted->name, deadline, NULL);
  return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                          "it was made with other regions than were wanted, and %s: %s",
                          dropped ? "is dropped again" : "could not be dropped", cause->message);
}

static gboolean
create (TallTable *table,
        const TallTableSpec *wanted,
        TallTablesRule rule,
        gint64 deadline,
        GError **error)
{
  gboolean absent;
  g_autoptr (GError) cause = NULL;
  if (adopt (table, wanted, rule, deadline, &absent, error))
    return TRUE;
  if (!absent)
    return FALSE;
  if (tall_table_create_table (table, wanted, deadline, &cause)
      && check_made (table, wanted, deadline, &cause))
    return TRUE;
  /* Somebody else was faster, or an earlier call has come late. */
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_CONFLICT))
    {
      gboolean adopted = adopt (table, wanted, rule, deadline, &absent, error);
      if (!absent)
        return adopted;
    }
  g_propagate_prefixed_error (error, g_steal_pointer (&cause), "Creating table %s: ", wanted->name);
  return FALSE;
}

/**
 * tall_tables_choose_rule:
 *
 * Returns: the rule for tables that an administrator may have made as these settings ask
 */
TallTablesRule
tall_tables_choose_rule (const TallStoreSettings *settings)
{
  return settings->regions != 0 ? TALL_TABLES_THESE_REGIONS : TALL_TABLES_ANY_REGIONS;
}

/**
 * tall_tables_check:
 * @specs: (element-type TallTableSpec): from tall_store_plan_tables()
 *
 * Looks whether tall_tables_create() would take the tables that are there. Nothing is made.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if it would not, or with what the store says
 */
gboolean
tall_tables_check (
    TallTable *table, GPtrArray *specs, TallTablesRule rule, gint64 deadline, GError **error)
{
  for (guint i = 0; i < specs->len; i++)
    {
      gboolean absent;
      if (!adopt (table, g_ptr_array_index (specs, i), rule, deadline, &absent, error) && !absent)
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_tables_create:
 * @specs: (element-type TallTableSpec): from tall_store_plan_tables()
 * @rule: for tables that are there
 *
 * Creates the tables, or takes those that are there.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if one is there that is in use or kept otherwise, naming
 *   the difference, or with what the store says
 */
gboolean
tall_tables_create (
    TallTable *table, GPtrArray *specs, TallTablesRule rule, gint64 deadline, GError **error)
{
  for (guint i = 0; i < specs->len; i++)
    if (!create (table, g_ptr_array_index (specs, i), rule, deadline, error))
      return FALSE;
  return TRUE;
}

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
  g_autofree char *indexes = tall_indexes_print (next->index, next->indexes, ", ");
  description->next_index = tall_arena_strdup (arena, indexes);
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
  g_auto (GStrv) indexes =
      g_strsplit (deployment->indexes != NULL ? deployment->indexes : "", "\n", 0);
  description->n_indexes = g_strv_length (indexes);
  description->indexes = tall_arena_newa0 (arena, char *, description->n_indexes + 1);
  for (gsize i = 0; i < description->n_indexes; i++)
    description->indexes[i] = tall_arena_strdup (arena, indexes[i]);
  description->ttl = deployment->ttl;
  description->regions = deployment->regions;
  description->compression = tall_arena_strdup (arena, deployment->compression);
  description->bloom_filter = tall_arena_strdup (arena, deployment->bloom_filter);
  description->block_encoding = tall_arena_strdup (arena, deployment->block_encoding);
  describe_migration (description, deployment);
  return description;
}

void
tall_description_free (TallDescription *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->arena, tall_arena_free);
  g_free (self);
}

/**
 * tall_description_hide_details:
 *
 * Leaves what only administrators may know as a description without details has it.
 */
void
tall_description_hide_details (TallDescription *self)
{
  self->has_details = FALSE;
  self->regions = 0;
  self->compression = self->bloom_filter = self->block_encoding = NULL;
  self->generation = 0;
  self->phase = self->next_layout = self->next_key_strategy = self->next_index = NULL;
}

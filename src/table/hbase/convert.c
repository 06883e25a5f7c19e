/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/convert.h"

#include "base/fail.h"

#define NAME_CHARACTERS G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-."
#define MAX_NAME 100

/* HBase's own rules: letters, digits, `_`, `-` and `.`, not beginning with `-` or `.`. */
static gboolean
is_name (const char *text)
{
  gsize len = strspn (text, NAME_CHARACTERS);
  return len > 0 && len <= MAX_NAME && text[len] == '\0' && text[0] != '-' && text[0] != '.';
}

/* Namespaces have letters, digits and `_` only. */
static gboolean
is_namespace (const char *text)
{
  return is_name (text) && strpbrk (text, "-.") == NULL;
}

/**
 * tall_hbase_names_init:
 * @deployment: (nullable): `name` or `namespace:name`; NULL: `tallorder`
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it cannot be a part of HBase's table names
 */
gboolean
tall_hbase_names_init (TallHbaseNames *self, const char *deployment, GError **error)
{
  if (deployment == NULL)
    deployment = TALL_HBASE_DEFAULT_NAME;

  const char *colon = strchr (deployment, ':');
  g_autofree char *ns = colon == NULL ? NULL : g_strndup (deployment, (gsize)(colon - deployment));
  const char *name = colon == NULL ? deployment : colon + 1;

  if (!is_name (name) || (ns != NULL && !is_namespace (ns)))
    return tall_error_fail_invalid (
        error, "name",
        "\"%s\" cannot be the name of a deployment on HBase: use letters, "
        "digits, _, - and ., after an optional namespace and a colon",
        deployment);

  self->deployment = g_strdup (deployment);
  self->ns = g_steal_pointer (&ns);
  self->name = g_strdup (name);
  return TRUE;
}

void
tall_hbase_names_clear (TallHbaseNames *self)
{
  g_clear_pointer (&self->deployment, g_free);
  g_clear_pointer (&self->ns, g_free);
  g_clear_pointer (&self->name, g_free);
}

/**
 * tall_hbase_names_get_table:
 *
 * Returns: the whole name of a table, as calls on rows want it, in @arena
 */
TallSlice
tall_hbase_names_get_table (const TallHbaseNames *self, const char *table, TallArena *arena)
{
  return tall_slice_str (tall_arena_printf (arena, "%s.%s", self->deployment, table));
}

/**
 * tall_hbase_names_get_table_name:
 * @self: must outlive @arena
 *
 * Returns: (transfer none): the whole name of a table, as calls on tables want it, in @arena
 */
TallHbaseTTableName *
tall_hbase_names_get_table_name (const TallHbaseNames *self, const char *table, TallArena *arena)
{
  TallHbaseTTableName *name = tall_arena_new0 (arena, TallHbaseTTableName);
  name->qualifier = tall_slice_str (tall_arena_printf (arena, "%s.%s", self->name, table));
  if (self->ns != NULL)
    name->ns = tall_slice_str (self->ns);
  return name;
}

/**
 * tall_hbase_names_get_pattern:
 *
 * Returns: (transfer full): a Java regular expression for the whole names of all our tables
 */
char *
tall_hbase_names_get_pattern (const TallHbaseNames *self)
{
  GString *pattern = g_string_new (NULL);
  if (self->ns != NULL)
    g_string_append_printf (pattern, "%s:", self->ns);
  for (const char *c = self->name; *c != '\0'; c++)
    g_string_append_printf (pattern, *c == '.' ? "\\%c" : "%c", *c);
  g_string_append (pattern, "\\..*");
  return g_string_free (pattern, FALSE);
}

/**
 * tall_hbase_names_get_short:
 *
 * Returns: (nullable) (transfer full): the short name of a table; NULL if it is not one of ours
 */
char *
tall_hbase_names_get_short (const TallHbaseNames *self, const TallHbaseTTableName *table_name)
{
  const char *ns = self->ns == NULL ? "default" : self->ns;
  TallSlice whole = table_name->qualifier;
  gsize prefix = strlen (self->name);

  if (table_name->ns.data != NULL && !tall_slice_equal (table_name->ns, tall_slice_str (ns)))
    return NULL;
  if (whole.len <= prefix + 1 || !tall_slice_has_prefix (whole, tall_slice_str (self->name))
      || whole.data[prefix] != '.')
    return NULL;

  char *name = g_strndup ((const char *)whole.data + prefix + 1, whole.len - prefix - 1);
  /* Short names have no dot: this one belongs to a deployment with a longer name. */
  if (strchr (name, '.') != NULL)
    g_clear_pointer (&name, g_free);
  return name;
}

/**
 * tall_hbase_names_get_deployment:
 * @table: a short name
 *
 * Returns: (nullable) (transfer full): the deployment whose table @table this is, as
 *   tall_hbase_names_init() takes it; NULL if it is another table
 */
char *
tall_hbase_names_get_deployment (const TallHbaseTTableName *table_name, const char *table)
{
  g_autofree char *suffix = g_strconcat (".", table, NULL);
  g_autofree char *whole =
      g_strndup ((const char *)table_name->qualifier.data, table_name->qualifier.len);
  gsize len = strlen (whole);
  if (!g_str_has_suffix (whole, suffix) || len == strlen (suffix))
    return NULL;
  whole[len - strlen (suffix)] = '\0';
  if (table_name->ns.data == NULL || tall_slice_equal (table_name->ns, tall_slice_str ("default")))
    return g_steal_pointer (&whole);
  g_autofree char *ns = g_strndup ((const char *)table_name->ns.data, table_name->ns.len);
  return g_strconcat (ns, ":", whole, NULL);
}

#define FAMILY tall_slice_str (TALL_FAMILY)

/* Nothing asked for by name: all of the family. */
static TallHbaseTColumn *
columns_new (const TallRead *read, guint *n, TallArena *arena)
{
  *n = MAX (read->n_qualifiers, 1);
  TallHbaseTColumn *columns = tall_arena_newa0 (arena, TallHbaseTColumn, *n);
  for (guint i = 0; i < *n; i++)
    {
      columns[i].family = FAMILY;
      columns[i].has_qualifier = i < read->n_qualifiers;
      if (columns[i].has_qualifier)
        columns[i].qualifier = read->qualifiers[i];
    }
  return columns;
}

/* NULL if all timestamps are asked for. */
static TallHbaseTTimeRange *
time_range_new (const TallRead *read, TallArena *arena)
{
  if (read->min_timestamp == 0 && read->max_timestamp == G_MAXINT64)
    return NULL;
  TallHbaseTTimeRange *range = tall_arena_new0 (arena, TallHbaseTTimeRange);
  *range = (TallHbaseTTimeRange){ read->min_timestamp, read->max_timestamp };
  return range;
}

/* How many versions of each cell to ask the gateway for. */
static gint32
versions_of (const TallRead *read)
{
  return read->max_versions == 0 || read->max_versions > G_MAXINT32 ? G_MAXINT32
                                                                    : (gint32)read->max_versions;
}

/**
 * tall_hbase_t_get_init:
 * @key: of one row of @read
 */
void
tall_hbase_t_get_init (TallHbaseTGet *self, const TallRead *read, TallSlice key, TallArena *arena)
{
  self->row = key;
  self->columns = columns_new (read, &self->n_columns, arena);
  self->time_range = time_range_new (read, arena);
  self->max_versions = versions_of (read);
}

/**
 * tall_hbase_t_scan_init:
 * @start: where to begin instead of at the beginning of @read
 * @n_rows: rows at most
 *
 * Makes the scan for a page of @read.
 */
void
tall_hbase_t_scan_init (
    TallHbaseTScan *self, const TallRead *read, TallSlice start, guint n_rows, TallArena *arena)
{
  self->start_row = start;
  self->stop_row = read->stop.len > 0 ? read->stop : (TallSlice)TALL_SLICE_INIT;
  self->columns = columns_new (read, &self->n_columns, arena);
  self->time_range = time_range_new (read, arena);
  self->max_versions = versions_of (read);
  self->limit = (gint32)n_rows;
}

static guint
count (const TallMutation *mutation, TallChangeKind kind)
{
  guint n = 0;
  for (guint i = 0; i < mutation->n_changes; i++)
    n += mutation->changes[i].kind == kind;
  return n;
}

/**
 * tall_hbase_mutation_has:
 *
 * Returns: whether there is a change of that kind in a mutation
 */
gboolean
tall_hbase_mutation_has (const TallMutation *mutation, TallChangeKind kind)
{
  return count (mutation, kind) > 0;
}

/**
 * tall_hbase_t_put_init:
 *
 * Makes the puts of a mutation. Every write is synced: HBase's regions are on different servers
 * with a log each, so a later synced write at one does not make an unsynced one at another durable.
 */
void
tall_hbase_t_put_init (TallHbaseTPut *self, const TallMutation *mutation, TallArena *arena)
{
  guint n = count (mutation, TALL_CHANGE_PUT);
  *self = (TallHbaseTPut){ .row = mutation->row,
                           .column_values = tall_arena_newa0 (arena, TallHbaseTColumnValue, n),
                           .durability = TALL_HBASE_SYNC_WAL };

  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind == TALL_CHANGE_PUT)
        self->column_values[self->n_column_values++] =
            (TallHbaseTColumnValue){ .family = FAMILY,
                                     .qualifier = change->qualifier,
                                     .value = change->value,
                                     .timestamp = change->timestamp,
                                     .has_timestamp = TRUE };
    }
}

/**
 * tall_hbase_t_delete_init:
 *
 * Makes the deletes of one kind of a mutation.
 */
void
tall_hbase_t_delete_init (TallHbaseTDelete *self,
                          const TallMutation *mutation,
                          TallChangeKind kind,
                          TallArena *arena)
{
  *self = (TallHbaseTDelete){
    .row = mutation->row,
    .columns = tall_arena_newa0 (arena, TallHbaseTColumn, count (mutation, kind)),
    .delete_type = kind == TALL_CHANGE_DELETE_UP_TO ? TALL_HBASE_DELETE_FAMILY
                                                    : TALL_HBASE_DELETE_FAMILY_VERSION,
    .durability = TALL_HBASE_SYNC_WAL,
  };

  for (guint i = 0; i < mutation->n_changes; i++)
    if (mutation->changes[i].kind == kind)
      self->columns[self->n_columns++] = (TallHbaseTColumn){
        .family = FAMILY, .timestamp = mutation->changes[i].timestamp, .has_timestamp = TRUE
      };
}

static void
add_delete (TallHbaseTRowMutations *self,
            const TallMutation *mutation,
            TallChangeKind kind,
            TallArena *arena)
{
  if (!tall_hbase_mutation_has (mutation, kind))
    return;
  TallHbaseTDelete *part = tall_arena_new0 (arena, TallHbaseTDelete);
  tall_hbase_t_delete_init (part, mutation, kind, arena);
  self->mutations[self->n_mutations++].delete_single = part;
}

/**
 * tall_hbase_t_row_mutations_new:
 *
 * Returns: (transfer none): a mutation as one atomic step
 */
TallHbaseTRowMutations *
tall_hbase_t_row_mutations_new (const TallMutation *mutation, TallArena *arena)
{
  TallHbaseTRowMutations *self = tall_arena_new0 (arena, TallHbaseTRowMutations);
  self->row = mutation->row;
  self->mutations = tall_arena_newa0 (arena, TallHbaseTMutation, 3);

  add_delete (self, mutation, TALL_CHANGE_DELETE_UP_TO, arena);
  add_delete (self, mutation, TALL_CHANGE_DELETE_AT, arena);
  if (tall_hbase_mutation_has (mutation, TALL_CHANGE_PUT))
    {
      TallHbaseTPut *put = tall_arena_new0 (arena, TallHbaseTPut);
      tall_hbase_t_put_init (put, mutation, arena);
      self->mutations[self->n_mutations++].put = put;
    }
  return self;
}

/**
 * tall_hbase_t_increment_new:
 *
 * Returns: (transfer none): an increment of one cell, synced like every write
 */
TallHbaseTIncrement *
tall_hbase_t_increment_new (TallSlice row, TallSlice qualifier, gint64 delta, TallArena *arena)
{
  TallHbaseTIncrement *self = tall_arena_new0 (arena, TallHbaseTIncrement);
  TallHbaseTColumnIncrement *column = tall_arena_new0 (arena, TallHbaseTColumnIncrement);
  *column = (TallHbaseTColumnIncrement){ FAMILY, qualifier, delta };
  *self = (TallHbaseTIncrement){ row, column, 1, TALL_HBASE_SYNC_WAL };
  return self;
}

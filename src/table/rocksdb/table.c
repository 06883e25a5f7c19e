/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/table.h"

#include "base/trace.h"
#include "table/rocksdb/database.h"
#include "table/rocksdb/directory.h"
#include "table/rocksdb/settings.h"
#include "table/table-kind.h"
#include "base/fail.h"

#define DEFAULT_NAME "tallorder"

struct _TallRocksdbTable
{
  TallTable parent_instance;

  char *name; /* of the deployment */
  TallRocksdbDatabase *database;
  TallRocksdbReader *reader;
  TallRocksdbWriter *writer;
};

G_DEFINE_FINAL_TYPE (TallRocksdbTable, tall_rocksdb_table, TALL_TYPE_TABLE)

static TallRocksdbFamily *
find_family (TallRocksdbTable *self, const char *table, GError **error)
{
  return tall_rocksdb_database_find_family (self->database, self->name, table, error);
}

static TallReadResult *
tall_rocksdb_table_read (TallTable *base, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (base);
  g_autoptr (TallReadResult) result = tall_read_result_new (plan->reads->len);

  for (guint i = 0; i < plan->reads->len; i++)
    {
      const TallRead *read = tall_read_plan_get (plan, i);
      tall_trace_add (NULL, 0);
      g_autoptr (TallRocksdbFamily) family = find_family (self, read->table, error);
      TallRocksdbStep step = { family, read, deadline, result->arena };
      if (family == NULL || !tall_rocksdb_family_admits (family, FALSE, error)
          || !tall_rocksdb_reader_read (self->reader, &step, &result->results[i], error))
        return NULL;
    }
  return g_steal_pointer (&result);
}

/* Returns: (transfer full): of each mutation the family; NULL if there is none */
static GPtrArray *
find_families (TallRocksdbTable *self, TallMutation *const *mutations, guint n, GError **error)
{
  g_autoptr (GPtrArray) families =
      g_ptr_array_new_full (n, (GDestroyNotify)tall_rocksdb_family_unref);

  for (guint i = 0; i < n; i++)
    {
      TallRocksdbFamily *family = NULL;
      if (i > 0 && mutations[i]->table == mutations[i - 1]->table)
        family = tall_rocksdb_family_ref (g_ptr_array_index (families, i - 1));
      else
        family = find_family (self, mutations[i]->table, error);
      if (family == NULL)
        return NULL;
      g_ptr_array_add (families, family);
    }
  return g_steal_pointer (&families);
}

static gboolean
tall_rocksdb_table_apply (TallTable *base,
                          TallMutation *const *mutations,
                          guint n,
                          TallDurability durability,
                          gint64 deadline,
                          GError **error)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (base);
  g_autoptr (GPtrArray) families = find_families (self, mutations, n, error);
  if (families == NULL)
    return FALSE;
  tall_trace_add (NULL, 0);
  return tall_rocksdb_writer_apply (self->writer, (TallRocksdbFamily *const *)families->pdata,
                                    mutations, n, durability, deadline, error);
}

static gboolean
tall_rocksdb_table_apply_if (TallTable *base,
                             const TallConditionalWrite *write,
                             gboolean *matched,
                             GError **error)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (base);
  g_autoptr (GPtrArray) families = find_families (self, write->mutations, write->n, error);
  if (families == NULL)
    return FALSE;
  tall_trace_add (NULL, 0);
  return tall_rocksdb_writer_apply_if (self->writer, (TallRocksdbFamily *const *)families->pdata,
                                       write, matched, error);
}

static gboolean
tall_rocksdb_table_increment (TallTable *base,
                              const char *table,
                              TallSlice row,
                              TallSlice qualifier,
                              gint64 delta,
                              gint64 deadline,
                              gint64 *value,
                              GError **error)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (base);
  g_autoptr (TallRocksdbFamily) family = find_family (self, table, error);
  if (family == NULL)
    return FALSE;
  tall_trace_add (NULL, 0);
  return tall_rocksdb_writer_increment (self->writer, family, row, qualifier, delta, deadline,
                                        value, error);
}

static gboolean
tall_rocksdb_table_create_table (TallTable *base,
                                 const TallTableSpec *spec,
                                 gint64 deadline G_GNUC_UNUSED,
                                 GError **error)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (base);
  return tall_rocksdb_schema_create_table (self->database, self->name, spec, error);
}

static gboolean
tall_rocksdb_table_drop_table (TallTable *base,
                               const char *table,
                               gint64 deadline G_GNUC_UNUSED,
                               GError **error)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (base);
  return tall_rocksdb_schema_drop_table (self->database, self->name, table, error);
}

static gboolean
tall_rocksdb_table_set_access (TallTable *base,
                               const char *table,
                               TallTableAccess access,
                               const char *seal,
                               gint64 deadline,
                               GError **error)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (base);
  const TallTableShutter to = { access, seal };
  return tall_rocksdb_schema_set_access (self->database, self->name, table, &to, deadline, error);
}

static TallTableSpec *
tall_rocksdb_table_describe_table (TallTable *base,
                                   const char *table,
                                   gint64 deadline G_GNUC_UNUSED,
                                   GError **error)
{
  g_autoptr (TallRocksdbFamily) family = find_family (TALL_ROCKSDB_TABLE (base), table, error);
  if (family == NULL)
    return NULL;

  TallTableSpec *spec = tall_rocksdb_family_describe (family);
  if (spec->compression == NULL)
    spec->compression = g_strdup ("none");
  if (spec->bloom_filter == NULL)
    spec->bloom_filter = g_strdup ("row");
  if (spec->block_encoding == NULL)
    spec->block_encoding = g_strdup ("prefix");
  return spec;
}

static GStrv
tall_rocksdb_table_list_tables (TallTable *base,
                                gint64 deadline G_GNUC_UNUSED,
                                GError **error G_GNUC_UNUSED)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (base);
  return tall_rocksdb_families_list (self->database->families, self->name);
}

static GStrv
tall_rocksdb_table_list_deployments (TallTable *base,
                                     const char *table,
                                     gint64 deadline G_GNUC_UNUSED,
                                     GError **error G_GNUC_UNUSED)
{
  return tall_rocksdb_families_list_deployments (TALL_ROCKSDB_TABLE (base)->database->families,
                                                 table);
}

static void
tall_rocksdb_table_get_info (TallTable *base, TallTableInfo *info)
{
  info->kind = TALL_ROCKSDB_KIND;
  info->deployment = TALL_ROCKSDB_TABLE (base)->name;
  info->false_is_final = TRUE;
  info->is_exclusive = TRUE;
  info->is_read_only = TALL_ROCKSDB_TABLE (base)->database->read_only;
  info->together = TALL_ROCKSDB_TOGETHER;
  info->keeps_deleted = "The files of the store have it until RocksDB compacts them, which may "
                        "take 30 days; erasing with --compact does it at once";
  info->keeps_compacted = "The file MANIFEST has the first and last row keys of files that are "
                          "gone, until the store is opened the next time";
}

static GArray *
tall_rocksdb_table_list_measures (TallTable *base)
{
  TallRocksdbDatabase *self = TALL_ROCKSDB_TABLE (base)->database;
  /* No table must go meanwhile, and nobody waits here. */
  if (!g_mutex_trylock (&self->schema_mutex))
    return NULL;
  g_autoptr (GPtrArray) handles = g_ptr_array_new ();
  g_ptr_array_add (handles, self->specs);
  tall_rocksdb_families_add_handles (self->families, handles);
  GArray *measures = tall_rocksdb_measures_list (self->db, handles, self->path);
  g_mutex_unlock (&self->schema_mutex);
  return measures;
}

static GStrv
tall_rocksdb_table_list_losses (TallTable *base)
{
  return tall_rocksdb_losses_list (TALL_ROCKSDB_TABLE (base)->database->path);
}

static gboolean
tall_rocksdb_table_copy_to (TallTable *base, const char *directory, GError **error)
{
  return tall_rocksdb_copy_make (TALL_ROCKSDB_TABLE (base)->database, directory, error);
}

static gboolean
tall_rocksdb_table_compact (
    TallTable *base, gboolean alone, guint64 *ticket, gboolean *done, GError **error)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (base);
  return tall_rocksdb_database_compact (self->database, self->name, alone, ticket, done, error);
}

static void
tall_rocksdb_table_init (TallRocksdbTable *self G_GNUC_UNUSED)
{
}

static void
tall_rocksdb_table_finalize (GObject *object)
{
  TallRocksdbTable *self = TALL_ROCKSDB_TABLE (object);
  g_clear_pointer (&self->reader, tall_rocksdb_reader_free);
  g_clear_pointer (&self->writer, tall_rocksdb_writer_free);
  g_clear_pointer (&self->database, tall_rocksdb_database_unref);
  g_free (self->name);
  G_OBJECT_CLASS (tall_rocksdb_table_parent_class)->finalize (object);
}

static void
tall_rocksdb_table_class_init (TallRocksdbTableClass *klass)
{
  TallTableClass *table = TALL_TABLE_CLASS (klass);
  table->read = tall_rocksdb_table_read;
  table->apply = tall_rocksdb_table_apply;
  table->apply_if = tall_rocksdb_table_apply_if;
  table->increment = tall_rocksdb_table_increment;
  table->create_table = tall_rocksdb_table_create_table;
  table->drop_table = tall_rocksdb_table_drop_table;
  table->set_access = tall_rocksdb_table_set_access;
  table->describe_table = tall_rocksdb_table_describe_table;
  table->list_tables = tall_rocksdb_table_list_tables;
  table->list_deployments = tall_rocksdb_table_list_deployments;
  table->get_info = tall_rocksdb_table_get_info;
  table->list_measures = tall_rocksdb_table_list_measures;
  table->list_losses = tall_rocksdb_table_list_losses;
  table->copy_to = tall_rocksdb_table_copy_to;
  table->compact = tall_rocksdb_table_compact;
  G_OBJECT_CLASS (klass)->finalize = tall_rocksdb_table_finalize;
}

static gboolean
check_options (const TallRocksdbOptions *options, GError **error)
{
  if (options->directory == NULL || options->directory[0] == '\0')
    return tall_error_fail_invalid (error, "directory", "The embedded store needs a directory");
  if (options->name == NULL)
    return TRUE;

  gsize len =
      strspn (options->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
  if (len == 0 || options->name[len] != '\0')
    return tall_error_fail_invalid (
        error, "name", "A deployment can not be named \"%s\": use letters, digits, _ - .",
        options->name);
  return TRUE;
}

/**
 * tall_rocksdb_table_open:
 * @options: how; nothing of it is kept
 *
 * Opens the embedded store in a directory. One process at a time can; within it, several objects
 * share the database, and the first one's @cache_bytes count. What a process that was killed had
 * written is there; what was to be durable is there after a crash of the machine as well.
 *
 * With @read_only any number of processes can open it besides, also a backup, and where nothing can
 * be written. Each sees what was acknowledged when it opened the store, and nothing later.
 *
 * Returns: (transfer full): the tables of one deployment; NULL with %TALL_ERROR_NOT_FOUND if there
 *   is no store and there has to be, %TALL_ERROR_INVALID if the directory holds something else,
 *   %TALL_ERROR_UNAVAILABLE if another process has it open or it can not be written,
 *   %TALL_ERROR_NEWER_VERSION, %TALL_ERROR_DAMAGED
 */
TallTable *
tall_rocksdb_table_open (const TallRocksdbOptions *options, GError **error)
{
  g_return_val_if_fail (options != NULL, NULL);

  if (!check_options (options, error))
    return NULL;
  TallRocksdbDatabase *database = tall_rocksdb_database_open (options, error);
  if (database == NULL)
    return NULL;

  TallRocksdbTable *self = g_object_new (TALL_TYPE_ROCKSDB_TABLE, NULL);
  self->name = g_strdup (options->name != NULL ? options->name : DEFAULT_NAME);
  self->database = database;
  self->reader = tall_rocksdb_reader_new (database);
  self->writer = tall_rocksdb_writer_new (database, options->sync);
  return TALL_TABLE (self);
}

/**
 * tall_rocksdb_table_count:
 * @name: of a counter of RocksDB's, such as `rocksdb.wal.synced`
 *
 * Returns: what it has counted since the directory was opened; 0 if that was without @statistics
 */
guint64
tall_rocksdb_table_count (TallRocksdbTable *self, const char *name)
{
  g_return_val_if_fail (TALL_IS_ROCKSDB_TABLE (self), 0);

  g_autofree char *ticker = g_strconcat (name, " COUNT : ", NULL);
  g_autoptr (TallRocksdbText) statistics =
      rocksdb_options_statistics_get_string (self->database->options);
  const char *found = statistics == NULL ? NULL : strstr (statistics, ticker);
  return found == NULL ? 0 : g_ascii_strtoull (found + strlen (ticker), NULL, 10);
}

/**
 * tall_rocksdb_table_get_stripes:
 *
 * Returns: (transfer none): the locks of its rows
 */
TallRocksdbStripes *
tall_rocksdb_table_get_stripes (TallRocksdbTable *self)
{
  return self->database->stripes;
}

/**
 * tall_rocksdb_table_get_handle:
 *
 * Returns: (transfer none): RocksDB's own handle of the database
 */
rocksdb_t *
tall_rocksdb_table_get_handle (TallRocksdbTable *self)
{
  return self->database->db;
}

/**
 * tall_rocksdb_table_find_family:
 *
 * Returns: (transfer full): the column family of a table; NULL with %TALL_ERROR_NOT_FOUND
 */
TallRocksdbFamily *
tall_rocksdb_table_find_family (TallRocksdbTable *self, const char *table, GError **error)
{
  return find_family (self, table, error);
}

enum
{
  CHOICE_SYNC,
  CHOICE_READ_ONLY,
};

static const TallTableChoice choices[] = {
  [CHOICE_SYNC] = { "sync", { "0", "1" }, TRUE },
  [CHOICE_READ_ONLY] = { "readonly", { "0", "1" }, FALSE },
  { NULL },
};

static char *
read_place (const char *text, GError **error)
{
  char *directory = g_uri_unescape_string (text, NULL);
  if (directory == NULL)
    tall_error_set_invalid (error, "store", "“%%” needs two hex digits; write %%25 for %%");
  return directory;
}

static TallTable *
open_tables (const TallTableAddress *address, gboolean create, GError **error)
{
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = address->place;
  options.name = address->name;
  options.sync = address->choices[CHOICE_SYNC];
  options.read_only = address->choices[CHOICE_READ_ONLY];
  options.must_exist = !create || options.read_only;
  options.cache_bytes = address->cache_bytes;
  return tall_rocksdb_table_open (&options, error);
}

const TallTableKind tall_table_kind_rocksdb = {
  .name = TALL_ROCKSDB_KIND,
  .title = "RocksDB",
  .scheme = "rocksdb:",
  .place = "DIR",
  .what = "the directory",
  .choices = choices,
  .is_embedded = TRUE,
  .read_place = read_place,
  .open = open_tables,
  .check_spec = tall_rocksdb_options_check_spec,
  .find_room = tall_rocksdb_room_find,
};

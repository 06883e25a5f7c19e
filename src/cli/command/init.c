/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"
#include "base/fail.h"
#include "base/file.h"
#include "cli/output.h"
#include "library/open.h"

typedef struct
{
  char *layout;
  char *key;
  gint64 ttl;
  GStrv indexes;
  int regions; /* G_MININT: not given */
  char *sample;
  char *compression;
  char *bloom_filter;
  char *block_encoding;
  gboolean print_ddl;
  gboolean list;
  gboolean json;
} InitOptions;

static TallExit
create (const TallOptions *options, const TallStoreSettings *settings)
{
  TallExit code;
  g_autoptr (TallTable) table = tall_options_open_table (options, &tall_command_init, TRUE, &code);
  if (table == NULL)
    return code;
  g_autoptr (GError) error = NULL;
  if (!tall_store_create (table, settings, &error))
    return tall_fail_with (error, TALL_EXIT_FAILED);
  TallTableInfo info;
  tall_table_get_info (table, &info);
  tall_print ("Created deployment %s on %s: layout %s, key strategy %s\n", info.deployment,
              info.kind, settings->layout->name, settings->key_strategy->name);
  return TALL_EXIT_DONE;
}

/* The first kind whose tables an administrator can make. */
static const TallTableKind *
find_kind_with_ddl (void)
{
  guint n;
  const TallTableKind *const *kinds = tall_table_kinds (&n);
  for (guint i = 0; i < n; i++)
    if (kinds[i]->make_ddl != NULL)
      return kinds[i];
  g_assert_not_reached ();
}

static gboolean
print_statements (const TallTableAddress *address, const GPtrArray *specs, GError **error)
{
  const TallTableKind *usual = find_kind_with_ddl ();
  const TallTableKind *kind = address != NULL ? address->kind : usual;
  if (kind->make_ddl == NULL)
    return tall_error_fail_invalid (
        error, "print-ddl", "--print-ddl is for %s: an embedded store makes its tables itself",
        usual->title);
  for (guint i = 0; i < specs->len; i++)
    {
      g_autofree char *statement = kind->make_ddl (g_ptr_array_index (specs, i),
                                                   address != NULL ? address->name : NULL, error);
      if (statement == NULL)
        return FALSE;
      tall_print ("%s\n", statement);
    }
  return TRUE;
}

static TallExit
print_ddl (const TallOptions *options, const GPtrArray *specs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableAddress) address =
      options->store != NULL ? tall_table_kinds_parse (options->store, &error) : NULL;
  if (error != NULL)
    return tall_fail_with (error, TALL_EXIT_USAGE);
  if (!print_statements (address, specs, &error))
    return tall_usage_error (&tall_command_init, "%s", error->message);
  return TALL_EXIT_DONE;
}

/* Reads customer numbers, one in each line. */
static gboolean
read_sample (const char *path, GStrv *sample, GError **error)
{
  if (path == NULL)
    return TRUE;
  g_autofree char *text = tall_file_read (path, TALL_FILE_MAX_DATA, NULL, error);
  if (text == NULL)
    {
      g_prefix_error (error, "--sample: ");
      return FALSE;
    }
  *sample = g_strsplit (g_strchomp (text), "\n", -1);
  for (guint i = 0; (*sample)[i] != NULL; i++)
    g_strchomp ((*sample)[i]);
  return TRUE;
}

static gboolean
make_settings (const InitOptions *own, GStrv *sample, TallStoreSettings *settings, GError **error)
{
  *settings = (TallStoreSettings){
    .layout = tall_layout_choose (own->layout, error),
    .ttl = (guint64)own->ttl,
    .regions = own->regions == G_MININT ? 0 : (guint)own->regions,
    .compression = own->compression,
    .bloom_filter = own->bloom_filter,
    .block_encoding = own->block_encoding,
  };
  g_autofree char *indexes = own->indexes != NULL ? g_strjoinv ("\n", own->indexes) : NULL;
  if (settings->layout == NULL
      || !tall_indexes_parse (indexes, &settings->index, &settings->indexes, error))
    return FALSE;
  settings->key_strategy = tall_key_strategy_choose (own->key, error);
  if (settings->key_strategy == NULL || !read_sample (own->sample, sample, error))
    return FALSE;
  settings->sample = (const char *const *)*sample;
  return TRUE;
}

/* What a store cannot do is refused before there is one, or its statements are printed. */
static gboolean
check_specs (const InitOptions *own,
             const TallTableKind *kind,
             const GPtrArray *specs,
             GError **error)
{
  if (kind->is_embedded && own->regions > 1)
    return tall_error_fail_invalid (error, "regions",
                                    "--regions is for %s: an embedded store has no regions",
                                    find_kind_with_ddl ()->title);
  for (guint i = 0; i < specs->len; i++)
    if (!kind->check_spec (g_ptr_array_index (specs, i), error))
      return FALSE;
  return TRUE;
}

/* The kind whose limits hold: without a known one, those of tables that an administrator makes. */
static const TallTableKind *
find_kind (const TallOptions *options, const InitOptions *own)
{
  const char *rest;
  const TallTableKind *kind =
      options->store != NULL ? tall_table_kinds_find (options->store, &rest) : NULL;
  if (kind == NULL || (own->print_ddl && kind->make_ddl == NULL))
    return find_kind_with_ddl ();
  return kind;
}

static TallExit
check_and_create (const TallOptions *options, const InitOptions *own)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) sample = NULL;
  TallStoreSettings settings;
  if (own->ttl < 0)
    return tall_usage_error (&tall_command_init, "--ttl takes seconds, 0 or more");
  if (own->regions != G_MININT && (own->regions < 1 || own->regions > TALL_MAX_REGIONS))
    return tall_usage_error (&tall_command_init, "--regions takes a number from 1 to %d",
                             TALL_MAX_REGIONS);

  g_autoptr (GPtrArray) specs = NULL;
  if (make_settings (own, &sample, &settings, &error))
    specs = tall_store_plan_tables (&settings, &error);
  if (specs == NULL)
    {
      tall_print_failure (error);
      return g_error_matches (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE) ? TALL_EXIT_FAILED
                                                                         : TALL_EXIT_USAGE;
    }
  if (!check_specs (own, find_kind (options, own), specs, &error))
    return tall_usage_error (&tall_command_init, "%s", error->message);
  return own->print_ddl ? print_ddl (options, specs) : create (options, &settings);
}

static TallExit
run (int argc, char **argv)
{
  InitOptions own = { .regions = G_MININT };
  const GOptionEntry entries[] = {
    { "layout", 0, 0, G_OPTION_ARG_FILENAME, &own.layout, "how an order lies in rows", "LAYOUT" },
    { "key", 0, 0, G_OPTION_ARG_FILENAME, &own.key, "how numbers become row keys", "STRATEGY" },
    { "ttl", 0, 0, G_OPTION_ARG_INT64, &own.ttl,
      "orders expire after this time (0: never); clocks may differ by 600 s, or half of it if "
      "that is less; record-type keeps the rows",
      "SECONDS" },
    { "index", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &own.indexes,
      "by what orders are found beside the default, which is date and number=order_number; with "
      "date or none there is just what is given, and with none puts are faster, but orders "
      "cannot be listed by date; may be repeated",
      "date|none|NAME=TEMPLATE" },
    { "regions", 0, 0, G_OPTION_ARG_INT, &own.regions, "regions that tables begin with", "N" },
    { "sample", 0, 0, G_OPTION_ARG_FILENAME, &own.sample,
      "customer numbers to split by, one a line, for key strategy raw", "FILE" },
    { "compression", 0, 0, G_OPTION_ARG_FILENAME, &own.compression, "such as snappy or zstd",
      "NAME" },
    { "bloom", 0, 0, G_OPTION_ARG_FILENAME, &own.bloom_filter,
      "bloom filter of rows, or of rows and columns", "none|row|rowcol" },
    { "block-encoding", 0, 0, G_OPTION_ARG_FILENAME, &own.block_encoding,
      "such as fast_diff or prefix", "NAME" },
    { "print-ddl", 0, 0, G_OPTION_ARG_NONE, &own.print_ddl,
      "only print the statements of the hbase shell that make the tables", NULL },
    { "list", 0, 0, G_OPTION_ARG_NONE, &own.list,
      "only print which layouts, key strategies and kinds of stores there are", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &own.json, "with --list: as JSON", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_init, entries, argc, argv, &error))
    return tall_call_error (&tall_command_init, error);
  if (own.json && !own.list)
    return tall_usage_error (&tall_command_init, "--json goes with --list");
  if (!own.list)
    return check_and_create (&options, &own);
  tall_choices_print (own.json);
  return TALL_EXIT_DONE;
}

const TallCommand tall_command_init = {
  .name = "init",
  .arguments = "",
  .summary = "Makes a deployment, by a layout and keys that `migrate` can change later.",
  .make_help = tall_choices_describe,
  .help = "Several deployments live side by side in one store under different names.\n\n"
          "Example:\n"
          "  tallorder init --store rocksdb:shop --layout record-type --key hashed\n"
          "  tallorder init --store rocksdb:shop \\\n"
          "      --index 'by-item=md5(line.item_number) rtime(sales_date)?'\n"
          "  tallorder init --store 'hbase://127.0.0.1:9090?name=shop' --regions 8\n\n"
          "Where only an administrator may create tables, or the gateway is framed: print the\n"
          "statements, have them run in the hbase shell, then call init with the same options.\n"
          "  tallorder init --store 'hbase://h:9090?name=shop' --regions 8 --print-ddl",
  .run = run,
};

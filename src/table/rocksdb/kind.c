/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table-kind.h"

#include "tall-error.h"
#include "table/rocksdb/options.h"
#include "table/rocksdb/room.h"
#include "table/rocksdb/table.h"

enum
{
  CHOICE_SYNC,
};

static const TallTableChoice choices[] = {
  [CHOICE_SYNC] = { "sync", { "0", "1" }, TRUE },
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
  options.must_exist = !create;
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

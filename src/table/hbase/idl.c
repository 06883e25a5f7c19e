/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/idl.h"

#include "wire/connection.h"

/* A field of the C struct `Type`. Names are for errors, so they matter where it is read. */
#define AT(member) G_STRUCT_OFFSET (Type, member)
#define FIELD(name, id, kind, member, beside, type)                                                \
  {                                                                                                \
    name, id, TALL_KIND_##kind, AT (member), beside, type                                          \
  }
#define ALWAYS(name, id, kind, member) FIELD (name, id, kind, member, TALL_STRUCT_ALWAYS, NULL)
#define REQUIRED(name, id, kind, member) FIELD (name, id, kind, member, TALL_STRUCT_REQUIRED, NULL)
#define OPTIONAL(name, id, kind, member) FIELD (name, id, kind, member, AT (has_##member), NULL)
#define STRUCT(name, id, member, type) FIELD (name, id, STRUCT, member, TALL_STRUCT_ALWAYS, &type)
#define STRUCTS(name, id, member, type) FIELD (name, id, STRUCTS, member, AT (n_##member), &type)
#define HANDED_ON(name, id, kind, type)                                                            \
  {                                                                                                \
    name, id, TALL_KIND_##kind, 0, TALL_STRUCT_ALWAYS, &type                                       \
  }
#define BIT(id) TALL_STRUCT_BIT (id)

#define Type TallHbaseTTimeRange
static const TallStructField t_time_range_type_fields[] = {
  ALWAYS ("minStamp", 1, I64, min_stamp), ALWAYS ("maxStamp", 2, I64, max_stamp)
};
static TALL_STRUCT_TYPE (t_time_range_type, "TTimeRange", Type);
#undef Type

#define Type TallHbaseTColumn
static const TallStructField t_column_type_fields[] = {
  REQUIRED ("family", 1, BYTES, family),
  OPTIONAL ("qualifier", 2, BYTES, qualifier),
  OPTIONAL ("timestamp", 3, I64, timestamp),
};
static TALL_STRUCT_TYPE (t_column_type, "TColumn", Type);
#undef Type

#define Type TallHbaseTColumnValue
static const TallStructField tall_hbase_t_column_value_type_fields[] = {
  REQUIRED ("a cell's family", 1, BYTES, family),
  REQUIRED ("a cell's qualifier", 2, BYTES, qualifier),
  REQUIRED ("a cell's value", 3, BYTES, value),
  OPTIONAL ("a cell's timestamp", 4, I64, timestamp),
};
TALL_STRUCT_TYPE (tall_hbase_t_column_value_type,
                  "a cell",
                  Type,
                  .required = BIT (1) | BIT (2) | BIT (3),
                  .lacking = "lacks its family, qualifier or value");
#undef Type

#define Type TallHbaseTResult
static const TallStructField tall_hbase_t_result_type_fields[] = {
  ALWAYS ("a row key", 1, BYTES, row),
  HANDED_ON ("the list of cells", 2, EACH, tall_hbase_t_column_value_type),
};
TALL_STRUCT_TYPE (tall_hbase_t_result_type,
                  "a row",
                  Type,
                  .required = BIT (2),
                  .lacking = "lacks its list of cells");
#undef Type

#define Type TallHbaseTPut
static const TallStructField t_put_type_fields[] = {
  REQUIRED ("row", 1, BYTES, row),
  STRUCTS ("columnValues", 2, column_values, tall_hbase_t_column_value_type),
  ALWAYS ("durability", 6, I32, durability),
};
static TALL_STRUCT_TYPE (t_put_type, "TPut", Type);
#undef Type

#define Type TallHbaseTDelete
static const TallStructField t_delete_type_fields[] = {
  REQUIRED ("row", 1, BYTES, row),
  STRUCTS ("columns", 2, columns, t_column_type),
  ALWAYS ("deleteType", 4, I32, delete_type),
  ALWAYS ("durability", 7, I32, durability),
};
static TALL_STRUCT_TYPE (t_delete_type, "TDelete", Type);
#undef Type

const TallStructType tall_hbase_t_failed_delete_type = {
  .name = "a failed delete",
  .required = BIT (1),
  .lacking = "lacks its row",
};

#define Type TallHbaseTColumnIncrement
static const TallStructField t_column_increment_type_fields[] = {
  REQUIRED ("family", 1, BYTES, family),
  REQUIRED ("qualifier", 2, BYTES, qualifier),
  ALWAYS ("amount", 3, I64, amount),
};
static TALL_STRUCT_TYPE (t_column_increment_type, "TColumnIncrement", Type);
#undef Type

#define Type TallHbaseTIncrement
static const TallStructField t_increment_type_fields[] = {
  REQUIRED ("row", 1, BYTES, row),
  STRUCTS ("columns", 2, columns, t_column_increment_type),
  ALWAYS ("durability", 5, I32, durability),
};
static TALL_STRUCT_TYPE (t_increment_type, "TIncrement", Type);
#undef Type

#define Type TallHbaseTMutation
static const TallStructField t_mutation_type_fields[] = {
  STRUCT ("put", 1, put, t_put_type), STRUCT ("deleteSingle", 2, delete_single, t_delete_type)
};
static TALL_STRUCT_TYPE (t_mutation_type, "TMutation", Type);
#undef Type

#define Type TallHbaseTRowMutations
static const TallStructField t_row_mutations_type_fields[] = {
  REQUIRED ("row", 1, BYTES, row), STRUCTS ("mutations", 2, mutations, t_mutation_type)
};
static TALL_STRUCT_TYPE (t_row_mutations_type, "TRowMutations", Type);
#undef Type

#define Type TallHbaseTGet
static const TallStructField t_get_type_fields[] = {
  REQUIRED ("row", 1, BYTES, row),
  STRUCTS ("columns", 2, columns, t_column_type),
  STRUCT ("timeRange", 4, time_range, t_time_range_type),
  ALWAYS ("maxVersions", 5, I32, max_versions),
};
static TALL_STRUCT_TYPE (t_get_type, "TGet", Type);
#undef Type

#define Type TallHbaseTScan
static const TallStructField t_scan_type_fields[] = {
  REQUIRED ("startRow", 1, BYTES, start_row),
  ALWAYS ("stopRow", 2, BYTES, stop_row),
  STRUCTS ("columns", 3, columns, t_column_type),
  ALWAYS ("maxVersions", 5, I32, max_versions),
  STRUCT ("timeRange", 6, time_range, t_time_range_type),
  ALWAYS ("limit", 15, I32, limit),
};
static TALL_STRUCT_TYPE (t_scan_type, "TScan", Type);
#undef Type

#define Type TallHbaseTTableName
static const TallStructField tall_hbase_t_table_name_type_fields[] = {
  ALWAYS ("a namespace", 1, BYTES, ns), REQUIRED ("a table's name", 2, BYTES, qualifier)
};
TALL_STRUCT_TYPE (tall_hbase_t_table_name_type,
                  "a table's whole name",
                  Type,
                  .required = BIT (2),
                  .lacking = "lacks the table");
#undef Type

#define Type TallHbaseTColumnFamilyDescriptor
static const TallStructField tall_hbase_t_column_family_descriptor_type_fields[] = {
  REQUIRED ("a family's name", 1, BYTES, name),
  OPTIONAL ("a Bloom filter", 5, I32, bloom_filter_type),
  OPTIONAL ("a compression", 6, I32, compression_type),
  OPTIONAL ("a block encoding", 8, I32, data_block_encoding),
  ALWAYS ("a rule for deleted cells", 9, I32, keep_deleted_cells),
  ALWAYS ("a number of versions", 10, I32, max_versions),
  ALWAYS ("a time to live", 13, I32, time_to_live),
};
TALL_STRUCT_TYPE (tall_hbase_t_column_family_descriptor_type,
                  "a family",
                  Type,
                  .required = BIT (1),
                  .lacking = "lacks its name");
#undef Type

/* A descriptor as it is sent, and as it is received. */
#define Type TallHbaseTTableDescriptor
static const TallStructField t_table_descriptor_type_fields[] = {
  STRUCT ("tableName", 1, table_name, tall_hbase_t_table_name_type),
  STRUCTS ("columns", 2, columns, tall_hbase_t_column_family_descriptor_type),
};
static TALL_STRUCT_TYPE (t_table_descriptor_type, "TTableDescriptor", Type);
static const TallStructField tall_hbase_t_table_descriptor_type_fields[] = {
  STRUCT ("a table's name", 1, table_name, tall_hbase_t_table_name_type),
  HANDED_ON ("the list of families", 2, EACH, tall_hbase_t_column_family_descriptor_type),
};
TALL_STRUCT_TYPE (tall_hbase_t_table_descriptor_type,
                  "a table",
                  Type,
                  .required = BIT (1),
                  .lacking = "lacks its name");
#undef Type

#define Type TallHbaseTHRegionInfo
static const TallStructField t_h_region_info_type_fields[] = {
  ALWAYS ("a region's first key", 3, BYTES, start_key)
};
static TALL_STRUCT_TYPE (t_h_region_info_type,
                         "a region",
                         Type,
                         .required = BIT (1) | BIT (2),
                         .lacking = "lacks its number or table");
#undef Type

#define Type TallHbaseTHRegionLocation
static const TallStructField tall_hbase_t_h_region_location_type_fields[] = {
  STRUCT ("a region", 2, region_info, t_h_region_info_type)
};
TALL_STRUCT_TYPE (tall_hbase_t_h_region_location_type,
                  "a region's location",
                  Type,
                  .required = BIT (1) | BIT (2),
                  .lacking = "lacks its server or region");
#undef Type

#define Type TallHbaseTIOError
static const TallStructField t_io_error_type_fields[] = {
  ALWAYS ("an error's message", 1, REASON, message),
  ALWAYS ("an error's mark", 2, BOOL, can_retry),
};
static TALL_STRUCT_TYPE (t_io_error_type, "an error", Type);
#undef Type

#define Type TallHbaseArgs
#define ARGS(identifier, ...)                                                                      \
  static const TallStructField identifier##_fields[] = { __VA_ARGS__ };                            \
  static TALL_STRUCT_TYPE (identifier, "args", Type)
#define TABLE REQUIRED ("table", 1, BYTES, table)
ARGS (get_args, TABLE, STRUCT ("tget", 2, get, t_get_type));
ARGS (get_multiple_args, TABLE, STRUCTS ("tgets", 2, gets, t_get_type));
ARGS (get_scanner_results_args,
      TABLE,
      STRUCT ("tscan", 2, scan, t_scan_type),
      ALWAYS ("numRows", 3, I32, n_rows));
ARGS (put_multiple_args, TABLE, STRUCTS ("tputs", 2, puts, t_put_type));
ARGS (delete_multiple_args, TABLE, STRUCTS ("tdeletes", 2, deletes, t_delete_type));
ARGS (mutate_row_args, TABLE, STRUCT ("trowMutations", 2, mutations, t_row_mutations_type));
#define CELL                                                                                       \
  REQUIRED ("row", 2, BYTES, row), REQUIRED ("family", 3, BYTES, family),                          \
      REQUIRED ("qualifier", 4, BYTES, qualifier)
ARGS (check_and_put_args,
      TABLE,
      CELL,
      REQUIRED ("value", 5, BYTES, value),
      STRUCT ("tput", 6, puts, t_put_type));
ARGS (check_and_mutate_args,
      TABLE,
      CELL,
      ALWAYS ("compareOp", 5, I32, compare_op),
      REQUIRED ("value", 6, BYTES, value),
      STRUCT ("rowMutations", 7, mutations, t_row_mutations_type));
ARGS (increment_args, TABLE, STRUCT ("tincrement", 2, increment, t_increment_type));
ARGS (table_args, TABLE);
ARGS (create_table_args,
      STRUCT ("desc", 1, descriptor, t_table_descriptor_type),
      FIELD ("splitKeys", 2, SLICES, splits, AT (n_splits), NULL));
ARGS (modify_table_args, REQUIRED ("desc", 1, RAW, raw));
ARGS (table_name_args, STRUCT ("tableName", 1, name, tall_hbase_t_table_name_type));
ARGS (pattern_args,
      ALWAYS ("regex", 1, TEXT, pattern),
      ALWAYS ("includeSysTables", 2, BOOL, system_tables));
static const TallStructType no_args = { .name = "args", .size = sizeof (Type) };
#undef CELL
#undef TABLE
#undef ARGS
#undef Type

#define Type TallHbaseResult
#define IO STRUCT ("an error", 1, io, t_io_error_type)
#define RESULT(identifier, ...)                                                                    \
  static const TallStructField identifier##_fields[] = { __VA_ARGS__ };                            \
  static TALL_STRUCT_TYPE (identifier, "the reply", Type)
RESULT (void_result, IO);
RESULT (bool_result, ALWAYS ("the answer", 0, BOOL, yes), IO);
RESULT (number_result, ALWAYS ("the number", 0, I32, number), IO);
RESULT (row_result, HANDED_ON ("the row", 0, ONE, tall_hbase_t_result_type), IO);
RESULT (rows_result, HANDED_ON ("the list of rows", 0, EACH, tall_hbase_t_result_type), IO);
RESULT (deletes_result,
        HANDED_ON ("the list of deletes", 0, EACH, tall_hbase_t_failed_delete_type),
        IO);
RESULT (regions_result,
        HANDED_ON ("the list of regions", 0, EACH, tall_hbase_t_h_region_location_type),
        IO);
RESULT (names_result, HANDED_ON ("the list of tables", 0, EACH, tall_hbase_t_table_name_type), IO);
RESULT (table_result, REQUIRED ("the table", 0, RAW, raw), IO);
#undef RESULT
#undef IO
#undef Type

const TallHbaseMethod tall_hbase_methods[TALL_HBASE_N_METHODS] = {
  [TALL_HBASE_GET_THRIFT_SERVER_TYPE] = { TALL_PROBE_GATEWAY_CALL, &no_args, &number_result, NULL },
  [TALL_HBASE_GET] = { "get", &get_args, &row_result, "rows" },
  [TALL_HBASE_GET_MULTIPLE] = { "getMultiple", &get_multiple_args, &rows_result, "rows" },
  [TALL_HBASE_GET_SCANNER_RESULTS] = { "getScannerResults", &get_scanner_results_args, &rows_result,
                                       "rows" },
  [TALL_HBASE_PUT_MULTIPLE] = { "putMultiple", &put_multiple_args, &void_result, NULL },
  [TALL_HBASE_DELETE_MULTIPLE] = { "deleteMultiple", &delete_multiple_args, &deletes_result,
                                   "a list of deletes" },
  [TALL_HBASE_MUTATE_ROW] = { "mutateRow", &mutate_row_args, &void_result, NULL },
  [TALL_HBASE_CHECK_AND_PUT] = { "checkAndPut", &check_and_put_args, &bool_result, "an answer" },
  [TALL_HBASE_CHECK_AND_MUTATE] = { "checkAndMutate", &check_and_mutate_args, &bool_result,
                                    "an answer" },
  [TALL_HBASE_INCREMENT] = { "increment", &increment_args, &row_result, "a row" },
  [TALL_HBASE_GET_ALL_REGION_LOCATIONS] = { "getAllRegionLocations", &table_args, &regions_result,
                                            "regions" },
  [TALL_HBASE_CREATE_TABLE] = { "createTable", &create_table_args, &void_result, NULL },
  [TALL_HBASE_DELETE_TABLE] = { "deleteTable", &table_name_args, &void_result, NULL },
  [TALL_HBASE_MODIFY_TABLE] = { "modifyTable", &modify_table_args, &void_result, NULL },
  [TALL_HBASE_ENABLE_TABLE] = { "enableTable", &table_name_args, &void_result, NULL },
  [TALL_HBASE_DISABLE_TABLE] = { "disableTable", &table_name_args, &void_result, NULL },
  [TALL_HBASE_IS_TABLE_ENABLED] = { "isTableEnabled", &table_name_args, &bool_result, "an answer" },
  [TALL_HBASE_IS_TABLE_DISABLED] = { "isTableDisabled", &table_name_args, &bool_result,
                                     "an answer" },
  [TALL_HBASE_TABLE_EXISTS] = { "tableExists", &table_name_args, &bool_result, "an answer" },
  [TALL_HBASE_GET_TABLE_DESCRIPTOR] = { "getTableDescriptor", &table_name_args, &table_result,
                                        "a table" },
  [TALL_HBASE_GET_TABLE_NAMES_BY_PATTERN] = { "getTableNamesByPattern", &pattern_args,
                                              &names_result, "tables" },
};

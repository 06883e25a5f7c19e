/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/connection.h"

/* The structs and calls of `idl/hbase.thrift` that are used here, with their names there; numbers
 * of fields and meanings are in that file. */

typedef enum
{
  TALL_HBASE_SYNC_WAL = 3
} TallHbaseTDurability;

typedef enum
{
  TALL_HBASE_DELETE_FAMILY = 2,
  TALL_HBASE_DELETE_FAMILY_VERSION = 3
} TallHbaseTDeleteType;

typedef enum
{
  TALL_HBASE_EQUAL = 2
} TallHbaseTCompareOp;

typedef enum
{
  TALL_HBASE_SERVER_ONE = 1,
  TALL_HBASE_SERVER_TWO = 2
} TallHbaseTServerType;

typedef enum
{
  TALL_HBASE_BLOOM_NONE = 0,
  TALL_HBASE_BLOOM_ROW = 1,
  TALL_HBASE_BLOOM_ROWCOL = 2
} TallHbaseTBloomFilterType;

typedef enum
{
  TALL_HBASE_COMPRESSION_LZO = 0,
  TALL_HBASE_COMPRESSION_GZ = 1,
  TALL_HBASE_COMPRESSION_NONE = 2,
  TALL_HBASE_COMPRESSION_SNAPPY = 3,
  TALL_HBASE_COMPRESSION_LZ4 = 4,
  TALL_HBASE_COMPRESSION_BZIP2 = 5,
  TALL_HBASE_COMPRESSION_ZSTD = 6
} TallHbaseTCompressionAlgorithm;

typedef enum
{
  TALL_HBASE_ENCODING_NONE = 0,
  TALL_HBASE_ENCODING_PREFIX = 2,
  TALL_HBASE_ENCODING_DIFF = 3,
  TALL_HBASE_ENCODING_FAST_DIFF = 4,
  TALL_HBASE_ENCODING_ROW_INDEX_V1 = 7
} TallHbaseTDataBlockEncoding;

typedef enum
{
  TALL_HBASE_KEEP_DELETED_FALSE = 0
} TallHbaseTKeepDeletedCells;

typedef struct
{
  gint64 min_stamp;
  gint64 max_stamp;
} TallHbaseTTimeRange;

typedef struct
{
  TallSlice family;
  TallSlice qualifier;
  gint64 timestamp;
  gboolean has_qualifier;
  gboolean has_timestamp;
} TallHbaseTColumn;

typedef struct
{
  TallSlice family;
  TallSlice qualifier;
  TallSlice value;
  gint64 timestamp;
  gboolean has_timestamp;
} TallHbaseTColumnValue;

typedef struct
{
  TallSlice row;
  TallHbaseTColumnValue *column_values; /* n_column_values of them */
  guint n_column_values;
  gint32 durability;
} TallHbaseTPut;

typedef struct
{
  TallSlice row;
  TallHbaseTColumn *columns; /* n_columns of them */
  guint n_columns;
  gint32 delete_type;
  gint32 durability;
} TallHbaseTDelete;

typedef struct
{
  TallSlice family;
  TallSlice qualifier;
  gint64 amount;
} TallHbaseTColumnIncrement;

typedef struct
{
  TallSlice row;
  TallHbaseTColumnIncrement *columns; /* n_columns of them */
  guint n_columns;
  gint32 durability;
} TallHbaseTIncrement;

/* One of both is there. */
typedef struct
{
  TallHbaseTPut *put;
  TallHbaseTDelete *delete_single;
} TallHbaseTMutation;

typedef struct
{
  TallSlice row;
  TallHbaseTMutation *mutations; /* n_mutations of them */
  guint n_mutations;
} TallHbaseTRowMutations;

typedef struct
{
  TallSlice row;
  const TallHbaseTColumn *columns; /* n_columns of them; none: all */
  guint n_columns;
  const TallHbaseTTimeRange *time_range; /* NULL: all */
  gint32 max_versions;
} TallHbaseTGet;

typedef struct
{
  TallSlice start_row;
  TallSlice stop_row;              /* NULL data: up to the end */
  const TallHbaseTColumn *columns; /* n_columns of them; none: all */
  guint n_columns;
  gint32 max_versions;
  const TallHbaseTTimeRange *time_range; /* NULL: all */
  gint32 limit;
} TallHbaseTScan;

typedef struct
{
  TallSlice ns; /* NULL data: "default" */
  TallSlice qualifier;
} TallHbaseTTableName;

typedef struct
{
  TallSlice name;
  gint32 bloom_filter_type;
  gint32 compression_type;
  gint32 data_block_encoding;
  gint32 keep_deleted_cells;
  gint32 max_versions;
  gint32 time_to_live;
  gboolean has_bloom_filter_type;
  gboolean has_compression_type;
  gboolean has_data_block_encoding;
} TallHbaseTColumnFamilyDescriptor;

typedef struct
{
  const TallHbaseTTableName *table_name;
  TallHbaseTColumnFamilyDescriptor *columns; /* n_columns of them */
  guint n_columns;
} TallHbaseTTableDescriptor;

/* A region, as far as it is read. */
typedef struct
{
  TallSlice start_key; /* NULL data: absent */
} TallHbaseTHRegionInfo;

typedef struct
{
  TallHbaseTHRegionInfo *region_info;
} TallHbaseTHRegionLocation;

typedef struct
{
  char *message; /* NULL: absent */
  gboolean can_retry;
} TallHbaseTIOError;

/* The arguments of any call; each call has its own fields of it. */
typedef struct
{
  TallSlice table;
  TallSlice row;
  TallSlice qualifier;
  TallSlice family;
  TallSlice value;
  gint32 compare_op;
  gint32 n_rows;
  const TallHbaseTGet *get;
  const TallHbaseTGet *gets; /* n_gets of them */
  guint n_gets;
  const TallHbaseTScan *scan;
  const TallHbaseTPut *puts; /* n_puts of them */
  guint n_puts;
  const TallHbaseTDelete *deletes; /* n_deletes of them */
  guint n_deletes;
  const TallHbaseTRowMutations *mutations;
  const TallHbaseTIncrement *increment;
  const TallHbaseTTableName *name;
  const TallHbaseTTableDescriptor *descriptor;
  TallSlice raw;           /* a TTableDescriptor as its bytes */
  const TallSlice *splits; /* n_splits of them */
  guint n_splits;
  const char *pattern;
  gboolean system_tables;
} TallHbaseArgs;

/* The result of any call, without the structs that are handed on. */
typedef struct
{
  TallHbaseTIOError *io; /* NULL: it succeeded */
  gboolean yes;
  gint32 number;
  TallSlice raw; /* a TTableDescriptor as its bytes */
} TallHbaseResult;

/* A row of a reply. Its cells are handed on before it. */
typedef struct
{
  TallSlice row; /* NULL data: absent */
} TallHbaseTResult;

typedef enum
{
  TALL_HBASE_GET_THRIFT_SERVER_TYPE,
  TALL_HBASE_GET,
  TALL_HBASE_GET_MULTIPLE,
  TALL_HBASE_GET_SCANNER_RESULTS,
  TALL_HBASE_PUT_MULTIPLE, /* the first of those that write rows */
  TALL_HBASE_DELETE_MULTIPLE,
  TALL_HBASE_MUTATE_ROW,
  TALL_HBASE_CHECK_AND_PUT,
  TALL_HBASE_CHECK_AND_MUTATE,
  TALL_HBASE_INCREMENT, /* the last */
  TALL_HBASE_GET_ALL_REGION_LOCATIONS,
  TALL_HBASE_CREATE_TABLE,
  TALL_HBASE_DELETE_TABLE,
  TALL_HBASE_MODIFY_TABLE,
  TALL_HBASE_ENABLE_TABLE,
  TALL_HBASE_DISABLE_TABLE,
  TALL_HBASE_IS_TABLE_ENABLED,
  TALL_HBASE_IS_TABLE_DISABLED,
  TALL_HBASE_TABLE_EXISTS,
  TALL_HBASE_GET_TABLE_DESCRIPTOR,
  TALL_HBASE_GET_TABLE_NAMES_BY_PATTERN,
  TALL_HBASE_N_METHODS
} TallHbaseMethodId;

typedef struct
{
  const char *name;
  const TallStructType *args;   /* of TallHbaseArgs */
  const TallStructType *result; /* of TallHbaseResult */
  const char *success;          /* what a reply has if it succeeded; NULL: nothing */
} TallHbaseMethod;

extern const TallHbaseMethod tall_hbase_methods[TALL_HBASE_N_METHODS];

/* What replies hand on. */
extern const TallStructType tall_hbase_t_column_value_type;
extern const TallStructType tall_hbase_t_result_type;
extern const TallStructType tall_hbase_t_failed_delete_type; /* nothing of it is read */
extern const TallStructType tall_hbase_t_table_name_type;
extern const TallStructType tall_hbase_t_column_family_descriptor_type;
extern const TallStructType tall_hbase_t_h_region_location_type;

/* A descriptor as it is received: its families are handed on. */
extern const TallStructType tall_hbase_t_table_descriptor_type;

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/*
 * The part of HBase's Thrift2 gateway that tallorder calls.
 *
 * Field numbers, types and names are facts of the gateway (HBase 2.6.1) and must stay as they are;
 * tests/idl/compare_hbase_idl.py compares them with the interface that the gateway's own jar
 * carries. Types keep the gateway's names, so that its documentation can be read beside this file.
 * The service's name is ours: it is not sent.
 *
 * Left out on purpose: the maps of binary keys ("attributes", "colFamTimeRangeMap"), because Thrift
 * C GLib hashes such keys as if they were C strings; visibility labels and authorizations; region
 * replicas; the scanner calls that keep state in the gateway. A field that is not declared here is
 * skipped when it is received.
 *
 * Rows, families, qualifiers and values are bytes. Timestamps are milliseconds since the epoch,
 * unless a comment says otherwise.
 */

namespace c_glib Hb
namespace py hbase

// ---- Cells and results --------------------------------------------------------------------------

/** Timestamps from minStamp up to, not including, maxStamp. */
struct TTimeRange {
  1: required i64 minStamp,
  2: required i64 maxStamp
}

/** A family, or one column of it. The timestamp counts in deletes only. */
struct TColumn {
  1: required binary family,
  2: optional binary qualifier,
  3: optional i64 timestamp
}

/** A cell with its value. Without a timestamp the region server's clock gives it one. */
struct TColumnValue {
  1: required binary family,
  2: required binary qualifier,
  3: required binary value,
  4: optional i64 timestamp
}

/** A column that holds an 8-byte big-endian integer, and what to add to it. */
struct TColumnIncrement {
  1: required binary family,
  2: required binary qualifier,
  3: optional i64 amount = 1
}

/**
 * One row. An absent row has no row key and no cells. "partial": the row goes on in the next
 * result, which happens only where a scan limits cells rather than rows.
 */
struct TResult {
  1: optional binary row,
  2: required list<TColumnValue> columnValues,
  3: optional bool stale = false,
  4: optional bool partial = false
}

// ---- Writes -------------------------------------------------------------------------------------

/** How far a write has got in the write-ahead log when it is acknowledged. */
enum TDurability {
  /** As the table is set; a table without a setting means SYNC_WAL. */
  USE_DEFAULT = 0,
  /** Not logged at all: lost when the region server ends. */
  SKIP_WAL = 1,
  /** Logged soon after the answer. */
  ASYNC_WAL = 2,
  /** Handed to the file system before the answer. */
  SYNC_WAL = 3,
  /** Forced to the disks before the answer. */
  FSYNC_WAL = 4
}

/** What a delete of a column or family removes, given a timestamp. */
enum TDeleteType {
  /** The version of a column with this timestamp; without one, the newest. */
  DELETE_COLUMN = 0,
  /** All versions of a column with this or an older timestamp. */
  DELETE_COLUMNS = 1,
  /** All cells of a family with this or an older timestamp. */
  DELETE_FAMILY = 2,
  /** The cells of a family with exactly this timestamp. */
  DELETE_FAMILY_VERSION = 3
}

/** Cells to write to one row, atomically. "timestamp" is for cells without one of their own. */
struct TPut {
  1: required binary row,
  2: required list<TColumnValue> columnValues,
  3: optional i64 timestamp,
  6: optional TDurability durability
}

/**
 * What to remove from one row. Without columns the whole row goes, up to and including
 * "timestamp"; with columns each of them has a timestamp of its own. Delete markers also hide
 * cells that are written later with timestamps that they cover.
 */
struct TDelete {
  1: required binary row,
  2: optional list<TColumn> columns,
  3: optional i64 timestamp,
  4: optional TDeleteType deleteType = TDeleteType.DELETE_COLUMNS,
  7: optional TDurability durability
}

/** Additions to columns of one row. The new values come back unless returnResults is false. */
struct TIncrement {
  1: required binary row,
  2: required list<TColumnIncrement> columns,
  5: optional TDurability durability,
  7: optional bool returnResults
}

/** Exactly one field is set. */
union TMutation {
  1: TPut put,
  2: TDelete deleteSingle
}

/** Puts and deletes of one row that take effect together; their rows equal "row". */
struct TRowMutations {
  1: required binary row,
  2: required list<TMutation> mutations
}

/** How a stored value (left) is compared with the one sent (right). Only EQUAL is used here. */
enum TCompareOp {
  LESS = 0,
  LESS_OR_EQUAL = 1,
  EQUAL = 2,
  NOT_EQUAL = 3,
  GREATER_OR_EQUAL = 4,
  GREATER = 5,
  NO_OP = 6
}

// ---- Reads --------------------------------------------------------------------------------------

/**
 * A read of one row. No columns: all of them. maxVersions absent: the newest version only. A
 * timestamp given beside a time range wins.
 */
struct TGet {
  1: required binary row,
  2: optional list<TColumn> columns,
  3: optional i64 timestamp,
  4: optional TTimeRange timeRange,
  5: optional i32 maxVersions,
  6: optional binary filterString,
  11: optional bool cacheBlocks,
  12: optional i32 storeLimit,
  13: optional i32 storeOffset,
  14: optional bool existence_only
}

/** How a scan reads its files. */
enum TReadType {
  DEFAULT = 1,
  /** In one stream: for many rows. */
  STREAM = 2,
  /** By position: for few rows. */
  PREAD = 3
}

/**
 * Rows from startRow up to, not including, stopRow (reversed: downwards); an absent bound is open.
 * "caching" is the number of rows a call between gateway and region server brings, "batchSize" the
 * most cells a result holds, "limit" the most rows of the whole scan.
 */
struct TScan {
  1: optional binary startRow,
  2: optional binary stopRow,
  3: optional list<TColumn> columns,
  4: optional i32 caching,
  5: optional i32 maxVersions = 1,
  6: optional TTimeRange timeRange,
  7: optional binary filterString,
  8: optional i32 batchSize,
  11: optional bool reversed,
  12: optional bool cacheBlocks,
  14: optional TReadType readType,
  15: optional i32 limit
}

// ---- Tables and regions -------------------------------------------------------------------------

/** A table's name; without a namespace, in "default". */
struct TTableName {
  1: optional binary ns,
  2: required binary qualifier
}

enum TBloomFilterType {
  NONE = 0,
  ROW = 1,
  ROWCOL = 2,
  ROWPREFIX_FIXED_LENGTH = 3
}

enum TCompressionAlgorithm {
  LZO = 0,
  GZ = 1,
  NONE = 2,
  SNAPPY = 3,
  LZ4 = 4,
  BZIP2 = 5,
  ZSTD = 6
}

enum TDataBlockEncoding {
  NONE = 0,
  PREFIX = 2,
  DIFF = 3,
  FAST_DIFF = 4,
  ROW_INDEX_V1 = 7
}

enum TKeepDeletedCells {
  FALSE = 0,
  TRUE = 1,
  TTL = 2
}

/**
 * A family and its settings; what is absent takes HBase's default when a table is created.
 * timeToLive: seconds, 2147483647 for ever. blockSize: bytes. ("bloomnFilterType" is the
 * gateway's spelling.)
 */
struct TColumnFamilyDescriptor {
  1: required binary name,
  4: optional i32 blockSize,
  5: optional TBloomFilterType bloomnFilterType,
  6: optional TCompressionAlgorithm compressionType,
  7: optional i16 dfsReplication,
  8: optional TDataBlockEncoding dataBlockEncoding,
  9: optional TKeepDeletedCells keepDeletedCells,
  10: optional i32 maxVersions,
  11: optional i32 minVersions,
  12: optional i32 scope,
  13: optional i32 timeToLive,
  14: optional bool blockCacheEnabled,
  15: optional bool cacheBloomsOnWrite,
  16: optional bool cacheDataOnWrite,
  17: optional bool cacheIndexesOnWrite,
  18: optional bool compressTags,
  19: optional bool evictBlocksOnClose,
  20: optional bool inMemory
}

/**
 * A table: its name, families, and the durability of writes that name none. Field 3 of the gateway's
 * is `map<binary, binary> attributes`, which C GLib cannot hold; modifyTable needs all of them, so
 * what getTableDescriptor returned goes back as bytes.
 */
struct TTableDescriptor {
  1: required TTableName tableName,
  2: optional list<TColumnFamilyDescriptor> columns,
  4: optional TDurability durability
}

/** A region: rows from startKey up to, not including, endKey; an empty key is an open end. */
struct THRegionInfo {
  1: required i64 regionId,
  2: required binary tableName,
  3: optional binary startKey,
  4: optional binary endKey,
  5: optional bool offline,
  6: optional bool split,
  7: optional i32 replicaId
}

struct TServerName {
  1: required string hostName,
  2: optional i32 port,
  3: optional i64 startCode
}

struct THRegionLocation {
  1: required TServerName serverName,
  2: required THRegionInfo regionInfo
}

// ---- Errors and the gateway's kind --------------------------------------------------------------

/**
 * Any failure between the gateway and HBase. The message is that of the Java exception.
 * canRetry: sending the same call again may succeed; older gateways (before 2.5) do not say.
 */
exception TIOError {
  1: optional string message,
  2: optional bool canRetry
}

/** Which of HBase's two Thrift interfaces a gateway speaks; ours is TWO. */
enum TThriftServerType {
  ONE = 1,
  TWO = 2
}

// ---- Calls --------------------------------------------------------------------------------------

service Gateway {
  /** Touches no table: a probe that the gateway is there and speaks our framing and protocol. */
  TThriftServerType getThriftServerType(),

  /** The name that this HBase gave itself when it was first started. */
  string getClusterId(),

  TResult get(
    1: required binary table,
    2: required TGet tget
  ) throws (1: TIOError io),

  /** Results stand in the order of the gets; an absent row is an empty result. */
  list<TResult> getMultiple(
    1: required binary table,
    2: required list<TGet> tgets
  ) throws (1: TIOError io),

  /** Opens a scan, reads at most numRows rows and closes it: the gateway keeps no state. */
  list<TResult> getScannerResults(
    1: required binary table,
    2: required TScan tscan,
    3: i32 numRows = 1
  ) throws (1: TIOError io),

  void put(
    1: required binary table,
    2: required TPut tput
  ) throws (1: TIOError io),

  /** Each row by itself: after an error some are stored, and the error does not say which. */
  void putMultiple(
    1: required binary table,
    2: required list<TPut> tputs
  ) throws (1: TIOError io),

  void deleteSingle(
    1: required binary table,
    2: required TDelete tdelete
  ) throws (1: TIOError io),

  /** As putMultiple. The list that comes back is always empty. */
  list<TDelete> deleteMultiple(
    1: required binary table,
    2: required list<TDelete> tdeletes
  ) throws (1: TIOError io),

  /** Puts and deletes of one row as one atomic step. */
  void mutateRow(
    1: required binary table,
    2: required TRowMutations trowMutations
  ) throws (1: TIOError io),

  /**
   * As put, if the column's newest value is that one; tells whether it was. An empty or absent value
   * means "the column must not exist".
   */
  bool checkAndPut(
    1: required binary table,
    2: required binary row,
    3: required binary family,
    4: required binary qualifier,
    5: binary value,
    6: required TPut tput
  ) throws (1: TIOError io),

  /**
   * As mutateRow, if the column's newest value compares as asked; tells whether it did. An EMPTY
   * value means "the column must not exist"; an absent one is an internal error of the gateway.
   */
  bool checkAndMutate(
    1: required binary table,
    2: required binary row,
    3: required binary family,
    4: required binary qualifier,
    5: required TCompareOp compareOp,
    6: binary value,
    7: required TRowMutations rowMutations
  ) throws (1: TIOError io),

  /** Never safe to send twice. */
  TResult increment(
    1: required binary table,
    2: required TIncrement tincrement
  ) throws (1: TIOError io),

  list<THRegionLocation> getAllRegionLocations(
    1: required binary table
  ) throws (1: TIOError io),

  /** Returns when all regions are open. On framed gateways splitKeys arrive as garbage. */
  void createTable(
    1: required TTableDescriptor desc,
    2: list<binary> splitKeys
  ) throws (1: TIOError io),

  /** Takes the place of all that the descriptor says; regions that are open open again. */
  void modifyTable(
    1: required TTableDescriptor desc
  ) throws (1: TIOError io),

  /** The table must be disabled. */
  void deleteTable(
    1: required TTableName tableName
  ) throws (1: TIOError io),

  void enableTable(
    1: required TTableName tableName
  ) throws (1: TIOError io),

  void disableTable(
    1: required TTableName tableName
  ) throws (1: TIOError io),

  bool isTableEnabled(
    1: required TTableName tableName
  ) throws (1: TIOError io),

  bool isTableDisabled(
    1: required TTableName tableName
  ) throws (1: TIOError io),

  /** Whether all regions of the table are open. */
  bool isTableAvailable(
    1: required TTableName tableName
  ) throws (1: TIOError io),

  bool tableExists(
    1: TTableName tableName
  ) throws (1: TIOError io),

  /** An absent table is an error. */
  TTableDescriptor getTableDescriptor(
    1: required TTableName table
  ) throws (1: TIOError io),

  /** Tables whose whole name matches the Java regular expression; absent: all. */
  list<TTableName> getTableNamesByPattern(
    1: string regex,
    2: required bool includeSysTables
  ) throws (1: TIOError io),

  list<TTableName> getTableNamesByNamespace(
    1: required string name
  ) throws (1: TIOError io)
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib-object.h>

#include "cell/cell.h"

/**
 * TallDurability:
 * @TALL_DURABLE: on disk when the call returns, with everything this process wrote before it
 * @TALL_DURABLE_LATER: may still be lost in a crash until a later durable write has returned
 */
typedef enum
{
  TALL_DURABLE,
  TALL_DURABLE_LATER,
} TallDurability;

/* Deadlines are absolute, in microseconds of g_get_monotonic_time(). */
#define TALL_NO_DEADLINE G_MAXINT64

/**
 * TallConditionalWrite:
 *
 * Changes of rows that are made only if a cell is as expected. A plain value; nothing is owned.
 */
typedef struct
{
  TallMutation *const *mutations; /* each of another row; the first one's row has the cell */
  guint n;                        /* 1 at least, and no more than #TallTableInfo says */
  guint n_alike;             /* rows after the first that must have the cell as expected, too */
  TallSlice qualifier;       /* of the cell: its newest visible version counts */
  const TallSlice *expected; /* the value that it must have, not empty; NULL: it must not
                                exist */
  TallDurability durability;
  gint64 deadline;
} TallConditionalWrite;

/* Bytes at most, in every store; both have at least one. The limit of row keys is HBase's. */
#define TALL_MAX_ROW_KEY 32767
#define TALL_MAX_QUALIFIER 32767

/**
 * TallTableAccess:
 * @TALL_ACCESS_OPEN: reads and writes. Setting it takes the seal away, and leaves a table closed
 *   that is
 * @TALL_ACCESS_SEALED: reads only: apply, apply_if and increment fail with %TALL_ERROR_SHUT.
 *   Setting it leaves a table closed that is
 * @TALL_ACCESS_CLOSED: neither: read fails with %TALL_ERROR_SHUT, too. Setting it leaves the seal
 * @TALL_ACCESS_UNCLOSED: open, or sealed if there is a seal. It is only set, never described
 *
 * What a table lets its callers do. The seal and the close are independent of each other, so that
 * a call of the one kind that comes late never undoes what one of the other kind has done. Behind a
 * gateway a call on a closed table may also have no answer in time. A table is created open. It can
 * be described, listed and dropped whatever its access is.
 */
typedef enum
{
  TALL_ACCESS_OPEN,
  TALL_ACCESS_SEALED,
  TALL_ACCESS_CLOSED,
  TALL_ACCESS_UNCLOSED,
} TallTableAccess;

/* Characters of the token of a seal at most. */
#define TALL_MAX_SEAL 64

/**
 * TallTableSpec:
 *
 * How a table is kept. Zero or NULL means: the store's own default. A setting that was asked for by
 * name is described by the same name; another is described as the store keeps it, or left NULL.
 */
typedef struct
{
  char *name;           /* short name, such as `orders`: letters, digits, `_` and `-` */
  guint max_versions;   /* versions kept of a cell; 0 = all */
  guint64 ttl;          /* seconds after which cells disappear; 0 = never */
  char *compression;    /* `none`, `snappy`, `gz`, `lz4`, `zstd` … */
  char *bloom_filter;   /* `none`, `row`, `rowcol` */
  char *block_encoding; /* `none`, `prefix`, `diff`, `fast_diff` … */
  GPtrArray *splits;    /* of GBytes, ascending: row keys where regions begin; NULL = one region */

  /* What describe_table finds. A table is created open, without a seal. */
  TallTableAccess access;
  char *seal; /* the token under which the table is sealed, also while it is closed; NULL: it is
                 not sealed, or not by set_access */
} TallTableSpec;

TallTableSpec *tall_table_spec_new (const char *name);
TallTableSpec *tall_table_spec_copy (const TallTableSpec *self);
void tall_table_spec_free (TallTableSpec *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTableSpec, tall_table_spec_free)

/**
 * TallTableInfo:
 *
 * What a table is. Texts are owned by the table.
 */
typedef struct
{
  const char *kind;          /* `memory`, `rocksdb`, `hbase` … */
  const char *deployment;    /* the name that its tables have as prefix */
  gboolean false_is_final;   /* "did not match" of apply_if is always true: nothing between us and
                                the rows repeats calls that had taken effect */
  gboolean is_exclusive;     /* no other process works on these tables as long as this one does */
  gboolean is_read_only;     /* every write is refused */
  gboolean cannot_shut;      /* set_access is always refused, by this gateway */
  guint together;            /* rows that apply_if changes in one step, at most; 1 at least */
  const char *keeps_deleted; /* nullable: a sentence for people: where the bytes of what was deleted
                                still are, and until when */
  const char *keeps_compacted; /* the same after compact() */
} TallTableInfo;

/* Sizes of merged requests: 1 row, 2, up to 4, up to 8 … up to 128, and more. */
#define TALL_TABLE_MERGED_SIZES 9

/**
 * TallTableMerged:
 *
 * Requests for rows of several callers.
 */
typedef struct
{
  guint64 n[TALL_TABLE_MERGED_SIZES]; /* by their rows: as many as that size, and more than the one
                                       * before */
  guint64 n_rows;                     /* of all of them */
} TallTableMerged;

enum
{
  TALL_TABLE_MERGED_READS,
  TALL_TABLE_MERGED_WRITES,
  TALL_TABLE_N_MERGED
};

/**
 * TallTableServer:
 *
 * One of the servers by which tables are reached, and its state.
 */
typedef struct
{
  char *address;     /* `host:port` */
  char *state;       /* `alive`, `asked` (whether it is there) or `aside` (not used) */
  char *reason;      /* nullable: why it is not used */
  gint64 since;      /* when that began: microseconds of g_get_real_time() */
  guint connections; /* that are open */
  guint64 n_done;    /* uses of a connection, since the process began, that ended well */
  guint64 n_failed;  /* the same that did not */
  guint64 n_retries; /* calls that were sent again, as they had failed here */
  TallTableMerged merged[TALL_TABLE_N_MERGED];
} TallTableServer;

void tall_table_server_free (TallTableServer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTableServer, tall_table_server_free)

/**
 * TallTableMeasure:
 *
 * A number about the state of what keeps the tables, for those who watch it. Texts are static.
 */
typedef struct
{
  const char *name;  /* in snake_case, with its unit, such as `block_cache_bytes` */
  const char *help;  /* one sentence */
  gboolean is_total; /* it only grows, as long as the process runs */
  gdouble value;     /* in base units: bytes, seconds */
} TallTableMeasure;

#define TALL_TYPE_TABLE (tall_table_get_type ())
G_DECLARE_DERIVABLE_TYPE (TallTable, tall_table, TALL, TABLE, GObject)

/**
 * TallTableClass:
 *
 * HBase's data model and nothing more: named tables of rows of versioned cells, atomic within a
 * row. One object holds all tables of one deployment; the short names of tables are unique within
 * it, and different deployments on the same store do not see each other's.
 *
 * Every slot but get_info, list_servers, list_measures, list_deployments, list_losses, copy_to
 * and compact must be implemented.
 * Every call may be made from any thread at any time. Strings and slices passed in belong to the
 * caller; nothing is kept after the call. Calls on a table whose access forbids them fail with
 * %TALL_ERROR_SHUT. Every call ends by @deadline, or soon after, with
 * %TALL_ERROR_TIMED_OUT. Calls on a table that was not created fail with %TALL_ERROR_NOT_FOUND (the
 * public functions that read or write rows turn it into %TALL_ERROR_UNSUPPORTED, because no row was
 * looked for). Arguments that make no sense fail with %TALL_ERROR_INVALID (the public functions
 * check them, so an implementation need not). Other failures: %TALL_ERROR_UNAVAILABLE (nothing was
 * done), %TALL_ERROR_OVERLOADED (nothing was done), %TALL_ERROR_DAMAGED, %TALL_ERROR_UNSUPPORTED,
 * %TALL_ERROR_INTERNAL.
 *
 * The order of changes in a row. A cell is the newest put with its qualifier and timestamp. A
 * delete hides matching cells that are there, and may hide matching cells that are put later (HBase
 * does, until a major compaction): no caller may rely on either. All implementations here do hide
 * them. Two puts with the same qualifier and timestamp: the later one wins. When a table keeps a
 * bounded number of versions, whether one that was pushed out comes back after newer ones are
 * deleted is not defined either.
 */
struct _TallTableClass
{
  GObjectClass parent_class;

  /**
   * read:
   *
   * Executes all reads of a plan. Absent rows and rows without a matching cell are left out;
   * results stand at the positions of the reads. Each row is read atomically, different rows are
   * not: two reads of a plan may see different states of a row. @max_versions of a read counts
   * cells within its range of timestamps only, its @limit rows that are returned. A key that is
   * asked for twice is returned twice. A read is harmless, so the implementation may repeat it.
   *
   * Returns: (transfer full): the result; NULL with @error set if any read failed
   */
  TallReadResult *(*read) (TallTable *self,
                           const TallReadPlan *plan,
                           gint64 deadline,
                           GError **error);

  /**
   * apply:
   * @mutations: @n of them, at least 1, each another row (the same one twice is
   *   %TALL_ERROR_INVALID)
   *
   * Applies each mutation atomically, in any order. Repeating a mutation is harmless as its
   * timestamps are explicit, so the implementation may do so. After an error some may be done: with
   * %TALL_ERROR_SHUT those of tables that are open.
   *
   * Returns: TRUE if all are done
   */
  gboolean (*apply) (TallTable *self,
                     TallMutation *const *mutations,
                     guint n,
                     TallDurability durability,
                     gint64 deadline,
                     GError **error);

  /**
   * apply_if:
   * @write: a cell that a marker masks, or that has expired, does not exist
   * @matched: (out): whether the condition held and so the mutations were applied
   *
   * Compares and applies in one atomic step: all of the mutations or none, also if the process or
   * the machine dies. %TALL_ERROR_SHUT if the table of the first one is shut, or the condition
   * holds and another is. Never repeated by the implementation once the request
   * may have arrived; if the answer is lost then, the error is %TALL_ERROR_OUTCOME_UNKNOWN. With
   * any other but %TALL_ERROR_INTERNAL nothing was done, and nothing will be later. Even "did not
   * match" can be wrong behind a gateway that repeats calls by itself; a caller that needs to know
   * reads the cell. %TALL_ERROR_SHUT is exactly as certain as "did not match".
   *
   * Returns: TRUE if @matched is set
   */
  gboolean (*apply_if) (TallTable *self,
                        const TallConditionalWrite *write,
                        gboolean *matched,
                        GError **error);

  /**
   * increment:
   * @value: (out): the counter after the step
   *
   * Adds @delta to a counter (8 bytes big-endian; absent counts as 0; wraps around) in one durable
   * atomic step. Its cell gets the store's clock as timestamp. A cell that is not a counter is an
   * error and stays as it is.
   * Never repeated by the implementation; a lost answer is %TALL_ERROR_OUTCOME_UNKNOWN.
   */
  gboolean (*increment) (TallTable *self,
                         const char *table,
                         TallSlice row,
                         TallSlice qualifier,
                         gint64 delta,
                         gint64 deadline,
                         gint64 *value,
                         GError **error);

  /**
   * create_table:
   *
   * Creates an empty table. %TALL_ERROR_CONFLICT if it exists, %TALL_ERROR_UNSUPPORTED if the store
   * cannot keep what the spec asks for.
   */
  gboolean (*create_table) (TallTable *self,
                            const TallTableSpec *spec,
                            gint64 deadline,
                            GError **error);

  /**
   * drop_table:
   *
   * Removes a table with everything in it. %TALL_ERROR_NOT_FOUND if there is none.
   */
  gboolean (*drop_table) (TallTable *self, const char *table, gint64 deadline, GError **error);

  /**
   * set_access:
   * @seal: (nullable): the token of a seal: with %TALL_ACCESS_SEALED only, and always then
   *
   * Changes what may be done with a table; the table keeps it. When it has returned TRUE, no call
   * that the access forbids has an effect any more, whoever made it, in any process, however long
   * before: it was done before, or it never is. The same access again, also with another seal, is
   * as good as the first time. The seal and the close are set one by one: see #TallTableAccess.
   *
   * It opens nothing else, not even for a moment. %TALL_ERROR_NOT_FOUND if there is no such table.
   * %TALL_ERROR_UNSUPPORTED: nothing was done, the message says what to do instead.
   * %TALL_ERROR_OUTCOME_UNKNOWN: it may have been done, be done by halves, or still happen later.
   */
  gboolean (*set_access) (TallTable *self,
                          const char *table,
                          TallTableAccess access,
                          const char *seal,
                          gint64 deadline,
                          GError **error);

  /**
   * describe_table:
   *
   * A table is described as closed once it is closed as a whole, and as sealed as soon as its
   * settings say so: a seal that set_access has not acknowledged may still be on its way.
   *
   * Returns: (transfer full): how a table is really kept, settings and regions as the store reports
   *   them; NULL with %TALL_ERROR_NOT_FOUND if there is none
   */
  TallTableSpec *(*describe_table) (TallTable *self,
                                    const char *table,
                                    gint64 deadline,
                                    GError **error);

  /**
   * list_tables:
   *
   * Returns: (transfer full): short names of this deployment's tables in any order, NULL-terminated
   */
  GStrv (*list_tables) (TallTable *self, gint64 deadline, GError **error);

  /**
   * get_info:
   * @info: (out caller-allocates): what the table is; comes with the most careful values
   *
   * Optional. Absent: a table of no known kind, under the usual name.
   */
  void (*get_info) (TallTable *self, TallTableInfo *info);

  /**
   * list_servers:
   *
   * Optional. Absent: the tables are in this process. The state of one that is just being asked may
   * be waited for until @deadline.
   *
   * Returns: (transfer full): of #TallTableServer, in the order in which they were named
   */
  GPtrArray *(*list_servers) (TallTable *self, gint64 deadline);

  /**
   * list_measures:
   *
   * Optional. Absent: there are none. It waits for nothing.
   *
   * Returns: (transfer full) (nullable): of #TallTableMeasure, always the same ones; NULL: they
   *   cannot be had just now
   */
  GArray *(*list_measures) (TallTable *self);

  /**
   * list_deployments:
   *
   * Optional. Absent: there is no other deployment in the same place.
   *
   * Returns: (transfer full): the names of all deployments in the same place that have a table
   *   @table, in any order, NULL-terminated
   */
  GStrv (*list_deployments) (TallTable *self, const char *table, gint64 deadline, GError **error);

  /**
   * list_losses:
   *
   * Optional. Absent: the tables lose nothing by themselves.
   *
   * Returns: (nullable) (transfer full): what the store gave up when it was opened after a crash,
   *   in lines for people, each with its date; the last one says how to forget them. NULL: nothing
   */
  GStrv (*list_losses) (TallTable *self);

  /**
   * copy_to:
   * @directory: of the copy, absolute; it must not exist yet, and what it is made in must
   *
   * Copies all that is kept in this place, of all deployments, as it is in one moment, into a
   * directory that can be opened as a place of the same kind. Others read and write meanwhile.
   * Durable writes that were acknowledged before the call are in it; of the others, those up to
   * some one. Nothing is synced. After an error a part may be left, and beside it one with `.tmp`
   * at the end of its name.
   *
   * Optional. Absent: %TALL_ERROR_UNSUPPORTED.
   */
  gboolean (*copy_to) (TallTable *self, const char *directory, GError **error);

  /**
   * compact:
   * @alone: the caller knows that nobody else uses the tables, so that no put can come late
   * @ticket: (inout): 0: what was deleted before this call is to go; then what the call has set
   * @done: (out): whether it has
   *
   * Has the store write its files anew without what was deleted in all tables of this deployment,
   * in the background: to be called again until it is done. Until then puts that come late may
   * still be on their way, which delete markers hide.
   *
   * Optional. Absent: done at once, and no ticket: files stay as they are.
   */
  gboolean (*compact) (
      TallTable *self, gboolean alone, guint64 *ticket, gboolean *done, GError **error);

  gpointer padding[1];
};

TallReadResult *tall_table_read (TallTable *self,
                                 const TallReadPlan *plan,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallGap:
 *
 * Rows that cannot be read.
 */
typedef struct
{
  GError *cause;    /* owned; NULL: there are none */
  GByteArray *next; /* owned: from where on rows can be read; empty: from nowhere */
} TallGap;

void tall_gap_clear (TallGap *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallGap, tall_gap_clear)

TallReadResult *tall_table_scan_past (TallTable *self,
                                      TallReadPlan *plan,
                                      gint64 deadline,
                                      TallGap *gap,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_apply (TallTable *self,
                           TallMutation *const *mutations,
                           guint n,
                           TallDurability durability,
                           gint64 deadline,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_apply_if (TallTable *self,
                              const TallConditionalWrite *write,
                              gboolean *matched,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_increment (TallTable *self,
                               const char *table,
                               TallSlice row,
                               TallSlice qualifier,
                               gint64 delta,
                               gint64 deadline,
                               gint64 *value,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_create_table (TallTable *self,
                                  const TallTableSpec *spec,
                                  gint64 deadline,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_drop_table (TallTable *self, const char *table, gint64 deadline, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_set_access (TallTable *self,
                                const char *table,
                                TallTableAccess access,
                                const char *seal,
                                gint64 deadline,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallTableSpec *tall_table_describe_table (TallTable *self,
                                          const char *table,
                                          gint64 deadline,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
GStrv
tall_table_list_tables (TallTable *self, gint64 deadline, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GStrv tall_table_list_deployments (TallTable *self,
                                   const char *table,
                                   gint64 deadline,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

void tall_table_get_info (TallTable *self, TallTableInfo *info);
GPtrArray *tall_table_list_servers (TallTable *self, gint64 deadline);
GArray *tall_table_list_measures (TallTable *self);
GStrv tall_table_list_losses (TallTable *self);
gboolean tall_table_copy_to (TallTable *self,
                             const char *directory,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_compact (TallTable *self,
                             gboolean alone,
                             guint64 *ticket,
                             gboolean *done,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

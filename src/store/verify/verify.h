/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"
#include "store/read/index.h"
#include "store/store.h"
#include "tall-verify.h"

#define TALL_VERIFY_MAX_TABLES 4

/**
 * tall_verify_deadline:
 *
 * Returns: until when one call of the table may take, in a verification, repair or erase
 */
static inline gint64
tall_verify_deadline (void)
{
  return g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
}

/**
 * TallVerifyStray:
 *
 * Rows of a table that are of nobody, or that cannot be read.
 */
typedef struct
{
  const char *table;
  GByteArray *row; /* owned: key of the first; with @cause: what is before it can be read */
  guint n_rows;    /* between those of one order; else 1 */
  GError *cause;   /* owned; NULL: no layout makes such keys */
} TallVerifyStray;

void tall_verify_stray_clear (TallVerifyStray *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyStray, tall_verify_stray_clear)

/**
 * TallVerifyPages:
 *
 * Rows of a table, page by page; goes on behind those that cannot be read.
 */
typedef struct
{
  TallTable *in;
  const char *table;
  GByteArray *next; /* owned: where the next page begins */
  TallSlice stop;   /* empty: the end of the table */
  guint limit;      /* rows of a page */
  gboolean ended;
} TallVerifyPages;

TallReadResult *tall_verify_pages_read (TallVerifyPages *self,
                                        TallVerifyStray *gap,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_pages_clear (TallVerifyPages *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyPages, tall_verify_pages_clear)

/**
 * TallVerifyGroup:
 *
 * All rows of an order, or the row of a customer, in all tables of the layout. Valid until the next
 * step of the scan.
 */
typedef struct
{
  TallSlice customer; /* the parts of the row keys; empty: there are only strays */
  TallSlice order;    /* empty: a customer */
  guint n_tables;
  const char *tables[TALL_VERIFY_MAX_TABLES];
  GArray *rows[TALL_VERIFY_MAX_TABLES]; /* of TallRow, one array for each table */
  GArray *strays;                       /* of TallVerifyStray: what the scan has met */
} TallVerifyGroup;

/**
 * TallVerifyScan:
 *
 * Walks all tables of the layout side by side, order by order, as all have the same order of
 * customers and orders. It holds a page of each table, and the rows of one order.
 */
typedef struct _TallVerifyScan TallVerifyScan;

TallVerifyScan *tall_verify_scan_new (const TallStoreContext *context, TallSlice customer);
void tall_verify_scan_go_to (TallVerifyScan *self, TallReader *place);
void tall_verify_scan_append_place (const TallVerifyScan *self, GByteArray *place);
void tall_verify_scan_free (TallVerifyScan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallVerifyScan, tall_verify_scan_free)

const TallVerifyGroup *tall_verify_scan_next (TallVerifyScan *self,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_scan_skip_customer (TallVerifyScan *self, TallSlice customer);
TallVerifyScan *tall_verify_scan_read (const TallStoreContext *context,
                                       TallSlice customer,
                                       TallSlice order,
                                       const TallVerifyGroup **group,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_verify_run (TallFront *front,
                          const TallStoreHooks *hooks,
                          const TallVerifyOptions *options,
                          TallVerifySummary *summary,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallVerifyPart *tall_verify_part (const TallStoreContext *context,
                                  const TallVerifyRequest *request,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallSlice tall_cursor_seal (const TallStoreContext *context,
                            const char *of,
                            const char *customer,
                            TallSlice content,
                            TallArena *arena);
gboolean tall_cursor_open (const TallStoreContext *context,
                           const char *of,
                           const char *customer,
                           TallReader *cursor) G_GNUC_WARN_UNUSED_RESULT;
guint tall_verify_count_unused (const TallStoreContext *context);

/**
 * TallVerifyLook:
 *
 * What one look at an order, a customer, or a row beside them has found.
 */
typedef struct
{
  const TallStoreContext *context;
  TallArena *arena; /* owned: of everything below */
  TallOrderKey key;
  TallRoot root;      /* all zero if there is none, or if it cannot be read */
  const TallRow *row; /* the root row; NULL: there is none */
  const char *table;  /* of the root row; static; NULL: it was not looked for */
  TallSlice root_key;
  const char *customer_number; /* NULL: not known */
  const char *order_number;    /* NULL: not known, or it is a customer */
  TallSlice summary;           /* of what is committed, where @order_number is known */
  GArray *hints;               /* owned: of TallHint that it is to have; NULL: they are not known */
  GArray *missing;             /* owned: of those, which @hints owns; NULL: nobody has looked */
  guint64 fingerprint;         /* of what a write changes */
  gboolean changed;            /* it was written while its rows were read, page by page */
  gboolean is_excused;         /* the order that the row is about is damaged: it may be right */
  GArray *findings;            /* of TallFinding */

  /* Only where it was read for this look. */
  TallVerifyScan *scan;         /* owned: holds … */
  const TallVerifyGroup *group; /* all rows of the order or customer */
  TallReadResult *read;         /* owned: holds … */
  const TallRow *beside;        /* the hint, entry or row of ids; NULL: it is not there */
} TallVerifyLook;

void tall_verify_look_init (TallVerifyLook *self, const TallStoreContext *context);
void tall_verify_look_clear (TallVerifyLook *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyLook, tall_verify_look_clear)

gboolean tall_verify_look_at (TallVerifyLook *self,
                              const TallStoreContext *context,
                              const TallVerifyGroup *group,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_look_mark (TallVerifyLook *self, const TallRow *row, TallSlice other);
void tall_verify_look_add (TallVerifyLook *self,
                           TallFindingKind kind,
                           const char *table,
                           TallSlice row,
                           guint n_rows,
                           const char *message);
guint32 tall_verify_look_kinds (const TallVerifyLook *self);
gboolean tall_verify_look_is_gone (const TallVerifyLook *self);
gboolean tall_verify_look_needs_person (const TallVerifyLook *self);
gboolean tall_verify_cell_counts (const TallState *state, gboolean of_root, const TallCell *cell);
guint64 tall_verify_hash (TallSlice bytes);

/**
 * TallRepairOutcome:
 * @TALL_REPAIR_LEFT: it cannot be mended without guessing, and nothing was done
 * @TALL_REPAIR_DONE: it is mended
 * @TALL_REPAIR_OVERTAKEN: somebody else has written since it was looked at, and nothing was done
 *
 * What became of something that was found.
 */
typedef enum
{
  TALL_REPAIR_LEFT,
  TALL_REPAIR_DONE,
  TALL_REPAIR_OVERTAKEN,
} TallRepairOutcome;

gint64 tall_repair_find_latest (const TallRow *row);

typedef struct _TallVerify TallVerify;
typedef struct _TallVerifySubject TallVerifySubject;

/**
 * TallVerifySubject:
 *
 * What a verification walks through: customers and orders, or a table beside them, whose rows are
 * judged by one other row each. Hints and entries are judged by the order, ids by the way back.
 */
struct _TallVerifySubject
{
  const char *table;     /* NULL: those of the layout */
  gboolean of_customers; /* its rows begin with the customer */
  gboolean is_searched;  /* other rows may contradict one that is wrong */

  gboolean (*is_there) (const TallStoreContext *context);

  /* Looks at all of it, from the place on. @ended (out): whether this was all. FALSE: a table could
   * not be read now */
  gboolean (*walk) (TallVerify *self,
                    const TallVerifySubject *subject,
                    gboolean *ended,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

  /* Reads one of it, and all that it is judged by. @key: of the row, or the customer part; @order:
   * the order part; empty: a row, or a customer */
  gboolean (*look) (TallVerifyLook *look,
                    const TallStoreContext *context,
                    const TallVerifySubject *subject,
                    TallSlice key,
                    TallSlice order,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

  /* Mends what @look() has found, none of which needs a person. FALSE: a table could not be read or
   * written now. Whenever it ends early, it has done no harm and can be done again */
  gboolean (*mend) (const TallVerifyLook *look,
                    const TallVerifySubject *subject,
                    TallRepairOutcome *outcome,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

  /* ---- Only of a table ---- */

  gsize counter; /* of a guint64 in #TallVerifyPart */

  /* The other row: its table, and its key, appended to @key. NULL: there is none. If it is NULL, it
   * is the root row of the order that find_order() finds, of which the state cell and the summary
   * are needed. */
  const char *(*locate) (const TallStoreContext *context, const TallRow *row, GByteArray *key);

  /* The order that the row is about: @key (out). FALSE if it is about none; with @error set if that
   * could not be read. */
  gboolean (*find_order) (const TallStoreContext *context,
                          TallSlice row,
                          TallOrderKey *key,
                          GError **error);

  /* Adds what is wrong with @row. @other: NULL if it is not there */
  void (*judge) (TallVerifyLook *look,
                 const TallVerifySubject *subject,
                 const TallRow *row,
                 const TallRow *other);
};

#define TALL_VERIFY_N_SUBJECTS 4
extern const TallVerifySubject *const tall_verify_subjects[TALL_VERIFY_N_SUBJECTS];
extern const TallVerifySubject tall_verify_orders;
extern const TallVerifySubject tall_verify_hints;
extern const TallVerifySubject tall_verify_entries;
extern const TallVerifySubject tall_verify_ids;

gboolean tall_repair_rows (const TallVerifyLook *look,
                           const TallVerifySubject *subject,
                           TallRepairOutcome *outcome,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_repair_hint (const TallVerifyLook *look,
                           const TallVerifySubject *subject,
                           TallRepairOutcome *outcome,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_verify_walk_layout (TallVerify *self,
                                  const TallVerifySubject *subject,
                                  gboolean *ended,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_walk_table (TallVerify *self,
                                 const TallVerifySubject *subject,
                                 gboolean *ended,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_look_again (TallVerifyLook *self,
                                 const TallStoreContext *context,
                                 const TallVerifySubject *subject,
                                 TallSlice customer,
                                 TallSlice order,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_look_at_row (TallVerifyLook *look,
                                  const TallStoreContext *context,
                                  const TallVerifySubject *subject,
                                  TallSlice key,
                                  TallSlice order,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_find_missing (TallVerifyLook *looks,
                                   guint n,
                                   TallVerifyStray *gap,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallSuspectStage:
 * @TALL_SUSPECT_NEW: somebody may be writing it
 * @TALL_SUSPECT_READY: it has waited, and is to be looked at again
 * @TALL_SUSPECT_SEARCH: it is to be mended, if no other row contradicts it
 * @TALL_SUSPECT_MEND: it is to be mended
 * @TALL_SUSPECT_LEFT: another row contradicts it
 *
 * What is behind %TALL_SUSPECT_READY is certain: what is gone then was mended, even if nobody heard
 * of it.
 */
typedef enum
{
  TALL_SUSPECT_NEW,
  TALL_SUSPECT_READY,
  TALL_SUSPECT_SEARCH,
  TALL_SUSPECT_MEND,
  TALL_SUSPECT_LEFT,
  TALL_SUSPECT_N_STAGES,
} TallSuspectStage;

/**
 * TallSuspect:
 *
 * What looked wrong. It is wrong if it looks the same later.
 */
typedef struct
{
  const TallVerifySubject *subject;
  TallSlice key;   /* as its look() takes it, like … */
  TallSlice order; /* part */
  guint32 kinds;   /* that were found, a bit each */
  guint64 fingerprint;
  guint8 n_looks;
  TallSuspectStage stage;
} TallSuspect;

/**
 * TallVerify:
 *
 * One part of a verification on its way.
 */
struct _TallVerify
{
  const TallStoreContext *context;
  const TallVerifyRequest *request;
  TallSlice customer;   /* part of the row keys; empty: all customers */
  TallVerifyPart *part; /* what it finds */
  GArray *findings;     /* of TallFinding */
  GArray *suspects;     /* of TallSuspect */
  gsize size;           /* bytes of their keys */
  guint phase;          /* of the walk */
  GByteArray *place;    /* in that phase: where the walk goes on; empty: at its beginning */
  GByteArray *search;   /* the same for the search for what contradicts */
  gint64 until;         /* g_get_monotonic_time() */
  guint n_looked;       /* at orders and rows */
  guint n_mended;

  /* What had been found up to @place. */
  TallVerifyPart safe_part;
  guint n_safe_findings;
  guint n_safe_suspects;
  gboolean has_come_further; /* than where the part began */
};

/* After so many findings a part looks at nothing more. What one look adds to them keeps them below
 * TALL_VERIFY_MOST_FINDINGS. */
#define TALL_VERIFY_ENOUGH 256

gboolean tall_verify_is_over (const TallVerify *self);
void tall_verify_keep (TallVerify *self);
void tall_verify_report (TallVerify *self, const TallFinding *finding);
void tall_verify_report_stray (TallVerify *self, const TallVerifyStray *stray);
void tall_verify_suspect (TallVerify *self, const TallSuspect *suspect);

gboolean tall_verify_add_notes (TallVerify *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_search (TallVerify *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_settle (TallVerify *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

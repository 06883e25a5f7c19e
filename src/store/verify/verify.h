/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/read/index.h"
#include "store/store.h"
#include "store/verify/scan.h"
#include "tall-verify.h"

G_BEGIN_DECLS

gboolean tall_verify_run (TallFront *front,
                          const TallStoreHooks *hooks,
                          const TallVerifyOptions *options,
                          TallVerifySummary *summary,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallVerifyPart *tall_verify_part (const TallStoreContext *context,
                                  const TallVerifyRequest *request,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

guint64 tall_verify_mark (const TallStoreContext *context);
guint tall_verify_count_unused (const TallStoreContext *context);

/**
 * TallVerifyLook:
 *
 * What one look at an order, a customer, or a row of a pair has found.
 */
typedef struct
{
  const TallStoreContext *context;
  TallArena *arena; /* owned: of everything below */
  TallOrderKey key;
  TallRoot root;      /* all zero if there is none, or if it cannot be read */
  const TallRow *row; /* the root row; NULL: there is none */
  const char *table;  /* of the root row; static; NULL: a row of a pair */
  TallSlice root_key;
  const char *customer_number; /* NULL: not known */
  const char *order_number;    /* NULL: not known, or it is a customer */
  GArray *hints;               /* owned: of TallHint that it is to have; NULL: they are not known */
  guint64 fingerprint; /* of the state cell, or of both rows of a pair: a write changes it */
  gboolean changed;    /* it was written while its rows were read, page by page */
  GArray *findings;    /* of TallFinding */
} TallVerifyLook;

void tall_verify_look_init (TallVerifyLook *self, const TallStoreContext *context);
void tall_verify_look_clear (TallVerifyLook *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyLook, tall_verify_look_clear)

gboolean tall_verify_look_at (TallVerifyLook *self,
                              const TallStoreContext *context,
                              const TallVerifyGroup *group,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_look_again (TallVerifyLook *self,
                                 const TallStoreContext *context,
                                 TallSlice customer,
                                 TallSlice order,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
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
gboolean tall_repair_rows (const TallVerifyLook *look,
                           TallRepairOutcome *outcome,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/**
 * TallRepairId:
 *
 * A row that leads from a customer's id to the number, or from the number to the id, while the way
 * back is missing.
 */
typedef struct
{
  TallSlice row;         /* key */
  gboolean contradicted; /* out: another row leads to the same number or id */
} TallRepairId;

gboolean tall_repair_search_ids (const TallStoreContext *context,
                                 TallRepairId *ids,
                                 guint n,
                                 GByteArray *place,
                                 gint64 until,
                                 gboolean *ended,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallVerifyPair:
 *
 * A table whose rows are judged by one other row each: hints and entries by the order, ids by the
 * way back.
 */
typedef struct _TallVerifyPair TallVerifyPair;

struct _TallVerifyPair
{
  const char *table;
  gboolean of_customers; /* its rows begin with the customer */
  gboolean is_searched;  /* other rows may contradict one that is wrong: see #TallRepairId */

  gboolean (*is_there) (const TallStoreContext *context);

  /* The other row: its table, and its key, appended to @key. NULL: there is none. If it is NULL, it
   * is the root row of the order that find_order() finds. */
  const char *(*locate) (const TallStoreContext *context, const TallRow *row, GByteArray *key);

  /* Only the state cell and the summary of the other row are needed. */
  gboolean needs_root;

  /* Adds what is wrong with @row. @other: NULL if it is not there */
  void (*judge) (TallVerifyLook *look,
                 const TallVerifyPair *self,
                 const TallRow *row,
                 const TallRow *other);

  guint64 *(*count) (TallVerifyPart *part);

  /* The order that the row is about: @key (out). FALSE if it is about none; with @error set if that
   * could not be read. May be NULL. */
  gboolean (*find_order) (const TallStoreContext *context,
                          TallSlice row,
                          TallOrderKey *key,
                          GError **error);

  gboolean (*mend) (const TallStoreContext *context,
                    const TallVerifyPair *self,
                    TallSlice row,
                    TallRepairOutcome *outcome,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
};

#define TALL_VERIFY_N_PAIRS 3
extern const TallVerifyPair *const tall_verify_pairs[TALL_VERIFY_N_PAIRS];
extern const TallVerifyPair tall_verify_hints;
extern const TallVerifyPair tall_verify_entries;
extern const TallVerifyPair tall_verify_ids;

gboolean tall_repair_hint (const TallStoreContext *context,
                           const TallVerifyPair *pair,
                           TallSlice row,
                           TallRepairOutcome *outcome,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_repair_id (const TallStoreContext *context,
                         const TallVerifyPair *pair,
                         TallSlice row,
                         TallRepairOutcome *outcome,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallReadResult *tall_verify_read_row (const TallStoreContext *context,
                                      const char *table,
                                      TallSlice key,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_look_at_pair (TallVerifyLook *look,
                                   const TallStoreContext *context,
                                   const TallVerifyPair *pair,
                                   TallSlice key,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
GArray *tall_verify_find_missing (const TallVerifyLook *look,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallSuspectStage:
 * @TALL_SUSPECT_NEW: somebody may be writing it
 * @TALL_SUSPECT_READY: it has waited, and is to be looked at again
 * @TALL_SUSPECT_SEARCH: it is to be mended, if no other row contradicts it
 * @TALL_SUSPECT_MEND: it is to be mended
 * @TALL_SUSPECT_LEFT: another row contradicts it
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
  const TallVerifyPair *pair; /* NULL: an order or a customer */
  TallSlice key;              /* of the row of a pair, or the customer part */
  TallSlice order;            /* the order part; empty: a pair or a customer */
  guint32 kinds;              /* that were found, a bit each */
  guint32 certain;            /* of them: those that it has been decided to mend. From then on one
                               * that is gone is reported as mended, even if nobody heard of it */
  guint64 fingerprint;
  guint8 n_looks;
  TallSuspectStage stage;
} TallSuspect;

/**
 * TallVerify:
 *
 * One part of a verification on its way.
 */
typedef struct
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
} TallVerify;

/* After so many findings a part looks at nothing more. What one look adds to them keeps them below
 * TALL_VERIFY_MOST_FINDINGS. */
#define TALL_VERIFY_ENOUGH 256

gboolean tall_verify_is_over (const TallVerify *self);
gboolean tall_verify_refuse_cursor (gboolean moved, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_keep (TallVerify *self);
void tall_verify_report (TallVerify *self, const TallFinding *finding);
void tall_verify_report_stray (TallVerify *self, const TallVerifyStray *stray);
void tall_verify_suspect (TallVerify *self, const TallSuspect *suspect);

gboolean tall_verify_walk_layout (TallVerify *self,
                                  gboolean *ended,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_walk_pairs (TallVerify *self,
                                 const TallVerifyPair *pair,
                                 gboolean *ended,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_add_notes (TallVerify *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_settle (TallVerify *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

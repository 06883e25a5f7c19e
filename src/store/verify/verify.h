/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/context.h"
#include "store/store.h"
#include "store/verify/look.h"

G_BEGIN_DECLS

gboolean tall_verify_run (TallFront *front,
                          const TallStoreHooks *hooks,
                          const TallVerifyOptions *options,
                          TallVerifySummary *summary,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallVerifyPart *tall_verify_part (const TallStoreContext *context,
                                  const TallVerifyRequest *request,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* After so many findings or suspects a part looks at nothing more. What one look adds to them keeps
 * both below TALL_VERIFY_SUSPECTS. */
#define TALL_VERIFY_MOST_FINDINGS 256

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
  TallVerifyPart *part; /* what it finds; its lists are in the arrays until it ends */
  GArray *findings;     /* of TallFinding */
  GArray *suspects;     /* of TallVerifySuspect */
  gint64 until;         /* g_get_monotonic_time() */
  guint n_looked;       /* at orders and rows */
  guint n_mended;
} TallVerify;

/**
 * TallVerifyPair:
 *
 * A table whose rows are judged by one other row each: hints by the order, ids by the way back.
 */
typedef struct
{
  const char *table;

  /* The other row: its table, and its key, appended to @key. NULL: there is none. */
  const char *(*locate) (const TallStoreContext *context, const TallRow *row, GByteArray *key);

  /* Adds what is wrong with @row. @other: NULL if it is not there */
  void (*judge) (TallVerifyLook *look, const TallRow *row, const TallRow *other);

  guint64 *(*count) (TallVerifyPart *part);

  /* The parts of the key of the order that @key is about; FALSE if it is about none. May be NULL.
   */
  gboolean (*find_order) (const TallStoreContext *context,
                          TallSlice key,
                          TallSlice *customer,
                          TallSlice *order);
} TallVerifyPair;

extern const TallVerifyPair tall_verify_hints;
extern const TallVerifyPair tall_verify_ids;

gboolean tall_verify_is_over (const TallVerify *self);
void tall_verify_report (TallVerify *self, const TallFinding *finding);
void tall_verify_report_unreadable (TallVerify *self,
                                    const char *table,
                                    TallSlice row,
                                    const GError *cause);

gboolean tall_verify_walk_layout (TallVerify *self,
                                  TallReader *cursor,
                                  GByteArray *next,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_walk_pairs (TallVerify *self,
                                 const TallVerifyPair *pair,
                                 TallReader *cursor,
                                 GByteArray *next,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_verify_look_at_pair (TallVerifyLook *look,
                                   const TallStoreContext *context,
                                   const TallVerifyPair *pair,
                                   TallSlice key,
                                   guint8 fingerprint[16],
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

guint tall_verify_count_unused (const TallStoreContext *context);
gboolean tall_verify_add_notes (TallVerify *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

void tall_verify_suspect_rows (TallVerify *self,
                               guint place,
                               const TallOrderKey *key,
                               const guint8 fingerprint[16],
                               guint32 kinds);
void tall_verify_make_fingerprint (const TallRoot *root, guint8 fingerprint[16]);
void tall_verify_suspect_pair (TallVerify *self,
                               const TallVerifyPair *pair,
                               TallSlice key,
                               const guint8 fingerprint[16],
                               guint32 kinds);
gboolean tall_verify_look_at_suspects (TallVerify *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"
#include "store/read/index.h"
#include "store/verify/scan.h"
#include "tall-verify.h"

#include <glib.h>

G_BEGIN_DECLS

/**
 * tall_verify_deadline:
 *
 * Returns: until when one call of the table may take, in a verification or repair
 */
static inline gint64
tall_verify_deadline (void)
{
  return g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
}

/**
 * TallVerifyLook:
 *
 * What one look at an order or a customer has found.
 */
typedef struct
{
  const TallStoreContext *context;
  TallArena *arena; /* owned: of everything below */
  TallOrderKey key;
  TallRoot root;      /* all zero if there is none, or if it cannot be read */
  const TallRow *row; /* the root row; NULL: there is none */
  const char *table;  /* of the root row; static */
  TallSlice root_key;
  const char *customer_number; /* NULL: not known */
  const char *order_number;    /* NULL: not known, or it is a customer */
  GPtrArray *entries;          /* owned; of TallEntry: what it is to have; NULL: not known */
  GArray *findings;            /* of TallFinding */
} TallVerifyLook;

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
gboolean tall_verify_find_entry (const TallVerifyLook *self,
                                 const TallEntry *entry,
                                 gboolean *there,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

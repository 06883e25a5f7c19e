/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"
#include "store/operation.h"
#include "store/commit/state.h"

G_BEGIN_DECLS

/**
 * TallRoot:
 *
 * What a root row says: its state cell, and its owner. All zero: there is no state cell. A plain
 * value, except for @stranger.
 */
typedef struct
{
  gboolean exists;
  gint64 timestamp; /* of the state cell */
  TallState state;
  guint8 bytes[TALL_STATE_SIZE]; /* the state cell as it is stored */
  gboolean has_summary;          /* that of the committed revision is there */
  char *stranger; /* owned: the numbers of the owner, if it is another order or customer */
} TallRoot;

void tall_root_clear (TallRoot *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallRoot, tall_root_clear)

void tall_root_take (TallRoot *self, TallRoot *from);
void tall_root_set_state (TallRoot *self, const TallState *state, gint64 timestamp);
gboolean tall_root_parse_state (TallRoot *self,
                                const TallRow *row,
                                TallSlice *summary,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_find_stranger (const TallOperation *operation,
                                  TallSlice summary,
                                  TallArena *arena,
                                  char **stranger,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_check_summary (const TallRoot *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_parse_order (const TallRoot *self,
                                TallSlice bytes,
                                TallArena *arena,
                                TallOrderSummary *summary,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_root_narrow (TallRead *read);
void tall_root_narrow_to_state (TallRead *read);
gboolean tall_root_parse (TallRoot *self,
                          const TallOperation *operation,
                          const TallRow *row,
                          TallArena *arena,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_read (TallRoot *self,
                         const TallOperation *operation,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_is_live_order (const TallRoot *self, const TallStoreContext *context);
gboolean tall_root_is_live (const TallRoot *self, const TallOperation *operation);
gboolean tall_root_is_same (const TallRoot *self, const TallRoot *other);
gboolean tall_root_is_before (const TallRoot *self, const TallRoot *known);
gboolean tall_root_check_owner (const TallRoot *self,
                                const TallOperation *operation,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_has_leftovers (const TallRoot *self);
gint64 tall_root_find_dead (const TallRoot *self, gint64 revision);
gint64 tall_root_next_revision (const TallRoot *self, gint64 now);

G_END_DECLS

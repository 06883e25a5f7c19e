/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-order.h"

G_BEGIN_DECLS

/**
 * TallPeerStore:
 *
 * Orders in a SQLite database in the same process, as people keep them who take SQLite: each as one
 * document (its canonical form), or in tables of orders, locations and lines. WAL, prepared
 * statements, and an index by date that has all that a listing shows. It keeps the fields that
 * #TallWorkload makes.
 */
typedef struct _TallPeerStore TallPeerStore;

/**
 * TallPeerEntry:
 *
 * An order in a listing.
 */
typedef struct
{
  char number[32];
  gint64 sales_date;
  guint n_lines;
  TallDecimal total;
} TallPeerEntry;

TallPeerStore *tall_peer_store_open (const char *path,
                                     gboolean is_document,
                                     gboolean sync,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_peer_store_close (TallPeerStore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallPeerStore, tall_peer_store_close)

gboolean tall_peer_store_settle (TallPeerStore *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_peer_store_put (TallPeerStore *self,
                              const TallOrder *order,
                              gboolean is_new,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_peer_store_put_many (TallPeerStore *self,
                                   const GPtrArray *orders,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallOrder *tall_peer_store_get (TallPeerStore *self,
                                const char *customer_number,
                                const char *order_number,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_peer_store_list (TallPeerStore *self,
                               const char *customer_number,
                               TallPeerEntry *entries,
                               guint *n,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

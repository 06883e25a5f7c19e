/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * TallPlaces:
 *
 * The connections that a server has, each in a place of its own, and how many it may have. Any
 * thread may use it.
 */
typedef struct _TallPlaces TallPlaces;

/**
 * TallPlace:
 *
 * The place of one connection. It belongs to the thread that serves it.
 */
typedef struct _TallPlace TallPlace;

TallPlaces *tall_places_new (guint max_connections);
void tall_places_unref (TallPlaces *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallPlaces, tall_places_unref)

TallPlace *tall_places_take (TallPlaces *self, GSocket *socket) G_GNUC_WARN_UNUSED_RESULT;
guint tall_places_count (TallPlaces *self);

void tall_places_close (TallPlaces *self);
void tall_places_shut (TallPlaces *self, gboolean also_writing);
gboolean tall_places_wait_until_empty (TallPlaces *self,
                                       guint milliseconds) G_GNUC_WARN_UNUSED_RESULT;

GSocket *tall_place_get_socket (TallPlace *self);
gboolean tall_place_is_refused (TallPlace *self);
void tall_place_let_go (TallPlace *self);
void tall_place_leave (TallPlace *self);

G_END_DECLS

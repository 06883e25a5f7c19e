/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "service/access/memory.h"

G_BEGIN_DECLS

/**
 * TallOrigins:
 *
 * The addresses that clients are connected from, and what each has. Its owner locks it.
 */
typedef struct
{
  GPtrArray *trusted; /* (nullable) of GInetAddressMask: not counted */
  GHashTable *table;  /* of TallOrigin, owned: those that have users */
} TallOrigins;

/**
 * TallOrigin:
 *
 * One IPv4 address, or one IPv6 network of 64 bits.
 */
typedef struct
{
  guint64 number; /* of tall_networks_get_origin() */
  guint n_users;
  guint n_served;  /* connections */
  guint n_refused; /* likewise, of those over a limit */
  guint n_evicted; /* served ones that make room, until they are left */
  TallMemoryShare share;
} TallOrigin;

void tall_origins_init (TallOrigins *self, GPtrArray *trusted);
void tall_origins_clear (TallOrigins *self);

TallOrigin *tall_origins_use (TallOrigins *self, GSocket *socket);
void tall_origins_release (TallOrigins *self, TallOrigin *origin);

G_END_DECLS

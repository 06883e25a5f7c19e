/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * TallUnread:
 *
 * Watches whether the other side of a connection takes what is sent to it. Starts zeroed.
 */
typedef struct
{
  guint64 acked; /* bytes that it has taken ever */
  gint64 since;  /* when there were fewer; 0: not looked yet */
} TallUnread;

gint64 tall_unread_look (TallUnread *self, GSocket *socket, gint64 now);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TALL_DESCRIPTORS_RESERVE:
 *
 * The descriptors that a process keeps for everything but its table files and clients: standard
 * streams, the log and directories of a store, connections to gateways, clients that are only asked
 * to come later, and those who read metrics.
 */
#define TALL_DESCRIPTORS_RESERVE 128

guint tall_descriptors_raise (void);
guint tall_descriptors_for_store (void);
guint tall_descriptors_for_clients (void);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

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

/* Bytes of a file that people write by hand. */
#define TALL_FILE_MAX_SETTINGS (1024 * 1024)

/* Bytes of a file of data that is read as a whole. */
#define TALL_FILE_MAX_DATA (1024 * 1024 * 1024)

char *tall_file_read (const char *path, gsize max, gsize *len, GError **error);
gboolean tall_file_check_regular (const char *path,
                                  const char *what,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_file_check_owner (const char *path,
                                const char *what,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

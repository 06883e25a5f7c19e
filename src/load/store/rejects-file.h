/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallRejectsFile:
 *
 * The reject file while it is written: under another name beside it, so that what was there stays
 * until the load ends; a pipe or a device is written itself. It is for one load alone. Not
 * thread-safe.
 */
typedef struct _TallRejectsFile TallRejectsFile;

TallRejectsFile *tall_rejects_file_new (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_rejects_file_name_temporary (const char *path) G_GNUC_WARN_UNUSED_RESULT;
void tall_rejects_file_free (TallRejectsFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRejectsFile, tall_rejects_file_free)

void tall_rejects_file_write (TallRejectsFile *self, TallSlice field, char end);
gboolean tall_rejects_file_has_failed (const TallRejectsFile *self);
gboolean tall_rejects_file_close (TallRejectsFile *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

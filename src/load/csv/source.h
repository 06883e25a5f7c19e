/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallCsvSource:
 *
 * The bytes of a CSV file, which can be read a second time after tall_csv_source_keep(): a regular
 * file from its disk, anything else from a copy that is written while it is read. Not thread-safe.
 */
typedef struct _TallCsvSource TallCsvSource;

TallCsvSource *tall_csv_source_open (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_source_free (TallCsvSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCsvSource, tall_csv_source_free)

gssize tall_csv_source_read (TallCsvSource *self, guint8 *buffer, gsize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_keep (TallCsvSource *self,
                               const char *folder,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_rewind (TallCsvSource *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_has_changed (TallCsvSource *self);

const char *tall_csv_source_get_name (TallCsvSource *self);
guint64 tall_csv_source_get_position (TallCsvSource *self);
guint64 tall_csv_source_get_size (TallCsvSource *self);
void tall_csv_source_set_name (TallCsvSource *self, const char *name);
void tall_csv_source_set_stop (TallCsvSource *self, const gint *stop);

gboolean tall_csv_source_check_start (TallCsvSource *self,
                                      TallSlice start,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallSpoolDatabase:
 *
 * What a spool has beside memory: a temporary RocksDB without a log. It is filled first, finished,
 * and then read. After a failure it is of no more use. Not thread-safe.
 */
typedef struct _TallSpoolDatabase TallSpoolDatabase;

TallSpoolDatabase *tall_spool_database_new (const char *parent,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_spool_database_free (TallSpoolDatabase *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSpoolDatabase, tall_spool_database_free)

gboolean tall_spool_database_put (TallSpoolDatabase *self,
                                  TallSlice key,
                                  TallSlice value,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_spool_database_finish (TallSpoolDatabase *self,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_spool_database_seek (TallSpoolDatabase *self, TallSlice start);
gboolean tall_spool_database_next (TallSpoolDatabase *self,
                                   TallSlice *key,
                                   TallSlice *value,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_spool_database_find (TallSpoolDatabase *self,
                                   TallSlice prefix,
                                   GByteArray *value,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

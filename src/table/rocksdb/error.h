/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <rocksdb/c.h>

#include <glib.h>

G_BEGIN_DECLS

/* Foreign handles and texts. */
typedef char TallRocksdbText;

static inline void
tall_rocksdb_text_free (TallRocksdbText *text)
{
  if (text != NULL)
    rocksdb_free (text);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRocksdbText, tall_rocksdb_text_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_options_t, rocksdb_options_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_readoptions_t, rocksdb_readoptions_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_writeoptions_t, rocksdb_writeoptions_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_iterator_t, rocksdb_iter_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_writebatch_t, rocksdb_writebatch_destroy)

gboolean tall_rocksdb_take_error_in (char *message,
                                     const char *directory,
                                     const char *operation,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_take_error (char *message,
                                  const char *operation,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include <sqlite3.h>

G_BEGIN_DECLS

/* An SQLite database of this process, which sorts and joins what does not fit into memory. Its
 * files, and those of its sorts, lie in a folder and have no name, so that they go with the
 * process however that ends. It opens no file that has a name, whatever a statement says. Not
 * thread-safe. */
typedef struct _TallTempDb TallTempDb;

/* Bytes of a database, and of a sort, that stay in memory. */
#define TALL_TEMP_DB_MEMORY ((gsize)4 * 1024 * 1024)

gboolean tall_temp_folder_check (const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallTempDb *tall_temp_db_new (const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_temp_db_free (TallTempDb *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTempDb, tall_temp_db_free)

sqlite3 *tall_temp_db_get (TallTempDb *self);
gboolean tall_temp_db_run (TallTempDb *self, const char *sql, GError **error);
sqlite3_stmt *tall_temp_db_prepare (TallTempDb *self, const char *sql);
gboolean tall_temp_db_put (TallTempDb *self,
                           sqlite3_stmt *statement,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_temp_db_set_failure (TallTempDb *self, GError **error);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/losses.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tall-error.h"

#define FILE_NAME "LOSSES"

static char *
make_line (const char *lost)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *date = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
  return g_strdup_printf ("%s dropped %s\n", date, lost);
}

/**
 * tall_rocksdb_losses_add:
 * @directory: of a store
 * @lost: of texts: what RocksDB dropped when it opened the store
 *
 * Says so in our log, and keeps it in a file of the store until somebody removes that.
 */
void
tall_rocksdb_losses_add (const char *directory, GPtrArray *lost)
{
  if (lost->len == 0)
    return;
  g_autofree char *path = g_build_filename (directory, FILE_NAME, NULL);
  int file = open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  gboolean kept = file >= 0;
  for (guint i = 0; i < lost->len; i++)
    {
      g_autofree char *line = make_line (g_ptr_array_index (lost, i));
      gssize len = (gssize)strlen (line);
      kept = kept && write (file, line, (gsize)len) == len;
      g_warning ("The store in %s was not closed: dropped %s", directory,
                 (const char *)g_ptr_array_index (lost, i));
    }
  if (!kept || fsync (file) != 0)
    g_warning ("%s can not be written: %s", path, g_strerror (errno));
  if (file >= 0)
    close (file);
}

/**
 * tall_rocksdb_losses_copy:
 *
 * What one store has lost, a copy of it has lost, too.
 */
gboolean
tall_rocksdb_losses_copy (const char *from, const char *to, GError **error)
{
  g_autofree char *source = g_build_filename (from, FILE_NAME, NULL);
  g_autofree char *target = g_build_filename (to, FILE_NAME, NULL);
  g_autofree char *text = NULL;
  gsize len;
  g_autoptr (GError) local = NULL;
  if (!g_file_get_contents (source, &text, &len, NULL)
      || g_file_set_contents_full (target, text, (gssize)len, G_FILE_SET_CONTENTS_NONE, 0600,
                                   &local))
    return TRUE;
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                           FILE_NAME " of the store can not be copied");
  return FALSE;
}

/**
 * tall_rocksdb_losses_list:
 *
 * Returns: (transfer full) (nullable): one line each, with its date, and at the end how to forget
 *   them; NULL if nothing was lost
 */
GStrv
tall_rocksdb_losses_list (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, FILE_NAME, NULL);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  g_autofree char *all = g_strdup_printf ("%sTo forget this, remove %s", text, path);
  return g_strsplit (all, "\n", -1);
}

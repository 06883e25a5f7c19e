/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/database.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "table/rocksdb/check.h"
#include "table/rocksdb/directory.h"
#include "table/rocksdb/engine.h"

#define COPYING "Copying the store"

/* So often a copy is made again because a table was created or dropped meanwhile. */
#define TRIES 5

static gboolean
set_failed (GError **error, const char *path, int code)
{
  g_autofree char *detail = g_strdup_printf ("%s: %s", path, g_strerror (code));
  return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, detail,
                                   code == ENOSPC ? COPYING ": there is no room for the copy"
                                                  : COPYING
                                       ": a file of the copy can not be written");
}

/* Log and MANIFEST as they are, without a flush: no writer waits, and what is not in tables yet is
 * read from the log where the copy is opened, as after a crash. */
static gboolean
make_checkpoint (TallRocksdbDatabase *self, const char *directory, GError **error)
{
  char *message = NULL;
  rocksdb_checkpoint_t *checkpoint = rocksdb_checkpoint_object_create (self->db, &message);
  if (message == NULL)
    rocksdb_checkpoint_create (checkpoint, directory, G_MAXUINT64, &message);
  if (checkpoint != NULL)
    rocksdb_checkpoint_object_destroy (checkpoint);
  if (message != NULL && strstr (message, "No space left on device") != NULL)
    {
      rocksdb_free (message);
      return set_failed (error, directory, ENOSPC);
    }
  return tall_rocksdb_take_error (message, COPYING, error);
}

/* Waits for a change of tables that is under way. */
static guint64
count_changes (TallRocksdbDatabase *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->schema_mutex);
  return self->n_changes;
}

/* There are files only, whose names RocksDB has given. */
static gboolean
remove_files (const char *directory, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      (void)unlink (path);
    }
  return rmdir (directory) == 0 || set_failed (error, directory, errno);
}

/* The MANIFEST of a checkpoint is of a moment before the end of its log. So a table that is created
 * or dropped between the two would be in one of them only. */
static gboolean
make_of_one_moment (TallRocksdbDatabase *self, const char *directory, GError **error)
{
  for (guint i = 0; i < TRIES; i++)
    {
      guint64 before = count_changes (self);
      if (!make_checkpoint (self, directory, error))
        return FALSE;
      if (count_changes (self) == before)
        return TRUE;
      if (!remove_files (directory, error))
        return FALSE;
    }
  return tall_error_fail_detailed (
      error, TALL_ERROR_UNAVAILABLE, directory,
      COPYING ": tables were created or dropped each time; try again when that is over");
}

/* Cuts off a record that was just being written when the log was copied: nobody has acknowledged
 * it. Damage stays as it is, and is found where the copy is opened. Only the last log is a copy;
 * all others may be links to the files of the store. */
static gboolean
end_log (const char *directory, GError **error)
{
  gsize end;
  struct stat found;
  g_autofree char *path = tall_rocksdb_directory_find_last_log (directory, NULL);
  if (path == NULL || stat (path, &found) != 0 || found.st_nlink > 1)
    return TRUE;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, NULL);
  if (file == NULL
      || !tall_rocksdb_check_find_torn (
          tall_slice (g_mapped_file_get_contents (file), g_mapped_file_get_length (file)), &end)
      || truncate (path, (off_t)end) == 0)
    return TRUE;
  return set_failed (error, path, errno);
}

/* Where the copy is opened, this proves that all is there that was acknowledged before. */
static gboolean
write_proof (const char *directory, const TallRocksdbProof *proof, GError **error)
{
  TallRocksdbSynced *synced = tall_rocksdb_synced_open (directory, proof, error);
  if (synced == NULL)
    return FALSE;
  tall_rocksdb_synced_free (synced);
  return TRUE;
}

/**
 * tall_rocksdb_copy_make:
 * @directory: of the copy; it must not exist yet
 *
 * Makes a store of its own of all tables, as they are in one moment, see tall_table_copy_to().
 * RocksDB's files are linked where that is possible, as it never changes them, and copied
 * elsewhere.
 */
gboolean
tall_rocksdb_copy_make (TallRocksdbDatabase *self, const char *directory, GError **error)
{
  TallRocksdbProof proof;
  if (!tall_rocksdb_database_check_writable (self, 0, COPYING, error))
    return FALSE;
  tall_rocksdb_synced_get (self->engine->synced, &proof);
  return make_of_one_moment (self, directory, error) && end_log (directory, error)
         && tall_rocksdb_losses_copy (self->engine->held, directory, error)
         && write_proof (directory, &proof, error)
         && tall_rocksdb_directory_mark (directory, error);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tall-error.h"

#define CONTENT "store"

/* The folders that a killed process may have left in the unfinished one: the second is RocksDB's
 * own temporary one. */
static const char *const contents[] = { CONTENT, CONTENT ".tmp" };

/**
 * tall_backup_fail:
 * @message: what it means; the reason of the system is added
 *
 * Returns: FALSE
 */
gboolean
tall_backup_fail (GError **error, const char *path, int code, const char *message)
{
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, path, "%s: %s", message,
                           code == ENOSPC || code == EDQUOT
                               ? "there is no room; nothing half-done is left"
                               : g_strerror (code));
  return FALSE;
}

/**
 * tall_backup_resolve:
 *
 * Returns: (transfer full): the absolute path, with links followed as far as it exists
 */
char *
tall_backup_resolve (const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *folder = g_path_get_dirname (absolute);
  g_autofree char *name = g_path_get_basename (absolute);
  char whole[PATH_MAX];
  if (realpath (absolute, whole) != NULL)
    return g_strdup (whole);
  return realpath (folder, whole) != NULL ? g_build_filename (whole, name, NULL)
                                          : g_steal_pointer (&absolute);
}

static gboolean
is_empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  return dir != NULL && g_dir_read_name (dir) == NULL;
}

static gboolean
check_target (const char *target, gboolean may_be_empty, GError **error)
{
  struct stat found;
  if (lstat (target, &found) != 0)
    return errno == ENOENT || tall_backup_fail (error, target, errno, "The target cannot be made");
  if (may_be_empty && is_empty_folder (target))
    return TRUE;
  tall_error_set_detailed (error, TALL_ERROR_CONFLICT, target,
                           "The target exists already, and is kept: name another one, or move "
                           "it away");
  return FALSE;
}

/* A folder of files, or nothing. */
static gboolean
remove_folder (const char *path, GError **error)
{
  struct stat found;
  if (lstat (path, &found) != 0 && errno == ENOENT)
    return TRUE;
  int folder = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  g_autoptr (GDir) dir = folder < 0 ? NULL : g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    (void)unlinkat (folder, name, 0);
  if (folder >= 0)
    close (folder);
  return rmdir (path) == 0
         || tall_backup_fail (error, path, errno,
                              "What an earlier try has left cannot be removed, remove it yourself");
}

static gboolean
remove_contents (TallBackupPlace *self, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (contents); i++)
    {
      g_autofree char *path = g_build_filename (self->unfinished, contents[i], NULL);
      if (!remove_folder (path, error))
        return FALSE;
    }
  return TRUE;
}

/* A process that has died has left the lock, too. */
static gboolean
take_lock (TallBackupPlace *self, GError **error)
{
  if (g_mkdir (self->unfinished, 0700) != 0 && errno != EEXIST)
    return tall_backup_fail (error, self->unfinished, errno,
                             errno == ENOENT ? "There is no folder to make the target in, create "
                                               "that first"
                                             : "The target cannot be made");
  self->lock = open (self->unfinished, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (self->lock < 0)
    return tall_backup_fail (error, self->unfinished, errno, "The target cannot be made");
  if (flock (self->lock, LOCK_EX | LOCK_NB) == 0)
    return TRUE;
  int code = errno;
  close (self->lock);
  self->lock = -1;
  if (code != EWOULDBLOCK)
    return tall_backup_fail (error, self->unfinished, code, "The target cannot be made");
  tall_error_set_detailed (error, TALL_ERROR_CONFLICT, self->unfinished,
                           "Another process is making this very target");
  return FALSE;
}

/**
 * tall_backup_place_open:
 * @target: must not exist, but for …
 * @may_be_empty: … a folder without anything in it, which is replaced
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_CONFLICT if the target exists or another process
 *   makes it, %TALL_ERROR_UNAVAILABLE if it cannot be made
 */
TallBackupPlace *
tall_backup_place_open (const char *target, gboolean may_be_empty, GError **error)
{
  g_autoptr (TallBackupPlace) self = g_new0 (TallBackupPlace, 1);
  self->target = tall_backup_resolve (target);
  self->unfinished = g_strconcat (self->target, TALL_BACKUP_UNFINISHED, NULL);
  self->content = g_build_filename (self->unfinished, CONTENT, NULL);
  self->lock = -1;
  if (!check_target (self->target, may_be_empty, error) || !take_lock (self, error)
      || !remove_contents (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * tall_backup_place_make_content:
 *
 * Makes the folder, for files that come one by one.
 */
gboolean
tall_backup_place_make_content (TallBackupPlace *self, GError **error)
{
  return g_mkdir (self->content, 0700) == 0
         || tall_backup_fail (error, self->content, errno, "The target cannot be made");
}

/* Files are read only, so that this works for those of somebody else's store, too. */
static gboolean
sync_path (const char *path, int flags, GError **error)
{
  int file = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags);
  gboolean done = file >= 0 && fsync (file) == 0;
  int code = errno;
  if (file >= 0)
    close (file);
  return done || tall_backup_fail (error, path, code, "A file of the target cannot be synced");
}

static gboolean
sync_content (TallBackupPlace *self, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (self->content, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->content, name, NULL);
      if (!sync_path (path, 0, error))
        return FALSE;
    }
  return sync_path (self->content, O_DIRECTORY, error);
}

/* Replaces nothing but an empty folder: the system does not let go of others. */
static gboolean
rename_content (TallBackupPlace *self, GError **error)
{
  if (rename (self->content, self->target) == 0)
    return TRUE;
  int code = errno;
  if (code != ENOTEMPTY && code != EEXIST && code != ENOTDIR)
    return tall_backup_fail (error, self->target, code, "The target cannot be given its name");
  tall_error_set_detailed (error, TALL_ERROR_CONFLICT, self->target,
                           "The target was made meanwhile by somebody else, and is kept");
  return FALSE;
}

/**
 * tall_backup_place_publish:
 *
 * Syncs what was made, and gives it its name. If the name cannot be synced, it is taken back, so
 * that it can be begun again.
 */
gboolean
tall_backup_place_publish (TallBackupPlace *self, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (self->target);
  if (!sync_content (self, error) || !rename_content (self, error))
    return FALSE;
  if (sync_path (folder, O_DIRECTORY, error))
    return TRUE;
  if (rename (self->target, self->content) != 0)
    g_prefix_error (error, "The target is there as a whole, and stays; but it may be gone after a "
                           "crash of the machine: ");
  return FALSE;
}

/**
 * tall_backup_place_free:
 * @self: (transfer full): what was not published is removed
 */
void
tall_backup_place_free (TallBackupPlace *self)
{
  if (self->lock >= 0)
    {
      g_autoptr (GError) error = NULL;
      if (!remove_contents (self, &error))
        g_warning ("%s", error->message);
      (void)rmdir (self->unfinished);
      close (self->lock);
    }
  g_free (self->target);
  g_free (self->unfinished);
  g_free (self->content);
  g_free (self);
}

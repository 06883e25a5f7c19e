/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/spool-folder.h"
#include "tall-error.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "tallorder-spool-"

struct _TallSpoolFolder
{
  char *path;
  int lock; /* the folder itself, locked */
};

/* Returns a locked descriptor of a folder of ours; -1 if it is another's, or in use. */
static int
lock_folder (const char *path)
{
  struct stat opened, there;
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return -1;
  if (fstat (fd, &opened) == 0 && opened.st_uid == geteuid () && flock (fd, LOCK_EX | LOCK_NB) == 0
      && lstat (path, &there) == 0 && there.st_ino == opened.st_ino
      && there.st_dev == opened.st_dev)
    return fd;
  close (fd);
  return -1;
}

/* The files of a locked folder, which has no folders in it, and then the folder. */
static void
remove_folder (const char *path, int lock)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    unlinkat (lock, name, 0);
  g_rmdir (path);
  close (lock);
}

/* Removes what processes that were killed have left. */
static void
clean (const char *parent)
{
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      if (!g_str_has_prefix (name, PREFIX))
        continue;
      g_autofree char *path = g_build_filename (parent, name, NULL);
      int lock = lock_folder (path);
      if (lock >= 0)
        remove_folder (path, lock);
    }
}

/**
 * tall_spool_folder_new:
 * @parent: where it goes; what killed processes have left there is removed
 *
 * Returns: (transfer full): an empty folder that nobody else may read; NULL with
 *   %TALL_ERROR_UNAVAILABLE if there can be none
 */
TallSpoolFolder *
tall_spool_folder_new (const char *parent, GError **error)
{
  clean (parent);
  while (TRUE)
    {
      g_autofree char *path = g_build_filename (parent, PREFIX "XXXXXX", NULL);
      if (g_mkdtemp (path) == NULL)
        {
          g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                       "Rows cannot be put aside in %s: %s. Name another folder with --spool",
                       parent, g_strerror (errno));
          return NULL;
        }
      /* Another process that cleans up may have found the folder before it was locked. */
      int lock = lock_folder (path);
      if (lock < 0)
        continue;
      TallSpoolFolder *self = g_new0 (TallSpoolFolder, 1);
      self->path = g_steal_pointer (&path);
      self->lock = lock;
      return self;
    }
}

/* Removes the folder and the files in it. */
void
tall_spool_folder_free (TallSpoolFolder *self)
{
  if (self == NULL)
    return;
  remove_folder (self->path, self->lock);
  g_free (self->path);
  g_free (self);
}

const char *
tall_spool_folder_get_path (const TallSpoolFolder *self)
{
  return self->path;
}

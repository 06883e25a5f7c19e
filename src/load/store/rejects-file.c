/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/rejects-file.h"
#include "tall-error.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A load that is killed leaves this behind; the next one with that reject file replaces it. */
#define UNFINISHED ".unfinished"

struct _TallRejectsFile
{
  char *path;
  char *temporary; /* beside @path, which it becomes at the end; NULL: none */
  FILE *file;      /* NULL: finished */
  int claim;       /* on @temporary, kept until it has been moved or removed; -1: none */
  int failure;     /* errno of the first failed write; 0: none */
};

/**
 * tall_rejects_file_write:
 * @end: what comes after the field
 *
 * Writes a field.
 */
void
tall_rejects_file_write (TallRejectsFile *self, TallSlice field, char end)
{
  errno = 0;
  if ((csv_fwrite (self->file, field.data, field.len) != 0 || fputc (end, self->file) == EOF)
      && self->failure == 0)
    self->failure = errno != 0 ? errno : EIO;
}

/* Opens a file for this load alone, and empties it. Returns -1, or a descriptor. */
static int
open_alone (const char *path)
{
  while (TRUE)
    {
      struct stat opened, there;
      int fd = open (path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (fd < 0)
        return -1;
      gboolean locked = flock (fd, LOCK_EX | LOCK_NB) == 0 && fstat (fd, &opened) == 0;
      /* The load that had the file may have just finished and renamed it. */
      gboolean renamed = locked
                         && (stat (path, &there) != 0 || there.st_ino != opened.st_ino
                             || there.st_dev != opened.st_dev);
      if (locked && !renamed && ftruncate (fd, 0) == 0)
        return fd;
      int number = errno;
      close (fd);
      errno = number;
      if (!renamed)
        return -1;
    }
}

/**
 * tall_rejects_file_name_temporary:
 * @path: the reject file
 *
 * Returns: (transfer full) (nullable): what is written until it becomes the reject file; NULL if
 *   that is a pipe or a device, which are written themselves
 */
char *
tall_rejects_file_name_temporary (const char *path)
{
  struct stat there;
  if (stat (path, &there) == 0 && !S_ISREG (there.st_mode))
    return NULL;

  char target[PATH_MAX];
  gboolean exists = realpath (path, target) != NULL;
  return g_strconcat (exists ? target : path, UNFINISHED, NULL);
}

/* Opens a new file beside the reject file, or what is there if it is a pipe or a device. A symbolic
 * link stays one. */
static FILE *
open_file (TallRejectsFile *self)
{
  g_autofree char *temporary = tall_rejects_file_name_temporary (self->path);
  if (temporary == NULL)
    return fopen (self->path, "we");

  int fd = open_alone (temporary);
  if (fd < 0)
    return NULL;
  self->temporary = g_steal_pointer (&temporary);
  self->claim = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  FILE *file = self->claim < 0 ? NULL : fdopen (fd, "w");
  if (file == NULL)
    close (fd);
  return file;
}

/* Puts the finished file in its place. Returns 0, or an errno. */
static int
move_file (TallRejectsFile *self)
{
  if (self->temporary == NULL)
    return 0;
  g_autofree char *target = g_strdup (self->temporary);
  *strrchr (target, '.') = '\0';
  if (g_rename (self->temporary, target) != 0)
    return errno;
  g_clear_pointer (&self->temporary, g_free);
  return 0;
}

/**
 * tall_rejects_file_new:
 *
 * A file that exists is replaced by tall_rejects_file_close(), and stays as it is until then.
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_INVALID if the file cannot be written
 */
TallRejectsFile *
tall_rejects_file_new (const char *path, GError **error)
{
  g_autoptr (TallRejectsFile) self = g_new0 (TallRejectsFile, 1);
  self->claim = -1;
  self->path = g_strdup (path);
  self->file = open_file (self);
  if (self->file != NULL)
    return g_steal_pointer (&self);
  if (errno == EWOULDBLOCK)
    tall_error_set_invalid (error, "rejects",
                            "Reject file %s is being written by another load; name another file",
                            path);
  else
    tall_error_set_invalid (error, "rejects", "Reject file %s cannot be written: %s", path,
                            g_strerror (errno));
  return NULL;
}

/* Removes what is not finished. */
void
tall_rejects_file_free (TallRejectsFile *self)
{
  if (self == NULL)
    return;
  if (self->file != NULL)
    fclose (self->file);
  if (self->temporary != NULL)
    g_unlink (self->temporary);
  if (self->claim >= 0)
    close (self->claim);
  g_free (self->temporary);
  g_free (self->path);
  g_free (self);
}

/* TRUE if a field could not be written. */
gboolean
tall_rejects_file_has_failed (const TallRejectsFile *self)
{
  return self->failure != 0;
}

/**
 * tall_rejects_file_close:
 *
 * Finishes the file and puts it in its place. Nothing may be written any more.
 *
 * Returns: FALSE with %TALL_ERROR_INTERNAL if anything could not be written
 */
gboolean
tall_rejects_file_close (TallRejectsFile *self, GError **error)
{
  FILE *file = g_steal_pointer (&self->file);
  if (fclose (file) != 0 && self->failure == 0)
    self->failure = errno;
  if (self->failure == 0)
    self->failure = move_file (self);
  if (self->failure == 0)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "Writing reject file %s failed: %s",
               self->path, g_strerror (self->failure));
  return FALSE;
}

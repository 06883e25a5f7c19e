/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/rejects.h"

#include "base/fail.h"

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

/* Kinds of reasons that are counted one by one; in a file with more, the rest count as one. */
#define MAX_TALLIES 200
#define MIN_PERCENT_ROWS 1000 /* few rows say nothing about all */
#define OTHER_REASONS "other reasons"

/* A file that is read. */
typedef struct
{
  char *name;
  GByteArray *header;
  gboolean has_header; /* it has been written */
  guint64 count;       /* of its rows */
} File;

/* The reject file is written under another name beside it, so that what was there stays until the
 * load ends; a pipe or a device is written itself. It is for one load alone. */
struct _TallRejects
{
  GMutex lock;
  char *path;
  char *temporary;    /* beside @path, which it becomes at the end; NULL: none */
  FILE *out;          /* NULL: rows are only counted */
  int claim;          /* on @temporary, kept until it has been moved or removed; -1: none */
  int failure;        /* errno of the first failed write; 0: none */
  GPtrArray *files;   /* of File; empty: they are not known */
  gboolean has_begun; /* the reject file has its own header */
  guint64 count;
  gboolean has_limit; /* set before other threads add */
  guint64 max_rows;
  guint max_percent;     /* of the rows read; 0: @max_rows counts */
  GPtrArray *tally;      /* of TallRejectTally, in the order in which they came up */
  GHashTable *by_reason; /* char * of the tally → the tally */
};

static void
file_free (gpointer data)
{
  File *file = data;
  g_free (file->name);
  g_byte_array_unref (file->header);
  g_free (file);
}

static void
tally_free (gpointer data)
{
  TallRejectTally *tally = data;
  g_free (tally->reason);
  g_free (tally->first_reason);
  g_free (tally);
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

/* @path: the reject file. Returns: (transfer full) (nullable): what is written until it becomes the
 * reject file; NULL if that is a pipe or a device, which are written themselves */
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
open_file (TallRejects *self)
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

/**
 * tall_rejects_new:
 * @path: (nullable): the reject file; NULL only counts. A file that exists is replaced by
 *   tall_rejects_close(), and stays as it is until then
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_INVALID if the file cannot be written
 */
TallRejects *
tall_rejects_new (const char *path, GError **error)
{
  g_autoptr (TallRejects) self = g_new0 (TallRejects, 1);
  g_mutex_init (&self->lock);
  self->claim = -1;
  self->path = g_strdup (path);
  self->files = g_ptr_array_new_with_free_func (file_free);
  self->tally = g_ptr_array_new_with_free_func (tally_free);
  self->by_reason = g_hash_table_new (g_str_hash, g_str_equal);
  if (path == NULL || (self->out = open_file (self)) != NULL)
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
tall_rejects_free (TallRejects *self)
{
  if (self == NULL)
    return;
  if (self->out != NULL)
    fclose (self->out);
  if (self->temporary != NULL)
    g_unlink (self->temporary);
  if (self->claim >= 0)
    close (self->claim);
  g_free (self->temporary);
  g_free (self->path);
  g_hash_table_unref (self->by_reason);
  g_ptr_array_unref (self->tally);
  g_ptr_array_unref (self->files);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Names the next file whose rows may be rejected; all files before the first row. @header: its
 * text. */
void
tall_rejects_add_file (TallRejects *self, const char *name, TallSlice header)
{
  File *file = g_new0 (File, 1);
  file->name = g_strdup (name);
  file->header = g_byte_array_new ();
  tall_bytes_append (file->header, header);
  g_ptr_array_add (self->files, file);
}

static File *
find_file (TallRejects *self, guint i)
{
  return i < self->files->len ? g_ptr_array_index (self->files, i) : NULL;
}

/* @end: what comes after the field. */
static void
write_field (TallRejects *self, TallSlice field, char end)
{
  errno = 0;
  if ((csv_fwrite (self->out, field.data, field.len) != 0 || fputc (end, self->out) == EOF)
      && self->failure == 0)
    self->failure = errno != 0 ? errno : EIO;
}

/* @file: (nullable): NULL: there is only one. */
static void
write_row (TallRejects *self,
           const char *file,
           const char *line,
           const char *column,
           const char *reason,
           TallSlice row)
{
  if (self->files->len > 1)
    write_field (self, tall_slice_str (file), ',');
  write_field (self, tall_slice_str (line), ',');
  write_field (self, tall_slice_str (column != NULL ? column : ""), ',');
  write_field (self, tall_slice_str (reason), ',');
  write_field (self, row, '\n');
}

/* The header of the reject file itself. */
static void
begin_file (TallRejects *self)
{
  if (!self->has_begun)
    write_row (self, "file", "line", "column", "reason", tall_slice_str ("row"));
  self->has_begun = TRUE;
}

static TallRejectTally *
find_tally (TallRejects *self, const char *column, const char *kind)
{
  g_autofree char *reason =
      column != NULL ? g_strconcat (column, ": ", kind, NULL) : g_strdup (kind);
  TallRejectTally *tally = g_hash_table_lookup (self->by_reason, reason);
  if (tally == NULL && self->tally->len >= MAX_TALLIES)
    {
      g_free (reason);
      reason = g_strdup (OTHER_REASONS);
      tally = g_hash_table_lookup (self->by_reason, reason);
    }
  if (tally != NULL)
    return tally;
  tally = g_new0 (TallRejectTally, 1);
  tally->reason = g_steal_pointer (&reason);
  g_ptr_array_add (self->tally, tally);
  g_hash_table_insert (self->by_reason, tally->reason, tally);
  return tally;
}

static void
count (TallRejectTally *tally, const TallCsvRow *row, const char *reason)
{
  tally->n_rows++;
  if (tally->first_line != 0
      && (tally->first_file < row->file
          || (tally->first_file == row->file && tally->first_line <= row->line)))
    return;
  tally->first_file = row->file;
  tally->first_line = row->line;
  g_free (tally->first_reason);
  tally->first_reason = g_strdup (reason);
}

/**
 * tall_rejects_add:
 * @row: that is not stored: its place and its text are enough
 * @column: (nullable): the bad column's name; NULL: no single column
 * @kind: the reason without the values of this row
 * @reason: why
 */
void
tall_rejects_add (TallRejects *self,
                  const TallCsvRow *row,
                  const char *column,
                  const char *kind,
                  const char *reason)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  File *file = find_file (self, row->file);
  count (find_tally (self, column, kind), row, reason);
  self->count++;
  if (file != NULL)
    file->count++;
  if (self->out == NULL)
    return;
  g_autofree char *line = g_strdup_printf ("%" G_GUINT64_FORMAT, row->line);
  begin_file (self);
  if (file != NULL && !file->has_header)
    write_row (self, file->name, "1", NULL, TALL_REJECTS_HEADER, tall_slice_array (file->header));
  if (file != NULL)
    file->has_header = TRUE;
  write_row (self, file != NULL ? file->name : NULL, line, column, reason, row->raw);
}

/* How many rows of one file were rejected. */
guint64
tall_rejects_get_count_of (TallRejects *self, guint file)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  return find_file (self, file)->count;
}

/* The name of a file, for messages; NULL if there is only one. */
const char *
tall_rejects_get_file_name (TallRejects *self, guint file)
{
  return self->files->len > 1 ? find_file (self, file)->name : NULL;
}

guint64
tall_rejects_get_count (TallRejects *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  return self->count;
}

/**
 * tall_rejects_set_limit:
 * @max_rows: rejected rows that are not too many
 * @max_percent: of the rows read, from the thousandth on, in place of @max_rows; 0: not so
 *
 * To be called before rows are added.
 */
void
tall_rejects_set_limit (TallRejects *self, guint64 max_rows, guint max_percent)
{
  self->has_limit = TRUE;
  self->max_rows = max_rows;
  self->max_percent = max_percent;
}

/* @rows_read: until now. Returns: FALSE with %TALL_ERROR_INVALID if more rows are rejected than
 * tall_rejects_set_limit() allows */
gboolean
tall_rejects_check_limit (TallRejects *self, guint64 rows_read, GError **error)
{
  if (!self->has_limit)
    return TRUE;
  guint64 count = tall_rejects_get_count (self);
  gboolean is_over = self->max_percent > 0 ? rows_read >= MIN_PERCENT_ROWS
                                                 && count * 100 > rows_read * self->max_percent
                                           : count > self->max_rows;
  if (!is_over)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_INVALID,
                          "Stopped after %" G_GUINT64_FORMAT " rows, as %" G_GUINT64_FORMAT
                          " %s rejected, more than are allowed",
                          rows_read, count, count == 1 ? "is" : "are");
}

/* TRUE if a row could not be written to the reject file: going on would lose rows. */
gboolean
tall_rejects_has_failed (TallRejects *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  return self->failure != 0;
}

/* Call this when no thread adds rows any more. Returns: (element-type TallRejectTally): rows by
 * reason, in the order in which the reasons came up */
GPtrArray *
tall_rejects_get_tally (TallRejects *self)
{
  return self->tally;
}

/* Finishes the reject file and puts it in its place. Returns: FALSE with %TALL_ERROR_INTERNAL if
 * any row could not be written to it */
gboolean
tall_rejects_close (TallRejects *self, GError **error)
{
  if (self->out == NULL)
    return TRUE;
  begin_file (self);
  if (fclose (g_steal_pointer (&self->out)) != 0 && self->failure == 0)
    self->failure = errno;
  if (self->failure == 0 && self->temporary != NULL)
    {
      g_autofree char *target = g_strdup (self->temporary);
      *strrchr (target, '.') = '\0';
      if (g_rename (self->temporary, target) != 0)
        self->failure = errno;
      else
        g_clear_pointer (&self->temporary, g_free);
    }
  return self->failure == 0
         || tall_error_fail (error, TALL_ERROR_INTERNAL, "Writing reject file %s failed: %s",
                             self->path, g_strerror (self->failure));
}

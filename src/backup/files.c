/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "backup/place.h"
#include "tall-error.h"

#define CHUNK_SIZE (1024 * 1024)

/* A file that is read, summed up, and copied if there is somewhere to. */
typedef struct
{
  int in;
  int out; /* -1: nowhere */
  guint8 *chunk;
  GChecksum *sum;
  guint64 size;
  TallBackupProgress *progress;
  const TallBackupHooks *hooks;
} Pass;

static gboolean
write_all (int file, const guint8 *data, gsize len)
{
  for (gsize done = 0; done < len;)
    {
      ssize_t n = write (file, data + done, len - done);
      if (n < 0 && errno != EINTR)
        return FALSE;
      done += (gsize)MAX (n, 0);
    }
  return TRUE;
}

static gboolean
run_pass (Pass *pass, const char *path, GError **error)
{
  ssize_t n;
  while ((n = read (pass->in, pass->chunk, CHUNK_SIZE)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return tall_backup_fail (error, path, errno, "A file cannot be read");
      g_checksum_update (pass->sum, pass->chunk, n);
      if (pass->out >= 0 && !write_all (pass->out, pass->chunk, (gsize)n))
        return tall_backup_fail (error, path, errno, "A file cannot be copied");
      pass->size += (guint64)n;
      pass->progress->n_bytes += (guint64)n;
      if (!tall_backup_go_on (pass->hooks, pass->progress, error))
        return FALSE;
    }
  return TRUE;
}

/* @to: (nullable): a folder. @sum: (out): of what was read */
static gboolean
pass_file (const char *from,
           const char *to,
           TallBackupFile *one,
           TallBackupProgress *progress,
           const TallBackupHooks *hooks,
           GError **error)
{
  g_autofree char *source = g_build_filename (from, one->name, NULL);
  g_autofree char *target = to == NULL ? NULL : g_build_filename (to, one->name, NULL);
  g_autofree guint8 *chunk = g_malloc (CHUNK_SIZE);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  Pass pass = { .in = open (source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
                .out = -1,
                .chunk = chunk,
                .sum = sum,
                .progress = progress,
                .hooks = hooks };
  if (pass.in < 0)
    return tall_backup_fail (error, source, errno, "A file cannot be read");
  if (target != NULL)
    pass.out = open (target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  gboolean done = target == NULL || pass.out >= 0
                  || tall_backup_fail (error, target, errno, "A file cannot be written");
  done = done && run_pass (&pass, target != NULL ? target : source, error);
  close (pass.in);
  if (pass.out >= 0 && close (pass.out) != 0 && done)
    done = tall_backup_fail (error, target, errno, "A file cannot be written");
  g_free (one->sum);
  one->sum = g_strdup (g_checksum_get_string (sum));
  one->size = pass.size;
  return done;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static GPtrArray *
list_names (const char *folder, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &local);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  if (dir != NULL)
    return names;
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                           "The files of the backup cannot be listed");
  g_ptr_array_unref (names);
  return NULL;
}

/**
 * tall_backup_files_sum:
 *
 * Notes all files of a folder.
 */
gboolean
tall_backup_files_sum (const char *folder,
                       TallBackupSeal *seal,
                       const TallBackupHooks *hooks,
                       GError **error)
{
  TallBackupProgress progress = { .stage = TALL_BACKUP_SEALING };
  g_autoptr (GPtrArray) names = list_names (folder, error);
  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      TallBackupFile *one = tall_backup_seal_add_file (seal, g_ptr_array_index (names, i));
      if (!pass_file (folder, NULL, one, &progress, hooks, error))
        return FALSE;
    }
  return names != NULL;
}

static gboolean
check_same (const TallBackupFile *noted, const TallBackupFile *found, GError **error)
{
  if (noted->size == found->size && g_str_equal (noted->sum, found->sum))
    return TRUE;
  tall_error_set_detailed (error, TALL_ERROR_DAMAGED, noted->name,
                           "The backup is damaged: %s is not the file that was sealed: use another "
                           "backup",
                           noted->name);
  return FALSE;
}

/**
 * tall_backup_files_copy:
 *
 * Copies what the seal names into a folder, which has nothing of it, and compares.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if a file is another one
 */
gboolean
tall_backup_files_copy (const char *from,
                        const char *to,
                        const TallBackupSeal *seal,
                        const TallBackupHooks *hooks,
                        GError **error)
{
  TallBackupProgress progress = { .stage = TALL_BACKUP_COPYING };
  for (guint i = 0; i < seal->files->len; i++)
    {
      const TallBackupFile *noted = g_ptr_array_index (seal->files, i);
      TallBackupFile found = { .name = noted->name };
      gboolean done = pass_file (from, to, &found, &progress, hooks, error)
                      && check_same (noted, &found, error);
      g_free (found.sum);
      if (!done)
        return FALSE;
    }
  return TRUE;
}

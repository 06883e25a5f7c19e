/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#define FORMAT 1
#define OF_BACKUP "backup"
#define OF_FILES "files"
#define OF_DEPLOYMENT "deployment "
#define SUM_LEN 64

/* The last line: the sum of all lines before it. */
#define END "\n# sum of all above: "

static void
file_free (TallBackupFile *self)
{
  g_free (self->name);
  g_free (self->sum);
  g_free (self);
}

static void
deployment_free (TallBackupDeployment *self)
{
  g_free (self->name);
  g_free (self);
}

TallBackupSeal *
tall_backup_seal_new (void)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  TallBackupSeal *self = g_new0 (TallBackupSeal, 1);
  self->made = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
  self->deployments = g_ptr_array_new_with_free_func ((GDestroyNotify)deployment_free);
  self->files = g_ptr_array_new_with_free_func ((GDestroyNotify)file_free);
  return self;
}

void
tall_backup_seal_free (TallBackupSeal *self)
{
  g_free (self->made);
  g_ptr_array_unref (self->deployments);
  g_ptr_array_unref (self->files);
  g_free (self);
}

/* Returns: (transfer none): a new entry */
static TallBackupFile *
backup_seal_add_file (TallBackupSeal *self, const char *name)
{
  TallBackupFile *one = g_new0 (TallBackupFile, 1);
  one->name = g_strdup (name);
  g_ptr_array_add (self->files, one);
  return one;
}

/**
 * tall_backup_seal_add_deployment:
 *
 * Returns: (transfer none): a new entry
 */
TallBackupDeployment *
tall_backup_seal_add_deployment (TallBackupSeal *self, const char *name)
{
  TallBackupDeployment *one = g_new0 (TallBackupDeployment, 1);
  one->name = g_strdup (name);
  g_ptr_array_add (self->deployments, one);
  return one;
}

static void
put_deployment (GKeyFile *file, const TallBackupDeployment *deployment)
{
  g_autofree char *group = g_strconcat (OF_DEPLOYMENT, deployment->name, NULL);
  g_key_file_set_uint64 (file, group, "orders", deployment->n_orders);
  g_key_file_set_uint64 (file, group, "customers", deployment->n_customers);
  g_key_file_set_uint64 (file, group, "hints", deployment->n_hints);
  g_key_file_set_uint64 (file, group, "ids", deployment->n_ids);
  g_key_file_set_uint64 (file, group, "findings", deployment->n_findings);
}

static char *
make_text (const TallBackupSeal *self)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_set_integer (file, OF_BACKUP, "format", FORMAT);
  g_key_file_set_string (file, OF_BACKUP, "made", self->made);
  for (guint i = 0; i < self->deployments->len; i++)
    put_deployment (file, g_ptr_array_index (self->deployments, i));
  for (guint i = 0; i < self->files->len; i++)
    {
      const TallBackupFile *one = g_ptr_array_index (self->files, i);
      g_autofree char *value = g_strdup_printf ("%" G_GUINT64_FORMAT " %s", one->size, one->sum);
      g_key_file_set_string (file, OF_FILES, one->name, value);
    }
  return g_key_file_to_data (file, NULL, NULL);
}

/**
 * tall_backup_seal_write:
 *
 * Writes the file into a folder; the caller syncs it.
 */
gboolean
tall_backup_seal_write (const TallBackupSeal *self, const char *folder, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *path = g_build_filename (folder, TALL_BACKUP_SEAL, NULL);
  g_autofree char *text = make_text (self);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  g_autofree char *whole = g_strconcat (text, END, sum, "\n", NULL);
  if (g_file_set_contents_full (path, whole, -1, G_FILE_SET_CONTENTS_NONE, 0600, &local))
    return TRUE;
  return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                                   "The file " TALL_BACKUP_SEAL " cannot be written");
}

static gboolean
set_damaged (GError **error, const char *folder, const char *what)
{
  return tall_error_fail_detailed (error, TALL_ERROR_DAMAGED, folder,
                                   "The file " TALL_BACKUP_SEAL
                                   " of the backup is damaged (%s): use another backup",
                                   what);
}

/* A name that leads nowhere else. */
static gboolean
is_plain (const char *name)
{
  return *name != '.' && *name != '\0' && strpbrk (name, "/\\") == NULL;
}

static gboolean
take_file (TallBackupSeal *self, const char *name, const char *value)
{
  g_auto (GStrv) words = g_strsplit (value, " ", 2);
  TallBackupFile *one = backup_seal_add_file (self, name);
  one->sum = g_strdup (words[0] != NULL ? words[1] : NULL);
  return is_plain (name) && words[0] != NULL && one->sum != NULL && strlen (one->sum) == SUM_LEN
         && g_ascii_string_to_unsigned (words[0], 10, 0, G_MAXUINT64, &one->size, NULL);
}

static gboolean
take_files (TallBackupSeal *self, GKeyFile *file)
{
  g_auto (GStrv) names = g_key_file_get_keys (file, OF_FILES, NULL, NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_string (file, OF_FILES, names[i], NULL);
      if (value == NULL || !take_file (self, names[i], value))
        return FALSE;
    }
  return names != NULL;
}

static void
take_deployment (TallBackupSeal *self, GKeyFile *file, const char *group)
{
  TallBackupDeployment *one =
      tall_backup_seal_add_deployment (self, group + strlen (OF_DEPLOYMENT));
  one->n_orders = g_key_file_get_uint64 (file, group, "orders", NULL);
  one->n_customers = g_key_file_get_uint64 (file, group, "customers", NULL);
  one->n_hints = g_key_file_get_uint64 (file, group, "hints", NULL);
  one->n_ids = g_key_file_get_uint64 (file, group, "ids", NULL);
  one->n_findings = g_key_file_get_uint64 (file, group, "findings", NULL);
}

static gboolean
take (TallBackupSeal *self, GKeyFile *file, const char *folder, GError **error)
{
  gint format = g_key_file_get_integer (file, OF_BACKUP, "format", NULL);
  if (format > FORMAT)
    return tall_error_fail_detailed (
        error, TALL_ERROR_NEWER_VERSION, folder,
        "The backup has format %d, this version knows formats up to %d: use a newer tallorder",
        format, FORMAT);
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (g_str_has_prefix (groups[i], OF_DEPLOYMENT))
      take_deployment (self, file, groups[i]);
  g_free (self->made);
  self->made = g_key_file_get_string (file, OF_BACKUP, "made", NULL);
  return (format == FORMAT && self->made != NULL && take_files (self, file))
         || set_damaged (error, folder, "a part is missing");
}

static gboolean
check_sum (char *text, const char *folder, GError **error)
{
  char *end = g_strrstr (text, END);
  if (end == NULL)
    return set_damaged (error, folder, "it does not come to its end");
  *end = '\0';
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  g_autofree char *line = g_strconcat (sum, "\n", NULL);
  return g_str_equal (end + strlen (END), line)
         || set_damaged (error, folder, "its sum is another one");
}

/**
 * tall_backup_seal_read:
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_NOT_FOUND if the folder is not a backup,
 *   %TALL_ERROR_DAMAGED, %TALL_ERROR_NEWER_VERSION, %TALL_ERROR_UNAVAILABLE
 */
TallBackupSeal *
tall_backup_seal_read (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, TALL_BACKUP_SEAL, NULL);
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      tall_error_set_detailed (error, TALL_ERROR_NOT_FOUND, folder,
                               g_file_test (folder, G_FILE_TEST_IS_DIR)
                                   ? "This folder is not a backup: it has no file " TALL_BACKUP_SEAL
                                   : "There is no such folder");
      return NULL;
    }
  g_autofree char *text = tall_file_read (path, TALL_FILE_MAX_DATA, NULL, error);
  if (text == NULL)
    return NULL;
  g_autoptr (TallBackupSeal) self = tall_backup_seal_new ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!check_sum (text, folder, error))
    return NULL;
  if (!tall_key_file_load (file, text, strlen (text), NULL))
    {
      (void)set_damaged (error, folder, "it is not a key file");
      return NULL;
    }
  return take (self, file, folder, error) ? g_steal_pointer (&self) : NULL;
}

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
      TallBackupFile *one = backup_seal_add_file (seal, g_ptr_array_index (names, i));
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
  return tall_error_fail_detailed (
      error, TALL_ERROR_DAMAGED, noted->name,
      "The backup is damaged: %s is not the file that was sealed: use another backup", noted->name);
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

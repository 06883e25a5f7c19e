/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/seal.h"

#include "tall-error.h"
#include "base/file.h"
#include "base/key-file.h"

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

/**
 * tall_backup_seal_add_file:
 *
 * Returns: (transfer none): a new entry
 */
TallBackupFile *
tall_backup_seal_add_file (TallBackupSeal *self, const char *name)
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

/**
 * tall_backup_seal_add_up:
 *
 * Returns: bytes of all files
 */
guint64
tall_backup_seal_add_up (const TallBackupSeal *self)
{
  guint64 sum = 0;
  for (guint i = 0; i < self->files->len; i++)
    sum += ((const TallBackupFile *)g_ptr_array_index (self->files, i))->size;
  return sum;
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
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                           "The file " TALL_BACKUP_SEAL " cannot be written");
  return FALSE;
}

static gboolean
set_damaged (GError **error, const char *folder, const char *what)
{
  tall_error_set_detailed (error, TALL_ERROR_DAMAGED, folder,
                           "The file " TALL_BACKUP_SEAL " of the backup is damaged (%s): use "
                           "another backup",
                           what);
  return FALSE;
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
  TallBackupFile *one = tall_backup_seal_add_file (self, name);
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
    {
      tall_error_set_detailed (error, TALL_ERROR_NEWER_VERSION, folder,
                               "The backup has format %d, this version knows formats up to %d: "
                               "use a newer tallorder",
                               format, FORMAT);
      return FALSE;
    }
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
 * Returns: (transfer full): NULL with %TALL_ERROR_NOT_FOUND if the folder is no backup,
 *   %TALL_ERROR_DAMAGED, %TALL_ERROR_NEWER_VERSION, %TALL_ERROR_UNAVAILABLE
 */
TallBackupSeal *
tall_backup_seal_read (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, TALL_BACKUP_SEAL, NULL);
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      tall_error_set_detailed (error, TALL_ERROR_NOT_FOUND, folder,
                               "This is no backup: it has no file " TALL_BACKUP_SEAL);
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
      (void)set_damaged (error, folder, "it is no key file");
      return NULL;
    }
  return take (self, file, folder, error) ? g_steal_pointer (&self) : NULL;
}

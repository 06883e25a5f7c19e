/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/backup.h"

#include "backup/files.h"
#include "backup/place.h"
#include "backup/verify.h"
#include "tall-error.h"
#include "base/file.h"

/* Of memory for the copy, which is read once, from its beginning to its end. */
#define CACHE_SIZE (32 * 1024 * 1024)

void
tall_backup_summary_clear (TallBackupSummary *self)
{
  g_clear_pointer (&self->path, g_free);
}

/* What the copy is opened by. */
static TallTableAddress *
find_copy (const TallTableAddress *address, const TallBackupPlace *place)
{
  TallTableAddress *copy = tall_table_address_copy (address);
  tall_table_address_set_place (copy, place->content);
  copy->cache_bytes = CACHE_SIZE;
  return copy;
}

static void
sum_up (TallBackupSummary *summary, const TallBackupSeal *seal, const TallBackupPlace *place)
{
  *summary = (TallBackupSummary){ .path = g_strdup (place->target),
                                  .n_deployments = seal->deployments->len,
                                  .n_files = seal->files->len,
                                  .n_bytes = tall_backup_seal_add_up (seal) };
  for (guint i = 0; i < seal->deployments->len; i++)
    {
      const TallBackupDeployment *one = g_ptr_array_index (seal->deployments, i);
      summary->n_orders += one->n_orders;
      summary->n_customers += one->n_customers;
      summary->n_findings += one->n_findings;
    }
}

/**
 * tall_backup_check_outside:
 *
 * A backup in the folder of its store is lost with it.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @target lies there
 */
gboolean
tall_backup_check_outside (const char *target, const TallTableAddress *address, GError **error)
{
  g_autofree char *inner = tall_backup_resolve (target);
  g_autofree char *outer = tall_backup_resolve (address->place);
  g_autofree char *folder = g_strconcat (outer, "/", NULL);
  if (!g_str_has_prefix (inner, folder) && !g_str_equal (inner, outer))
    return TRUE;
  tall_error_set_detailed (error, TALL_ERROR_INVALID, inner,
                           "A backup cannot lie in the folder of the store: name another place");
  return FALSE;
}

static gboolean
check_kind (const TallTableAddress *address, GError **error)
{
  if (address->kind->is_embedded)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "%s has snapshots for that: see Backup in the README", address->kind->title);
  return FALSE;
}

/**
 * tall_backup_make:
 * @table: of the store, which may be in use
 * @address: of the same
 * @target: a folder that does not exist yet, outside of the store's
 * @hooks: (nullable):
 * @summary: (out caller-allocates): set if it succeeds
 *
 * Copies a store with all its deployments as it is in one moment, opens the copy, reads everything
 * in it, and notes what there is. The target appears at the end, or not at all.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if the target exists, %TALL_ERROR_INVALID if it cannot
 *   be there, %TALL_ERROR_UNAVAILABLE without room, %TALL_ERROR_DAMAGED, %TALL_ERROR_UNSUPPORTED
 */
gboolean
tall_backup_make (TallTable *table,
                  const TallTableAddress *address,
                  const char *target,
                  const TallBackupHooks *hooks,
                  TallBackupSummary *summary,
                  GError **error)
{
  const TallBackupProgress begin = { .stage = TALL_BACKUP_COPYING };
  if (!check_kind (address, error) || !tall_backup_check_outside (target, address, error))
    return FALSE;
  g_autoptr (TallBackupPlace) place = tall_backup_place_open (target, FALSE, error);
  if (place == NULL || !tall_backup_go_on (hooks, &begin, error))
    return FALSE;
  g_autoptr (TallTableAddress) copy = find_copy (address, place);
  g_autoptr (TallBackupSeal) seal = tall_backup_seal_new ();
  if (!tall_table_copy_to (table, place->content, error)
      || !tall_backup_verify (copy, seal, hooks, error)
      || !tall_backup_files_sum (place->content, seal, hooks, error)
      || !tall_backup_seal_write (seal, place->content, error)
      || !tall_backup_place_publish (place, error))
    return FALSE;
  sum_up (summary, seal, place);
  return TRUE;
}

/**
 * tall_backup_restore:
 * @backup: the folder of a backup, which is only read
 * @address: where the store shall be; nothing but an empty folder may be there
 * @hooks: (nullable):
 * @summary: (out caller-allocates): set if it succeeds
 *
 * Copies a backup, compares every file with what was noted, opens the copy and reads everything in
 * it. The store appears at the end, or not at all.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if there is no backup, %TALL_ERROR_DAMAGED,
 *   %TALL_ERROR_CONFLICT if there is a store, %TALL_ERROR_UNAVAILABLE …
 */
gboolean
tall_backup_restore (const char *backup,
                     const TallTableAddress *address,
                     const TallBackupHooks *hooks,
                     TallBackupSummary *summary,
                     GError **error)
{
  g_autoptr (TallBackupSeal) noted = NULL;
  if (!check_kind (address, error) || (noted = tall_backup_seal_read (backup, error)) == NULL)
    return FALSE;
  g_autofree char *folder = g_path_get_dirname (address->place);
  if (!tall_file_check_owner (address->place, "directory", error)
      || !tall_file_check_owner (folder, "directory", error))
    return FALSE;
  g_autoptr (TallBackupPlace) place = tall_backup_place_open (address->place, TRUE, error);
  if (place == NULL || !tall_backup_place_make_content (place, error))
    return FALSE;
  g_autoptr (TallTableAddress) copy = find_copy (address, place);
  g_autoptr (TallBackupSeal) found = tall_backup_seal_new ();
  if (!tall_backup_files_copy (backup, place->content, noted, hooks, error)
      || !tall_backup_verify (copy, found, hooks, error)
      || !tall_backup_verify_same (noted, found, error)
      || !tall_backup_place_publish (place, error))
    return FALSE;
  sum_up (summary, noted, place);
  return TRUE;
}

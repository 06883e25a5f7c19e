/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/backup.h"

#include "backup/private.h"
#include "base/file.h"
#include "store/record/deployment.h"
#include "store/record/generation.h"
#include "store/store.h"
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a folder of files is made that appears as a whole or not at all: under a temporary name
 * beside it. What a killed process has left there is removed by the next one. One process at a time
 * makes a folder. */
typedef struct
{
  char *target;     /* absolute */
  char *unfinished; /* the folder with the temporary name */
  char *content;    /* in it: becomes @target; the caller makes it */
  int lock;         /* descriptor of @unfinished; -1: it is not ours */
} TallBackupPlace;

static void backup_place_free (TallBackupPlace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallBackupPlace, backup_place_free)

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
  return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, path, "%s: %s", message,
                                   code == ENOSPC || code == EDQUOT
                                       ? "there is no room; nothing half-done is left"
                                       : g_strerror (code));
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
  return tall_error_fail_detailed (
      error, TALL_ERROR_CONFLICT, target,
      "The target exists already, and is kept: name another one, or move it away");
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
                             errno == ENOENT
                                 ? "There is no folder to make the target in, create that first"
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
  return tall_error_fail_detailed (error, TALL_ERROR_CONFLICT, self->unfinished,
                                   "Another process is making this very target");
}

/* @target: must not exist, but for …
 * @may_be_empty: … a folder without anything in it, which is replaced
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_CONFLICT if the target exists or another process
 *   makes it, %TALL_ERROR_UNAVAILABLE if it cannot be made */
static TallBackupPlace *
backup_place_open (const char *target, gboolean may_be_empty, GError **error)
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

/* Makes the folder, for files that come one by one. */
static gboolean
backup_place_make_content (TallBackupPlace *self, GError **error)
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
  return tall_error_fail_detailed (error, TALL_ERROR_CONFLICT, self->target,
                                   "The target was made meanwhile by somebody else, and is kept");
}

/* Syncs what was made, and gives it its name. If the name cannot be synced, it is taken back, so
 * that it can be begun again. */
static gboolean
backup_place_publish (TallBackupPlace *self, GError **error)
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
 * backup_place_free:
 * @self: (transfer full): what was not published is removed
 */
static void
backup_place_free (TallBackupPlace *self)
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

#define STOPPED "stopped"

/* Of memory for the copy, which is read once, from its beginning to its end. */
#define CACHE_SIZE (32 * 1024 * 1024)

/* For calls of the copy's tables. */
#define TIME (60 * G_TIME_SPAN_SECOND)

static const char *const stages[] = {
  [TALL_BACKUP_COPYING] = "copying",
  [TALL_BACKUP_VERIFYING] = "verifying",
  [TALL_BACKUP_SEALING] = "sealing",
};

const char *
tall_backup_stage_get_name (TallBackupStage stage)
{
  return stages[stage];
}

gboolean
tall_backup_stage_parse (const char *name, TallBackupStage *stage)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    if (g_strcmp0 (stages[i], name) == 0)
      {
        *stage = i;
        return TRUE;
      }
  return FALSE;
}

/**
 * tall_backup_go_on:
 * @hooks: (nullable):
 *
 * Returns: FALSE, with an error for tall_backup_was_stopped(), if it is to end
 */
gboolean
tall_backup_go_on (const TallBackupHooks *hooks, const TallBackupProgress *progress, GError **error)
{
  if (hooks == NULL || hooks->on_progress == NULL || hooks->on_progress (progress, hooks->data))
    return TRUE;
  return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, STOPPED,
                                   "It was stopped, and nothing half-done is left");
}

gboolean
tall_backup_was_stopped (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE)
         && g_strcmp0 (tall_error_get_detail (error), STOPPED) == 0;
}

/* A verification of one deployment. */
typedef struct
{
  const TallBackupHooks *hooks;
  TallBackupProgress progress; /* of all deployments; what this one adds is not in it yet */
  char *worst;                 /* the first finding that needs a person, for people; owned */
  GError *stopped;             /* owned */
} Look;

static void
on_finding (const TallFinding *finding, gpointer data)
{
  Look *self = data;
  const TallFindingInfo *info = tall_finding_kind_info (finding->kind);
  if (self->worst == NULL && info->needs_person)
    self->worst = g_strdup_printf ("%s, %s", info->name, finding->message);
}

static gboolean
on_progress (const TallVerifySummary *summary, gpointer data)
{
  Look *self = data;
  TallBackupProgress progress = self->progress;
  progress.n_orders += summary->n_orders;
  progress.n_customers += summary->n_customers;
  return tall_backup_go_on (self->hooks, &progress, &self->stopped);
}

static gboolean
judge (Look *look, const TallVerifySummary *summary, const char *name, GError **error)
{
  if (look->stopped != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&look->stopped));
      return FALSE;
    }
  if (summary->n_for_person == 0 && summary->is_whole)
    return TRUE;
  return tall_error_fail_detailed (
      error, TALL_ERROR_DAMAGED, look->worst,
      "The deployment %s of the copy is damaged (%" G_GUINT64_FORMAT
      " findings that need a person%s): nothing half-done is left. `tallorder verify` of the store "
      "says what is wrong, and whether it is wrong there, too",
      name, summary->n_for_person, summary->is_whole ? "" : ", and not everything can be read");
}

static gboolean
look_at (TallStore *store, Look *look, TallBackupDeployment *one, GError **error)
{
  TallVerifySummary summary = { 0 };
  const TallVerifyOptions options = { .alone = TRUE,
                                      .rate = look->hooks != NULL ? look->hooks->rate : 0,
                                      .on_finding = on_finding,
                                      .on_progress = on_progress,
                                      .data = look };
  gboolean done = tall_front_verify (TALL_FRONT (store), &options, &summary, error)
                  && judge (look, &summary, one->name, error);
  one->n_orders = summary.n_orders;
  one->n_customers = summary.n_customers;
  one->n_hints = summary.n_hints;
  one->n_ids = summary.n_ids;
  one->n_findings = summary.n_findings;
  look->progress.n_orders += summary.n_orders;
  look->progress.n_customers += summary.n_customers;
  g_clear_pointer (&look->worst, g_free);
  g_clear_error (&look->stopped);
  return done;
}

static TallTable *
open_deployment (const TallTableAddress *address, const char *name, GError **error)
{
  g_autoptr (TallTableAddress) named = tall_table_address_copy (address);
  tall_table_address_set_name (named, name);
  return tall_table_address_open (named, FALSE, error);
}

/* A migration that has died leaves the tables closed that count. In a copy nobody is kept from
 * them: what goes on with the migration finds them as they were before they were closed. */
static gboolean
open_closed (TallTable *table, guint64 generation, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + TIME;
  g_auto (GStrv) names = tall_table_list_tables (table, deadline, error);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      if (tall_generation_split_name (names[i], &name) != generation)
        continue;
      g_autoptr (TallTableSpec) spec = tall_table_describe_table (table, names[i], deadline, error);
      if (spec == NULL
          || (spec->access == TALL_ACCESS_CLOSED
              && !tall_table_set_access (table, names[i], TALL_ACCESS_UNCLOSED, NULL, deadline,
                                         error)))
        return FALSE;
    }
  return names != NULL;
}

static gboolean
verify_one (const TallTableAddress *address,
            TallBackupSeal *seal,
            const char *name,
            Look *look,
            GError **error)
{
  g_autoptr (TallTable) table = open_deployment (address, name, error);
  g_autoptr (TallStore) store =
      table == NULL ? NULL : tall_store_open (table, NULL, NULL, NULL, error);
  g_autoptr (TallDescription) description =
      store == NULL ? NULL : tall_front_describe (TALL_FRONT (store), error);
  if (description == NULL || !open_closed (table, description->generation, error))
    {
      g_prefix_error (error, "The deployment %s of the copy cannot be opened: ", name);
      return FALSE;
    }
  TallBackupDeployment *one = tall_backup_seal_add_deployment (seal, name);
  one->can_end = description->ttl != 0;
  return look_at (store, look, one, error);
}

/* A restored deployment is not the one that was backed up: that has gone on. */
static gboolean
renew_all (const TallTableAddress *address, const TallBackupSeal *seal, GError **error)
{
  for (guint i = 0; i < seal->deployments->len; i++)
    {
      const TallBackupDeployment *one = g_ptr_array_index (seal->deployments, i);
      g_autoptr (TallTable) table = open_deployment (address, one->name, error);
      if (table == NULL || !tall_deployment_renew (table, g_get_monotonic_time () + TIME, error))
        {
          g_prefix_error (error, "The deployment %s of the copy: ", one->name);
          return FALSE;
        }
    }
  return TRUE;
}

/* Opens a copy, which reads its log, and reads everything in it: every order has its digest. Nobody
 * else has it open. @seal gets the deployments. */
static gboolean
verify (const TallTableAddress *address,
        TallBackupSeal *seal,
        const TallBackupHooks *hooks,
        GError **error)
{
  Look look = { .hooks = hooks, .progress = { .stage = TALL_BACKUP_VERIFYING } };
  if (!tall_backup_go_on (hooks, &look.progress, error))
    return FALSE;
  g_autoptr (TallTable) all = open_deployment (address, NULL, error);
  g_auto (GStrv) names = all == NULL ? NULL : tall_store_list_all (all, error);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (!verify_one (address, seal, names[i], &look, error))
      return FALSE;
  return names != NULL;
}

/* What has a TTL ends while the backup lies there, and one part of an order before another one. */
static gboolean
is_same (const TallBackupDeployment *noted, const TallBackupDeployment *found)
{
  if (!g_str_equal (noted->name, found->name) || noted->n_customers != found->n_customers
      || noted->n_ids != found->n_ids)
    return FALSE;
  if (found->can_end)
    return noted->n_orders >= found->n_orders && noted->n_hints >= found->n_hints;
  return noted->n_orders == found->n_orders && noted->n_hints == found->n_hints
         && noted->n_findings == found->n_findings;
}

/* Whether the same deployments, and as much in each, were found as noted. */
static gboolean
check_same (const TallBackupSeal *noted, const TallBackupSeal *found, GError **error)
{
  gboolean same = noted->deployments->len == found->deployments->len;
  for (guint i = 0; same && i < noted->deployments->len; i++)
    same = is_same (g_ptr_array_index (noted->deployments, i),
                    g_ptr_array_index (found->deployments, i));
  if (!same)
    g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
                 "The restored store has not what was sealed: use another backup");
  return same;
}

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

/* Returns: bytes of all files */
static guint64
add_up (const TallBackupSeal *self)
{
  guint64 sum = 0;
  for (guint i = 0; i < self->files->len; i++)
    sum += ((const TallBackupFile *)g_ptr_array_index (self->files, i))->size;
  return sum;
}

static void
sum_up (TallBackupSummary *summary, const TallBackupSeal *seal, const TallBackupPlace *place)
{
  *summary = (TallBackupSummary){ .path = g_strdup (place->target),
                                  .n_deployments = seal->deployments->len,
                                  .n_files = seal->files->len,
                                  .n_bytes = add_up (seal) };
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
  return tall_error_fail_detailed (
      error, TALL_ERROR_INVALID, inner,
      "A backup cannot lie in the folder of the store: name another place");
}

static gboolean
check_kind (const TallTableAddress *address, GError **error)
{
  if (address->kind->is_embedded)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                          "%s has snapshots for that: see src/backup/README.md",
                          address->kind->title);
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
  g_autoptr (TallBackupPlace) place = backup_place_open (target, FALSE, error);
  if (place == NULL || !tall_backup_go_on (hooks, &begin, error))
    return FALSE;
  g_autoptr (TallTableAddress) copy = find_copy (address, place);
  g_autoptr (TallBackupSeal) seal = tall_backup_seal_new ();
  if (!tall_table_copy_to (table, place->content, error) || !verify (copy, seal, hooks, error)
      || !tall_backup_files_sum (place->content, seal, hooks, error)
      || !tall_backup_seal_write (seal, place->content, error)
      || !backup_place_publish (place, error))
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
 * it. Its deployments get ids of their own. The store appears at the end, or not at all.
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
  g_autoptr (TallBackupPlace) place = backup_place_open (address->place, TRUE, error);
  if (place == NULL || !backup_place_make_content (place, error))
    return FALSE;
  g_autoptr (TallTableAddress) copy = find_copy (address, place);
  g_autoptr (TallBackupSeal) found = tall_backup_seal_new ();
  if (!tall_backup_files_copy (backup, place->content, noted, hooks, error)
      || !verify (copy, found, hooks, error) || !check_same (noted, found, error)
      || !renew_all (copy, found, error) || !backup_place_publish (place, error))
    return FALSE;
  sum_up (summary, noted, place);
  return TRUE;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/private.h"

#include "base/file.h"
#include "store/record/deployment.h"
#include "store/record/generation.h"
#include "store/store.h"
#include "tall-error.h"
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
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, STOPPED,
                           "It was stopped, and nothing half-done is left");
  return FALSE;
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
  tall_error_set_detailed (
      error, TALL_ERROR_DAMAGED, look->worst,
      "The deployment %s of the copy is damaged (%" G_GUINT64_FORMAT
      " findings that need a person%s): nothing half-done is left. `tallorder verify` of the "
      "store says what is wrong, and whether it is wrong there, too",
      name, summary->n_for_person, summary->is_whole ? "" : ", and not everything can be read");
  return FALSE;
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
               "%s has snapshots for that: see src/backup/README.md", address->kind->title);
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
  if (!tall_table_copy_to (table, place->content, error) || !verify (copy, seal, hooks, error)
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
  g_autoptr (TallBackupPlace) place = tall_backup_place_open (address->place, TRUE, error);
  if (place == NULL || !tall_backup_place_make_content (place, error))
    return FALSE;
  g_autoptr (TallTableAddress) copy = find_copy (address, place);
  g_autoptr (TallBackupSeal) found = tall_backup_seal_new ();
  if (!tall_backup_files_copy (backup, place->content, noted, hooks, error)
      || !verify (copy, found, hooks, error) || !check_same (noted, found, error)
      || !renew_all (copy, found, error) || !tall_backup_place_publish (place, error))
    return FALSE;
  sum_up (summary, noted, place);
  return TRUE;
}

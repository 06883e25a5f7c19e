/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/verify.h"

#include "tall-error.h"
#include "store/store.h"

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
  if (store != NULL)
    return look_at (store, look, tall_backup_seal_add_deployment (seal, name), error);
  g_prefix_error (error, "The deployment %s of the copy cannot be opened: ", name);
  return FALSE;
}

/**
 * tall_backup_verify:
 * @address: of a copy that nobody else has open
 * @seal: gets the deployments
 *
 * Opens a copy, which reads its log, and reads everything in it: every order has its digest.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if something needs a person
 */
gboolean
tall_backup_verify (const TallTableAddress *address,
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

static gboolean
is_same (const TallBackupDeployment *a, const TallBackupDeployment *b)
{
  return g_str_equal (a->name, b->name) && a->n_orders == b->n_orders
         && a->n_customers == b->n_customers && a->n_hints == b->n_hints && a->n_ids == b->n_ids
         && a->n_findings == b->n_findings;
}

/**
 * tall_backup_verify_same:
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if other deployments, or other numbers of orders, were
 *   found than noted
 */
gboolean
tall_backup_verify_same (const TallBackupSeal *noted, const TallBackupSeal *found, GError **error)
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

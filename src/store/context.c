/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/context.h"

static gsize counts[TALL_STORE_N_COUNTS]; /* atomic */

void
tall_store_count (TallStoreCount what)
{
  g_atomic_pointer_add (&counts[what], 1);
}

/**
 * tall_store_get_count:
 *
 * Returns: how many there were since the process began
 */
guint64
tall_store_get_count (TallStoreCount what)
{
  return (gsize)g_atomic_pointer_get (&counts[what]);
}

static gint64
real_now (gpointer data G_GNUC_UNUSED)
{
  return g_get_real_time () / 1000;
}

static gint64
real_monotonic (gpointer data G_GNUC_UNUSED)
{
  return g_get_monotonic_time ();
}

static void
real_sleep (gint64 microseconds, gpointer data G_GNUC_UNUSED)
{
  g_usleep ((gulong)microseconds);
}

static void
real_make_token (guint8 token[TALL_TOKEN_SIZE], gpointer data G_GNUC_UNUSED)
{
  tall_token_make (token);
}

/**
 * tall_store_hooks_complete:
 * @self: (out): @given, and the real thing where nothing is given
 * @given: (nullable):
 */
void
tall_store_hooks_complete (TallStoreHooks *self, const TallStoreHooks *given)
{
  *self = given != NULL ? *given : (TallStoreHooks){ 0 };
  if (self->now == NULL)
    self->now = real_now;
  if (self->monotonic == NULL)
    self->monotonic = real_monotonic;
  if (self->sleep == NULL)
    self->sleep = real_sleep;
  if (self->make_token == NULL)
    self->make_token = real_make_token;
  if (self->patience == 0)
    self->patience = G_USEC_PER_SEC;
}

static gboolean
do_rows_expire (const TallLayout *layout)
{
  const TallLayoutTable *table = layout->tables;
  const char *orders = tall_layout_get_order_table (layout);
  while (!g_str_equal (table->name, orders))
    table++;
  return table->expires;
}

/* Rows of a commit that lists an order: its root row, and those of the new date and the old one. */
#define DATED_STEP 3

/**
 * tall_store_context_init:
 * @self: all zero
 * @table: (transfer none): where the deployment is
 * @deployment: its record, which must live as long as @self
 * @hooks: (nullable): time and chance, for tests; copied
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if the layout or the key strategy is not known. @self is
 *   to be cleared all the same
 */
gboolean
tall_store_context_init (TallStoreContext *self,
                         TallTable *table,
                         const TallDeployment *deployment,
                         const TallStoreHooks *hooks,
                         GError **error)
{
  TallTableInfo info;
  self->table = g_object_ref (table);
  tall_store_hooks_complete (&self->hooks, hooks);
  tall_table_get_info (table, &info);
  self->false_is_final = info.false_is_final;
  self->together = info.false_is_final ? info.together : 1;

  self->generation = deployment->migration.generation;
  self->ttl = deployment->ttl;
  self->has_index = deployment->index == TALL_INDEX_BY_DATE;
  self->has_dated = self->has_index && self->ttl == 0 && self->together >= DATED_STEP;
  self->indexes = tall_indexes_make (deployment->indexes, error);
  if (self->indexes == NULL)
    return FALSE;
  self->of_numbers = TRUE;
  for (guint i = 0; i < self->indexes->len; i++)
    {
      const TallIndex *index = g_ptr_array_index (self->indexes, i);
      self->of_numbers = self->of_numbers && tall_template_is_of_numbers (index->template);
    }
  self->id = deployment->id;
  self->layout = tall_layout_find (deployment->layout, error);
  if (self->layout == NULL)
    return FALSE;
  self->rows_expire = do_rows_expire (self->layout);
  self->key_strategy = tall_key_strategy_find (deployment->key_strategy, error);
  if (self->key_strategy == NULL)
    return FALSE;
  if (self->key_strategy->needs_id)
    self->ids = tall_ids_new (table);
  return TRUE;
}

void
tall_store_context_clear (TallStoreContext *self)
{
  g_clear_object (&self->table);
  g_clear_pointer (&self->indexes, g_ptr_array_unref);
  g_clear_pointer (&self->ids, tall_ids_free);
}

/* Whether a revision is older than the TTL and @margin together; seconds. */
static gboolean
is_older (const TallStoreContext *self, gint64 revision, gint64 margin)
{
  gint64 age = self->hooks.now (self->hooks.data) - revision;
  return age >= 0 && (guint64)(age / 1000) >= self->ttl + (guint64)margin;
}

/**
 * tall_store_context_has_expired:
 *
 * Where rows expire, the table alone decides whether an order is there: what can be seen is
 * present, whatever our own clock says. Where they do not, the age of an order decides. It takes
 * the allowed difference of clocks more than the TTL, so that nobody misses what is not yet that
 * old by the clock of whoever has stored it.
 *
 * Returns: whether an order of that revision is taken for not there although its rows are
 */
gboolean
tall_store_context_has_expired (const TallStoreContext *self, gint64 revision)
{
  return self->ttl != 0 && !self->rows_expire
         && is_older (self, revision, tall_deployment_clock_difference (self->ttl));
}

/**
 * tall_store_context_may_have_expired:
 *
 * Returns: whether cells of that revision that are missing may have outlived the TTL, by a clock
 * that differs from ours by no more than is allowed; FALSE: that they are missing is damage
 */
gboolean
tall_store_context_may_have_expired (const TallStoreContext *self, gint64 revision)
{
  return self->ttl != 0 && self->rows_expire
         && is_older (self, revision, -tall_deployment_clock_difference (self->ttl));
}

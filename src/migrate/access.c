/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/access.h"

#include "store/operation.h"
#include "store/read/index.h"
#include "base/fail.h"

#define WAIT (G_USEC_PER_SEC / 50)
#define TIME (60 * G_USEC_PER_SEC)
#define TRIES 3 /* of a call whose answer is lost */
#define MOST_TABLES 8

/* The tables of a generation, those with root rows first. */
typedef struct
{
  const char *names[MOST_TABLES]; /* static */
  guint n;
  guint n_roots;
} Tables;

/* A conditional write to a row that cannot match: a state cell never has one byte. */
static gboolean
try_row (TallTable *table, const char *name, TallSlice row, gint64 deadline, GError **error)
{
  static const guint8 byte[] = { 0 };
  const TallSlice impossible = { byte, sizeof byte };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, name, row);
  gboolean matched;
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, 1, impossible);
  const TallConditionalWrite write = {
    .mutations = &mutation,
    .n = 1,
    .qualifier = TALL_STATE_QUALIFIER,
    .expected = &impossible,
    .durability = TALL_DURABLE,
    .deadline = deadline,
  };
  return tall_table_apply_if (table, &write, &matched, error);
}

/* Until it is refused. @end: by the clock of the hooks */
static gboolean
try_region (
    const TallStoreContext *context, const char *name, TallSlice row, gint64 end, GError **error)
{
  const TallStoreHooks *hooks = &context->hooks;
  for (;;)
    {
      g_autoptr (GError) cause = NULL;
      gboolean answered =
          try_row (context->table, name, row, g_get_monotonic_time () + TIME, &cause);
      if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_SHUT))
        return TRUE;
      if ((answered || tall_error_is_passing (cause)) && hooks->monotonic (hooks->data) < end)
        {
          hooks->sleep (WAIT, hooks->data);
          continue;
        }
      if (cause != NULL)
        g_propagate_error (error, g_steal_pointer (&cause));
      else
        g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "it still takes writes");
      return FALSE;
    }
}

/* Makes sure that each region of a table refuses writes, by trying it. Waits for a region that does
 * not yet. */
static gboolean
check_sealed (const TallStoreContext *context, const char *name, GError **error)
{
  gint64 end = context->hooks.monotonic (context->hooks.data) + TIME;
  g_autoptr (TallTableSpec) spec =
      tall_table_describe_table (context->table, name, g_get_monotonic_time () + TIME, error);
  gboolean sealed = spec != NULL && try_region (context, name, tall_slice ("", 1), end, error);
  for (guint i = 0; sealed && spec->splits != NULL && i < spec->splits->len; i++)
    sealed = try_region (context, name, tall_slice_bytes (g_ptr_array_index (spec->splits, i)), end,
                         error);
  if (!sealed)
    g_prefix_error (error, "Trying whether table %s is sealed: ", name);
  return sealed;
}

static gint64
find_deadline (void)
{
  return g_get_monotonic_time () + TIME;
}

/* Lists the tables of a generation. */
static void
list_tables (const TallStoreContext *context, Tables *tables)
{
  const char *orders = tall_layout_get_order_table (context->layout);
  const char *customers = tall_layout_get_customer_table (context->layout);
  *tables = (Tables){ { orders }, 1, 1 };
  if (!g_str_equal (orders, customers))
    tables->names[tables->n++] = customers;
  tables->n_roots = tables->n;
  for (const TallLayoutTable *table = context->layout->tables; table->name != NULL; table++)
    if (!g_str_equal (table->name, orders) && !g_str_equal (table->name, customers))
      tables->names[tables->n++] = table->name;
  if (context->has_index)
    tables->names[tables->n++] = TALL_INDEX_TABLE;
  if (context->indexes->len > 0)
    tables->names[tables->n++] = TALL_ENTRIES_TABLE;
  if (context->ids != NULL)
    tables->names[tables->n++] = TALL_IDS_TABLE;
}

void
tall_access_clear (TallAccess *self)
{
  g_clear_pointer (&self->common_seal, g_free);
}

/* Sets @spec to NULL if there is no such table. */
static gboolean
describe (const TallStoreContext *context, const char *name, TallTableSpec **spec, GError **error)
{
  g_autoptr (GError) cause = NULL;
  *spec = tall_table_describe_table (context->table, name, find_deadline (), &cause);
  if (*spec != NULL || g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&cause), "Looking at table %s: ", name);
  return FALSE;
}

/* Adds what a table with root rows says of its seal. */
static void
add_seal (TallAccess *access, const TallTableSpec *spec, gboolean first)
{
  gboolean is_sealed = spec->access == TALL_ACCESS_SEALED || spec->seal != NULL;
  access->is_sealed &= is_sealed;
  if (first)
    access->common_seal = is_sealed ? g_strdup (spec->seal) : NULL;
  else if (!is_sealed || g_strcmp0 (access->common_seal, spec->seal) != 0)
    g_clear_pointer (&access->common_seal, g_free);
}

gboolean
tall_access_describe (const TallStoreContext *context, TallAccess *access, GError **error)
{
  Tables tables;
  gboolean first = TRUE;
  list_tables (context, &tables);
  *access =
      (TallAccess){ .all_open = TRUE, .all_closed = TRUE, .all_gone = TRUE, .is_sealed = TRUE };
  for (guint i = 0; i < tables.n; i++)
    {
      g_autoptr (TallTableSpec) spec = NULL;
      if (!describe (context, tables.names[i], &spec, error))
        return FALSE;
      gboolean is_closed = spec == NULL || spec->access == TALL_ACCESS_CLOSED;
      access->all_open &= spec != NULL && spec->access == TALL_ACCESS_OPEN;
      access->any_closed |= is_closed;
      access->all_closed &= is_closed;
      access->all_gone &= spec == NULL;
      access->any_gone |= spec == NULL;
      if (i < tables.n_roots && spec != NULL)
        {
          add_seal (access, spec, first);
          first = FALSE;
        }
    }
  return TRUE;
}

/* Whether a table is now as it was to be. A table that is gone is closed. */
static gboolean
is_set (const TallStoreContext *context, const char *name, TallTableAccess access, const char *seal)
{
  g_autoptr (TallTableSpec) spec = NULL;
  g_autoptr (GError) error = NULL;
  if (!describe (context, name, &spec, &error))
    return FALSE;
  gboolean is_closed = spec == NULL || spec->access == TALL_ACCESS_CLOSED;
  if (access == TALL_ACCESS_CLOSED || access == TALL_ACCESS_UNCLOSED)
    return is_closed == (access == TALL_ACCESS_CLOSED);
  if (access == TALL_ACCESS_SEALED)
    return spec != NULL && g_strcmp0 (spec->seal, seal) == 0;
  return spec != NULL && spec->seal == NULL && spec->access != TALL_ACCESS_SEALED;
}

/* Sets the access of one table until an answer comes, or it is seen to be set. Each call of a seal
 * has a token of its own, so that one that comes late is not taken for one that was answered: so
 * the caller tries that again. */
static gboolean
set_access (const TallStoreContext *context,
            const char *name,
            TallTableAccess access,
            const char *seal,
            GError **error)
{
  guint tries = access == TALL_ACCESS_SEALED ? 1 : TRIES;
  for (guint i = 1;; i++)
    {
      g_autoptr (GError) cause = NULL;
      if (tall_table_set_access (context->table, name, access, seal, find_deadline (), &cause)
          || is_set (context, name, access, seal))
        return TRUE;
      if (i < tries && tall_error_is_passing (cause))
        continue;
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
}

/**
 * tall_access_set:
 * @access: closed, open (not sealed any more) or unclosed; the last one only if the record is
 * marked as reopened, because such a call may come late
 * @what: is done, for messages
 *
 * Sets the access of all tables of the generation. One that is gone is closed.
 */
gboolean
tall_access_set (const TallStoreContext *context,
                 TallTableAccess access,
                 const char *what,
                 GError **error)
{
  Tables tables;
  list_tables (context, &tables);
  for (guint i = 0; i < tables.n; i++)
    if (!set_access (context, tables.names[i], access, NULL, error))
      {
        g_prefix_error (error, "%s table %s: ", what, tables.names[i]);
        return FALSE;
      }
  return TRUE;
}

/* A token for one round of seals, which no other round ever has. With the same one for two, a late
 * unseal between them would not be seen. */
static char *
make_seal_token (const TallStoreContext *context)
{
  if (context->hooks.omits & TALL_OMIT_SEAL_TOKEN)
    return g_strdup ("00000000-0000-4000-8000-000000000000");
  return g_uuid_string_random ();
}

/* One attempt, under one token. */
static gboolean
seal_roots (const TallStoreContext *context, const Tables *tables, const char *seal, GError **error)
{
  for (guint i = 0; i < tables->n_roots; i++)
    if (!set_access (context, tables->names[i], TALL_ACCESS_SEALED, seal, error))
      return FALSE;
  return TRUE;
}

/* What an administrator has sealed, as migrate has asked for. */
static char *
find_foreign_seal (const TallStoreContext *context)
{
  g_auto (TallAccess) access = { 0 };
  g_autoptr (GError) error = NULL;
  if (!tall_access_describe (context, &access, &error))
    return NULL;
  return g_steal_pointer (&access.common_seal);
}

static char *
seal_under_token (const TallStoreContext *context, const Tables *tables, GError **error)
{
  for (guint i = 1;; i++)
    {
      g_autoptr (GError) cause = NULL;
      g_autofree char *token = make_seal_token (context);
      if (seal_roots (context, tables, token, &cause))
        return g_steal_pointer (&token);
      char *foreign = g_error_matches (cause, TALL_ERROR, TALL_ERROR_UNSUPPORTED)
                          ? find_foreign_seal (context)
                          : NULL;
      if (foreign != NULL)
        return foreign;
      if (i < TRIES && tall_error_is_passing (cause))
        continue;
      g_propagate_prefixed_error (error, g_steal_pointer (&cause), "Sealing the tables: ");
      return NULL;
    }
}

/* If a table is closed, another migrator has gone on. A seal would not harm it, but a trial would
 * hang. */
static gboolean
check_not_closed (const TallStoreContext *context, GError **error)
{
  g_auto (TallAccess) access = { 0 };
  if (!tall_access_describe (context, &access, error))
    return FALSE;
  if (!access.any_closed)
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_UNAVAILABLE,
      "A table to be sealed is closed: another process has gone on; migrate again");
}

/**
 * tall_access_seal:
 * @seal: (out): the token under which they are sealed
 *
 * Seals the tables with root rows, and makes sure of it: in each region, a write that cannot match
 * is refused.
 */
gboolean
tall_access_seal (const TallStoreContext *context, char **seal, GError **error)
{
  Tables tables;
  if (context->hooks.omits & TALL_OMIT_SEAL)
    return (*seal = make_seal_token (context)) != NULL;
  list_tables (context, &tables);
  if (!check_not_closed (context, error))
    return FALSE;
  g_autofree char *token = seal_under_token (context, &tables, error);
  if (token == NULL)
    return FALSE;
  for (guint i = 0; i < tables.n_roots; i++)
    if (!check_sealed (context, tables.names[i], error))
      return FALSE;
  *seal = g_steal_pointer (&token);
  return TRUE;
}

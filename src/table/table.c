/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/slots.h"
#include "table/table-checks.h"

G_DEFINE_ABSTRACT_TYPE (TallTable, tall_table, G_TYPE_OBJECT)

/* Every implementation passes here once for each object. */
static void
tall_table_constructed (GObject *object)
{
  static const TallSlot slots[] = {
    TALL_SLOT (TallTableClass, read),         TALL_SLOT (TallTableClass, apply),
    TALL_SLOT (TallTableClass, apply_if),     TALL_SLOT (TallTableClass, increment),
    TALL_SLOT (TallTableClass, create_table), TALL_SLOT (TallTableClass, drop_table),
    TALL_SLOT (TallTableClass, set_access),   TALL_SLOT (TallTableClass, describe_table),
    TALL_SLOT (TallTableClass, list_tables),
  };
  tall_slots_check (G_OBJECT_TYPE_NAME (object), "TallTableClass", TALL_TABLE_GET_CLASS (object),
                    slots, G_N_ELEMENTS (slots));

  G_OBJECT_CLASS (tall_table_parent_class)->constructed (object);
}

static void
tall_table_class_init (TallTableClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = tall_table_constructed;
}

static void
tall_table_init (TallTable *self G_GNUC_UNUSED)
{
}

static gboolean
check_deadline (gint64 deadline, const char *operation, GError **error)
{
  if (deadline == TALL_NO_DEADLINE || g_get_monotonic_time () < deadline)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_TIMED_OUT,
                          "%s: the deadline had passed before it began; nothing was done",
                          operation);
}

/* For a caller that reads or writes rows, a missing table means that the deployment is not whole.
 * It must not be taken for a missing row. */
static gboolean
fail_not_whole (GError **error)
{
  if (error == NULL || !g_error_matches (*error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return FALSE;
  g_prefix_error (error, "A table of the deployment is missing; restore it: ");
  (*error)->code = TALL_ERROR_UNSUPPORTED;
  return FALSE;
}

/* Returns: FALSE with %TALL_ERROR_INVALID if the read makes no sense */
static gboolean
check_read (const TallRead *read, GError **error)
{
  if (read->kind != TALL_READ_GET && read->kind != TALL_READ_SCAN)
    return tall_error_fail_invalid (error, NULL, "Table %s: a read that is neither get nor scan",
                                    read->table);
  if (read->min_timestamp < 0 || read->max_timestamp < read->min_timestamp)
    return tall_error_fail_invalid (error, NULL,
                                    "Table %s: no timestamp is from %" G_GINT64_FORMAT
                                    " up to, but without, %" G_GINT64_FORMAT,
                                    read->table, read->min_timestamp, read->max_timestamp);
  for (guint i = 0; i < read->n_qualifiers; i++)
    if (!tall_table_check_qualifier (read->table, read->qualifiers[i], error))
      return FALSE;
  for (guint i = 0; read->kind == TALL_READ_GET && i < read->n_keys; i++)
    if (!tall_table_check_row (read->table, read->keys[i], error))
      return FALSE;
  return TRUE;
}

/**
 * tall_table_read:
 * @plan: the reads; a plan without reads gives an empty result
 * @deadline: monotonic time in microseconds, or %TALL_NO_DEADLINE
 *
 * Executes all reads of a plan. Rows that do not exist and rows without a matching cell are not in
 * the result; that is not an error. Each row is read as it was at one moment; different rows may be
 * read at different moments.
 *
 * Returns: (transfer full): what was found, by position; NULL with @error set if any read failed:
 *   %TALL_ERROR_UNSUPPORTED if a table does not exist, %TALL_ERROR_INVALID if a read makes no sense
 */
TallReadResult *
tall_table_read (TallTable *self, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), NULL);
  g_return_val_if_fail (plan != NULL, NULL);

  if (!check_deadline (deadline, "Reading rows", error))
    return NULL;
  for (guint i = 0; i < plan->reads->len; i++)
    if (!check_read (tall_read_plan_get (plan, i), error))
      return NULL;
  TallReadResult *result = TALL_TABLE_GET_CLASS (self)->read (self, plan, deadline, error);
  if (result == NULL)
    fail_not_whole (error);
  return result;
}

static gboolean
check_change (const TallMutation *mutation, const TallChange *change, GError **error)
{
  if (change->timestamp < 1 || change->timestamp == G_MAXINT64)
    return tall_error_fail_invalid (error, NULL,
                                    "Table %s: timestamp %" G_GINT64_FORMAT " is not one of a cell",
                                    mutation->table, change->timestamp);
  if (change->kind == TALL_CHANGE_PUT)
    return tall_table_check_qualifier (mutation->table, change->qualifier, error);
  return TRUE;
}

/* The changes of a mutation have no order, so a delete must not hide a put of the same mutation.
 */
static gboolean
check_not_deleted (const TallMutation *mutation, const TallChange *deletion, GError **error)
{
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *put = &mutation->changes[i];
      gboolean hidden = deletion->kind == TALL_CHANGE_DELETE_UP_TO
                            ? put->timestamp <= deletion->timestamp
                            : put->timestamp == deletion->timestamp;
      if (put->kind != TALL_CHANGE_PUT || !hidden)
        continue;
      return tall_error_fail_invalid (
          error, NULL, "Table %s: a mutation that deletes its own put at %" G_GINT64_FORMAT,
          mutation->table, put->timestamp);
    }
  return TRUE;
}

/* Returns: FALSE with %TALL_ERROR_INVALID if the mutation makes no sense, or has no changes */
static gboolean
check_mutation (const TallMutation *mutation, GError **error)
{
  if (!tall_table_check_row (mutation->table, mutation->row, error))
    return FALSE;
  if (mutation->n_changes == 0)
    return tall_error_fail_invalid (error, NULL, "Table %s: a mutation without changes",
                                    mutation->table);
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (!check_change (mutation, change, error))
        return FALSE;
      if (change->kind != TALL_CHANGE_PUT && !check_not_deleted (mutation, change, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_table_apply:
 * @mutations: @n of them, each of another row
 * @durability: whether they have to be on disk when the call returns
 * @deadline: monotonic time in microseconds, or %TALL_NO_DEADLINE
 *
 * Applies each mutation in one atomic step, the mutations in any order. Sending them again is
 * harmless. After an error some may be done.
 *
 * Returns: TRUE if all are done
 */
gboolean
tall_table_apply (TallTable *self,
                  TallMutation *const *mutations,
                  guint n,
                  TallDurability durability,
                  gint64 deadline,
                  GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), FALSE);
  g_return_val_if_fail (mutations != NULL || n == 0, FALSE);

  if (!check_deadline (deadline, "Writing rows", error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!check_mutation (mutations[i], error))
      return FALSE;
  if (n == 0)
    return TRUE;
  if (!tall_table_check_different_rows (mutations, n, error))
    return FALSE;
  return TALL_TABLE_GET_CLASS (self)->apply (self, mutations, n, durability, deadline, error)
         || fail_not_whole (error);
}

/* So many that each table can do it, or as many as this one says. */
static gboolean
check_together (TallTable *self, TallMutation *const *mutations, guint n, GError **error)
{
  TallTableInfo info;
  if (n == 1)
    return check_mutation (mutations[0], error);
  for (guint i = 0; i < n; i++)
    if (!check_mutation (mutations[i], error))
      return FALSE;
  tall_table_get_info (self, &info);
  if (n <= info.together)
    return tall_table_check_different_rows (mutations, n, error);
  return tall_error_fail_invalid (error, NULL, "Table %s: %u rows in one step; %u can be",
                                  mutations[0]->table, n, info.together);
}

/**
 * tall_table_apply_if:
 * @matched: (out): whether the condition held and so the mutations were applied
 *
 * Compares and applies in one atomic step.
 *
 * Returns: TRUE if @matched is set. FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if it may have happened:
 *   read the cell to find out
 */
gboolean
tall_table_apply_if (TallTable *self,
                     const TallConditionalWrite *write,
                     gboolean *matched,
                     GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), FALSE);
  g_return_val_if_fail (write->n > write->n_alike, FALSE);
  g_return_val_if_fail (matched != NULL, FALSE);

  const char *table = write->mutations[0]->table;
  *matched = FALSE;
  if (!check_deadline (write->deadline, "Writing a row on a condition", error))
    return FALSE;
  if (write->expected != NULL && write->expected->len == 0)
    {
      /* To a gateway the empty value means "must not exist". */
      return tall_error_fail_invalid (error, NULL, "Table %s: an empty value can not be expected",
                                      table);
    }
  if (!check_together (self, write->mutations, write->n, error)
      || !tall_table_check_qualifier (table, write->qualifier, error))
    return FALSE;
  return TALL_TABLE_GET_CLASS (self)->apply_if (self, write, matched, error)
         || fail_not_whole (error);
}

/**
 * tall_table_increment:
 * @delta: what to add; 0 reads the counter
 * @deadline: monotonic time in microseconds, or %TALL_NO_DEADLINE
 * @value: (out): the counter after the step
 *
 * Adds to a counter in one durable atomic step.
 *
 * Returns: TRUE if @value is set. FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if it may have happened
 */
gboolean
tall_table_increment (TallTable *self,
                      const char *table,
                      TallSlice row,
                      TallSlice qualifier,
                      gint64 delta,
                      gint64 deadline,
                      gint64 *value,
                      GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), FALSE);
  g_return_val_if_fail (table != NULL, FALSE);
  g_return_val_if_fail (value != NULL, FALSE);

  if (!check_deadline (deadline, "Incrementing a counter", error)
      || !tall_table_check_row (table, row, error)
      || !tall_table_check_qualifier (table, qualifier, error))
    return FALSE;
  return TALL_TABLE_GET_CLASS (self)->increment (self, table, row, qualifier, delta, deadline,
                                                 value, error)
         || fail_not_whole (error);
}

/**
 * tall_table_create_table:
 * @deadline: monotonic time in microseconds, or %TALL_NO_DEADLINE
 *
 * Creates an empty table.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if it exists, %TALL_ERROR_UNSUPPORTED if the store can
 *   not keep what the spec asks for, %TALL_ERROR_INVALID if the spec makes no sense
 */
gboolean
tall_table_create_table (TallTable *self,
                         const TallTableSpec *spec,
                         gint64 deadline,
                         GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), FALSE);
  g_return_val_if_fail (spec != NULL && spec->name != NULL, FALSE);

  if (!check_deadline (deadline, "Creating a table", error) || !tall_table_check_spec (spec, error))
    return FALSE;
  return TALL_TABLE_GET_CLASS (self)->create_table (self, spec, deadline, error);
}

/**
 * tall_table_drop_table:
 * @deadline: monotonic time in microseconds, or %TALL_NO_DEADLINE
 *
 * Removes a table with everything in it.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if there is none
 */
gboolean
tall_table_drop_table (TallTable *self, const char *table, gint64 deadline, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), FALSE);
  g_return_val_if_fail (table != NULL, FALSE);

  if (!check_deadline (deadline, "Dropping a table", error))
    return FALSE;
  return TALL_TABLE_GET_CLASS (self)->drop_table (self, table, deadline, error);
}

/* @seal: (nullable):
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if there is no such access, or if it does not go with the
 *   seal */
static gboolean
check_access (const char *table, TallTableAccess access, const char *seal, GError **error)
{
  switch (access)
    {
    case TALL_ACCESS_OPEN:
    case TALL_ACCESS_CLOSED:
    case TALL_ACCESS_UNCLOSED:
      if (seal == NULL)
        return TRUE;
      return tall_error_fail_invalid (error, "seal",
                                      "Table %s: only sealing takes the token of a seal", table);
    case TALL_ACCESS_SEALED:
      if (tall_table_is_seal (seal))
        return TRUE;
      return tall_error_fail_invalid (
          error, "seal", "Table %s: a seal needs a token: 1 to %d letters, digits and -", table,
          TALL_MAX_SEAL);
    default:
      return tall_error_fail_invalid (error, "access", "Table %s: there is no access %d", table,
                                      (int)access);
    }
}

/**
 * tall_table_set_access:
 * @seal: (nullable): with %TALL_ACCESS_SEALED the token of the seal, letters, digits and `-`; else
 *   NULL
 * @deadline: monotonic time in microseconds, or %TALL_NO_DEADLINE
 *
 * Seals, unseals, closes or uncloses a table; a seal leaves a closed table closed. After TRUE no
 * call that the access forbids has an effect any more, whoever made it and whenever.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if there is no such table, %TALL_ERROR_UNSUPPORTED if
 * the store or gateway cannot do it, %TALL_ERROR_OUTCOME_UNKNOWN if it may have happened in whole
 * or in part, or may still happen
 */
gboolean
tall_table_set_access (TallTable *self,
                       const char *table,
                       TallTableAccess access,
                       const char *seal,
                       gint64 deadline,
                       GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), FALSE);
  g_return_val_if_fail (table != NULL, FALSE);

  return check_deadline (deadline, "Changing the access to a table", error)
         && check_access (table, access, seal, error)
         && TALL_TABLE_GET_CLASS (self)->set_access (self, table, access, seal, deadline, error);
}

/**
 * tall_table_describe_table:
 * @deadline: monotonic time in microseconds, or %TALL_NO_DEADLINE
 *
 * Returns: (transfer full): how a table is really kept; NULL with %TALL_ERROR_NOT_FOUND if there is
 *   none
 */
TallTableSpec *
tall_table_describe_table (TallTable *self, const char *table, gint64 deadline, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), NULL);
  g_return_val_if_fail (table != NULL, NULL);

  if (!check_deadline (deadline, "Describing a table", error))
    return NULL;
  return TALL_TABLE_GET_CLASS (self)->describe_table (self, table, deadline, error);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* @names: (nullable) (transfer full): */
static GStrv
sort_names (GStrv names)
{
  if (names != NULL)
    qsort (names, g_strv_length (names), sizeof *names, compare_texts);
  return names;
}

/**
 * tall_table_list_tables:
 * @deadline: monotonic time in microseconds, or %TALL_NO_DEADLINE
 *
 * Returns: (transfer full): short names of this deployment's tables, sorted, NULL-terminated
 */
GStrv
tall_table_list_tables (TallTable *self, gint64 deadline, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), NULL);

  if (!check_deadline (deadline, "Listing tables", error))
    return NULL;
  return sort_names (TALL_TABLE_GET_CLASS (self)->list_tables (self, deadline, error));
}

/* The deployment that the table is of, if it has a table of that name. */
static GStrv
list_own_deployment (TallTable *self, const char *table, gint64 deadline, GError **error)
{
  g_auto (GStrv) tables = tall_table_list_tables (self, deadline, error);
  if (tables == NULL)
    return NULL;
  TallTableInfo info;
  tall_table_get_info (self, &info);
  const char *names[] = { info.deployment, NULL };
  return g_strdupv (
      (GStrv)(g_strv_contains ((const char *const *)tables, table) ? names : names + 1));
}

/**
 * tall_table_list_deployments:
 * @table: the short name of a table that they have
 * @deadline: monotonic time in microseconds, or %TALL_NO_DEADLINE
 *
 * Returns: (transfer full): the names of all deployments in the same place that have such a table,
 *   sorted, NULL-terminated
 */
GStrv
tall_table_list_deployments (TallTable *self, const char *table, gint64 deadline, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), NULL);
  g_return_val_if_fail (table != NULL, NULL);

  TallTableClass *klass = TALL_TABLE_GET_CLASS (self);
  if (!check_deadline (deadline, "Listing deployments", error))
    return NULL;
  if (klass->list_deployments == NULL)
    return list_own_deployment (self, table, deadline, error);
  return sort_names (klass->list_deployments (self, table, deadline, error));
}

/**
 * tall_table_get_info:
 * @info: (out caller-allocates): what the table is
 */
void
tall_table_get_info (TallTable *self, TallTableInfo *info)
{
  g_return_if_fail (TALL_IS_TABLE (self));

  *info = (TallTableInfo){ .kind = "other", .deployment = "tallorder", .together = 1 };
  if (TALL_TABLE_GET_CLASS (self)->get_info != NULL)
    TALL_TABLE_GET_CLASS (self)->get_info (self, info);
}

/**
 * tall_table_list_servers:
 * @deadline: until when the state of one may be waited for that is just being asked
 *
 * Returns: (nullable) (transfer full): of #TallTableServer; NULL if the tables are in this process
 */
GPtrArray *
tall_table_list_servers (TallTable *self, gint64 deadline)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), NULL);

  TallTableClass *klass = TALL_TABLE_GET_CLASS (self);
  return klass->list_servers == NULL ? NULL : klass->list_servers (self, deadline);
}

/**
 * tall_table_list_measures:
 *
 * Returns: (nullable) (transfer full): of #TallTableMeasure; NULL if nothing is measured,
 *   or cannot be just now
 */
GArray *
tall_table_list_measures (TallTable *self)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), NULL);

  TallTableClass *klass = TALL_TABLE_GET_CLASS (self);
  return klass->list_measures == NULL ? NULL : klass->list_measures (self);
}

/**
 * tall_table_list_losses:
 *
 * Returns: (nullable) (transfer full): what the store gave up when it was opened after a crash, in
 *   lines for people; NULL: nothing
 */
GStrv
tall_table_list_losses (TallTable *self)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), NULL);

  TallTableClass *klass = TALL_TABLE_GET_CLASS (self);
  return klass->list_losses == NULL ? NULL : klass->list_losses (self);
}

/**
 * tall_table_copy_to:
 * @directory: of the copy; it must not exist yet
 *
 * Copies all deployments of this place, as they are in one moment, beside others who write.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if this kind of table cannot,
 *   %TALL_ERROR_UNAVAILABLE if there is no room, or tables come and go all the time …
 */
gboolean
tall_table_copy_to (TallTable *self, const char *directory, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), FALSE);
  g_return_val_if_fail (g_path_is_absolute (directory), FALSE);

  TallTableClass *klass = TALL_TABLE_GET_CLASS (self);
  if (klass->copy_to != NULL)
    return klass->copy_to (self, directory, error);
  return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                          "only an embedded store is copied as a whole; HBase has snapshots for "
                          "that, see src/backup/README.md");
}

/**
 * tall_table_compact:
 * @ticket: (inout): 0 at first; 0 afterwards: this kind of table cannot
 *
 * Has the store drop from its files what was deleted, in the background. To be called again until
 * it is @done.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE, or %TALL_ERROR_DAMAGED if a file cannot be read
 */
gboolean
tall_table_compact (
    TallTable *self, gboolean alone, guint64 *ticket, gboolean *done, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (self), FALSE);

  TallTableClass *klass = TALL_TABLE_GET_CLASS (self);
  if (klass->compact != NULL)
    return klass->compact (self, alone, ticket, done, error);
  *ticket = 0;
  *done = TRUE;
  return TRUE;
}

void
tall_table_server_free (TallTableServer *self)
{
  if (self == NULL)
    return;
  g_free (self->address);
  g_free (self->state);
  g_free (self->reason);
  g_free (self);
}

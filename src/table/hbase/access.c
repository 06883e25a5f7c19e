/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/access.h"

#include "table/hbase/descriptor.h"
#include "table/hbase/error.h"
#include "table/hbase/request.h"
#include "table/table-ddl.h"

/* So long, and with such pauses, a table may be neither enabled nor disabled. */
#define SETTLING_TIME (60 * G_TIME_SPAN_SECOND)
#define PAUSE (50 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  TallHbasePool *pool;
  TallHbaseRequest request;
  const TallTableShutter *to;
  gint64 deadline;
  gboolean changing; /* something was sent that may change the table */
} Change;

static gboolean
run (Change *self, TallHbaseMethodId method, GError **error)
{
  return tall_hbase_request_run (&self->request, self->pool, method, self->deadline, error);
}

/* Sends what changes the table. Only the first such call can be refused with nothing done. */
static gboolean
run_change (Change *self, TallHbaseMethodId method, GError **error)
{
  gboolean was_changing = self->changing;
  g_autoptr (GError) local = NULL;
  self->changing = TRUE;
  if (run (self, method, &local))
    return TRUE;
  self->changing =
      was_changing
      || !(tall_error_is_not_done (local) || g_error_matches (local, TALL_ERROR, TALL_ERROR_SHUT));
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static gboolean
read_descriptor (Change *self, TallHbaseDescriptor *descriptor, GError **error)
{
  return run (self, TALL_HBASE_GET_TABLE_DESCRIPTOR, error)
         && tall_hbase_descriptor_init (descriptor, self->request.result.raw,
                                        tall_hbase_pool_get_options (self->pool)->compact,
                                        self->request.arena, error);
}

static gboolean
fail_changed (const Change *self, GError **error)
{
  g_set_error (
      error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
      "table %s is not as it was to be: somebody else changes it, or the gateway spoils it",
      self->request.table);
  return FALSE;
}

/* A gateway may say "done" and spoil what it was given. */
static gboolean
check_descriptor (Change *self, const TallHbaseDescriptor *sent, GError **error)
{
  g_auto (TallHbaseDescriptor) is = { .families = NULL };
  return read_descriptor (self, &is, error)
         && (tall_hbase_descriptor_keeps (&is, sent) || fail_changed (self, error));
}

/* Whether another caller may be the reason why the table's state cannot be changed. */
static gboolean
may_settle (const GError *reason)
{
  return g_error_matches (reason, TALL_ERROR, TALL_ERROR_SHUT)
         || g_error_matches (reason, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
}

/* Makes the table enabled or disabled, by @method, until @question says yes. The method fails where
 * another caller has just done the same, or the opposite is under way. */
static gboolean
ensure (Change *self, TallHbaseMethodId question, TallHbaseMethodId method, GError **error)
{
  gint64 end = MIN (self->deadline, g_get_monotonic_time () + SETTLING_TIME);
  while (run (self, question, error))
    {
      g_autoptr (GError) reason = NULL;
      if (self->request.result.yes)
        return TRUE;
      if (g_get_monotonic_time () >= end)
        {
          g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                       "table %s gets neither enabled nor disabled: look at HBase's master",
                       self->request.table);
          return FALSE;
        }
      if (run_change (self, method, &reason))
        continue;
      if (!may_settle (reason))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      g_usleep (PAUSE);
    }
  return FALSE;
}

/* Seals or unseals. HBase answers when all regions that are open are so with the new descriptor; a
 * table that is disabled stays disabled. */
static gboolean
modify (Change *self, GError **error)
{
  g_auto (TallHbaseDescriptor) came = { .families = NULL };
  g_auto (TallHbaseDescriptor) sent = { .families = NULL };
  if (!read_descriptor (self, &came, error))
    return FALSE;

  g_autoptr (GByteArray) raw = tall_hbase_descriptor_with_seal (&came, self->to->seal);
  self->request.args.raw = tall_slice_array (raw);
  return tall_hbase_descriptor_init (&sent, self->request.args.raw, came.compact,
                                     self->request.arena, error)
         && run_change (self, TALL_HBASE_MODIFY_TABLE, error)
         && check_descriptor (self, &sent, error);
}

/* Adds what an administrator can do instead. */
static void
explain (const Change *self, GError **error)
{
  if (error == NULL || !g_error_matches (*error, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    return;
  g_autofree char *ddl =
      tall_table_shutter_to_ddl (self->to, self->request.names->deployment, self->request.table);
  g_autofree char *message = g_steal_pointer (&(*error)->message);
  (*error)->message =
      g_strdup_printf ("%s. Do it in the hbase shell, and try again: %s", message, ddl);
}

static gboolean
refuse_framed (TallHbasePool *pool, GError **error)
{
  if (!tall_hbase_pool_get_options (pool)->framed)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "A framed gateway spoils the attributes of a table: use an unframed one");
  return FALSE;
}

static gboolean
change (Change *self, GError **error)
{
  if (!run (self, TALL_HBASE_TABLE_EXISTS, error))
    return FALSE;
  if (!self->request.result.yes)
    {
      tall_hbase_error_set_no_table (error, self->request.table, self->request.names->deployment);
      return FALSE;
    }
  if (!refuse_framed (self->pool, error))
    return FALSE;
  switch (self->to->access)
    {
    case TALL_ACCESS_CLOSED:
      return ensure (self, TALL_HBASE_IS_TABLE_DISABLED, TALL_HBASE_DISABLE_TABLE, error);
    case TALL_ACCESS_UNCLOSED:
      return ensure (self, TALL_HBASE_IS_TABLE_ENABLED, TALL_HBASE_ENABLE_TABLE, error);
    default:
      return modify (self, error);
    }
}

/**
 * tall_hbase_set_access:
 *
 * Implements set_access. Sealed is read-only, with the token beside it; closed is disabled. Each is
 * changed alone: a seal that hangs in a gateway does not enable a table. What fails after the table
 * was changed may be done.
 */
gboolean
tall_hbase_set_access (TallHbasePool *pool,
                       const TallHbaseNames *names,
                       const char *table,
                       const TallTableShutter *to,
                       gint64 deadline,
                       GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (names, table);
  Change self = { .pool = pool, .request = request, .to = to, .deadline = deadline };
  g_autoptr (GError) local = NULL;
  request = (TallHbaseRequest){ .names = NULL };
  gboolean changed = change (&self, &local);
  if (!changed && self.changing)
    local->code = TALL_ERROR_OUTCOME_UNKNOWN;
  else if (!changed)
    explain (&self, &local);
  tall_hbase_request_clear (&self.request);
  if (!changed)
    g_propagate_error (error, g_steal_pointer (&local));
  return changed;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-target.h"

#include "tall-client.h"
#include "tall-failing-table.h"
#include "table/memory-table.h"
#include "library/open.h"
#include "tall-torn-table.h"

#define MEMORY "memory"
#define LONGEST_PAUSE 40 /* microseconds */

static gboolean
create (const TallTarget *self, GError **error)
{
  TallStoreSettings settings = {
    .layout = tall_layout_find (self->create, error),
    .indexes = TALL_TARGET_INDEX "=customer_number last(1,currency)",
    .ttl = (guint64)MAX (self->ttl, 0),
  };
  if (settings.layout == NULL)
    return FALSE;
  settings.key_strategy = tall_key_strategy_find (self->key != NULL ? self->key : "hashed", error);
  return settings.key_strategy != NULL && tall_store_create (self->table, &settings, error);
}

/**
 * tall_target_open:
 *
 * Opens what @self says, and makes the deployment if it is to.
 */
gboolean
tall_target_open (TallTarget *self, GError **error)
{
  if (self->server != NULL)
    return TRUE;
  if (g_str_equal (self->url, MEMORY))
    self->table = tall_memory_table_new ();
  else
    {
      g_autoptr (TallTableAddress) address = tall_table_kinds_parse (self->url, error);
      if (address == NULL)
        return FALSE;
      self->table = tall_table_address_open (address, self->create != NULL, error);
    }
  return self->table != NULL && (self->create == NULL || create (self, error));
}

void
tall_target_clear (TallTarget *self)
{
  g_clear_object (&self->table);
  g_clear_pointer (&self->url, g_free);
  g_clear_pointer (&self->server, g_free);
  g_clear_pointer (&self->tls_ca, g_free);
  g_clear_pointer (&self->tls_certificate, g_free);
  g_clear_pointer (&self->tls_key, g_free);
  g_clear_pointer (&self->create, g_free);
  g_clear_pointer (&self->key, g_free);
}

/* Where several rows change in one step nobody tells lies, or that would not be used. */
static gboolean
is_honest (TallTable *table)
{
  TallTableInfo info;
  tall_table_get_info (table, &info);
  return info.together > 1;
}

/* Lets others in between two calls, delivers late what was lost, and fails one call of many. */
static TallFailure
disturb (TallFailingTable *table, const TallCall *call G_GNUC_UNUSED, gpointer data)
{
  gint failures = GPOINTER_TO_INT (data);

  if (g_random_int_range (0, 4) == 0)
    g_usleep ((gulong)g_random_int_range (0, LONGEST_PAUSE));
  if (g_random_int_range (0, 20) == 0)
    tall_failing_table_deliver_late (table);
  if (failures == 0 || g_random_int_range (0, failures) != 0)
    return TALL_FAILURE_NONE;
  gint32 last = is_honest (TALL_TABLE (table)) ? TALL_FAILURE_LATE : TALL_FAILURE_FALSE;
  return (TallFailure)g_random_int_range (TALL_FAILURE_BEFORE, last + 1);
}

static gint64
shifted_now (gpointer data)
{
  const TallWriter *self = data;
  return g_get_real_time () / 1000 + self->clock;
}

static TallFront *
connect_client (const TallTarget *target, GError **error)
{
  g_autoptr (TallFront) client = tall_client_new (target->server, error);
  if (client == NULL
      || (g_str_has_prefix (target->server, TALL_CLIENT_TLS)
          && !tall_client_use_tls (TALL_CLIENT (client), target->tls_ca, target->tls_certificate,
                                   target->tls_key, error)))
    return NULL;
  return g_steal_pointer (&client);
}

/**
 * tall_writer_new:
 * @clock: milliseconds that its clock is fast
 *
 * Returns: (transfer full): a store of its own on the target, as another process would have it. On
 *   a target that is embedded, other writers are let in between any two rows that it reads.
 */
TallWriter *
tall_writer_new (const TallTarget *target, gint64 clock, GError **error)
{
  g_autoptr (TallWriter) self = g_new0 (TallWriter, 1);
  TallStoreHooks hooks = {
    .now = shifted_now,
    .patience = target->patience * G_GINT64_CONSTANT (1000),
    .omits = (guint)target->omits,
    .data = self,
  };
  self->clock = clock;
  if (target->server != NULL)
    return (self->front = connect_client (target, error)) != NULL ? g_steal_pointer (&self) : NULL;
  if (target->failures < 0)
    self->table = g_object_ref (target->table);
  else
    {
      g_autoptr (TallTable) torn = tall_torn_table_new (target->table);
      self->table = tall_failing_table_new (torn);
      if (is_honest (torn))
        tall_failing_table_set_info (TALL_FAILING_TABLE (self->table), TALL_FAILING_EMBEDDED);
    }

  self->store = tall_store_open (self->table, NULL, NULL, &hooks, error);
  if (self->store == NULL)
    return NULL;
  self->front = g_object_ref (TALL_FRONT (self->store));
  if (TALL_IS_FAILING_TABLE (self->table))
    tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), disturb, NULL,
                                  GINT_TO_POINTER (target->failures));
  return g_steal_pointer (&self);
}

/**
 * tall_writer_settle:
 *
 * From here on nothing fails any more; what is still on its way arrives.
 */
void
tall_writer_settle (TallWriter *self)
{
  if (self->table == NULL || !TALL_IS_FAILING_TABLE (self->table))
    return;
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), NULL, NULL, NULL);
  tall_failing_table_deliver_late (TALL_FAILING_TABLE (self->table));
}

void
tall_writer_free (TallWriter *self)
{
  g_clear_object (&self->front);
  g_clear_object (&self->store);
  g_clear_object (&self->table);
  g_free (self);
}

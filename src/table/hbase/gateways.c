/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/gateways.h"

#include "wire/socket.h"

static gboolean
check_addresses (const char *const *addresses, GError **error)
{
  if (addresses == NULL || addresses[0] == NULL)
    {
      tall_error_set_invalid (error, "gateways", "no gateway is named: write hbase://host:port");
      return FALSE;
    }
  for (guint i = 0; addresses[i] != NULL; i++)
    {
      g_autofree char *host = NULL;
      guint16 port;
      if (!tall_address_parse (addresses[i], &host, &port, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_hbase_gateways_new:
 *
 * Returns: (transfer full): a pool whose gateways were not asked yet, to be left with
 *   tall_hbase_gateways_leave(); NULL as tall_hbase_pool_new() says
 */
TallHbasePool *
tall_hbase_gateways_new (const TallHbaseOptions *options, GError **error)
{
  g_auto (TallHbaseNames) names = { NULL };
  if (!check_addresses (options->gateways, error)
      || !tall_hbase_names_init (&names, options->name, error))
    return NULL;

  TallHbasePool *self = g_new0 (TallHbasePool, 1);
  self->names = names;
  names = (TallHbaseNames){ NULL };
  self->options = *options;
  self->options.gateways = NULL;
  self->options.name = NULL;
  self->wire = (TallWireOptions)TALL_WIRE_OPTIONS_INIT;
  self->wire.framed = options->framed;
  self->wire.compact = options->compact;
  self->wire.max_message = 512 * 1024 * 1024;
  self->n_users = 1;
  self->owner = g_uuid_string_random ();
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  g_queue_init (&self->waiting);

  self->n_gateways = g_strv_length ((char **)options->gateways);
  self->gateways = g_new0 (TallHbaseGateway, self->n_gateways);
  for (guint i = 0; i < self->n_gateways; i++)
    tall_hbase_gateway_init (&self->gateways[i], options->gateways[i]);
  return self;
}

/**
 * tall_hbase_gateways_leave:
 *
 * Frees the pool when nothing uses it any more.
 */
void
tall_hbase_gateways_leave (TallHbasePool *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_users))
    return;

  for (guint i = 0; i < self->n_gateways; i++)
    tall_hbase_gateway_clear (&self->gateways[i]);
  g_free (self->gateways);
  g_free (self->owner);
  tall_hbase_names_clear (&self->names);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

/**
 * tall_hbase_gateways_count:
 *
 * Returns: gateways in that phase. Called with the mutex held
 */
guint
tall_hbase_gateways_count (const TallHbasePool *self, TallHbasePhase phase)
{
  guint n = 0;
  for (guint i = 0; i < self->n_gateways; i++)
    n += tall_hbase_health_get_phase (&self->gateways[i].health) == phase;
  return n;
}

static guint
count_open (const TallHbasePool *self)
{
  guint n = 0;
  for (guint i = 0; i < self->n_gateways; i++)
    n += self->gateways[i].n_open;
  return n;
}

/**
 * tall_hbase_gateways_are_lost:
 *
 * Returns: whether there is nothing to wait for. Called with the mutex held
 */
gboolean
tall_hbase_gateways_are_lost (const TallHbasePool *self)
{
  return tall_hbase_gateways_count (self, TALL_HBASE_PHASE_ASIDE) == self->n_gateways
         && count_open (self) == 0;
}

/**
 * tall_hbase_gateways_set_unavailable:
 *
 * Sets why no gateway can be used. Called with the mutex held.
 */
void
tall_hbase_gateways_set_unavailable (const TallHbasePool *self, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) details = g_string_new (NULL);
  int code = 0;
  for (guint i = 0; i < self->n_gateways; i++)
    {
      const TallHbaseGateway *gateway = &self->gateways[i];
      /* The silence of a gateway that was asked says nothing about the caller's time. */
      int own = gateway->reason == NULL
                        || g_error_matches (gateway->reason, TALL_ERROR, TALL_ERROR_TIMED_OUT)
                    ? TALL_ERROR_UNAVAILABLE
                    : gateway->reason->code;
      code = code == 0 || code == own ? own : TALL_ERROR_UNAVAILABLE;
      const char *why =
          gateway->reason != NULL ? gateway->reason->message : "it has not answered yet";
      const char *detail = gateway->reason != NULL ? tall_error_get_detail (gateway->reason) : NULL;
      if (!g_str_has_suffix (text->str, why)) /* one reason of several gateways stands once */
        g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", why);
      g_string_append_printf (details, "%s%s", i > 0 ? "; " : "",
                              detail != NULL ? detail : gateway->address);
    }
  tall_error_set_detailed (error, code, details->str, "%s", text->str);
}

/**
 * tall_hbase_gateways_set_overloaded:
 *
 * Called with the mutex held.
 */
void
tall_hbase_gateways_set_overloaded (const TallHbasePool *self, GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
               "all the %u connections to HBase's gateways are busy: try again later, or add a "
               "gateway to --store",
               count_open (self));
}

/**
 * tall_hbase_gateways_set_none_free:
 *
 * Sets the error of a caller that got no connection in time. Called with the mutex held.
 */
void
tall_hbase_gateways_set_none_free (const TallHbasePool *self, GError **error)
{
  if (tall_hbase_gateways_count (self, TALL_HBASE_PHASE_ALIVE) > 0)
    tall_hbase_gateways_set_overloaded (self, error);
  else
    tall_hbase_gateways_set_unavailable (self, error);
}

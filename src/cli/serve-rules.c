/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/serve-rules.h"

#include "tall-error.h"

static const char *const client_words[] = {
  [TALL_TLS_CLIENTS_OFF] = "off",
  [TALL_TLS_CLIENTS_OPTIONAL] = "optional",
  [TALL_TLS_CLIENTS_REQUIRED] = "required",
};

void
tall_serve_rules_clear (TallServeRules *self)
{
  g_clear_pointer (&self->tls, tall_tls_context_unref);
  g_clear_pointer (&self->access, tall_roles_unref);
}

/* A CA that is named is there to be used. */
static gboolean
parse_clients (TallServeRules *self, const char *word, GError **error)
{
  if (word == NULL)
    {
      self->files.clients =
          self->files.ca != NULL ? TALL_TLS_CLIENTS_REQUIRED : TALL_TLS_CLIENTS_OFF;
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (client_words); i++)
    if (g_str_equal (word, client_words[i]))
      {
        self->files.clients = (TallTlsClients)i;
        return TRUE;
      }
  tall_error_set_invalid (error, "tls-clients",
                          "--tls-clients takes off, optional or required, not “%s”", word);
  return FALSE;
}

/**
 * tall_serve_rules_set:
 * @options: stay as long as @self
 * @clients: (nullable): the value of `--tls-clients`
 * @roles: (nullable): the value of `--access`
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if they do not fit together
 */
gboolean
tall_serve_rules_set (TallServeRules *self,
                      const TallOptions *options,
                      const char *clients,
                      const char *roles,
                      GError **error)
{
  gboolean encrypts = options->tls_certificate != NULL || options->tls_key != NULL;
  self->files = (TallTlsSettings){ .certificate = options->tls_certificate,
                                   .key = options->tls_key,
                                   .ca = options->tls_ca };
  self->roles = roles;
  if (!parse_clients (self, clients, error))
    return FALSE;
  if (!encrypts && (roles != NULL || self->files.clients != TALL_TLS_CLIENTS_OFF))
    {
      tall_error_set_invalid (error, "tls-certificate",
                              "Clients can only show who they are where TLS is on: give "
                              "--tls-certificate and --tls-key");
      return FALSE;
    }
  if (roles == NULL || self->files.clients != TALL_TLS_CLIENTS_OFF)
    return TRUE;
  tall_error_set_invalid (error, "tls-ca",
                          "--access gives roles to certificates of clients: say by --tls-ca who "
                          "signs them");
  return FALSE;
}

/* One that has ended replaces none: clients would refuse it. At the start there is no other. */
static gboolean
check_end (const TallServeRules *self, TallTlsContext *tls, GError **error)
{
  if (self->tls == NULL || !tall_tls_context_has_ended (tls))
    return TRUE;
  g_autofree char *certificate = tall_tls_context_describe (tls);
  tall_error_set_invalid (error, "tls-certificate", "--tls-certificate %s: the %s",
                          self->files.certificate, certificate);
  return FALSE;
}

/**
 * tall_serve_rules_load:
 *
 * Reads the files. What was read before stays if any of them is not good.
 */
gboolean
tall_serve_rules_load (TallServeRules *self, GError **error)
{
  g_autoptr (TallRoles) access = NULL;
  g_autoptr (TallTlsContext) tls = NULL;
  TallTlsSettings files = self->files;

  if (self->roles != NULL && (access = tall_roles_load (self->roles, error)) == NULL)
    return FALSE;
  files.revoked = access != NULL ? tall_roles_get_revoked (access) : NULL;
  if ((files.certificate != NULL || files.key != NULL)
      && ((tls = tall_tls_context_new_server (&files, error)) == NULL
          || !check_end (self, tls, error)))
    return FALSE;
  tall_serve_rules_clear (self);
  self->tls = g_steal_pointer (&tls);
  self->access = g_steal_pointer (&access);
  return TRUE;
}

/**
 * tall_serve_rules_log:
 *
 * Says what counts from now on; nothing secret.
 */
void
tall_serve_rules_log (const TallServeRules *self)
{
  if (self->tls == NULL)
    return;
  g_autofree char *certificate = tall_tls_context_describe (self->tls);
  g_autofree char *roles =
      self->access != NULL ? tall_roles_describe (self->access) : g_strdup ("none");
  g_message ("TLS: %s; certificates of clients: %s; roles: %s", certificate,
             client_words[self->files.clients], roles);
  if (tall_tls_context_has_ended (self->tls))
    g_warning ("TLS: clients will refuse the %s: renew it, and send SIGHUP", certificate);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/tls-context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/file.h"
#include "wire/tls-error.h"
#include "wire/tls-private.h"

struct _TallTlsContext
{
  SSL_CTX *ssl;
  GHashTable *revoked; /* (nullable) */
};

/**
 * tall_tls_context_ref:
 *
 * Returns: (transfer full):
 */
TallTlsContext *
tall_tls_context_ref (TallTlsContext *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  TallTlsContext *self = data;
  g_clear_pointer (&self->ssl, SSL_CTX_free);
  g_clear_pointer (&self->revoked, g_hash_table_unref);
}

void
tall_tls_context_unref (TallTlsContext *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

SSL_CTX *
tall_tls_context_get_ssl (TallTlsContext *self)
{
  return self->ssl;
}

static gboolean
is_revoked (SSL *ssl, X509 *certificate)
{
  const TallTlsContext *self = SSL_CTX_get_app_data (SSL_get_SSL_CTX (ssl));
  if (self->revoked == NULL || certificate == NULL)
    return FALSE;
  g_autofree char *fingerprint = tall_tls_fingerprint (certificate);
  return g_hash_table_contains (self->revoked, fingerprint);
}

/* A certificate that the configuration takes back is refused like one of an unknown CA. */
static int
verify (int ok, X509_STORE_CTX *verification)
{
  SSL *ssl = X509_STORE_CTX_get_ex_data (verification, SSL_get_ex_data_X509_STORE_CTX_idx ());
  X509 *leaf = X509_STORE_CTX_get0_cert (verification);
  if (ok && is_revoked (ssl, X509_STORE_CTX_get_current_cert (verification)))
    {
      X509_STORE_CTX_set_error (verification, X509_V_ERR_CERT_REVOKED);
      ok = 0;
    }
  if (!ok && leaf != NULL)
    tall_tls_note_refused (ssl, leaf);
  return ok;
}

/* No session is resumed: each connection shows and proves its certificate anew, so that what is
 * revoked stays outside. A client keeps its connections, so this costs it little. */
static void
set_rules (SSL_CTX *ssl)
{
  SSL_CTX_set_min_proto_version (ssl, TLS1_2_VERSION);
  SSL_CTX_set_options (ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET
                                | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode (ssl, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets (ssl, 0);
  SSL_CTX_set_mode (ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                             | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead (ssl, 1);
}

/* OpenSSL says why: what the system says of a file that cannot be read, or what is wrong in it. */
static gboolean
fail_file (const char *field, const char *what, const char *path, GError **error)
{
  const char *reason = tall_tls_get_reason ();
  if (ERR_SYSTEM_ERROR (ERR_peek_error ()))
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s %s cannot be read: %s", what, path,
                 reason);
  else
    tall_error_set_invalid (error, field, "%s %s cannot be used: %s", what, path, reason);
  ERR_clear_error ();
  return FALSE;
}

static gboolean
use_certificate (SSL_CTX *ssl, const char *path, const char *key_path, GError **error)
{
  if (path == NULL && key_path == NULL)
    return TRUE;
  if (path == NULL || key_path == NULL)
    {
      tall_error_set_invalid (error, path == NULL ? "certificate" : "key",
                              "A certificate and its key go together: give both files");
      return FALSE;
    }
  if (!tall_file_check_regular (path, "Certificate", error))
    return FALSE;
  ERR_clear_error ();
  if (SSL_CTX_use_certificate_chain_file (ssl, path) != 1)
    return fail_file ("certificate", "Certificate", path, error);
  g_autoptr (EVP_PKEY) key = tall_tls_key_load (key_path, error);
  if (key == NULL)
    return FALSE;
  ERR_clear_error ();
  if (SSL_CTX_use_PrivateKey (ssl, key) == 1 && SSL_CTX_check_private_key (ssl) == 1)
    return TRUE;
  tall_error_set_invalid (error, "key", "Key %s does not belong to certificate %s", key_path, path);
  ERR_clear_error ();
  return FALSE;
}

static gboolean
trust (SSL_CTX *ssl, const char *ca, GError **error)
{
  ERR_clear_error ();
  if (ca == NULL)
    return SSL_CTX_set_default_verify_paths (ssl) == 1;
  if (!tall_file_check_regular (ca, "File of CAs", error))
    return FALSE;
  return SSL_CTX_load_verify_file (ssl, ca) == 1 || fail_file ("ca", "File of CAs", ca, error);
}

static gboolean
ask_clients (SSL_CTX *ssl, const TallTlsSettings *settings, GError **error)
{
  if (settings->clients == TALL_TLS_CLIENTS_OFF)
    return TRUE;
  if (settings->ca == NULL)
    {
      tall_error_set_invalid (error, "ca",
                              "Certificates of clients can only be judged with the CA that signs "
                              "them: give its file");
      return FALSE;
    }
  if (!trust (ssl, settings->ca, error))
    return FALSE;
  SSL_CTX_set_client_CA_list (ssl, SSL_load_client_CA_file (settings->ca));
  int mode = SSL_VERIFY_PEER;
  if (settings->clients == TALL_TLS_CLIENTS_REQUIRED)
    mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  SSL_CTX_set_verify (ssl, mode, verify);
  return TRUE;
}

static TallTlsContext *
new_context (const SSL_METHOD *method, const TallTlsSettings *settings)
{
  TallTlsContext *self = g_atomic_rc_box_new0 (TallTlsContext);
  self->ssl = SSL_CTX_new (method);
  if (settings->revoked != NULL)
    self->revoked = g_hash_table_ref (settings->revoked);
  SSL_CTX_set_app_data (self->ssl, self);
  set_rules (self->ssl);
  return self;
}

/* When its own certificate ends; FALSE: it has none. */
static gboolean
get_end (TallTlsContext *self, struct tm *end)
{
  const X509 *certificate = SSL_CTX_get0_certificate (self->ssl);
  return certificate != NULL && ASN1_TIME_to_tm (X509_get0_notAfter (certificate), end) == 1;
}

/**
 * tall_tls_context_get_end:
 *
 * Returns: until when its own certificate is good, in seconds since 1970; 0 if it has none
 */
gint64
tall_tls_context_get_end (TallTlsContext *self)
{
  struct tm end = { 0 };
  return get_end (self, &end) ? (gint64)timegm (&end) : 0;
}

/**
 * tall_tls_context_has_ended:
 *
 * Returns: whether it has a certificate of its own that is not good any more
 */
gboolean
tall_tls_context_has_ended (TallTlsContext *self)
{
  gint64 end = tall_tls_context_get_end (self);
  return end != 0 && end < g_get_real_time () / G_USEC_PER_SEC;
}

/**
 * tall_tls_context_describe:
 *
 * Returns: (transfer full): of its own certificate, whose it is and how long it is good
 */
char *
tall_tls_context_describe (TallTlsContext *self)
{
  struct tm end = { 0 };
  if (!get_end (self, &end))
    return g_strdup ("no certificate");
  g_autofree char *subject =
      tall_tls_describe_name (X509_get_subject_name (SSL_CTX_get0_certificate (self->ssl)));
  return g_strdup_printf ("certificate of %s, %s %04d-%02d-%02d %02d:%02d UTC", subject,
                          tall_tls_context_has_ended (self) ? "which ended on" : "good until",
                          end.tm_year + 1900, end.tm_mon + 1, end.tm_mday, end.tm_hour, end.tm_min);
}

/**
 * tall_tls_context_new_server:
 * @settings: with certificate and key
 *
 * Reads the files; they are not looked at again.
 *
 * Returns: (transfer full): for connections that a server has accepted; NULL with
 *   %TALL_ERROR_INVALID, or %TALL_ERROR_UNAVAILABLE if a file cannot be read, which names the
 *   file. Nothing of a key is in it
 */
TallTlsContext *
tall_tls_context_new_server (const TallTlsSettings *settings, GError **error)
{
  g_autoptr (TallTlsContext) self = new_context (TLS_server_method (), settings);
  if (settings->certificate == NULL && settings->key == NULL)
    {
      tall_error_set_invalid (error, "certificate", "A server needs a certificate and its key");
      return NULL;
    }
  if (!use_certificate (self->ssl, settings->certificate, settings->key, error)
      || !ask_clients (self->ssl, settings, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * tall_tls_context_new_client:
 *
 * As tall_tls_context_new_server(), for connections to servers.
 */
TallTlsContext *
tall_tls_context_new_client (const TallTlsSettings *settings, GError **error)
{
  g_autoptr (TallTlsContext) self = new_context (TLS_client_method (), settings);
  if (!use_certificate (self->ssl, settings->certificate, settings->key, error)
      || !trust (self->ssl, settings->ca, error))
    return NULL;
  SSL_CTX_set_verify (self->ssl, SSL_VERIFY_PEER, verify);
  return g_steal_pointer (&self);
}

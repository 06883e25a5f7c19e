/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/tls-context.h"

#include "base/fail.h"

#include "base/file.h"
#include "wire/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a private key: only one that is kept secret. */

/* Bytes; the largest keys in use have some 15 KiB. */
#define MAX_KEY (64 * 1024)

/* A key with a password would have it asked for at the terminal: of a service nobody sees that. */
static int
refuse_password (char *buffer G_GNUC_UNUSED,
                 int size G_GNUC_UNUSED,
                 int writing G_GNUC_UNUSED,
                 void *asked)
{
  *(gboolean *)asked = TRUE;
  return -1;
}

/* A key of root may be read by one group: so it is shared with a service (Debian: ssl-cert). */
static gboolean
is_secret (const struct stat *status)
{
  mode_t shared = S_IRWXG | S_IRWXO;
  if (status->st_uid == 0 && geteuid () != 0)
    shared &= ~(mode_t)S_IRGRP;
  return (status->st_mode & shared) == 0;
}

static gboolean
check_file (int fd, const char *path, GError **error)
{
  struct stat status;
  if (fd < 0 || fstat (fd, &status) != 0)
    return tall_error_fail (error, TALL_ERROR_UNAVAILABLE, "Key %s cannot be read: %s", path,
                            g_strerror (errno));
  if (!S_ISREG (status.st_mode))
    return tall_error_fail_invalid (error, "key", "Key %s is not a file", path);
  if (is_secret (&status))
    return TRUE;
  return tall_error_fail_invalid (
      error, "key",
      "Key %s can be used by others than its owner (mode %04o), so it is no secret: make a new one "
      "if others were there, and run chmod 600 on it",
      path, (guint)status.st_mode & 07777);
}

static EVP_PKEY *
parse (const guint8 *data, gsize len, const char *path, GError **error)
{
  gboolean asked = FALSE;
  g_autoptr (BIO) bio = BIO_new_mem_buf (data, (int)len);
  ERR_clear_error ();
  EVP_PKEY *key = PEM_read_bio_PrivateKey (bio, NULL, refuse_password, &asked);
  if (key == NULL && asked)
    tall_error_set_invalid (error, "key",
                            "Key %s has a password, which nobody can give here: write it without "
                            "one (openssl pkey), readable for its owner only",
                            path);
  else if (key == NULL)
    tall_error_set_invalid (error, "key", "Key %s is not a private key in PEM form", path);
  ERR_clear_error ();
  return key;
}

/* Returns: (transfer full): the key in a PEM file that only its owner can read; NULL with
 *   %TALL_ERROR_INVALID, or %TALL_ERROR_UNAVAILABLE if it cannot be read. No error has anything of
 *   the file's content */
static EVP_PKEY *
tls_key_load (const char *path, GError **error)
{
  EVP_PKEY *key = NULL;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (check_file (fd, path, error))
    {
      g_autofree guint8 *data = g_malloc (MAX_KEY);
      gssize len = read (fd, data, MAX_KEY);
      key = parse (data, (gsize)MAX (len, 0), path, error);
      OPENSSL_cleanse (data, MAX_KEY);
    }
  if (fd >= 0)
    close (fd);
  return key;
}

const char *const tall_tls_name_kinds[] = { "cn:", "dns:", "email:", "uri:", "subject:", NULL };

void
tall_tls_identity_free (TallTlsIdentity *self)
{
  g_strfreev (self->names);
  g_free (self->fingerprint);
  g_strfreev (self->issuers);
  g_free (self);
}

/* Returns: (transfer full): as in #TallTlsIdentity */
static char *
tls_fingerprint (X509 *certificate)
{
  guint8 digest[EVP_MAX_MD_SIZE];
  guint len = 0;
  GString *text = g_string_new (NULL);
  if (X509_digest (certificate, EVP_sha256 (), digest, &len) != 1)
    len = 0;
  for (guint i = 0; i < len; i++)
    g_string_append_printf (text, "%02x", digest[i]);
  return g_string_free (text, FALSE);
}

/**
 * tall_tls_describe_name:
 *
 * Returns: (transfer full): a name in RFC 2253's form
 */
char *
tall_tls_describe_name (const X509_NAME *name)
{
  g_autoptr (BIO) bio = BIO_new (BIO_s_mem ());
  char *data = NULL;
  X509_NAME_print_ex (bio, name, 0, XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB);
  glong len = BIO_get_mem_data (bio, &data);
  return g_strndup (data, (gsize)MAX (len, 0));
}

/* A name with a NUL inside would look like another one that ends there. */
static void
add_name (GPtrArray *names, const char *kind, const ASN1_STRING *value)
{
  guint8 *text = NULL;
  int len = ASN1_STRING_to_UTF8 (&text, value);
  if (len > 0 && memchr (text, '\0', (gsize)len) == NULL)
    g_ptr_array_add (names, g_strdup_printf ("%s%.*s", kind, len, (const char *)text));
  OPENSSL_free (text);
}

static void
add_common_names (GPtrArray *names, const X509_NAME *subject)
{
  int i = -1;
  while ((i = X509_NAME_get_index_by_NID (subject, NID_commonName, i)) >= 0)
    add_name (names, "cn:", X509_NAME_ENTRY_get_data (X509_NAME_get_entry (subject, i)));
}

static void
add_alternative_names (GPtrArray *names, X509 *certificate)
{
  static const struct
  {
    int type;
    const char *kind;
  } kinds[] = { { GEN_DNS, "dns:" }, { GEN_EMAIL, "email:" }, { GEN_URI, "uri:" } };
  GENERAL_NAMES *all = X509_get_ext_d2i (certificate, NID_subject_alt_name, NULL, NULL);

  for (int i = 0; all != NULL && i < sk_GENERAL_NAME_num (all); i++)
    {
      int type;
      const ASN1_STRING *value = GENERAL_NAME_get0_value (sk_GENERAL_NAME_value (all, i), &type);
      for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
        if (kinds[k].type == type)
          add_name (names, kinds[k].kind, value);
    }
  GENERAL_NAMES_free (all);
}

/* @chain: (nullable): begins with the certificate itself */
static GStrv
list_issuers (const STACK_OF (X509) * chain)
{
  g_autoptr (GStrvBuilder) issuers = g_strv_builder_new ();
  for (int i = 1; i < sk_X509_num (chain); i++)
    {
      g_autofree char *fingerprint = tls_fingerprint (sk_X509_value (chain, i));
      g_strv_builder_add (issuers, fingerprint);
    }
  return g_strv_builder_end (issuers);
}

/**
 * tall_tls_identity_new:
 * @chain: (nullable): the certificate and the CAs above it, as they were verified
 *
 * Returns: (transfer full): of a certificate that was verified
 */
TallTlsIdentity *
tall_tls_identity_new (X509 *certificate, const STACK_OF (X509) * chain)
{
  TallTlsIdentity *self = g_new0 (TallTlsIdentity, 1);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const X509_NAME *subject = X509_get_subject_name (certificate);
  g_autofree char *text = tall_tls_describe_name (subject);

  add_common_names (names, subject);
  add_alternative_names (names, certificate);
  g_ptr_array_add (names, g_strconcat ("subject:", text, NULL));
  g_ptr_array_add (names, NULL);
  self->names = (GStrv)g_ptr_array_free (g_steal_pointer (&names), FALSE);
  self->fingerprint = tls_fingerprint (certificate);
  self->issuers = list_issuers (chain);
  ERR_clear_error ();
  return self;
}

struct _TallTlsContext
{
  SSL_CTX *ssl;
  GHashTable *revoked; /* (nullable) */
};

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
  g_autofree char *fingerprint = tls_fingerprint (certificate);
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
    return tall_error_fail_invalid (error, path == NULL ? "certificate" : "key",
                                    "A certificate and its key go together: give both files");
  if (!tall_file_check_regular (path, "Certificate", error))
    return FALSE;
  ERR_clear_error ();
  if (SSL_CTX_use_certificate_chain_file (ssl, path) != 1)
    return fail_file ("certificate", "Certificate", path, error);
  g_autoptr (EVP_PKEY) key = tls_key_load (key_path, error);
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
    return tall_error_fail_invalid (
        error, "ca",
        "Certificates of clients can only be judged with the CA that signs them: give its file");
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

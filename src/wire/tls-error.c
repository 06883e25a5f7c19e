/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The one place where what OpenSSL reports becomes our error. */
#include "wire/tls-error.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "base/text.h"
#include "wire/tls-private.h"

typedef struct
{
  int reason;
  TallError code;
  const char *text;
} Known;

#define ALERT(name) (SSL_AD_REASON_OFFSET + SSL_AD_##name)
#define REFUSED "the other side refuses our certificate: "

/* What the other side says before it closes (RFC 8446, 6.2). */
static const Known alerts[] = {
  { ALERT (CERTIFICATE_REQUIRED), TALL_ERROR_FORBIDDEN,
    "the other side wants a certificate, and none was shown" },
  { ALERT (CERTIFICATE_EXPIRED), TALL_ERROR_FORBIDDEN, REFUSED "it has expired" },
  { ALERT (CERTIFICATE_REVOKED), TALL_ERROR_FORBIDDEN, REFUSED "it was revoked" },
  { ALERT (UNKNOWN_CA), TALL_ERROR_FORBIDDEN, REFUSED "it does not know the CA" },
  { ALERT (BAD_CERTIFICATE), TALL_ERROR_FORBIDDEN, REFUSED "it is not valid" },
  { ALERT (UNSUPPORTED_CERTIFICATE), TALL_ERROR_FORBIDDEN,
    REFUSED "it is not meant for this purpose" },
  { ALERT (CERTIFICATE_UNKNOWN), TALL_ERROR_FORBIDDEN, REFUSED "it is not accepted" },
  { ALERT (ACCESS_DENIED), TALL_ERROR_FORBIDDEN, REFUSED "it gives no access" },
  { ALERT (HANDSHAKE_FAILURE), TALL_ERROR_FORBIDDEN,
    "the other side does not accept what we offer; does it want a certificate?" },
  { ALERT (PROTOCOL_VERSION), TALL_ERROR_UNSUPPORTED,
    "the other side does not take this version of TLS" },
};

/* What OpenSSL finds itself. */
static const Known reasons[] = {
  { SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, TALL_ERROR_FORBIDDEN, "it shows no certificate" },
  { SSL_R_UNSUPPORTED_PROTOCOL, TALL_ERROR_UNSUPPORTED,
    "it wants a version of TLS before 1.2, which is not taken" },
  { SSL_R_VERSION_TOO_LOW, TALL_ERROR_UNSUPPORTED,
    "it wants a version of TLS before 1.2, which is not taken" },
  { SSL_R_NO_SHARED_CIPHER, TALL_ERROR_UNSUPPORTED, "no cipher is known to both sides" },
  { SSL_R_WRONG_VERSION_NUMBER, TALL_ERROR_INVALID, "it does not speak TLS" },
  { SSL_R_HTTP_REQUEST, TALL_ERROR_INVALID, "it does not speak TLS, but HTTP" },
  { SSL_R_HTTPS_PROXY_REQUEST, TALL_ERROR_INVALID, "it does not speak TLS, but HTTP" },
  { SSL_R_PACKET_LENGTH_TOO_LONG, TALL_ERROR_INVALID, "it does not speak TLS" },
};

static const Known *
find (const Known *known, guint n, int reason)
{
  for (guint i = 0; i < n; i++)
    if (known[i].reason == reason)
      return &known[i];
  return NULL;
}

const char *
tall_tls_get_reason (void)
{
  unsigned long code = ERR_peek_error ();
  if (ERR_SYSTEM_ERROR (code))
    return g_strerror (ERR_GET_REASON (code));
  const char *reason = ERR_reason_error_string (code);
  return reason != NULL ? reason : "no reason is known";
}

static void
free_name (void *parent G_GNUC_UNUSED,
           void *name,
           CRYPTO_EX_DATA *data G_GNUC_UNUSED,
           int place G_GNUC_UNUSED,
           long number G_GNUC_UNUSED,
           void *unused G_GNUC_UNUSED)
{
  g_free (name);
}

static gpointer
make_place (gpointer data G_GNUC_UNUSED)
{
  return GINT_TO_POINTER (SSL_get_ex_new_index (0, NULL, NULL, NULL, free_name));
}

/* Where a connection keeps the name in the certificate that it refuses. */
static int
get_place (void)
{
  static GOnce once = G_ONCE_INIT;
  return GPOINTER_TO_INT (g_once (&once, make_place, NULL));
}

/**
 * tall_tls_note_refused:
 * @certificate: of the other side, which is just being refused: OpenSSL does not keep it
 *
 * Notes whose it says it is, for the error.
 */
void
tall_tls_note_refused (SSL *ssl, X509 *certificate)
{
  g_autofree char *name = tall_tls_describe_name (X509_get_subject_name (certificate));
  g_free (SSL_get_ex_data (ssl, get_place ()));
  SSL_set_ex_data (ssl, get_place (), tall_text_cut (name, TALL_TEXT_MAX_NAME));
}

/* Returns: (transfer full): the certificate that is refused */
static char *
describe_certificate (SSL *ssl)
{
  const char *name = SSL_get_ex_data (ssl, get_place ());
  return name == NULL ? g_strdup ("its certificate")
                      : g_strdup_printf ("its certificate (%s)", name);
}

/* Why the other side's certificate is not good. */
static void
set_bad_certificate (SSL *ssl, const char *host, GError **error)
{
  glong result = SSL_get_verify_result (ssl);
  g_autofree char *certificate = describe_certificate (ssl);
  switch (result)
    {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN,
                   "%s is not for the host %s: use a name that it is for", certificate, host);
      return;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN, "%s is of an unknown CA", certificate);
      return;
    default:
      g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN, "%s is refused: %s", certificate,
                   X509_verify_cert_error_string (result));
    }
}

/**
 * tall_tls_was_alerted:
 *
 * Returns: whether the last failure is one that the other side has announced
 */
gboolean
tall_tls_was_alerted (void)
{
  return ERR_GET_REASON (ERR_peek_error ()) > SSL_AD_REASON_OFFSET;
}

/**
 * tall_tls_set_error:
 * @host: (nullable): of the server that was meant
 *
 * Makes an error of what OpenSSL has in its queue, which is empty then.
 */
void
tall_tls_set_error (SSL *ssl, const char *host, GError **error)
{
  int reason = ERR_GET_REASON (ERR_peek_error ());
  const Known *known = find (alerts, G_N_ELEMENTS (alerts), reason);

  if (known == NULL && reason == SSL_R_CERTIFICATE_VERIFY_FAILED)
    set_bad_certificate (ssl, host, error);
  else
    {
      if (known == NULL)
        known = find (reasons, G_N_ELEMENTS (reasons), reason);
      g_set_error (error, TALL_ERROR, known != NULL ? known->code : TALL_ERROR_INVALID, "%s",
                   known != NULL ? known->text : tall_tls_get_reason ());
    }
  ERR_clear_error ();
}

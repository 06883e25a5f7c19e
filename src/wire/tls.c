/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/tls.h"

#include "base/text.h"
#include "wire/socket.h"
#include "wire/tls-context.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

/* The one place where what OpenSSL reports becomes our error. */

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

/* Returns: whether the last failure is one that the other side has announced */
static gboolean
tls_was_alerted (void)
{
  return ERR_GET_REASON (ERR_peek_error ()) > SSL_AD_REASON_OFFSET;
}

/* @host: (nullable): of the server that was meant
 *
 * Makes an error of what OpenSSL has in its queue, which is empty then. */
static void
tls_set_error (SSL *ssl, const char *host, GError **error)
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

/* After a failed handshake: how long, in microseconds, and for how many bytes, what still comes is
 * received. Closed at once, the system would discard the reason that was sent. */
#define LINGER_TIME (500 * G_TIME_SPAN_MILLISECOND)
#define LINGER_BYTES (64 * 1024)

struct _TallTls
{
  TallTlsContext *context;
  GSocket *socket;
  SSL *ssl;
  char *host;                /* of the server that is meant; NULL on the server's side */
  TallTlsIdentity *identity; /* NULL: none was shown, or not looked at yet */
  int number;                /* errno of the socket; 0: none */
  gboolean closed;           /* the other side has */
  gboolean renegotiating;    /* the other side wanted to begin anew, and was refused */
  gboolean received;         /* data has come */
  gboolean refused;          /* the other side has announced its refusal before any data came */
};

static int
read_socket (BIO *bio, char *buffer, int size)
{
  TallTls *self = BIO_get_data (bio);
  BIO_clear_retry_flags (bio);
  gssize n = recv (g_socket_get_fd (self->socket), buffer, (gsize)size, MSG_DONTWAIT);
  self->closed |= n == 0;
  if (n >= 0)
    return (int)n;
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
    BIO_set_retry_read (bio);
  else
    self->number = errno;
  return -1;
}

static int
write_socket (BIO *bio, const char *data, int len)
{
  TallTls *self = BIO_get_data (bio);
  BIO_clear_retry_flags (bio);
  gssize n = send (g_socket_get_fd (self->socket), data, (gsize)len, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n >= 0)
    return (int)n;
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
    BIO_set_retry_write (bio);
  else
    self->number = errno;
  return -1;
}

static long
control (BIO *bio G_GNUC_UNUSED,
         int command,
         long number G_GNUC_UNUSED,
         void *pointer G_GNUC_UNUSED)
{
  return command == BIO_CTRL_FLUSH;
}

/* OpenSSL's own BIO for sockets would raise SIGPIPE when the other side is gone. */
static gpointer
make_method (gpointer data G_GNUC_UNUSED)
{
  BIO_METHOD *method = BIO_meth_new (BIO_get_new_index () | BIO_TYPE_SOURCE_SINK, "tall-socket");
  BIO_meth_set_read (method, read_socket);
  BIO_meth_set_write (method, write_socket);
  BIO_meth_set_ctrl (method, control);
  return method;
}

/* With SSL_OP_NO_RENEGOTIATION, OpenSSL answers a wish to begin anew by a warning, and goes on. */
static void
on_info (const SSL *ssl, int where, int value)
{
  TallTls *self = SSL_get_app_data (ssl);
  if ((where & SSL_CB_WRITE_ALERT) == SSL_CB_WRITE_ALERT
      && (value & 0xff) == SSL_AD_NO_RENEGOTIATION)
    self->renegotiating = TRUE;
}

static TallTls *
new_tls (TallTlsContext *context, GSocket *socket)
{
  static GOnce once = G_ONCE_INIT;
  TallTls *self = g_new0 (TallTls, 1);
  self->context = tall_tls_context_ref (context);
  self->socket = g_object_ref (socket);
  self->ssl = SSL_new (tall_tls_context_get_ssl (context));
  BIO *bio = BIO_new (g_once (&once, make_method, NULL));
  BIO_set_data (bio, self);
  BIO_set_init (bio, 1);
  SSL_set_bio (self->ssl, bio, bio);
  SSL_set_app_data (self->ssl, self);
  SSL_set_info_callback (self->ssl, on_info);
  return self;
}

/**
 * tall_tls_new_server:
 * @socket: that was accepted; a reference is taken
 *
 * Returns: (transfer full): to be shaken hands with
 */
TallTls *
tall_tls_new_server (TallTlsContext *context, GSocket *socket)
{
  TallTls *self = new_tls (context, socket);
  SSL_set_accept_state (self->ssl);
  return self;
}

/**
 * tall_tls_new_client:
 * @host: a name or an address, which the certificate of the server has to be for
 *
 * Returns: (transfer full): to be shaken hands with
 */
TallTls *
tall_tls_new_client (TallTlsContext *context, GSocket *socket, const char *host)
{
  TallTls *self = new_tls (context, socket);
  SSL_set_connect_state (self->ssl);
  self->host = g_strdup (host);
  SSL_set_hostflags (self->ssl,
                     X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (!g_hostname_is_ip_address (host))
    SSL_set_tlsext_host_name (self->ssl, host);
  /* recognises addresses, too */
  SSL_set1_host (self->ssl, host);
  return self;
}

void
tall_tls_free (TallTls *self)
{
  SSL_free (self->ssl);
  g_clear_pointer (&self->identity, tall_tls_identity_free);
  g_object_unref (self->socket);
  tall_tls_context_unref (self->context);
  g_free (self->host);
  g_free (self);
}

static void
set_failure (TallTls *self, int kind, GError **error)
{
  if (self->renegotiating)
    g_set_error_literal (error, TALL_ERROR, TALL_ERROR_INVALID,
                         "it wanted to renegotiate, which is not taken");
  else if (kind == SSL_ERROR_SSL && ERR_peek_error () != 0)
    {
      self->refused = !self->received && tls_was_alerted ();
      tls_set_error (self->ssl, self->host, error);
    }
  else
    tall_socket_set_error (error, self->closed || self->number == 0 ? ECONNRESET : self->number);
}

/* What is to be done after a step that gave @result.
 * Returns: TRUE: try again; FALSE with @error set, which is NULL if the other side has closed */
static gboolean
wait_on (TallTls *self, int result, gint64 deadline, GError **error)
{
  int kind = SSL_get_error (self->ssl, result);
  if (self->renegotiating)
    kind = SSL_ERROR_SSL;
  if (kind == SSL_ERROR_WANT_READ)
    return tall_socket_wait (self->socket, G_IO_IN, deadline, error);
  if (kind == SSL_ERROR_WANT_WRITE)
    return tall_socket_wait (self->socket, G_IO_OUT, deadline, error);
  if (kind != SSL_ERROR_ZERO_RETURN)
    set_failure (self, kind, error);
  return FALSE;
}

/* OpenSSL says nothing to a client that does not speak TLS. This tells it, and tall_probe(), what
 * is here: a fatal alert of the wrong version (RFC 8446, 6). */
static void
send_plain_alert (TallTls *self)
{
  static const guint8 alert[] = { 21, 3, 3, 0, 2, SSL3_AL_FATAL, SSL_AD_PROTOCOL_VERSION };
  (void)!send (g_socket_get_fd (self->socket), alert, sizeof alert, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Sends nothing more, and receives what was sent before the other side knew. */
static void
linger (TallTls *self, gint64 deadline)
{
  gint64 until = MIN (deadline, g_get_monotonic_time () + LINGER_TIME);
  guint8 scratch[4096];
  gssize n = 1;

  g_socket_shutdown (self->socket, FALSE, TRUE, NULL);
  for (gsize len = 0; n > 0 && len < LINGER_BYTES; len += (gsize)n)
    n = tall_socket_receive (self->socket, scratch, sizeof scratch, until, NULL);
}

/**
 * tall_tls_handshake:
 * @deadline: of all of it, however many pieces it comes in
 *
 * Returns: FALSE with %TALL_ERROR_FORBIDDEN if one side does not accept the other's certificate,
 *   %TALL_ERROR_UNSUPPORTED (the version), %TALL_ERROR_INVALID (no TLS), %TALL_ERROR_TIMED_OUT, or
 *   %TALL_ERROR_UNAVAILABLE. Then nothing but closing can follow.
 */
gboolean
tall_tls_handshake (TallTls *self, gint64 deadline, GError **error)
{
  g_autoptr (GError) reason = NULL;
  for (;;)
    {
      ERR_clear_error ();
      int result = SSL_do_handshake (self->ssl);
      if (result == 1)
        return TRUE;
      if (!wait_on (self, result, deadline, &reason))
        break;
    }
  if (self->closed || g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT) || reason == NULL)
    g_set_error (error, TALL_ERROR, self->closed ? TALL_ERROR_UNAVAILABLE : TALL_ERROR_TIMED_OUT,
                 "TLS: the other side %s; does it speak TLS?",
                 self->closed ? "closed the connection within the handshake"
                              : "did not finish the handshake in time");
  else
    {
      if (self->host == NULL && g_error_matches (reason, TALL_ERROR, TALL_ERROR_INVALID))
        send_plain_alert (self);
      g_prefix_error (&reason, "TLS: ");
      g_propagate_error (error, g_steal_pointer (&reason));
      linger (self, deadline);
    }
  return FALSE;
}

/**
 * tall_tls_get_identity:
 *
 * Returns: (transfer none) (nullable): after the handshake, who the other side is; NULL if it has
 *   shown no certificate
 */
TallTlsIdentity *
tall_tls_get_identity (TallTls *self)
{
  g_autoptr (X509) certificate =
      self->identity == NULL ? SSL_get1_peer_certificate (self->ssl) : NULL;
  if (certificate != NULL)
    self->identity = tall_tls_identity_new (certificate, SSL_get0_verified_chain (self->ssl));
  return self->identity;
}

/**
 * tall_tls_receive:
 *
 * As tall_socket_receive().
 */
gssize
tall_tls_receive (TallTls *self, gpointer buffer, gsize size, gint64 deadline, GError **error)
{
  for (;;)
    {
      g_autoptr (GError) reason = NULL;
      ERR_clear_error ();
      int n = SSL_read (self->ssl, buffer, (int)MIN (size, G_MAXINT));
      if (n > 0 && !self->renegotiating)
        {
          self->received = TRUE;
          return n;
        }
      if (wait_on (self, n, deadline, &reason))
        continue;
      /* A frame that breaks off is noticed above, so an end without notice is an end. */
      if (reason == NULL || self->closed)
        return 0;
      g_propagate_error (error, g_steal_pointer (&reason));
      return -1;
    }
}

/**
 * tall_tls_send_all:
 *
 * As tall_socket_send_all().
 */
gboolean
tall_tls_send_all (TallTls *self, const guint8 *data, gsize len, gint64 deadline, GError **error)
{
  while (len > 0)
    {
      ERR_clear_error ();
      int n = SSL_write (self->ssl, data, (int)MIN (len, G_MAXINT));
      if (n > 0)
        {
          data += n;
          len -= (gsize)n;
          continue;
        }
      g_autoptr (GError) reason = NULL;
      if (wait_on (self, n, deadline, &reason))
        continue;
      if (reason == NULL)
        tall_socket_set_error (&reason, ECONNRESET);
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_tls_has_pending:
 *
 * Returns: whether bytes were taken from the socket and not yet asked for, so that waiting for the
 *   socket may bring nothing
 */
gboolean
tall_tls_has_pending (TallTls *self)
{
  return SSL_has_pending (self->ssl) == 1;
}

/**
 * tall_tls_is_refused:
 *
 * Returns: whether the other side has ended the connection as one that it never accepted, so that
 * it cannot have acted on anything that was sent. In TLS 1.3 a client hears of that after its own
 *   handshake is done.
 */
gboolean
tall_tls_is_refused (TallTls *self)
{
  return self->refused;
}

/**
 * tall_tls_end:
 *
 * Says that nothing more comes, if that can be said at once.
 */
void
tall_tls_end (TallTls *self)
{
  ERR_clear_error ();
  if (SSL_is_init_finished (self->ssl) && self->number == 0 && !self->closed)
    (void)SSL_shutdown (self->ssl);
  ERR_clear_error ();
}

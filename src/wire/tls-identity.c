/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/tls-identity-private.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "wire/tls-private.h"

const char *const tall_tls_name_kinds[] = { "cn:", "dns:", "email:", "uri:", "subject:", NULL };

void
tall_tls_identity_free (TallTlsIdentity *self)
{
  g_strfreev (self->names);
  g_free (self->fingerprint);
  g_strfreev (self->issuers);
  g_free (self);
}

/**
 * tall_tls_fingerprint:
 *
 * Returns: (transfer full): as in #TallTlsIdentity
 */
char *
tall_tls_fingerprint (X509 *certificate)
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
      g_autofree char *fingerprint = tall_tls_fingerprint (sk_X509_value (chain, i));
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
  self->fingerprint = tall_tls_fingerprint (certificate);
  self->issuers = list_issuers (chain);
  ERR_clear_error ();
  return self;
}

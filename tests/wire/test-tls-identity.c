/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/tls-context.h"
#include "wire/tls.h"

#include <openssl/x509v3.h>

static void
add_common_name (X509 *certificate, const char *name, int len)
{
  g_assert_cmpint (X509_NAME_add_entry_by_NID (X509_get_subject_name (certificate), NID_commonName,
                                               V_ASN1_UTF8STRING, (const guint8 *)name, len, -1, 0),
                   ==, 1);
}

/* A CA that does not look may have signed a name with a NUL inside; it is not the name before it.
 */
static void
test_nul (void)
{
  g_autoptr (X509) certificate = X509_new ();
  add_common_name (certificate, "loader\0.example", 15);
  add_common_name (certificate, "web", 3);
  add_common_name (certificate, "", 0);
  TallTlsIdentity *identity = tall_tls_identity_new (certificate, NULL);
  g_assert_cmpstr (identity->names[0], ==, "cn:web");
  g_assert_true (g_str_has_prefix (identity->names[1], "subject:"));
  g_assert_null (identity->names[2]);
  tall_tls_identity_free (identity);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wire/tls-identity/nul", test_nul);
  return g_test_run ();
}

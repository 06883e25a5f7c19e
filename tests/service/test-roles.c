/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The rights: every call in every role, and what a file of roles says. */

#include "service/calls/calls.h"
#include "service/server/listen.h"
#include "tall-must.h"

#include <glib/gstdio.h>

static int mode = 0640; /* of the file */

static TallRoles *
load (const char *text, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) local = NULL;
  int fd = g_file_open_tmp ("tall-roles-XXXXXX", &path, &local);
  g_assert_no_error (local);
  g_close (fd, &local);
  g_assert_no_error (local);
  g_file_set_contents (path, text, -1, &local);
  g_assert_no_error (local);
  g_assert_cmpint (g_chmod (path, (mode_t)mode), ==, 0);
  TallRoles *roles = tall_roles_load (path, error);
  g_unlink (path);
  return roles;
}

/* Returns: (transfer none): whose only name is @name */
static TallTlsIdentity *
identify (const char *name)
{
  static char *names[2];
  static TallTlsIdentity identity = { names, (char *)"feed" };
  names[0] = (char *)name;
  return &identity;
}

/* What each role may call. A call that is missing here fails the test. */
static const struct
{
  const char *call;
  TallRole least;
} rights[] = {
  { "getOrder", TALL_ROLE_READER },       { "getOrders", TALL_ROLE_READER },
  { "getCustomer", TALL_ROLE_READER },    { "getCustomerOrders", TALL_ROLE_READER },
  { "listOrders", TALL_ROLE_READER },     { "listCustomers", TALL_ROLE_READER },
  { "findOrders", TALL_ROLE_READER },     { "describe", TALL_ROLE_READER },
  { "ping", TALL_ROLE_READER },           { "putOrder", TALL_ROLE_WRITER },
  { "putOrders", TALL_ROLE_WRITER },      { "putCustomer", TALL_ROLE_WRITER },
  { "deleteOrder", TALL_ROLE_WRITER },    { "patchOrder", TALL_ROLE_WRITER },
  { "deleteCustomer", TALL_ROLE_WRITER }, { "verify", TALL_ROLE_ADMIN },
  { "startMigration", TALL_ROLE_ADMIN },  { "getMigration", TALL_ROLE_ADMIN },
  { "startBackup", TALL_ROLE_ADMIN },     { "eraseCustomer", TALL_ROLE_ADMIN },
  { "getBackup", TALL_ROLE_ADMIN },
};

/* The least that gets all of an answer, where not each client does that may make the call. */
static TallRole
find_details (const char *call)
{
  return g_str_equal (call, "describe") ? TALL_ROLE_ADMIN : TALL_ROLE_NONE;
}

static TallRole
find_least (const char *call)
{
  for (guint i = 0; i < G_N_ELEMENTS (rights); i++)
    if (g_str_equal (rights[i].call, call))
      return rights[i].least;
  g_error ("Say here who may call %s", call);
}

/* One client against every call. @may: up to which role's calls it may go. */
static void
check_all (TallRoles *roles, const TallTlsIdentity *identity, gboolean is_local, TallRole may)
{
  TallGate gate;
  tall_gate_init (&gate, NULL, roles);
  TallVisitor visitor = { .gate = &gate, .identity = identity, .is_local = is_local };
  g_auto (GStrv) names = tall_calls_list_names ();

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      const TallIdlCall *call = tall_calls_find (names[i]);
      gboolean sees_all = tall_visitor_may_see_details (&visitor, call);
      gboolean allowed = tall_visitor_may_call (&visitor, call, &error);
      g_assert_cmpint (sees_all, ==, find_details (names[i]) <= may);
      g_test_message ("%s for %s", names[i], tall_role_name (may));
      g_assert_cmpint (allowed, ==, find_least (names[i]) <= may);
      if (!allowed)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN);
    }
  tall_gate_clear (&gate);
}

static void
test_calls (void)
{
  g_autoptr (TallRoles) roles =
      must (load ("[roles]\nreader = cn:r;cn:a;cn:feed\nwriter = cn:w\nadmin = cn:a\n", &error));

  /* A certificate decides, wherever its owner is. */
  for (int is_local = FALSE; is_local <= TRUE; is_local++)
    {
      check_all (roles, NULL, is_local, TALL_ROLE_NONE);
      check_all (roles, identify ("cn:x"), is_local, TALL_ROLE_NONE);
      check_all (roles, identify ("cn:r"), is_local, TALL_ROLE_READER);
      check_all (roles, identify ("cn:w"), is_local, TALL_ROLE_WRITER);
      check_all (roles, identify ("cn:a"), is_local, TALL_ROLE_ADMIN);
    }
  check_all (NULL, NULL, FALSE, TALL_ROLE_WRITER);
  check_all (NULL, NULL, TRUE, TALL_ROLE_ADMIN);
  check_all (NULL, identify ("cn:a"), FALSE, TALL_ROLE_WRITER);
}

static void
test_no_role_in_table (void)
{
  TallGate gate;
  tall_gate_init (&gate, NULL, NULL);
  TallVisitor visitor = { .gate = &gate, .is_local = TRUE };
  const TallIdlCall forgotten = { .name = "forgotten" };
  must_fail (tall_visitor_may_call (&visitor, &forgotten, &error), TALL_ERROR_FORBIDDEN);
  tall_gate_clear (&gate);
}

/* An open connection is judged by the roles that count now. */
static void
test_replaced (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallRoles) before = load ("[roles]\nadmin = cn:a\n", NULL);
  g_autoptr (TallRoles) after = load ("[roles]\nreader = cn:a\n", NULL);
  TallGate gate;
  tall_gate_init (&gate, NULL, before);
  TallVisitor visitor = { .gate = &gate, .identity = identify ("cn:a") };
  const TallIdlCall *verify = tall_calls_find ("verify");
  g_assert_true (tall_visitor_may_call (&visitor, verify, NULL));
  tall_gate_replace (&gate, NULL, after);
  g_assert_false (tall_visitor_may_call (&visitor, verify, &error));
  g_assert_true (tall_visitor_may_call (&visitor, tall_calls_find ("ping"), NULL));
  tall_gate_clear (&gate);
}

static void
test_names (void)
{
  static const struct
  {
    const char *roles, *name;
    TallRole role;
  } cases[] = {
    { "reader = dns:Web.Shop.example", "dns:web.shop.EXAMPLE", TALL_ROLE_READER },
    { "reader = cn:Web", "cn:web", TALL_ROLE_NONE },
    { "reader = cn:web", "dns:web", TALL_ROLE_NONE },
    { "reader = cn:web", "cn:web ", TALL_ROLE_NONE },
    { "reader = dns:*.shop.example", "dns:web.shop.example", TALL_ROLE_NONE },
    { "writer = subject:CN=loader,O=Shop", "subject:CN=loader,O=Shop", TALL_ROLE_WRITER },
    { "writer = subject:CN=loader", "subject:CN=loader,O=Shop", TALL_ROLE_NONE },
    { "admin = uri:spiffe://shop/ops ; email:o@x", "email:o@x", TALL_ROLE_ADMIN },
    { "admin = cn:x\nreader = cn:x", "cn:x", TALL_ROLE_ADMIN },
    { "reader = cn:Doe, John;cn:y", "cn:Doe, John", TALL_ROLE_READER },
    { "reader =", "cn:", TALL_ROLE_NONE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strconcat ("[roles]\n", cases[i].roles, "\n", NULL);
      g_autoptr (TallRoles) roles = must (load (text, &error));
      g_test_message ("%s", cases[i].roles);
      g_assert_cmpint (tall_roles_find_role (roles, identify (cases[i].name)), ==, cases[i].role);
    }
}

#define DIGITS "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcd"

static void
test_revoked (void)
{
  g_autoptr (TallRoles) roles =
      must (load ("[roles]\nadmin = cn:a\n[revoked]\nfingerprints = AB:" DIGITS "; " DIGITS "00\n",
                  &error));
  TallTlsIdentity *identity = identify ("cn:a");
  g_autofree char *first = g_ascii_strdown ("ab" DIGITS, -1);
  TallTlsIdentity revoked = { identity->names, first };
  g_assert_cmpint (tall_roles_find_role (roles, identity), ==, TALL_ROLE_ADMIN);
  g_assert_cmpint (tall_roles_find_role (roles, &revoked), ==, TALL_ROLE_NONE);
  g_assert_true (tall_roles_is_revoked (roles, &revoked));

  /* One that a CA between it and the trusted one has signed goes with that. */
  char *issuers[] = { (char *)"feed", first, NULL };
  revoked = (TallTlsIdentity){ identity->names, identity->fingerprint, issuers };
  g_assert_cmpint (tall_roles_find_role (roles, &revoked), ==, TALL_ROLE_NONE);
  issuers[0] = first; /* the CA that has signed it */
  issuers[1] = (char *)"feed";
  g_assert_cmpint (tall_roles_find_role (roles, &revoked), ==, TALL_ROLE_NONE);
  issuers[0] = (char *)"feed";
  issuers[1] = NULL;
  g_assert_cmpint (tall_roles_find_role (roles, &revoked), ==, TALL_ROLE_ADMIN);
  g_autofree char *described = tall_roles_describe (roles);
  g_assert_cmpstr (described, ==, "0 reader, 0 writer, 1 admin, 2 revoked");
}

static void
test_mistakes (void)
{
  static const char *const texts[] = {
    "reader = cn:x\n",
    "secret line\n",
    "[roles]\nreader = web\n",
    "[roles]\nreader = cn:\n",
    "[roles]\nreader = cn:a;;\n",
    "[roles]\nreader = cn:a\\x\n",
    "[roles]\nreader = cn:a, dns:b\n",
    "[roles]\nroot = cn:a\n",
    "[role]\nreader = cn:a\n",
    "[revoked]\nfingerprints = " DIGITS "\n",
    "[revoked]\nfingerprints = " DIGITS "0g\n",
    "[revoked]\nreader = cn:a\n",
    "[roles]\nreader = cn:a\nreader = cn:b\n",
    "[revoked]\nfingerprints[de] = " DIGITS "00\n",
    "[revoked]\nfingerprints = 0\n[roles]\nreader = cn:a\n[revoked]\nfingerprints = 1\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallRoles) roles = load (texts[i], &error);
      g_test_message ("%s", texts[i]);
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      g_assert_null (roles);
      g_assert_null (strstr (error->message, "secret"));
    }
}

/* A file that everybody can write makes nobody an administrator. */
static void
test_writable (void)
{
  g_autoptr (GError) error = NULL;
  mode = 0646;
  g_autoptr (TallRoles) roles = load ("[roles]\nadmin = cn:a\n", &error);
  mode = 0640;
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "(mode 0646)"));
  g_assert_null (roles);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/roles/calls", test_calls);
  g_test_add_func ("/service/roles/no-role-in-table", test_no_role_in_table);
  g_test_add_func ("/service/roles/replaced", test_replaced);
  g_test_add_func ("/service/roles/names", test_names);
  g_test_add_func ("/service/roles/revoked", test_revoked);
  g_test_add_func ("/service/roles/mistakes", test_mistakes);
  g_test_add_func ("/service/roles/writable", test_writable);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/listen.h"

#include "tall-error.h"
#include "tall-must.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

/* An address that no machine has (RFC 5737). */
#define NOBODYS "192.0.2.1"

/* A resolver that knows one name, whose addresses it has from a test. */
typedef struct
{
  GResolver parent_instance;
  const char *addresses; /* with commas */
} TestResolver;

typedef GResolverClass TestResolverClass;

GType test_resolver_get_type (void);
G_DEFINE_TYPE (TestResolver, test_resolver, G_TYPE_RESOLVER)

static GList *
look_up (GResolver *resolver,
         const char *name G_GNUC_UNUSED,
         GCancellable *cancellable G_GNUC_UNUSED,
         GError **error G_GNUC_UNUSED)
{
  g_auto (GStrv) parts = g_strsplit (((TestResolver *)resolver)->addresses, ",", -1);
  GList *addresses = NULL;

  for (guint i = 0; parts[i] != NULL; i++)
    addresses = g_list_append (addresses, g_inet_address_new_from_string (parts[i]));
  return addresses;
}

static void
test_resolver_class_init (TestResolverClass *klass)
{
  klass->lookup_by_name = look_up;
}

static void
test_resolver_init (TestResolver *self G_GNUC_UNUSED)
{
}

static GSocketListener *
listen_on (const char *addresses, guint port, char **bound, gboolean *is_reachable, GError **error)
{
  g_autofree char *address = g_strdup_printf ("name:%u", port);
  g_autoptr (GResolver) resolver = g_object_new (test_resolver_get_type (), NULL);
  g_autoptr (GResolver) usual = g_resolver_get_default ();
  ((TestResolver *)resolver)->addresses = addresses;
  g_resolver_set_default (resolver);
  GSocketListener *listener = tall_listen (address, bound, is_reachable, error);
  g_resolver_set_default (usual);
  return listener;
}

static void
assert_fails (const char *addresses, guint port, const char *named)
{
  g_autofree char *bound = NULL;
  gboolean is_reachable;
  g_test_message ("%s", addresses);
  must_fail (listen_on (addresses, port, &bound, &is_reachable, &error), TALL_ERROR_UNAVAILABLE,
             named);
}

/* Each address of a host must work, whichever it is. */
static void
test_missing (void)
{
  assert_fails (NOBODYS ",127.0.0.1", 0, NOBODYS);
  assert_fails ("127.0.0.1," NOBODYS, 0, NOBODYS);
  assert_fails ("127.0.0.1," NOBODYS ",127.0.0.2", 0, NOBODYS);
  assert_fails (NOBODYS, 0, NOBODYS);
}

static guint
get_port (const char *address)
{
  return (guint)g_ascii_strtoull (strrchr (address, ':') + 1, NULL, 10);
}

static void
test_all (void)
{
  g_autofree char *bound = NULL;
  gboolean is_reachable = TRUE;
  g_autoptr (GSocketListener) listener =
      must (listen_on ("127.0.0.1,127.0.0.2", 0, &bound, &is_reachable, &error));
  g_assert_false (is_reachable);
  g_assert_true (g_str_has_prefix (bound, "name:"));
  for (guint i = 1; i <= 2; i++)
    {
      g_autofree char *address = g_strdup_printf ("127.0.0.%u", i);
      g_autoptr (GSocketClient) client = g_socket_client_new ();
      g_autoptr (GSocketConnection) connection =
          must (g_socket_client_connect_to_host (client, address, (guint16)get_port (bound), NULL,
                                                 &error));
    }

  /* One of them is taken already. */
  assert_fails ("127.0.0.2,127.0.0.3", get_port (bound), "another program");
  assert_fails ("127.0.0.3,127.0.0.2", get_port (bound), "another program");
}

static void
test_reachable (void)
{
  static const struct
  {
    const char *address;
    gboolean is_reachable;
  } cases[] = {
    { "0.0.0.0:0", TRUE },
    { "127.0.0.1:0", FALSE },
    { "[::]:0", TRUE },
    { "[::1]:0", FALSE },
    { "[::ffff:0.0.0.0]:0", TRUE },
    { "[::ffff:127.0.0.1]:0", FALSE },
    { "[::ffff:127.0.0.9]:0", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *bound = NULL;
      gboolean is_reachable = !cases[i].is_reachable;
      g_autoptr (GSocketListener) listener =
          tall_listen (cases[i].address, &bound, &is_reachable, &error);
      if (listener == NULL && strchr (cases[i].address, '[') != NULL)
        continue; /* no IPv6 here */
      g_assert_no_error (error);
      g_test_message ("%s", cases[i].address);
      g_assert_cmpint (is_reachable, ==, cases[i].is_reachable);
    }
}

/* A loopback address that comes last changes nothing. */
static void
test_reachable_first (void)
{
  g_autofree char *bound = NULL;
  gboolean is_reachable = FALSE;
  g_autoptr (GSocketListener) listener =
      must (listen_on ("0.0.0.0,::1", 0, &bound, &is_reachable, &error));
  g_assert_true (is_reachable);
}

/* A network of this process alone, with a loopback interface, and a setting of it. */
static gboolean
be_alone (const char *setting, const char *value)
{
  struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
  g_autofree char *path = g_strconcat ("/proc/sys/net/", setting, NULL);

  if (unshare (CLONE_NEWNET) != 0 && unshare (CLONE_NEWUSER | CLONE_NEWNET) != 0)
    return FALSE;
  if (!g_file_set_contents_full (path, value, -1, G_FILE_SET_CONTENTS_NONE, 0644, NULL))
    return FALSE;
  g_autoptr (GSocket) socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  return ioctl (g_socket_get_fd (socket), SIOCSIFFLAGS, &lo) == 0;
}

/* As localhost is where IPv6 is off. */
static void
test_no_ipv6 (void)
{
  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  g_autoptr (GError) error = NULL;
  g_autofree char *bound = NULL;
  gboolean is_reachable = TRUE;
  if (!be_alone ("ipv6/conf/lo/disable_ipv6", "1"))
    return;
  g_test_expect_message ("tallorder", G_LOG_LEVEL_MESSAGE, "Not listening on ::1*");
  g_autoptr (GSocketListener) listener =
      listen_on ("::1,127.0.0.1", 0, &bound, &is_reachable, &error);
  g_test_assert_expected_messages ();
  g_assert_no_error (error);
  g_assert_nonnull (listener);
  g_assert_false (is_reachable);

  g_test_expect_message ("tallorder", G_LOG_LEVEL_MESSAGE, "Not listening on ::1*");
  assert_fails ("::1", 0, "name:0 (::1)");
  g_test_assert_expected_messages ();
}

/* There are four ports, and three of them are taken on the host's other address. */
static void
test_taken (void)
{
  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  if (!be_alone ("ipv4/ip_local_port_range", "40000 40003"))
    return;
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GError) error = NULL;
  gboolean is_reachable = TRUE;
  for (guint port = 40000; port < 40003; port++)
    {
      g_autofree char *taken = NULL;
      g_ptr_array_add (others, listen_on ("127.0.0.2", port, &taken, &is_reachable, &error));
      g_assert_no_error (error);
    }
  g_autofree char *bound = NULL;
  g_autoptr (GSocketListener) listener =
      must (listen_on ("127.0.0.1,127.0.0.2", 0, &bound, &is_reachable, &error));
  g_assert_cmpstr (bound, ==, "name:40003");

  assert_fails ("127.0.0.1,127.0.0.2", 0, "another program");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/listen/missing", test_missing);
  g_test_add_func ("/service/listen/all", test_all);
  g_test_add_func ("/service/listen/reachable", test_reachable);
  g_test_add_func ("/service/listen/reachable-first", test_reachable_first);
  g_test_add_func ("/service/listen/no-ipv6", test_no_ipv6);
  g_test_add_func ("/service/listen/taken", test_taken);
  return g_test_run ();
}

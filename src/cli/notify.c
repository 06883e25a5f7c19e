/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/notify.h"

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <unistd.h>

/* Returns: (transfer full) (nullable): where the service manager listens */
static GSocketAddress *
find_manager (void)
{
  const char *name = g_getenv ("NOTIFY_SOCKET");
  if (name == NULL || (name[0] != '/' && name[0] != '@') || name[1] == '\0')
    return NULL;
  if (name[0] == '/')
    return g_unix_socket_address_new (name);
  return g_unix_socket_address_new_with_type (name + 1, -1, G_UNIX_SOCKET_ADDRESS_ABSTRACT);
}

/* Sends one message of the protocol that sd_notify(3) describes. A manager that is gone is no
 * reason to stop serving. */
static void
notify (const char *message)
{
  g_autoptr (GSocketAddress) manager = find_manager ();
  g_autoptr (GError) error = NULL;
  if (manager == NULL)
    return;
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM,
                                             G_SOCKET_PROTOCOL_DEFAULT, &error);
  if (socket == NULL
      || g_socket_send_to (socket, manager, message, strlen (message), NULL, &error) < 0)
    g_debug ("The service manager was not reached: %s", error->message);
}

static gboolean
on_watchdog (gpointer data G_GNUC_UNUSED)
{
  notify ("WATCHDOG=1");
  return G_SOURCE_CONTINUE;
}

/* Returns: milliseconds between two signs of life; 0: nobody waits for them */
static guint
watchdog_period (void)
{
  const char *pid = g_getenv ("WATCHDOG_PID");
  const char *text = g_getenv ("WATCHDOG_USEC");
  guint64 time, owner;
  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT64, &time, NULL))
    return 0;
  if (pid != NULL
      && (!g_ascii_string_to_unsigned (pid, 10, 1, G_MAXINT, &owner, NULL)
          || owner != (guint64)getpid ()))
    return 0;
  return (guint)CLAMP (time / 2000, 1, G_MAXINT);
}

/**
 * tall_notify_is_used:
 *
 * Returns: whether a service manager has started this process
 */
gboolean
tall_notify_is_used (void)
{
  g_autoptr (GSocketAddress) manager = find_manager ();
  return manager != NULL;
}

/**
 * tall_notify_ready:
 * @address: where the server listens
 *
 * Reports to the service manager, where there is one, that calls are answered now. From then on the
 * main loop gives the signs of life that a watchdog asks for, twice in its time.
 */
void
tall_notify_ready (const char *address)
{
  g_autofree char *message = g_strdup_printf ("READY=1\nSTATUS=Listening on %s", address);
  guint period = watchdog_period ();
  notify (message);
  if (period > 0)
    g_timeout_add (period, on_watchdog, NULL);
}

/**
 * tall_notify_reloading:
 *
 * Reports that the configuration is being read again, until tall_notify_reloaded().
 */
void
tall_notify_reloading (void)
{
  g_autofree char *message =
      g_strdup_printf ("RELOADING=1\nMONOTONIC_USEC=%" G_GINT64_FORMAT, g_get_monotonic_time ());
  notify (message);
}

/**
 * tall_notify_reloaded:
 *
 * Reports that it has been read, or stays as it was.
 */
void
tall_notify_reloaded (void)
{
  notify ("READY=1");
}

/**
 * tall_notify_stopping:
 *
 * Reports that no calls are taken any more.
 */
void
tall_notify_stopping (void)
{
  notify ("STOPPING=1");
}

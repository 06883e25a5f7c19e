/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/unread.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* Source: tcp_info of the kernel's linux/tcp.h. How much is in a socket's buffer would not say: it
 * is full before and after a part was taken and replaced. */
static guint64
count_acked (GSocket *socket)
{
  struct tcp_info info = { 0 };
  socklen_t len = sizeof info;
  if (getsockopt (g_socket_get_fd (socket), IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
    return 0;
  return info.tcpi_bytes_acked;
}

/**
 * tall_unread_look:
 * @now: of g_get_monotonic_time()
 *
 * Returns: for how many microseconds the other side has taken nothing, as far as looks show
 */
gint64
tall_unread_look (TallUnread *self, GSocket *socket, gint64 now)
{
  guint64 acked = count_acked (socket);
  if (self->since == 0 || acked != self->acked)
    {
      self->acked = acked;
      self->since = now;
    }
  return now - self->since;
}

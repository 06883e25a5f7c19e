/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/networks.h"

#include "tall-bytes.h"
#include "tall-error.h"

#define V4_SIZE 4
#define V6_SIZE 16
#define MAPPED_BITS 96

/* Above all IPv6 networks that an address can come from. */
#define V4_ORIGINS ((guint64)G_MAXUINT32 << 32)

/* What an IPv6 socket puts before the address of an IPv4 client. */
static const guint8 mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* Returns: (nullable): the four bytes of an IPv4 address, however it came */
static const guint8 *
get_v4 (GInetAddress *address)
{
  const guint8 *bytes = g_inet_address_to_bytes (address);

  if (g_inet_address_get_native_size (address) == V4_SIZE)
    return bytes;
  if (memcmp (bytes, mapped, sizeof mapped) == 0)
    return bytes + sizeof mapped;
  return NULL;
}

/**
 * tall_networks_get_plain:
 *
 * Returns: (transfer full): the same address, and an IPv4 one as such if it came as an IPv6 socket
 *   gives it
 */
GInetAddress *
tall_networks_get_plain (GInetAddress *address)
{
  const guint8 *v4 = get_v4 (address);
  return v4 == NULL ? g_object_ref (address)
                    : g_inet_address_new_from_bytes (v4, G_SOCKET_FAMILY_IPV4);
}

/* @mask: (transfer full): has no bits beyond its length, so a mapped one has at least those of all
 * mapped addresses. */
static GInetAddressMask *
get_plain_mask (GInetAddressMask *mask)
{
  g_autoptr (GInetAddressMask) given = mask;
  GInetAddress *address = g_inet_address_mask_get_address (given);
  g_autoptr (GInetAddress) plain = tall_networks_get_plain (address);
  guint length = g_inet_address_mask_get_length (given);

  if (g_inet_address_get_family (plain) == g_inet_address_get_family (address))
    return g_steal_pointer (&given);
  return g_inet_address_mask_new (plain, length - MAPPED_BITS, NULL);
}

static GInetAddressMask *
parse_one (const char *text, GError **error)
{
  g_autoptr (GError) reason = NULL;
  GInetAddressMask *mask = g_inet_address_mask_new_from_string (text, &reason);
  if (mask != NULL)
    return get_plain_mask (mask);
  tall_error_set_invalid (error, "networks",
                          "\"%s\" is no address and no network: write for example 10.0.0.7, "
                          "10.0.0.0/8 or fd00::/8, with commas between several",
                          text);
  return NULL;
}

/**
 * tall_networks_parse:
 * @text: addresses and networks such as `10.0.0.7,fd00::/8`; spaces do not count; empty: none. IPv4
 *   ones may also be written as an IPv6 socket gives them.
 *
 * Returns: (transfer full) (element-type GInetAddressMask): NULL with %TALL_ERROR_INVALID if one is
 *   none
 */
GPtrArray *
tall_networks_parse (const char *text, GError **error)
{
  g_autoptr (GPtrArray) networks = g_ptr_array_new_with_free_func (g_object_unref);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      GInetAddressMask *mask = parse_one (g_strstrip (parts[i]), error);
      if (mask == NULL)
        return NULL;
      g_ptr_array_add (networks, mask);
    }
  return g_steal_pointer (&networks);
}

/**
 * tall_networks_contain:
 * @networks: (nullable): from tall_networks_parse()
 * @address: an IPv4 one also as an IPv6 socket gives it
 */
gboolean
tall_networks_contain (GPtrArray *networks, GInetAddress *address)
{
  g_autoptr (GInetAddress) plain = tall_networks_get_plain (address);

  for (guint i = 0; networks != NULL && i < networks->len; i++)
    if (g_inet_address_mask_matches (networks->pdata[i], plain))
      return TRUE;
  return FALSE;
}

/**
 * tall_networks_is_local:
 * @proxies: (nullable): addresses that speak for others, from tall_networks_parse()
 * @address: an IPv4 one also as an IPv6 socket gives it
 *
 * Returns: whether a client of that address is on this machine, and speaks for itself
 */
gboolean
tall_networks_is_local (GPtrArray *proxies, GInetAddress *address)
{
  g_autoptr (GInetAddress) plain = tall_networks_get_plain (address);
  return g_inet_address_get_is_loopback (plain) && !tall_networks_contain (proxies, plain);
}

/**
 * tall_networks_get_origin:
 *
 * Returns: a number that is the same for all that one client can easily come from: one IPv4
 *   address, or one IPv6 network of 64 bits, which each subscriber has for itself
 */
guint64
tall_networks_get_origin (GInetAddress *address)
{
  const guint8 *v4 = get_v4 (address);
  TallReader reader =
      tall_reader (v4 != NULL ? tall_slice (v4, V4_SIZE)
                              : tall_slice (g_inet_address_to_bytes (address), V6_SIZE));

  return v4 != NULL ? V4_ORIGINS | tall_reader_u32 (&reader) : tall_reader_u64 (&reader);
}

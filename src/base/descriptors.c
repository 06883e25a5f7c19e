/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/descriptors.h"

#include <sys/resource.h>

/* Table files that an embedded store keeps open: at most so many, and at most a quarter of all
 * descriptors. */
#define STORE_MAX 1024
#define STORE_PART 4

/**
 * tall_descriptors_raise:
 *
 * Raises the limit of descriptors as far as this process may: the usual limit of 1024 is meant for
 * programs that use `select`.
 *
 * Returns: how many it may have now
 */
guint
tall_descriptors_raise (void)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return 0;

  if (limit.rlim_cur != limit.rlim_max)
    {
      struct rlimit wanted = { limit.rlim_max, limit.rlim_max };
      if (setrlimit (RLIMIT_NOFILE, &wanted) == 0)
        limit = wanted;
    }
  return (guint)MIN (limit.rlim_cur, (rlim_t)G_MAXINT);
}

/**
 * tall_descriptors_for_store:
 *
 * Returns: how many table files an embedded store may keep open, after the limit is raised
 */
guint
tall_descriptors_for_store (void)
{
  return MIN (STORE_MAX, tall_descriptors_raise () / STORE_PART);
}

/**
 * tall_descriptors_for_clients:
 *
 * Returns: how many connections of clients fit beside a store, after the limit is raised; 0: none
 */
guint
tall_descriptors_for_clients (void)
{
  guint all = tall_descriptors_raise ();
  guint others = tall_descriptors_for_store () + TALL_DESCRIPTORS_RESERVE;
  return all > others ? all - others : 0;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/settings.h"

/* Large files go to the disk bit by bit: a synced write waits for what of them is not there yet. */
static void
test_writes_back (void)
{
  rocksdb_cache_t *cache = rocksdb_cache_create_lru (1 << 20);
  rocksdb_options_t *options = tall_rocksdb_options_new (cache, 1 << 30, FALSE);
  g_assert_cmpuint (rocksdb_options_get_bytes_per_sync (options), >, 0);
  rocksdb_options_destroy (options);
  rocksdb_cache_destroy (cache);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rocksdb-options/writes-back", test_writes_back);
  return g_test_run ();
}

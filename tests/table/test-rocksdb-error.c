/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/engine.h"

#include <string.h>

#include "tall-error.h"
#include "tall-must.h"

/* What RocksDB says, and what it means. Names of files are anybody's words. */
static const struct
{
  const char *text;
  TallError code;
  const char *message;
} cases[] = {
  { "IO error: No space left on device: While appending to file: /srv/000012.log: x",
    TALL_ERROR_UNAVAILABLE, "Writing: make room on the file system of the store" },
  { "IO error: While open a file for appending: /srv/No space left on device/LOCK: Denied",
    TALL_ERROR_UNAVAILABLE, "Writing: check its file system" },
  { "IO error: While fsync: /srv/Corruption: column family: Input/output error",
    TALL_ERROR_UNAVAILABLE, "Writing: check its file system" },
  { "Corruption: block checksum mismatch in /srv/IO error: No space left on device/000012.sst",
    TALL_ERROR_DAMAGED, "Writing: restore it from a backup" },
  { "Invalid argument: Column family not found", TALL_ERROR_NOT_FOUND,
    "Writing: the table has been dropped" },
  { "Invalid argument: Invalid column family specified in write batch", TALL_ERROR_NOT_FOUND,
    "Writing: the table has been dropped" },
  { "Column family dropped: ", TALL_ERROR_NOT_FOUND, "Writing: the table has been dropped" },
  { "Invalid argument: /srv/column family: does not exist", TALL_ERROR_INTERNAL,
    "Writing: RocksDB failed" },
  { "Not implemented: lz4", TALL_ERROR_UNSUPPORTED,
    "Writing: this build of RocksDB can not do it" },
  { "Busy: Corruption: IO error: /srv/LOCK", TALL_ERROR_INTERNAL, "Writing: RocksDB failed" },
  { "", TALL_ERROR_INTERNAL, "Writing: RocksDB failed" },
};

static void
test_kinds (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_test_message ("%s", cases[i].text);
      g_assert_false (tall_rocksdb_take_error (strdup (cases[i].text), "Writing", &error));
      g_assert_error (error, TALL_ERROR, (int)cases[i].code);
      g_assert_cmpstr (error->message, ==, cases[i].message);
      g_assert_cmpstr (tall_error_get_detail (error), ==, cases[i].text);
    }
}

static void
test_place (void)
{
  g_autoptr (GError) error = NULL;

  must (tall_rocksdb_take_error_in (NULL, "/srv", "Opening", &error));
  g_assert_false (tall_rocksdb_take_error_in (strdup ("IO error: While lock file: x"), "/srv",
                                              "Opening", &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "another process has it open"));
  g_assert_null (strstr (error->message, "/srv"));
  g_assert_cmpstr (tall_error_get_detail (error), ==, "/srv: IO error: While lock file: x");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/rocksdb/error/kinds", test_kinds);
  g_test_add_func ("/table/rocksdb/error/place", test_place);
  return g_test_run ();
}

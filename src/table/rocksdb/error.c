/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/error.h"

#include "tall-error.h"

#define HELD                                                                                       \
  "another process has it open. Stop that process; or, for a command that takes `--server "        \
  "HOST:PORT`, run `tallorder serve` there and reach the store through it"

/* RocksDB's C interface gives its status as text only: the kind, then the part of it, then what
 * the kind says; file names, which may be any words, come after that. */
static const struct
{
  const char *start; /* of the text */
  TallError code;
  const char *advice;
} kinds[] = {
  { "IO error: While lock file: ", TALL_ERROR_UNAVAILABLE, HELD },
  { "IO error: lock hold by current process", TALL_ERROR_UNAVAILABLE, HELD },
  { "IO error: No space left on device", TALL_ERROR_UNAVAILABLE,
    "make room on the file system of the store" },
  { "IO error: ", TALL_ERROR_UNAVAILABLE, "check its file system" },
  { "Invalid argument: Column family", TALL_ERROR_NOT_FOUND, "the table has been dropped" },
  { "Invalid argument: Invalid column family", TALL_ERROR_NOT_FOUND, "the table has been dropped" },
  { "Column family dropped: ", TALL_ERROR_NOT_FOUND, "the table has been dropped" },
  { "Corruption: ", TALL_ERROR_DAMAGED, "restore it from a backup" },
  { "Not implemented: ", TALL_ERROR_UNSUPPORTED, "this build of RocksDB can not do it" },
};

/**
 * tall_rocksdb_take_error_in:
 * @message: (nullable) (transfer full): what a call of RocksDB left in its error argument
 * @directory: (nullable): where; only the log shows it
 * @operation: what failed; anybody may read it
 *
 * Makes an error of ours out of one of RocksDB, whose text becomes the detail.
 *
 * Returns: TRUE if there was none
 */
gboolean
tall_rocksdb_take_error_in (char *message,
                            const char *directory,
                            const char *operation,
                            GError **error)
{
  g_autoptr (TallRocksdbText) text = message;
  if (text == NULL)
    return TRUE;

  g_autofree char *detail =
      directory == NULL ? g_strdup (text) : g_strdup_printf ("%s: %s", directory, text);
  TallError code = TALL_ERROR_INTERNAL;
  const char *advice = "RocksDB failed";
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (text, kinds[i].start))
      {
        code = kinds[i].code;
        advice = kinds[i].advice;
        break;
      }
  tall_error_set_detailed (error, code, detail, "%s: %s", operation, advice);
  return FALSE;
}

/**
 * tall_rocksdb_take_error:
 *
 * As tall_rocksdb_take_error_in(), where the place is known.
 */
gboolean
tall_rocksdb_take_error (char *message, const char *operation, GError **error)
{
  return tall_rocksdb_take_error_in (message, NULL, operation, error);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-rocksdb-error.h"

#include "tall-error.h"

/* RocksDB's C interface gives its status as text only; the kind comes first. */
static const struct
{
  const char *text;
  gboolean anywhere; /* not only at the beginning */
  TallError code;
  const char *advice;
} kinds[] = {
  { "LOCK:", TRUE, TALL_ERROR_UNAVAILABLE,
    "another process has it open. Reach it through that process: run `tallorder serve` there and "
    "give `--server HOST:PORT` here, or stop it" },
  { "column family", TRUE, TALL_ERROR_NOT_FOUND, "the table has been dropped" },
  { "Corruption", FALSE, TALL_ERROR_DAMAGED, "restore it from a backup" },
  { "No space left", TRUE, TALL_ERROR_UNAVAILABLE, "make room on its file system" },
  { "IO error", FALSE, TALL_ERROR_UNAVAILABLE, "check its file system" },
  { "Not implemented", FALSE, TALL_ERROR_UNSUPPORTED, "this build of RocksDB can not do it" },
};

/**
 * tall_rocksdb_take_error:
 * @message: (nullable) (transfer full): what a call of RocksDB left in its error argument
 * @operation: what failed, and where
 *
 * Makes an error of ours out of one of RocksDB.
 *
 * Returns: TRUE if there was none
 */
gboolean
tall_rocksdb_take_error (char *message, const char *operation, GError **error)
{
  g_autoptr (TallRocksdbText) text = message;
  if (text == NULL)
    return TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const char *found = strstr (text, kinds[i].text);
      if (found == NULL || (found != text && !kinds[i].anywhere))
        continue;
      g_set_error (error, TALL_ERROR, kinds[i].code, "%s: %s (%s)", operation, kinds[i].advice,
                   text);
      return FALSE;
    }
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "%s: RocksDB says: %s", operation, text);
  return FALSE;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Linked into the program in front of RocksDB: ends it, as kill -9 does, instead of a write.
 *
 *     TALL_KILL_AT="N WORD"
 *
 * is the N-th write after the first one that holds WORD, from 0, which is that write itself. */

#include <rocksdb/c.h>

#include <signal.h>
#include <string.h>

#include <glib.h>

typedef struct
{
  gboolean wanted;
  gint n;
  const char *word;
} Moment;

void __real_rocksdb_write (rocksdb_t *db,
                           const rocksdb_writeoptions_t *options,
                           rocksdb_writebatch_t *batch,
                           char **message);
void __wrap_rocksdb_write (rocksdb_t *db,
                           const rocksdb_writeoptions_t *options,
                           rocksdb_writebatch_t *batch,
                           char **message);

static gpointer
find_moment (gpointer data G_GNUC_UNUSED)
{
  static Moment moment;
  const char *text = g_getenv ("TALL_KILL_AT");
  if (text == NULL)
    return &moment;
  char *end;
  moment = (Moment){ TRUE, (gint)g_ascii_strtoll (text, &end, 10), end + 1 };
  g_assert_cmpint (*end, ==, ' ');
  g_assert_cmpstr (moment.word, !=, "");
  return &moment;
}

static gboolean
holds (rocksdb_writebatch_t *batch, const char *word)
{
  size_t len;
  const char *data = rocksdb_writebatch_data (batch, &len);
  return memmem (data, len, word, strlen (word)) != NULL;
}

void
__wrap_rocksdb_write (rocksdb_t *db,
                      const rocksdb_writeoptions_t *options,
                      rocksdb_writebatch_t *batch,
                      char **message)
{
  static GOnce once = G_ONCE_INIT;
  static gint n = -1; /* atomic: writes from the one on that holds the word; -1: it has not come */
  const Moment *moment = g_once (&once, find_moment, NULL);
  if (moment->wanted && (g_atomic_int_get (&n) >= 0 || holds (batch, moment->word))
      && g_atomic_int_add (&n, 1) + 1 == moment->n)
    raise (SIGKILL);
  __real_rocksdb_write (db, options, batch, message);
}

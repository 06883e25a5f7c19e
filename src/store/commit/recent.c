/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/recent.h"

#include "model/canonical.h"
#include "store/commit/commit.h"

#define N_COMMITS 8192 /* that are remembered */

typedef struct
{
  guint8 key[TALL_MD5_SIZE]; /* of order and revision */
  TallRecentCommit commit;
} Entry;

struct _TallRecent
{
  GMutex mutex;
  GCond left;               /* somebody has */
  GHashTable *busy;         /* keys of orders that are being patched */
  GHashTable *known;        /* of Entry, by the key; not owned */
  guint64 n;                /* that were noted */
  Entry entries[N_COMMITS]; /* the last ones, one after the other, and again from the first */
};

static guint
hash_entry (gconstpointer data)
{
  guint hash;
  memcpy (&hash, ((const Entry *)data)->key, sizeof hash);
  return hash;
}

static gboolean
is_same_entry (gconstpointer a, gconstpointer b)
{
  return memcmp (((const Entry *)a)->key, ((const Entry *)b)->key, TALL_MD5_SIZE) == 0;
}

/**
 * tall_recent_new:
 *
 * Remembers the last commits of orders that this process makes, and gives those who patch their
 * turns. A state cell only names the last commit, and that is too little for a patch that is sent
 * again while many others write. What is forgotten leaves a doubt, and nothing else.
 *
 * Returns: (transfer full): one that knows of no commit
 */
TallRecent *
tall_recent_new (void)
{
  TallRecent *self = g_new0 (TallRecent, 1);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->left);
  self->busy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->known = g_hash_table_new (hash_entry, is_same_entry);
  return self;
}

void
tall_recent_free (TallRecent *self)
{
  g_hash_table_unref (self->known);
  g_hash_table_unref (self->busy);
  g_cond_clear (&self->left);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

static char *
make_key (const TallOperation *operation)
{
  return g_strdup_printf ("%s\n%s", operation->customer_number, operation->order_number);
}

/**
 * tall_recent_enter:
 *
 * Waits for its turn to patch the order, so that patches of one process do not overtake each other,
 * of which each time only one gets through. Other processes are met in the table.
 *
 * Returns: FALSE if the time was over before
 */
gboolean
tall_recent_enter (TallRecent *self, const TallOperation *operation)
{
  g_autofree char *key = make_key (operation);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (g_hash_table_contains (self->busy, key))
    if (!g_cond_wait_until (&self->left, &self->mutex, operation->deadline))
      return FALSE;
  g_hash_table_add (self->busy, g_steal_pointer (&key));
  return TRUE;
}

void
tall_recent_leave (TallRecent *self, const TallOperation *operation)
{
  g_autofree char *key = make_key (operation);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_hash_table_remove (self->busy, key);
  g_cond_broadcast (&self->left);
}

static Entry
make_entry (const TallOperation *operation, gint64 revision)
{
  Entry entry = { { 0 } };
  g_autofree char *text = g_strdup_printf ("%s\n%s\n%" G_GINT64_FORMAT, operation->customer_number,
                                           operation->order_number, revision);
  tall_md5 (tall_slice_str (text), entry.key); /* no number has a line break */
  return entry;
}

/**
 * tall_recent_note:
 * @committed: what the operation has just committed, of an order
 */
void
tall_recent_note (TallRecent *self, const TallOperation *operation, const TallState *committed)
{
  Entry entry = make_entry (operation, committed->revision);
  entry.commit.replaced = tall_state_get_replaced (committed, operation);
  memcpy (entry.commit.token, committed->token, TALL_TOKEN_SIZE);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  Entry *place = &self->entries[self->n++ % N_COMMITS];
  if (self->n > N_COMMITS)
    g_hash_table_remove (self->known, place);
  *place = entry;
  g_hash_table_add (self->known, place);
}

/**
 * tall_recent_find:
 * @commit: (out): the commit of that revision
 *
 * Returns: FALSE if it is not known
 */
gboolean
tall_recent_find (TallRecent *self,
                  const TallOperation *operation,
                  gint64 revision,
                  TallRecentCommit *commit)
{
  Entry wanted = make_entry (operation, revision);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  const Entry *found = g_hash_table_lookup (self->known, &wanted);
  if (found != NULL)
    *commit = found->commit;
  return found != NULL;
}

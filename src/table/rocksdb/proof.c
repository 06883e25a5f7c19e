/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/check.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "table/rocksdb/directory.h"
#include "tall-bytes.h"

#define MAGIC "tallsync"
#define MAGIC_LEN 8
#define FORMAT 1
#define SIZE 48
#define CHECKSUM_SIZE 4
#define LOSSES "LOSSES"

struct _TallRocksdbSynced
{
  char *path; /* for people */
  int file;

  GMutex mutex;
  TallRocksdbProof proof; /* under mutex */
  gboolean failed;        /* under mutex: said once */
};

/* Big-endian: magic, u32 format, u64 manifest, manifest_len, base, synced, u32 CRC-32C of all that.
 */
static void
encode (const TallRocksdbProof *proof, GByteArray *stored)
{
  g_byte_array_set_size (stored, 0);
  tall_bytes_append (stored, tall_slice (MAGIC, MAGIC_LEN));
  tall_bytes_append_u32 (stored, FORMAT);
  tall_bytes_append_u64 (stored, proof->manifest);
  tall_bytes_append_u64 (stored, proof->manifest_len);
  tall_bytes_append_u64 (stored, proof->base);
  tall_bytes_append_u64 (stored, proof->synced);
  tall_bytes_append_u32 (stored, tall_rocksdb_checksum (tall_slice_array (stored)));
}

/* FALSE if the bytes are not what somebody wrote. A later format ends with a checksum, too. */
static gboolean
decode (TallSlice stored, guint32 *format, TallRocksdbProof *proof)
{
  gsize len = stored.len - MIN (stored.len, CHECKSUM_SIZE);
  TallReader end = tall_reader (tall_slice (stored.data + len, stored.len - len));
  TallReader reader = tall_reader (tall_slice (stored.data, len));
  TallSlice magic = tall_reader_take (&reader, MAGIC_LEN);
  *format = tall_reader_u32 (&reader);
  proof->manifest = tall_reader_u64 (&reader);
  proof->manifest_len = tall_reader_u64 (&reader);
  proof->base = tall_reader_u64 (&reader);
  proof->synced = tall_reader_u64 (&reader);
  return tall_slice_equal (magic, tall_slice (MAGIC, MAGIC_LEN)) && *format >= FORMAT
         && (tall_reader_done (&reader) || *format > FORMAT)
         && tall_reader_u32 (&end) == tall_rocksdb_checksum (tall_slice (stored.data, len));
}

/**
 * tall_rocksdb_proof_load:
 * @proof: (out caller-allocates): all zero if there is no such file, as in stores made before it,
 *   or if it is not whole: a crash may tear it, and it has nothing that somebody stored
 *
 * Returns: FALSE with %TALL_ERROR_NEWER_VERSION or %TALL_ERROR_UNAVAILABLE
 */
gboolean
tall_rocksdb_proof_load (const char *directory, TallRocksdbProof *proof, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *path = g_build_filename (directory, TALL_ROCKSDB_SYNCED, NULL);
  g_autofree char *text = NULL;
  gsize len = 0;
  guint32 format = 0;
  *proof = (TallRocksdbProof){ 0 };
  if (!g_file_get_contents (path, &text, &len, &local))
    {
      if (g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        return TRUE;
      return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                                       "Opening the store: " TALL_ROCKSDB_SYNCED
                                       " can not be read");
    }
  if (!decode (tall_slice (text, len), &format, proof))
    {
      g_autofree char *shown = tall_rocksdb_directory_show (path);
      g_warning ("%s is damaged, and is written anew. It says how much of the store must be there; "
                 "so losses at the end of the log go unnoticed this time",
                 shown);
      *proof = (TallRocksdbProof){ 0 };
    }
  else if (format > FORMAT)
    return tall_error_fail_detailed (
        error, TALL_ERROR_NEWER_VERSION, path,
        "Opening the store: " TALL_ROCKSDB_SYNCED
        " has format %u, this version knows formats up to %d: use a newer tallorder",
        format, FORMAT);
  return TRUE;
}

/* What cannot be written protects less, and nothing else: the writes themselves are on disk. */
static void
store (TallRocksdbSynced *self)
{
  g_autoptr (GByteArray) stored = g_byte_array_sized_new (SIZE);
  encode (&self->proof, stored);
  ssize_t written = pwrite (self->file, stored->data, stored->len, 0);
  if (written == SIZE || self->failed)
    return;
  self->failed = TRUE;
  g_warning ("%s can not be written: %s. After a crash, damage of the log may be taken for its end",
             self->path, written < 0 ? g_strerror (errno) : "no room");
}

/* A file that nobody else has, also if the one of that name is linked from a copy of the store. */
static int
make_file (const char *path, const TallRocksdbProof *proof)
{
  g_autofree char *fresh = g_strconcat (path, ".new", NULL);
  g_autoptr (GByteArray) stored = g_byte_array_sized_new (SIZE);
  encode (proof, stored);
  (void)g_unlink (fresh); /* left by a crash */
  int file = g_open (fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return -1;
  errno = ENOSPC; /* if it is written in part */
  if (pwrite (file, stored->data, stored->len, 0) == SIZE && fdatasync (file) == 0
      && g_rename (fresh, path) == 0)
    return file;
  int code = errno;
  (void)close (file);
  (void)g_unlink (fresh);
  errno = code;
  return -1;
}

/**
 * tall_rocksdb_synced_open:
 * @proof: what there is now
 *
 * Begins to write the file of a store that is open. It is a new file, which gets its place with its
 * content: a copy of the store that was made of links keeps the old one.
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_UNAVAILABLE
 */
TallRocksdbSynced *
tall_rocksdb_synced_open (const char *directory, const TallRocksdbProof *proof, GError **error)
{
  g_autofree char *path = g_build_filename (directory, TALL_ROCKSDB_SYNCED, NULL);
  int file = make_file (path, proof);
  if (file < 0)
    {
      int code = errno;
      tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, g_strerror (code),
                               "Opening the store for writing: " TALL_ROCKSDB_SYNCED
                               " can not be written: %s the file system of the store",
                               code == ENOSPC ? "make room on" : "check");
      return NULL;
    }
  TallRocksdbSynced *self = g_new0 (TallRocksdbSynced, 1);
  self->path = tall_rocksdb_directory_show (path);
  self->file = file;
  self->proof = *proof;
  g_mutex_init (&self->mutex);
  return self;
}

/**
 * tall_rocksdb_synced_get:
 * @proof: (out caller-allocates): how much must be there now
 */
void
tall_rocksdb_synced_get (TallRocksdbSynced *self, TallRocksdbProof *proof)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  *proof = self->proof;
}

/**
 * tall_rocksdb_synced_note:
 * @write: number of a write that is on disk, and with it all before
 *
 * To be called before the write is acknowledged. It costs one write of a few bytes to the memory
 * of the kernel, where a process that is killed leaves it; no sync. What a crash of the machine
 * takes from it is a late part of the proof, so that the rest stays true.
 */
void
tall_rocksdb_synced_note (TallRocksdbSynced *self, guint64 write)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->proof.synced >= write)
    return;
  self->proof.synced = write;
  store (self);
}

/**
 * tall_rocksdb_synced_finish:
 * @measured: what the MANIFEST says
 *
 * Notes the state of a store that is closed, or whose tables have changed, and syncs it.
 *
 * Returns: the last write that is in tables, and with it all before
 */
guint64
tall_rocksdb_synced_finish (TallRocksdbSynced *self, const TallRocksdbProof *measured)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  TallRocksdbProof before = self->proof;
  self->proof.manifest = measured->manifest;
  self->proof.manifest_len = measured->manifest_len;
  self->proof.base = MAX (before.base, measured->base);
  self->proof.synced = MAX (before.synced, self->proof.base);
  if (memcmp (&before, &self->proof, sizeof before) != 0) /* else nothing was written */
    {
      store (self);
      if (fdatasync (self->file) != 0)
        g_warning ("%s was not synced: %s", self->path, g_strerror (errno));
    }
  return self->proof.base;
}

void
tall_rocksdb_synced_free (TallRocksdbSynced *self)
{
  close (self->file);
  g_mutex_clear (&self->mutex);
  g_free (self->path);
  g_free (self);
}

/* A new file: the one that there is may be linked from a copy of the store. */
static gboolean
set_losses (const char *directory, const char *text, GError **error)
{
  g_autofree char *path = g_build_filename (directory, LOSSES, NULL);
  return g_file_set_contents_full (path, text, -1,
                                   G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                                   0600, error);
}

/* NULL: nothing was lost. */
static char *
get_losses (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, LOSSES, NULL);
  char *text = NULL;
  (void)g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

/**
 * tall_rocksdb_losses_add:
 * @directory: of a store
 * @lost: of texts: what RocksDB dropped when it opened the store
 *
 * Says so in our log, and keeps it in a file of the store until somebody removes that.
 */
void
tall_rocksdb_losses_add (const char *directory, GPtrArray *lost)
{
  if (lost->len == 0)
    return;
  g_autoptr (GError) error = NULL;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *date = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
  g_autofree char *before = get_losses (directory);
  g_autofree char *shown = tall_rocksdb_directory_show (directory);
  g_autoptr (GString) text = g_string_new (before);
  for (guint i = 0; i < lost->len; i++)
    {
      const char *what = g_ptr_array_index (lost, i);
      g_string_append_printf (text, "%s dropped %s\n", date, what);
      g_warning ("The store in %s was not closed: dropped %s", shown, what);
    }
  if (!set_losses (directory, text->str, &error))
    g_warning (LOSSES " of the store can not be written: %s", error->message);
}

/**
 * tall_rocksdb_losses_copy:
 *
 * What one store has lost, a copy of it has lost, too.
 */
gboolean
tall_rocksdb_losses_copy (const char *from, const char *to, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *text = get_losses (from);
  if (text == NULL || set_losses (to, text, &local))
    return TRUE;
  return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                                   LOSSES " of the store can not be copied");
}

/**
 * tall_rocksdb_losses_list:
 *
 * Returns: (transfer full) (nullable): one line each, with its date, and at the end how to forget
 *   them; NULL if nothing was lost
 */
GStrv
tall_rocksdb_losses_list (const char *directory)
{
  g_autofree char *text = get_losses (directory);
  if (text == NULL)
    return NULL;
  g_autofree char *path = g_build_filename (directory, LOSSES, NULL);
  g_autofree char *all = g_strdup_printf ("%sTo forget this, remove %s", text, path);
  return g_strsplit (all, "\n", -1);
}

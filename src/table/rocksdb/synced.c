/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/synced.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tall-error.h"
#include "table/rocksdb/log.h"

#define MAGIC "tallsync"
#define MAGIC_LEN 8
#define FORMAT 1
#define SIZE 48

struct _TallRocksdbSynced
{
  char *path;
  int file;

  GMutex mutex;
  TallRocksdbProof proof; /* under mutex */
  gboolean failed;        /* under mutex: said once */
  guint64 noted;          /* atomic: the last write that the file has */
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
  tall_bytes_append_u32 (stored, tall_rocksdb_log_checksum (tall_slice_array (stored)));
}

static gboolean
decode (TallSlice stored, guint32 *format, TallRocksdbProof *proof)
{
  TallReader reader = tall_reader (stored);
  TallSlice magic = tall_reader_take (&reader, MAGIC_LEN);
  *format = tall_reader_u32 (&reader);
  if (*format > FORMAT && tall_slice_equal (magic, tall_slice (MAGIC, MAGIC_LEN)))
    return TRUE;
  *proof = (TallRocksdbProof){ 0 };
  proof->manifest = tall_reader_u64 (&reader);
  proof->manifest_len = tall_reader_u64 (&reader);
  proof->base = tall_reader_u64 (&reader);
  proof->synced = tall_reader_u64 (&reader);
  guint32 checksum = tall_reader_u32 (&reader);
  return tall_reader_done (&reader) && *format == FORMAT
         && tall_slice_equal (magic, tall_slice (MAGIC, MAGIC_LEN))
         && checksum == tall_rocksdb_log_checksum (tall_slice (stored.data, SIZE - 4));
}

/**
 * tall_rocksdb_proof_load:
 * @proof: (out caller-allocates): all zero if there is no such file, as in stores made before it
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED, %TALL_ERROR_NEWER_VERSION or %TALL_ERROR_UNAVAILABLE
 */
gboolean
tall_rocksdb_proof_load (const char *directory, TallRocksdbProof *proof, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *path = g_build_filename (directory, TALL_ROCKSDB_SYNCED, NULL);
  g_autofree char *text = NULL;
  gsize len;
  guint32 format;
  *proof = (TallRocksdbProof){ 0 };
  if (!g_file_get_contents (path, &text, &len, &local))
    {
      if (g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        return TRUE;
      tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                               "Opening the store: " TALL_ROCKSDB_SYNCED " can not be read");
      return FALSE;
    }
  if (!decode (tall_slice (text, len), &format, proof))
    tall_error_set_detailed (error, TALL_ERROR_DAMAGED, path,
                             "Opening the store: " TALL_ROCKSDB_SYNCED " is damaged. It says how "
                             "much of the store must be there: restore the store from a backup; or "
                             "remove this file. If you remove it, losses at the end of other files "
                             "go unnoticed");
  else if (format > FORMAT)
    tall_error_set_detailed (error, TALL_ERROR_NEWER_VERSION, path,
                             "Opening the store: " TALL_ROCKSDB_SYNCED
                             " has format %u, this version knows formats up to %d: use a newer "
                             "tallorder",
                             format, FORMAT);
  else
    return TRUE;
  return FALSE;
}

/* What cannot be written protects less, and nothing else: the writes themselves are on disk. */
static void
store (TallRocksdbSynced *self)
{
  g_autoptr (GByteArray) stored = g_byte_array_sized_new (SIZE);
  encode (&self->proof, stored);
  ssize_t written;
  do
    written = pwrite (self->file, stored->data, stored->len, 0);
  while (written < 0 && errno == EINTR);
  if (written == SIZE || self->failed)
    return;
  self->failed = TRUE;
  g_warning ("%s can not be written: %s. After a crash, damage of the log may be taken for its end",
             self->path, written < 0 ? g_strerror (errno) : "no room");
}

/**
 * tall_rocksdb_synced_open:
 * @proof: what there is now
 *
 * Begins to write the file of a store that is open. A new one gets its place with its content, so
 * that a crash leaves no empty one.
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_UNAVAILABLE
 */
TallRocksdbSynced *
tall_rocksdb_synced_open (const char *directory, const TallRocksdbProof *proof, GError **error)
{
  g_autofree char *path = g_build_filename (directory, TALL_ROCKSDB_SYNCED, NULL);
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  g_autoptr (GError) local = NULL;
  encode (proof, stored);
  int file = open (path, O_RDWR | O_CLOEXEC);
  if (file < 0 && errno == ENOENT
      && g_file_set_contents_full (path, (const char *)stored->data, stored->len,
                                   G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                                   0600, &local))
    file = open (path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    {
      const char *why = local != NULL ? local->message : g_strerror (errno);
      tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, why,
                               "Opening the store: " TALL_ROCKSDB_SYNCED
                               " can not be written: check its file system");
      return NULL;
    }

  TallRocksdbSynced *self = g_new0 (TallRocksdbSynced, 1);
  self->path = g_steal_pointer (&path);
  self->file = file;
  self->proof = *proof;
  g_mutex_init (&self->mutex);
  store (self);
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
  /* Of the writers that one sync made durable, the first to come may speak for others. */
  if (__atomic_load_n (&self->noted, __ATOMIC_ACQUIRE) >= write)
    return;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->proof.synced >= write)
    return;
  self->proof.synced = write;
  store (self);
  __atomic_store_n (&self->noted, write, __ATOMIC_RELEASE);
}

/**
 * tall_rocksdb_synced_finish:
 * @manifest: number of the MANIFEST
 * @manifest_len: bytes of its whole records
 * @write: number of a write that is in tables, and with it all before; 0: not known
 *
 * Notes the state of a store that is closed, or whose tables have changed, and syncs it.
 */
void
tall_rocksdb_synced_finish (TallRocksdbSynced *self,
                            guint64 manifest,
                            guint64 manifest_len,
                            guint64 write)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  TallRocksdbProof before = self->proof;
  self->proof.manifest = manifest;
  self->proof.manifest_len = manifest_len;
  self->proof.base = MAX (self->proof.base, write);
  self->proof.synced = MAX (self->proof.synced, write);
  if (memcmp (&before, &self->proof, sizeof before) == 0)
    return; /* nothing was written since it was opened */
  store (self);
  if (fdatasync (self->file) != 0)
    g_warning ("%s was not synced: %s", self->path, g_strerror (errno));
}

void
tall_rocksdb_synced_free (TallRocksdbSynced *self)
{
  close (self->file);
  g_mutex_clear (&self->mutex);
  g_free (self->path);
  g_free (self);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/rocksdb/check.h"
#include "tall-test-directory.h"
#include "tall-must.h"

/* Directories made by hand, as RocksDB leaves them in moments that a test can
 * not wait for. */

typedef struct
{
  char *directory;
  GByteArray *file; /* in the making */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->directory = tall_test_directory_new ();
  self->file = g_byte_array_new ();
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
  g_byte_array_unref (self->file);
}

/* The types of parts in RocksDB's log format: a record is one part, or several in blocks that
 * follow each other. */
enum
{
  WHOLE = 1,
  FIRST = 2,
  LAST = 4,
};

/* A part of a record; short enough for the first block. */
static void
add_part (Fixture *self, guint8 type, const guint8 *data, guint8 len)
{
  g_autoptr (GByteArray) typed = g_byte_array_new ();
  tall_bytes_append_u8 (typed, type);
  tall_bytes_append (typed, tall_slice (data, len));
  guint32 crc = tall_rocksdb_checksum (tall_slice_array (typed));
  guint32 masked = GUINT32_TO_LE ((crc >> 15 | crc << 17) + 0xa282ead8u);
  const guint8 length[] = { len, 0 };
  g_byte_array_append (self->file, (const guint8 *)&masked, sizeof masked);
  g_byte_array_append (self->file, length, sizeof length);
  g_byte_array_append (self->file, typed->data, typed->len);
}

static void
add_record (Fixture *self, const guint8 *data, guint8 len)
{
  add_part (self, WHOLE, data, len);
}

/* Log number 9, and the last write that is in tables; one of a group if @more
 * is not -1. */
static void
add_edit (Fixture *self, guint8 last, int more)
{
  const guint8 edit[] = { 2, 9, 4, last, 0xac, 0x02, (guint8)more };
  add_record (self, edit, more < 0 ? 4 : sizeof edit);
}

static void
add_writes (Fixture *self, guint8 first, guint8 n)
{
  const guint8 writes[] = { first, 0, 0, 0, 0, 0, 0, 0, n, 0, 0, 0, 'x' };
  add_record (self, writes, sizeof writes);
}

static void
write_text (Fixture *self, const char *name, const void *data, gsize len)
{
  g_autofree char *path = g_build_filename (self->directory, name, NULL);
  must (g_file_set_contents (path, data, (gssize)len, &error));
}

static void
finish (Fixture *self, const char *name)
{
  write_text (self, name, self->file->data, self->file->len);
  write_text (self, "CURRENT", "MANIFEST-000005\n", 16);
  g_byte_array_set_size (self->file, 0);
}

static void
prove (Fixture *self, guint64 synced)
{
  const TallRocksdbProof proof = { .manifest = 5, .manifest_len = 1, .synced = synced };
  g_autoptr (TallRocksdbSynced) file =
      must (tall_rocksdb_synced_open (self->directory, &proof, &error));
}

static void
expect_covered (Fixture *self, guint64 covered, guint n_lost)
{
  g_auto (TallRocksdbCheck) check = { 0 };
  must (tall_rocksdb_check_directory (self->directory, &check, &error));
  g_assert_true (check.exists);
  g_assert_cmpuint (check.covered, ==, covered);
  g_assert_cmpuint (check.lost->len, ==, n_lost);
}

static void
expect_damaged (Fixture *self, const char *text)
{
  g_auto (TallRocksdbCheck) check = { 0 };
  must_fail (tall_rocksdb_check_directory (self->directory, &check, &error), TALL_ERROR_DAMAGED,
             text);
}

/* A flush of several tables counts when its last record is there. */
static void
test_group (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  add_edit (self, 10, -1);
  add_edit (self, 20, 1);
  finish (self, "MANIFEST-000005");
  prove (self, 20);
  expect_damaged (self, "the log is missing: every write up to number 10 is there");
  prove (self, 10);
  expect_covered (self, 10, 0);

  add_edit (self, 10, -1);
  add_edit (self, 20, 1);
  add_edit (self, 20, 0);
  finish (self, "MANIFEST-000005");
  prove (self, 20);
  expect_covered (self, 20, 0);
  prove (self, 21);
  expect_damaged (self, "the log is missing");
}

/* A MANIFEST that lost its last record, and one that is damaged before it. */
static void
test_manifest (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  add_edit (self, 10, -1);
  const TallRocksdbProof proof = { .manifest = 5, .manifest_len = 2 * self->file->len };
  g_autoptr (TallRocksdbSynced) file =
      must (tall_rocksdb_synced_open (self->directory, &proof, &error));
  finish (self, "MANIFEST-000005");
  expect_damaged (self, "MANIFEST-000005 ends at byte 11, but has had 22");

  add_edit (self, 10, -1);
  add_edit (self, 10, -1);
  finish (self, "MANIFEST-000005");
  expect_covered (self, 10, 0);
  add_edit (self, 10, -1);
  add_edit (self, 10, -1);
  self->file->data[11 + 8] ^= 1;
  add_edit (self, 10, -1);
  finish (self, "MANIFEST-000005");
  expect_damaged (self, "MANIFEST-000005 is not whole at byte 11");

  write_text (self, "CURRENT", "MANIFEST-000009\n", 16);
  expect_damaged (self, "CURRENT names MANIFEST-000009, which is missing. Write this line into it: "
                        "MANIFEST-000005");
}

/* SYNCED alone proves that there was a store. */
static void
test_nothing_left (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  prove (self, 10);
  expect_damaged (self, "CURRENT is missing. Write this line into it: MANIFEST-000005");
}

/* Logs go on where tables and logs before them end. */
static void
test_logs (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  add_edit (self, 10, -1);
  finish (self, "MANIFEST-000005");
  add_writes (self, 9, 2); /* in tables, as the first of this log */
  add_writes (self, 11, 2);
  finish (self, "000009.log");
  add_writes (self, 13, 0); /* RocksDB marks a new log so */
  add_writes (self, 13, 3);
  finish (self, "000012.log");
  prove (self, 15);
  expect_covered (self, 15, 0);
  prove (self, 16);
  expect_damaged (self, "000012.log ends before the last acknowledged write");
  prove (self, 12);
  expect_covered (self, 15, 0);

  write_text (self, "000009.log", "", 0);
  expect_damaged (self, "000012.log does not go on where the writes before it end");
  add_writes (self, 11, 1);
  finish (self, "000009.log");
  expect_damaged (self, "000012.log does not go on");
}

/* What SYNCED knows to be in tables, by this MANIFEST, need not be in a log. */
static void
test_base (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const guint64 manifests[] = { 5, 4 };
  for (guint i = 0; i < G_N_ELEMENTS (manifests); i++)
    {
      const TallRocksdbProof proof = {
        .manifest = manifests[i], .manifest_len = 1, .base = 15, .synced = 16
      };
      add_edit (self, 10, -1);
      finish (self, "MANIFEST-000005");
      add_writes (self, 16, 1);
      finish (self, "000009.log");
      g_autoptr (TallRocksdbSynced) file =
          must (tall_rocksdb_synced_open (self->directory, &proof, &error));
      if (manifests[i] == 5)
        expect_covered (self, 16, 0);
      else
        expect_damaged (self, "000009.log does not go on where the writes before it end");
    }
}

/* Damage in what is in tables already is not a loss. */
static void
test_old_damage (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  add_edit (self, 10, -1);
  finish (self, "MANIFEST-000005");
  add_writes (self, 9, 1);
  self->file->data[9] ^= 1;
  add_writes (self, 10, 1);
  add_writes (self, 11, 1);
  finish (self, "000009.log");
  prove (self, 11);
  expect_covered (self, 11, 0);
}

/* What comes after damage proves it, also if it is one record in parts; if its last part is
 * missing, it is none. */
static void
test_parts_after_damage (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const guint8 writes[] = { 12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'x' };
  for (guint is_whole = 0; is_whole < 2; is_whole++)
    {
      add_edit (self, 10, -1);
      finish (self, "MANIFEST-000005");
      add_writes (self, 11, 1);
      self->file->data[9] ^= 1;
      add_part (self, FIRST, writes, 10);
      if (is_whole)
        add_part (self, LAST, writes + 10, 3);
      finish (self, "000009.log");
      prove (self, 10);
      if (is_whole)
        expect_damaged (self, "000009.log is damaged before later writes");
      else
        expect_covered (self, 10, 1);
    }
}

static void
expect_proof (Fixture *self, guint64 synced)
{
  TallRocksdbProof proof;
  if (synced == 0)
    g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_WARNING,
                           "*SYNCED is damaged, and is written anew*");
  must (tall_rocksdb_proof_load (self->directory, &proof, &error));
  g_assert_cmpuint (proof.synced, ==, synced);
  g_test_assert_expected_messages ();
}

/* Each byte of SYNCED counts. A crash may tear it; so one that is not whole is like none. */
static void
test_proof (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *path = g_build_filename (self->directory, TALL_ROCKSDB_SYNCED, NULL);
  g_autofree char *content = NULL;
  gsize len;
  prove (self, 77);
  g_assert_true (g_file_get_contents (path, &content, &len, NULL));
  expect_proof (self, 77);
  for (gsize i = 0; i < len; i++)
    {
      content[i] ^= 0x80;
      write_text (self, TALL_ROCKSDB_SYNCED, content, len);
      expect_proof (self, 0);
      content[i] ^= 0x80;
      write_text (self, TALL_ROCKSDB_SYNCED, content, i);
      expect_proof (self, 0);
    }
}

/* A table is made or dropped while the log has writes that are in no table: what was acknowledged
 * is still to be there. */
static void
test_finish (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const TallRocksdbProof before = { .manifest = 5, .manifest_len = 1, .base = 15, .synced = 16 };
  const TallRocksdbProof measured = { .manifest = 5, .manifest_len = 9, .base = 15, .synced = 15 };
  g_autoptr (TallRocksdbSynced) file =
      must (tall_rocksdb_synced_open (self->directory, &before, &error));
  tall_rocksdb_synced_note (file, 20);
  g_assert_cmpuint (tall_rocksdb_synced_finish (file, &measured), ==, 15);
  expect_proof (self, 20);
}

/* A process was killed before it had renamed a new SYNCED: the next one is not kept out. */
static void
test_left_proof (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *left = g_build_filename (self->directory, TALL_ROCKSDB_SYNCED ".new", NULL);
  write_text (self, TALL_ROCKSDB_SYNCED ".new", "tall", 4);
  prove (self, 77);
  expect_proof (self, 77);
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
}

/* A later version writes another format, which ends with a checksum as well. */
static void
test_later_proof (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GByteArray) later = g_byte_array_new ();
  TallRocksdbProof proof;
  tall_bytes_append (later, tall_slice_str ("tallsync"));
  tall_bytes_append_u32 (later, 2);
  tall_bytes_append (later, tall_slice_str ("whatever it says"));
  tall_bytes_append_u32 (later, tall_rocksdb_checksum (tall_slice_array (later)));
  write_text (self, TALL_ROCKSDB_SYNCED, later->data, later->len);
  must_fail (tall_rocksdb_proof_load (self->directory, &proof, &error), TALL_ERROR_NEWER_VERSION);
}

/* A write was killed in the middle, and what it had of a row looks like a record of the log. Nobody
 * acknowledged it, so nothing is damaged. */
static void
test_record_in_record (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  gsize end;
  add_edit (self, 10, -1);
  finish (self, "MANIFEST-000005");
  prove (self, 11);
  add_writes (self, 11, 1);
  gsize before = self->file->len;
  add_writes (self, 50, 1);
  g_autofree guint8 *inner = g_memdup2 (self->file->data + before, self->file->len - before);
  gsize inner_len = self->file->len - before;
  g_byte_array_set_size (self->file, (guint)before);
  guint8 outer[200] = { 12, 0, 0, 0, 0, 0, 0, 0, 1 };
  memcpy (outer + 20, inner, inner_len);
  add_record (self, outer, sizeof outer);
  g_byte_array_set_size (self->file, (guint)before + 120);
  g_assert_true (tall_rocksdb_check_find_torn (tall_slice_array (self->file), &end));
  g_assert_cmpuint (end, ==, before);
  finish (self, "000009.log");
  expect_covered (self, 11, 1);
}

/* The example of RFC 3720. */
static void
test_checksum (Fixture *self G_GNUC_UNUSED, gconstpointer data G_GNUC_UNUSED)
{
  static const guint8 zeros[32] = { 0 };
  g_assert_cmphex (tall_rocksdb_checksum (tall_slice (zeros, sizeof zeros)), ==, 0x8a9136aa);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/table/rocksdb/check/group", test_group);
  ADD ("/table/rocksdb/check/manifest", test_manifest);
  ADD ("/table/rocksdb/check/nothing-left", test_nothing_left);
  ADD ("/table/rocksdb/check/logs", test_logs);
  ADD ("/table/rocksdb/check/base", test_base);
  ADD ("/table/rocksdb/check/old-damage", test_old_damage);
  ADD ("/table/rocksdb/check/parts-after-damage", test_parts_after_damage);
  ADD ("/table/rocksdb/check/proof", test_proof);
  ADD ("/table/rocksdb/check/finish", test_finish);
  ADD ("/table/rocksdb/check/left-proof", test_left_proof);
  ADD ("/table/rocksdb/check/later-proof", test_later_proof);
  ADD ("/table/rocksdb/check/record-in-record", test_record_in_record);
  ADD ("/table/rocksdb/check/checksum", test_checksum);
  return g_test_run ();
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/check.h"

#include <glib/gstdio.h>
#include <stdarg.h>

#include "base/fail.h"
#include "table/rocksdb/directory.h"

#define CURRENT "CURRENT"
#define MANIFEST "MANIFEST-"

/*
 * The format of logs and of the MANIFEST, as RocksDB's wiki describes it ("Write Ahead Log File
 * Format"). A file is a row of blocks of 32 KiB; what does not fit into a block goes on in the next
 * one. Little-endian:
 *
 *     u32  checksum of type and data: CRC-32C, masked
 *     u16  length of the data
 *     u8   type: 1 a whole record; 2, 3, 4 its first, a middle and its last part
 *          data
 *
 * The last bytes of a block that have no room for a header are zero.
 */
#define BLOCK_SIZE 32768
#define HEADER_SIZE 7
#define LENGTH_OFFSET 4
#define TYPE_OFFSET 6

enum
{
  WHOLE = 1,
  FIRST = 2,
  MIDDLE = 3,
  LAST = 4,
};

/* Fields of a record of a MANIFEST: u32 tag, then what the tag says; numbers are variable. */
enum
{
  COMPARATOR = 1,
  LOG_NUMBER = 2,
  LAST_SEQUENCE = 4,
  PREVIOUS_LOG_NUMBER = 9,
  MIN_LOG_NUMBER = 10,
  MAX_FAMILY = 203,
  DATABASE_ID = 8193,
};

/* Reads the records of a file in that format. */
typedef struct
{
  TallSlice data;
  gsize at;          /* where the next record begins, or would begin */
  GByteArray *whole; /* a record that was put together of several parts */
} Log;

static void
log_clear (Log *self)
{
  g_clear_pointer (&self->whole, g_byte_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Log, log_clear)

/* The writes of one record of a log. RocksDB numbers all writes of all tables from 1 on, and leaves
 * no number out. */
typedef struct
{
  guint64 first;
  guint32 n; /* 0: the record has none */
} Span;

static guint64
read_le (const guint8 *data, guint bytes)
{
  guint64 value = 0;
  for (guint i = bytes; i > 0; i--)
    value = value << 8 | data[i - 1];
  return value;
}

static gpointer
make_crc_table (gpointer data G_GNUC_UNUSED)
{
  static guint32 table[256];
  for (guint32 i = 0; i < 256; i++)
    {
      table[i] = i;
      for (guint bit = 0; bit < 8; bit++)
        table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0x82f63b78u : 0);
    }
  return table;
}

/**
 * tall_rocksdb_checksum:
 *
 * Returns: the CRC-32C of bytes (RFC 3720, appendix B.4)
 */
guint32
tall_rocksdb_checksum (TallSlice data)
{
  static GOnce once = G_ONCE_INIT;
  const guint32 *table = g_once (&once, make_crc_table, NULL);
  guint32 crc = G_MAXUINT32;
  for (gsize i = 0; i < data.len; i++)
    crc = table[(crc ^ data.data[i]) & 0xff] ^ crc >> 8;
  return ~crc;
}

/* Whether the header of a part has room at @at. */
static gboolean
has_header (TallSlice data, gsize at)
{
  return at < data.len && MIN (BLOCK_SIZE - at % BLOCK_SIZE, data.len - at) >= HEADER_SIZE;
}

static gsize
find_next_block (gsize at)
{
  return at + BLOCK_SIZE - at % BLOCK_SIZE;
}

/* One part of a record at @at; its type, or 0 if there is none that is whole. */
static guint8
read_part (TallSlice data, gsize *at, TallSlice *part)
{
  if (BLOCK_SIZE - *at % BLOCK_SIZE < HEADER_SIZE)
    *at = find_next_block (*at);
  if (!has_header (data, *at))
    return 0;
  const guint8 *header = data.data + *at;
  gsize len = read_le (header + LENGTH_OFFSET, 2);
  guint8 type = header[TYPE_OFFSET];
  gsize left = MIN (BLOCK_SIZE - *at % BLOCK_SIZE, data.len - *at) - HEADER_SIZE;
  if (type < WHOLE || type > LAST || len > left)
    return 0;
  guint32 crc = tall_rocksdb_checksum (tall_slice (header + TYPE_OFFSET, len + 1));
  if (read_le (header, 4) != (guint32)((crc >> 15 | crc << 17) + 0xa282ead8u))
    return 0;
  *part = tall_slice (header + HEADER_SIZE, len);
  *at += HEADER_SIZE + len;
  return type;
}

/* The parts after the first one, which is @record. */
static gboolean
join_parts (Log *self, gsize *at, TallSlice *record)
{
  if (self->whole == NULL)
    self->whole = g_byte_array_new ();
  g_byte_array_set_size (self->whole, 0);
  tall_bytes_append (self->whole, *record);
  guint8 type;
  while ((type = read_part (self->data, at, record)) == MIDDLE || type == LAST)
    {
      tall_bytes_append (self->whole, *record);
      *record = tall_slice_array (self->whole);
      if (type == LAST)
        return TRUE;
    }
  return FALSE;
}

/* The bytes of @record live until the next call. FALSE if what follows is not a whole record: the
 * end of the file, one that was not written to its end, or damage. The position stays where it was
 * then. */
static gboolean
log_next (Log *self, TallSlice *record)
{
  gsize at = self->at;
  guint8 type = read_part (self->data, &at, record);
  gboolean found = type == WHOLE || (type == FIRST && join_parts (self, &at, record));
  if (found)
    self->at = at;
  return found;
}

/* Where the next header is, if what is at @at is not whole. */
static gsize
find_next_header (TallSlice data, gsize at)
{
  gsize block = find_next_block (at);
  gsize len = has_header (data, at) ? read_le (data.data + at + LENGTH_OFFSET, 2) : 0;
  return len > 0 ? MIN (at + HEADER_SIZE + len, block) : block;
}

/* Goes on from a position where there is no whole record to the next one. It looks where RocksDB
 * must have begun one: behind the length that a header has, and where blocks begin. The bytes of a
 * record may look like a record, so nothing is looked for inside of one. FALSE if there is none up
 * to the end. */
static gboolean
log_skip (Log *self)
{
  gsize start = self->at, next = self->at;
  TallSlice part;
  while (next < self->data.len)
    {
      self->at = next;
      guint8 type = read_part (self->data, &next, &part);
      if (type == 0)
        next = find_next_header (self->data, next);
      else if (self->at > start && (type == WHOLE || type == FIRST))
        {
          gsize at = self->at;
          if (log_next (self, &part))
            {
              self->at = at;
              return TRUE;
            }
        }
    }
  self->at = start;
  return FALSE;
}

/**
 * tall_rocksdb_check_find_torn:
 * @log: content of a log
 * @end: (out): where its whole records end
 *
 * Returns: whether there is more, which was not written to its end; damage does not count
 */
gboolean
tall_rocksdb_check_find_torn (TallSlice log, gsize *end)
{
  TallSlice record;
  g_auto (Log) self = { .data = log };
  while (log_next (&self, &record))
    continue;
  *end = self.at;
  return *end < log.len && !log_skip (&self);
}

/* A record of a log, or a batch that was written: u64 number of the first write, u32 how many. */
static Span
parse_writes (TallSlice record)
{
  if (record.len < 12)
    return (Span){ 0 };
  return (Span){ read_le (record.data, 8), (guint32)read_le (record.data + 8, 4) };
}

/**
 * tall_rocksdb_check_get_last_write:
 * @batch: content of one that was written: RocksDB has put the number of its first write into it
 */
guint64
tall_rocksdb_check_get_last_write (TallSlice batch)
{
  Span span = parse_writes (batch);
  return span.first + span.n - 1;
}

static guint64
read_varint (TallSlice *rest)
{
  guint64 value = 0;
  for (guint shift = 0; rest->len > 0 && shift < 64; shift += 7)
    {
      guint8 byte = *rest->data;
      *rest = tall_slice (rest->data + 1, rest->len - 1);
      value |= (guint64)(byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
  *rest = tall_slice (NULL, 0);
  return 0;
}

/* Of a record of a MANIFEST: the number of the last write that is in tables after it, or 0 if it
 * says none; and how many records are still to come that count only together with this one. Looks
 * at the fields that RocksDB writes first, up to one that it does not know. */
static guint64
parse_edit (TallSlice record, guint32 *more)
{
  TallSlice rest = record;
  guint64 last = 0;
  gboolean known = TRUE;
  while (known && rest.len > 0)
    {
      guint64 tag = read_varint (&rest);
      known = (tag >= COMPARATOR && tag <= LAST_SEQUENCE) || tag == PREVIOUS_LOG_NUMBER
              || tag == MIN_LOG_NUMBER || tag == MAX_FAMILY || tag == DATABASE_ID;
      guint64 value = known ? read_varint (&rest) : 0;
      if (tag == LAST_SEQUENCE)
        last = value;
      if (tag == COMPARATOR || tag == DATABASE_ID)
        rest = tall_slice (rest.data + MIN (value, rest.len), rest.len - MIN (value, rest.len));
    }

  /* The mark of a group is the last field of all: tag 300, and a small number. */
  const guint8 *end = record.data + record.len;
  *more = record.len >= 3 && end[-3] == 0xac && end[-2] == 0x02 ? end[-1] : 0;
  return last;
}

/* A store that an older version wrote last has none, nor has one whose SYNCED is damaged. */
static gboolean
has_proof (const TallRocksdbCheck *self)
{
  return self->proof.manifest != 0;
}

G_GNUC_PRINTF (3, 4)
static gboolean
set_damaged (const TallRocksdbCheck *self, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *directory = tall_rocksdb_directory_show (self->directory);
  g_autofree char *detail = g_strdup_printf ("%s: found before RocksDB opened it", directory);
  return tall_error_fail_detailed (error, TALL_ERROR_DAMAGED, detail,
                                   "Opening the store: it is damaged, and nothing was changed: %s",
                                   what);
}

static GMappedFile *
map_file (const TallRocksdbCheck *self, const char *name, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *path = g_build_filename (self->directory, name, NULL);
  GMappedFile *file = g_mapped_file_new (path, FALSE, &local);
  if (file != NULL)
    return file;
  if (g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    set_damaged (self, error, "%s is missing. Restore the store from a backup", name);
  else
    tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                             g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_ACCES)
                                 ? "Opening the store: %s can not be read by this user: give all "
                                   "files of the store to the user that runs this (`chown -R`)"
                                 : "Opening the store: %s can not be read: check its file system",
                             name);
  return NULL;
}

static TallSlice
get_content (GMappedFile *file)
{
  return tall_slice (g_mapped_file_get_contents (file), g_mapped_file_get_length (file));
}

/* The number of a file of the form @before, digits, @after. */
static gboolean
parse_name (const char *name, const char *before, const char *after, guint64 *number)
{
  if (!g_str_has_prefix (name, before) || !g_str_has_suffix (name, after)
      || strlen (name) <= strlen (before) + strlen (after))
    return FALSE;
  gsize len = strlen (name) - strlen (before) - strlen (after);
  g_autofree char *digits = g_strndup (name + strlen (before), len);
  return g_ascii_string_to_unsigned (digits, 10, 0, G_MAXUINT64, number, NULL);
}

static gboolean
set_no_current (const TallRocksdbCheck *self, const char *what, GError **error)
{
  if (!has_proof (self))
    return set_damaged (self, error, CURRENT " %s. Restore the store from a backup", what);
  return set_damaged (self, error,
                      CURRENT " %s. Write this line into it: " MANIFEST "%06" G_GUINT64_FORMAT
                              ". If there is no such file, restore the store from a backup",
                      what, self->proof.manifest);
}

/* The name of the MANIFEST and its number. */
static char *
read_current (const TallRocksdbCheck *self, guint64 *number, GError **error)
{
  g_autoptr (GMappedFile) file = map_file (self, CURRENT, error);
  if (file == NULL)
    return NULL;
  TallSlice text = get_content (file);
  g_autofree char *name = g_strndup (text.len > 0 ? (const char *)text.data : "", text.len);
  if (parse_name (g_strchomp (name), MANIFEST, "", number))
    return g_steal_pointer (&name);
  set_no_current (self, "names no " MANIFEST " file", error);
  return NULL;
}

/* Reads the whole records of the MANIFEST, and returns their length, or 0 with @error. Records of a
 * group count when its last one is there. */
static gsize
read_manifest (TallRocksdbCheck *self, const char *name, GError **error)
{
  g_autoptr (GMappedFile) file = map_file (self, name, error);
  if (file == NULL)
    return 0;
  g_auto (Log) log = { .data = get_content (file) };
  TallSlice record;
  guint64 tables = 0;
  guint32 more;
  while (log_next (&log, &record))
    {
      tables = MAX (tables, parse_edit (record, &more));
      if (more == 0)
        self->covered = tables;
    }
  gsize end = log.at;
  if (end == 0 || log_skip (&log))
    return set_damaged (self, error,
                        "%s is not whole at byte %" G_GSIZE_FORMAT
                        ". Restore the store from a backup",
                        name, end);
  if (end < log.data.len)
    g_ptr_array_add (self->lost, g_strdup_printf ("%" G_GSIZE_FORMAT " bytes at the end of %s, a "
                                                  "change of tables that had not come to its end",
                                                  log.data.len - end, name));
  return end;
}

/* The MANIFEST says up to which write all is in tables. The one that was in use last may be another
 * one. */
static gboolean
check_manifest (TallRocksdbCheck *self, GError **error)
{
  guint64 number;
  g_autofree char *name = read_current (self, &number, error);
  if (name == NULL)
    return FALSE;
  gboolean in_use = number == self->proof.manifest;
  g_autofree char *path = g_build_filename (self->directory, name, NULL);
  if (!in_use && !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *what = g_strdup_printf ("names %s, which is missing", name);
      return set_no_current (self, what, error);
    }
  gsize len = read_manifest (self, name, error);
  if (len == 0)
    return FALSE;

  if (number < self->proof.manifest)
    return set_damaged (self, error,
                        CURRENT " names %s, but a later one was in use. Restore the "
                                "store from a backup",
                        name);
  if (in_use && len < self->proof.manifest_len)
    return set_damaged (self, error,
                        "%s ends at byte %" G_GSIZE_FORMAT ", but has had %" G_GUINT64_FORMAT
                        ". Restore the store from a backup",
                        name, len, self->proof.manifest_len);
  if (in_use)
    self->covered = MAX (self->covered, self->proof.base);
  return TRUE;
}

/* Something of the log that must be there is not. */
static gboolean
set_log_damaged (
    const TallRocksdbCheck *self, const char *name, gsize at, const char *what, GError **error)
{
  return set_damaged (
      self, error,
      "%s %s. Every write up to number %" G_GUINT64_FORMAT " is there, but acknowledged ones after "
      "it are not. Restore the store from a backup. To give up what was written after number "
      "%" G_GUINT64_FORMAT
      " instead, copy the directory of the store, cd into the copy and run: truncate "
      "-s %" G_GSIZE_FORMAT " %s; rm -f " TALL_ROCKSDB_SYNCED,
      name, what, self->covered, self->covered, at, name);
}

static void
add_torn (const TallRocksdbCheck *self, const char *name, const Log *log, gsize whole)
{
  g_ptr_array_add (
      self->lost,
      g_strdup_printf ("%" G_GSIZE_FORMAT " bytes at the end of %s, from byte "
                       "%" G_GSIZE_FORMAT " on, after write %" G_GUINT64_FORMAT "%s",
                       log->data.len - whole, name, whole, self->covered,
                       has_proof (self)
                           ? "; nothing that was acknowledged as synced is in them"
                           : "; whether they had an acknowledged write is not "
                             "known, as an older version wrote them or " TALL_ROCKSDB_SYNCED
                             " is damaged"));
}

/* Reads one log. Its writes must go on where those before it end; those that are in tables already
 * may be damaged or missing. */
static gboolean
check_log (TallRocksdbCheck *self, const char *name, Log *log, gboolean *begun, GError **error)
{
  TallSlice record;
  gsize whole = 0;
  gboolean skipped = FALSE;
  for (;;)
    {
      gsize at = log->at;
      if (!log_next (log, &record))
        {
          skipped = log_skip (log);
          if (!skipped)
            break;
          continue;
        }
      Span span = parse_writes (record);
      if (span.n == 0)
        {
          /* RocksDB begins a log so when it dropped the end of the one before. */
          whole = skipped ? whole : log->at;
          continue;
        }
      if (!has_proof (self) && !*begun && !skipped)
        self->covered = MAX (self->covered, span.first - 1); /* an older version may leave a gap */
      *begun = TRUE;
      if (span.first > self->covered + 1)
        return set_log_damaged (self, name, skipped ? whole : at,
                                skipped ? "is damaged before later writes"
                                        : "does not go on where the writes before it end",
                                error);
      self->covered = MAX (self->covered, span.first + span.n - 1);
      whole = log->at;
      skipped = FALSE;
    }
  if (whole < log->data.len)
    add_torn (self, name, log, whole);
  return TRUE;
}

static int
compare_logs (gconstpointer a, gconstpointer b)
{
  const char *x = *(const char *const *)a;
  const char *y = *(const char *const *)b;
  guint64 m = g_ascii_strtoull (x, NULL, 10);
  guint64 n = g_ascii_strtoull (y, NULL, 10);
  return (m > n) - (m < n);
}

/* Names of files of RocksDB: logs in their order, tables, and whether there are others that a
 * database has only after it was made. */
static gboolean
list_files (const TallRocksdbCheck *self,
            GPtrArray *logs,
            GPtrArray *tables,
            gboolean *others,
            GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (GDir) dir = g_dir_open (self->directory, 0, &local);
  const char *name;
  guint64 number;
  *others = FALSE;
  if (dir == NULL)
    return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                                     "Opening the store: its directory can not be read");
  while ((name = g_dir_read_name (dir)) != NULL)
    if (parse_name (name, "", ".log", &number))
      g_ptr_array_add (logs, g_strdup (name));
    else if (parse_name (name, "", ".sst", &number))
      g_ptr_array_add (tables, g_strdup (name));
    else if (parse_name (name, MANIFEST, "", &number) && number > 1)
      *others = TRUE;
  *others = *others || tables->len > 0;
  g_ptr_array_sort (logs, compare_logs);
  return TRUE;
}

static gboolean
check_logs (TallRocksdbCheck *self, GPtrArray *logs, GError **error)
{
  gboolean begun = FALSE;
  gsize at = 0;
  for (guint i = 0; i < logs->len; i++)
    {
      const char *name = g_ptr_array_index (logs, i);
      g_autoptr (GMappedFile) file = map_file (self, name, error);
      if (file == NULL)
        return FALSE;
      g_auto (Log) log = { .data = get_content (file) };
      if (!check_log (self, name, &log, &begun, error))
        return FALSE;
      at = log.at;
    }
  if (self->covered >= self->proof.synced)
    return TRUE;
  if (logs->len > 0)
    return set_log_damaged (self, g_ptr_array_index (logs, logs->len - 1), at,
                            "ends before the last acknowledged write", error);
  return set_damaged (self, error,
                      "the log is missing: every write up to number %" G_GUINT64_FORMAT
                      " is there, but acknowledged ones after it are not. Restore the store from a "
                      "backup; or, to give those up, remove " TALL_ROCKSDB_SYNCED
                      " on a copy of it",
                      self->covered);
}

/* RocksDB reads the block of a table's properties before it looks at its checksum, and an assertion
 * of Debian's RocksDB ends the process if the first bit of its last number is set, which says how
 * the block is indexed. The block lies before the one that the end of the file points to. What is
 * damaged otherwise RocksDB finds. */
static gboolean
check_table (const TallRocksdbCheck *self, const char *name, GError **error)
{
  static const guint8 magic[] = { 0xf7, 0xcf, 0xf4, 0x85, 0xb7, 0x41, 0xe2, 0x88 };
  enum
  {
    FOOTER_SIZE = 53, /* u8 kind of checksum · places of blocks, as variable numbers · … · magic */
    TRAILER_SIZE = 5, /* of a block: u8 compression · u32 checksum */
  };
  g_autoptr (GMappedFile) file = map_file (self, name, error);
  if (file == NULL)
    return FALSE;
  TallSlice content = get_content (file);
  if (content.len < FOOTER_SIZE
      || memcmp (content.data + content.len - sizeof magic, magic, sizeof magic) != 0)
    return TRUE;
  TallSlice places = tall_slice (content.data + content.len - FOOTER_SIZE + 1, FOOTER_SIZE - 1);
  guint64 end = read_varint (&places);
  if (end <= TRAILER_SIZE || end > content.len - FOOTER_SIZE
      || content.data[end - TRAILER_SIZE - 1] < 0x80)
    return TRUE;
  return set_damaged (self, error, "%s is damaged. Restore the store from a backup", name);
}

static gboolean
check_tables (const TallRocksdbCheck *self, GPtrArray *tables, GError **error)
{
  for (guint i = 0; i < tables->len; i++)
    if (!check_table (self, g_ptr_array_index (tables, i), error))
      return FALSE;
  return TRUE;
}

/**
 * tall_rocksdb_check_directory:
 * @self: (out caller-allocates): what was found; to be cleared in any case
 *
 * Looks at CURRENT, the MANIFEST and the logs, before RocksDB does: RocksDB takes what is not whole
 * for the end of a file, drops what comes after it, and goes on.
 *
 * RocksDB numbers all writes of all tables without a gap, and the tables of a store are flushed
 * together. So the MANIFEST says up to which write all is in tables, the logs have those after it,
 * and together they have to reach the last write that was acknowledged as synced (SYNCED). A
 * missing or shortened file, a record that is damaged before others, and one that looks like the
 * end of the file are all the same: a number that is missing.
 *
 * Nothing is written.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if acknowledged writes are missing or the files make no
 *   sense; %TALL_ERROR_UNAVAILABLE if they can not be read; %TALL_ERROR_NEWER_VERSION
 */
gboolean
tall_rocksdb_check_directory (const char *directory, TallRocksdbCheck *self, GError **error)
{
  gboolean others;
  g_autoptr (GPtrArray) logs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func (g_free);
  *self =
      (TallRocksdbCheck){ .directory = directory, .lost = g_ptr_array_new_with_free_func (g_free) };
  if (!tall_rocksdb_proof_load (directory, &self->proof, error)
      || !list_files (self, logs, tables, &others, error))
    return FALSE;
  g_autofree char *current = g_build_filename (directory, CURRENT, NULL);
  self->exists = g_file_test (current, G_FILE_TEST_EXISTS);
  if (!self->exists && (others || has_proof (self) || logs->len > 0))
    return set_no_current (self, "is missing", error);
  return !self->exists
         || (check_manifest (self, error) && check_logs (self, logs, error)
             && check_tables (self, tables, error));
}

void
tall_rocksdb_check_clear (TallRocksdbCheck *self)
{
  g_clear_pointer (&self->lost, g_ptr_array_unref);
}

/**
 * tall_rocksdb_proof_measure:
 * @proof: (out caller-allocates): what the MANIFEST of a store that is open says
 *
 * To be called while nothing is added to it.
 */
gboolean
tall_rocksdb_proof_measure (const char *directory, TallRocksdbProof *proof, GError **error)
{
  g_auto (TallRocksdbCheck)
      self = { .directory = directory, .lost = g_ptr_array_new_with_free_func (g_free) };
  *proof = (TallRocksdbProof){ 0 };
  g_autofree char *name = read_current (&self, &proof->manifest, error);
  proof->manifest_len = name == NULL ? 0 : read_manifest (&self, name, error);
  proof->base = proof->synced = self.covered;
  return proof->manifest_len != 0;
}

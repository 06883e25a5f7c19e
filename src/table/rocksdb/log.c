/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/log.h"

/*
 * The format, as RocksDB's wiki describes it ("Write Ahead Log File Format"). A file is a row of
 * blocks of 32 KiB; what does not fit into a block goes on in the next one. Little-endian:
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
#define TYPE_OFFSET 6

enum
{
  WHOLE = 1,
  FIRST = 2,
  MIDDLE = 3,
  LAST = 4,
};

/* The data of a record of a log begins so: u64 number of the first write, u32 how many. */
#define WRITES_HEADER_SIZE 12

/* Fields of a record of a MANIFEST: u32 tag, then what the tag says; numbers are variable. */
enum
{
  COMPARATOR = 1,
  LOG_NUMBER = 2,
  NEXT_FILE_NUMBER = 3,
  LAST_SEQUENCE = 4,
  PREVIOUS_LOG_NUMBER = 9,
  MIN_LOG_NUMBER = 10,
  MAX_FAMILY = 203,
  DATABASE_ID = 8193,
};

static guint32
read_le (const guint8 *data, guint bytes)
{
  guint32 value = 0;
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
 * tall_rocksdb_log_checksum:
 *
 * Returns: the CRC-32C of bytes (RFC 3720, appendix B.4)
 */
guint32
tall_rocksdb_log_checksum (TallSlice data)
{
  static GOnce once = G_ONCE_INIT;
  const guint32 *table = g_once (&once, make_crc_table, NULL);
  guint32 crc = G_MAXUINT32;
  for (gsize i = 0; i < data.len; i++)
    crc = table[(crc ^ data.data[i]) & 0xff] ^ crc >> 8;
  return ~crc;
}

/* One part of a record at @at; its type, or 0 if there is none that is whole. */
static guint8
read_part (TallSlice data, gsize *at, TallSlice *part)
{
  gsize left = BLOCK_SIZE - *at % BLOCK_SIZE;
  if (left < HEADER_SIZE)
    *at += left;
  left = BLOCK_SIZE - *at % BLOCK_SIZE;
  if (*at >= data.len || data.len - *at < HEADER_SIZE)
    return 0;
  const guint8 *header = data.data + *at;
  gsize len = read_le (header + 4, 2);
  guint8 type = header[TYPE_OFFSET];
  left = MIN (left, data.len - *at) - HEADER_SIZE;
  if (type < WHOLE || type > LAST || len > left)
    return 0;
  guint32 crc = tall_rocksdb_log_checksum (tall_slice (header + TYPE_OFFSET, len + 1));
  if (read_le (header, 4) != (crc >> 15 | crc << 17) + 0xa282ead8u)
    return 0;
  *part = tall_slice (header + HEADER_SIZE, len);
  *at += HEADER_SIZE + len;
  return type;
}

/* The parts after the first one, which is @record. */
static gboolean
join_parts (TallRocksdbLog *self, gsize *at, TallSlice *record)
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

/**
 * tall_rocksdb_log_next:
 * @record: (out): its bytes, which live until the next call
 *
 * Returns: FALSE if what follows is no whole record: the end of the file, one that was not written
 *   to its end, or damage. The position stays where it was then
 */
gboolean
tall_rocksdb_log_next (TallRocksdbLog *self, TallSlice *record)
{
  gsize at = self->at;
  guint8 type = read_part (self->data, &at, record);
  gboolean found = type == WHOLE || (type == FIRST && join_parts (self, &at, record));
  if (found)
    self->at = at;
  return found;
}

/**
 * tall_rocksdb_log_skip:
 *
 * Goes on from a position where there is no whole record to the next where there is one, wherever
 * it begins: after damage nothing says where.
 *
 * Returns: FALSE if there is none up to the end
 */
gboolean
tall_rocksdb_log_skip (TallRocksdbLog *self)
{
  gsize start = self->at;
  TallSlice record;
  while (++self->at + HEADER_SIZE <= self->data.len)
    {
      gsize at = self->at;
      if (BLOCK_SIZE - at % BLOCK_SIZE >= HEADER_SIZE && tall_rocksdb_log_next (self, &record))
        {
          self->at = at;
          return TRUE;
        }
    }
  self->at = start;
  return FALSE;
}

void
tall_rocksdb_log_clear (TallRocksdbLog *self)
{
  g_clear_pointer (&self->whole, g_byte_array_unref);
}

/**
 * tall_rocksdb_log_parse_writes:
 * @record: of a log
 */
TallRocksdbSpan
tall_rocksdb_log_parse_writes (TallSlice record)
{
  if (record.len < WRITES_HEADER_SIZE)
    return (TallRocksdbSpan){ 0 };
  guint64 high = read_le (record.data + 4, 4);
  return (TallRocksdbSpan){ high << 32 | read_le (record.data, 4), read_le (record.data + 8, 4) };
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

/**
 * tall_rocksdb_log_parse_edit:
 * @record: of a MANIFEST
 * @more: (out): how many records are still to come that count only together with this one
 *
 * Looks at the fields that RocksDB writes first, up to one that it does not know.
 *
 * Returns: the number of the last write that is in tables after it; 0 if it says none
 */
guint64
tall_rocksdb_log_parse_edit (TallSlice record, guint32 *more)
{
  TallSlice rest = record;
  guint64 last = 0;
  gboolean known = TRUE;
  while (known && rest.len > 0)
    {
      guint64 tag = read_varint (&rest);
      known = (tag >= LOG_NUMBER && tag <= LAST_SEQUENCE) || tag == PREVIOUS_LOG_NUMBER
              || tag == MIN_LOG_NUMBER || tag == MAX_FAMILY || tag == COMPARATOR
              || tag == DATABASE_ID;
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

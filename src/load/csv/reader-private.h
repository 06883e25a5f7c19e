/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"
#include "load/csv/reader.h"

#include <gio/gio.h>
#include <sys/stat.h>
#include <zstd.h>

G_BEGIN_DECLS

/* @buffer: (out) gets at most @len bytes. Returns: how many bytes were read; 0 at the end; -1 with
 * an error */
typedef gssize (*TallCsvRead) (gpointer from, guint8 *buffer, gsize len, GError **error);

/* Bytes that were read and wait to be converted, in a buffer that does not grow. Begin with
 * tall_csv_window_init(). Not thread-safe. */
typedef struct
{
  TallCsvRead read;
  gpointer from;
  guint8 *data;
  gsize start;
  gsize end;
  gboolean ended; /* nothing comes after them */
} TallCsvWindow;

void tall_csv_window_init (TallCsvWindow *self, TallCsvRead read, gpointer from);
void tall_csv_window_clear (TallCsvWindow *self);
void tall_csv_window_empty (TallCsvWindow *self);
gboolean
tall_csv_window_want (TallCsvWindow *self, gsize n, GError **error) G_GNUC_WARN_UNUSED_RESULT;

static inline TallSlice
tall_csv_window_get (const TallCsvWindow *self)
{
  return tall_slice (self->data + self->start, self->end - self->start);
}

/* The bytes of a CSV file after decompression, in memory that does not grow with the file: gzip
 * (RFC 1952) and Zstandard (RFC 8878), recognised by how the file begins; other files as they are.
 * Members that follow each other are one text, zeros after the last are ignored, as tapes and disks
 * leave them. A file that ends within a member, or has anything else after it, is an error. It can
 * be read a second time after tall_csv_source_keep(): a regular file from its disk, anything else
 * from a copy that is written while it is read. Not thread-safe. */
typedef struct
{
  char *name; /* for messages; owned, and may be replaced */
  int fd;
  struct stat opened; /* the file as it was found */
  guint64 size;       /* bytes of the file; 0: not known */
  guint64 position;   /* bytes of the file that were read */
  const gint *stop;   /* atomic; reading ends when it is not 0 any more; NULL: it never does */
  int copy;           /* gets what is read until the rewind; -1: none */
  char *copy_folder;  /* where the copy lies; NULL: there is none */
  off_t mark;         /* where the file began; the rewind goes there */
  GByteArray *head; /* what has been read of a pipe, to begin the copy with; NULL: it is not kept */

  const char *packing; /* how the file is compressed; NULL: it is not */
  GConverter *gzip;    /* owned; of one of these */
  ZSTD_DCtx *zstd;
  TallCsvWindow packed; /* what has been read of the file and not yet unpacked */
  gboolean in_member;   /* a member has begun and not ended */
} TallCsvSource;

TallCsvSource *tall_csv_source_open (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_source_free (TallCsvSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCsvSource, tall_csv_source_free)

gssize tall_csv_source_read (TallCsvSource *self, guint8 *buffer, gsize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_keep (TallCsvSource *self,
                               const char *folder,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_rewind (TallCsvSource *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_source_has_changed (TallCsvSource *self);
gboolean tall_csv_source_check_start (TallCsvSource *self,
                                      TallSlice start,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_csv_encoding_is_known (const char *encoding);

/* A byte that the encoding does not have becomes a mark of three bytes, which is never valid UTF-8:
 * 0xff, and 0x80 with each half of the byte. */
#define TALL_CSV_MARK_SIZE 3

/* The byte that a mark stands for. */
static inline guint8
tall_csv_mark_get_byte (const guint8 *mark)
{
  return (guint8)((mark[1] & 0x0f) << 4 | (mark[2] & 0x0f));
}

GByteArray *tall_csv_marks_replace (TallSlice text);

#define TALL_CSV_CHUNK_SIZE (256 * 1024)

/* The end of the line is not in the buffer yet. */
#define TALL_CSV_NOT_YET G_MAXSIZE

/* The text of a file in UTF-8, made of another encoding if one is named, in memory that does not
 * grow with the file: the lines of the record under construction, and what was read ahead:
 *
 *     record      first_end         at                end
 *       | first line  | further lines | next line …    |
 *
 * The reader moves @at, @line and @first_end. Begin with tall_csv_lines_open(). Not thread-safe. */
typedef struct
{
  TallCsvSource *source; /* owned */
  char *encoding;        /* NULL: UTF-8, which is handed on as it is */
  GConverter *converter; /* owned; NULL: none */
  gsize unit;            /* bytes of the smallest character */
  TallCsvWindow foreign; /* what has been read and not yet converted; unset without @converter */
  guint8 *buffer;
  gsize allocated;
  gsize record;        /* where the record begins */
  gsize first_end;     /* where its first line ends */
  gsize at;            /* what the parser has seen ends here */
  gsize end;           /* of the bytes in the buffer */
  gboolean file_ended; /* nothing left to read */
  guint64 consumed;    /* bytes of the text before the buffer */
  guint64 line;        /* number of the line that begins at @at */
  guint64 record_line; /* number of the line that begins at @record */
  guint64 kept;        /* bytes of the text before the place that a rewind goes to … */
  guint64 kept_line;   /* … and the number of its line */
} TallCsvLines;

gboolean tall_csv_lines_open (TallCsvLines *self,
                              const char *path,
                              const char *encoding,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_lines_clear (TallCsvLines *self);
gboolean tall_csv_lines_fill (TallCsvLines *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gsize tall_csv_lines_find_end (const TallCsvLines *self);
gboolean tall_csv_lines_skip (TallCsvLines *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_lines_rewind (TallCsvLines *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

struct _TallCsvReader
{
  TallCsvLines lines;
  TallCsvDialect dialect; /* its texts are not owned */
  gboolean is_rejects;    /* the file begins as a reject file does */
  char *header;           /* the text of its first record */
  guint file;             /* its place among the files that are read together … */
  const char *file_name;  /* … and its name; NULL: there is only one */
  gsize max_row;
  guint64 n_rows; /* handed over since the first, or the rewind */
  guint64 limit;  /* of them; 0: none */

  /* The record: */
  GByteArray *text;    /* its fields, each with its NUL */
  GArray *offsets;     /* of gsize: where each field begins in @text */
  GPtrArray *fields;   /* of char *, into @text */
  gboolean is_plain;   /* nothing in it has a meaning but delimiters; then there are no @offsets */
  gboolean in_quotes;  /* where splitting stands */
  gboolean was_quoted; /* the field there */
  guint n_wanted;      /* fields of a plain record */
  char *reason;        /* why it is bad; NULL: it is not */
  const char *kind;    /* likewise */
  GByteArray *cut;     /* the beginning of a row that is too long */
  GByteArray *plain;   /* its bytes, if they had marks; NULL: they had none */

  GPtrArray *columns;    /* of char *; NULL-terminated, but empty until the header is read */
  GPtrArray *composites; /* of TallCsvComposite; NULL: none */
  GString *composed;     /* their values, each with its NUL */
};

/* How far a record is split. */
typedef enum
{
  TALL_CSV_WHOLE,
  TALL_CSV_GOES_ON,     /* in the next line */
  TALL_CSV_STRAY_QUOTE, /* it cannot be split */
} TallCsvSplit;

void tall_csv_reader_begin_fields (TallCsvReader *self);
gboolean tall_csv_reader_split_plain (TallCsvReader *self, TallSlice line);
TallCsvSplit tall_csv_reader_split (TallCsvReader *self, TallSlice line);
void tall_csv_reader_guess_fields (TallCsvReader *self, TallSlice line);
void tall_csv_reader_collect_fields (TallCsvReader *self);
void tall_csv_reader_clean_fields (TallCsvReader *self, TallCsvRow *row);
void tall_csv_reader_compose_fields (TallCsvReader *self, TallCsvRow *row);

/* How many columns the header has; 0 before it is read. */
static inline guint
tall_csv_reader_count_columns (const TallCsvReader *self)
{
  return MAX (self->columns->len, 1) - 1;
}

G_END_DECLS

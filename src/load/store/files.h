/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "load/store/storer.h"
#include "load/mapping/mapping.h"

G_BEGIN_DECLS

/* One of the files that are read together. */
typedef struct
{
  TallCsvReader *reader;             /* owned */
  TallMapping *mapping;              /* owned; bound to @reader */
  const char *name;                  /* for its rows; NULL: there is only one file */
  const char *kind_name;             /* of NAME=FILE, interned; NULL: none was given */
  guint64 n_rows;                    /* that were read of it, … */
  guint64 n_kept;                    /* … those of them that orders look up, … */
  guint64 n_ended[TALL_LOAD_N_ENDS]; /* … and, when the load has ended, by #TallLoadEnd */
  GStrv unused;                      /* columns that nothing is made of; NULL: not known */

  /* A query makes rows of others: */
  guint64 n_used;     /* rows of the file that are in its result, … */
  guint64 n_left_out; /* … that it leaves out, … */
  guint64 n_bad;      /* … and that it has not got, as they cannot be read */
} TallLoadFile;

/* The files of a load, in the order in which they are read. Not thread-safe. */
typedef struct
{
  GPtrArray *files; /* of TallLoadFile */
} TallLoadFiles;

/* Called before rows that are put aside take room in @folder. @bytes: that rows of orders whose
 * rows lie apart will take, about. */
typedef void (*TallLoadAnnounce) (const char *folder, guint64 bytes, gpointer data);

/**
 * TallLoadArgument:
 *
 * A file that `load` reads.
 */
typedef struct
{
  char *kind; /* as in `lines=FILE`; NULL: none is said */
  char *path; /* `-`: standard input */
  char *name; /* for messages; NULL: the path */
} TallLoadArgument;

GPtrArray *tall_load_arguments_new (void);
TallLoadArgument *tall_load_arguments_add (GPtrArray *files, const char *kind, const char *path);
GPtrArray *tall_load_arguments_expand (const char *const *arguments,
                                       guint n_arguments,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

char *tall_load_split_kind (const char *text, const char **path);
TallLoadFiles *tall_load_files_new (void);
TallLoadFiles *tall_load_files_new_of_one (TallCsvReader *reader, TallMapping *mapping);
void tall_load_files_free (TallLoadFiles *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallLoadFiles, tall_load_files_free)

TallLoadFile *
tall_load_files_add (TallLoadFiles *self, TallCsvReader *reader, TallMapping *mapping);
guint64 tall_load_file_count_settled (const TallLoadFile *self, guint64 rejected);
char *tall_load_file_describe (const TallLoadFile *self);
gboolean tall_load_file_check_unchanged (const TallLoadFile *self,
                                         gboolean agrees,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_load_files_start (TallLoadFiles *self);
static inline guint
tall_load_files_count (const TallLoadFiles *self)
{
  return self->files->len;
}

static inline TallLoadFile *
tall_load_files_get (const TallLoadFiles *self, guint i)
{
  return g_ptr_array_index (self->files, i);
}

void tall_load_files_get_position (const TallLoadFiles *self, guint64 *position, guint64 *size);

G_END_DECLS

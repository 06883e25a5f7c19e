/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/join.h"
#include "load/orders/spool-row.h"

G_BEGIN_DECLS

/**
 * TallJoinedRow:
 *
 * One row made of rows of several files, which it keeps. Begin with tall_joined_row_init(). Not
 * thread-safe.
 */
typedef struct
{
  const TallJoin *join; /* not owned */
  struct
  {
    GByteArray *bytes; /* what the spool had */
    TallSpoolRow codec;
    TallCsvRow row;   /* in these two */
    gboolean present; /* FALSE: its columns are empty */
  } parts[TALL_MAPPING_MAX_FILES];
  GPtrArray *fields; /* of const char * */
  GPtrArray *made;   /* of GString: fields that are made of others */
} TallJoinedRow;

void tall_joined_row_init (TallJoinedRow *self, const TallJoin *join);
void tall_joined_row_clear (TallJoinedRow *self);
void tall_joined_row_empty (TallJoinedRow *self, guint kind);
gboolean tall_joined_row_set (TallJoinedRow *self,
                              guint kind,
                              TallSlice bytes,
                              char delimiter,
                              guint64 *blame) G_GNUC_WARN_UNUSED_RESULT;
const char *tall_joined_row_get_field (const TallJoinedRow *self, guint kind, guint column);
void tall_joined_row_make (TallJoinedRow *self, guint kind, TallCsvRow *row);

G_END_DECLS

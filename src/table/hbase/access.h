/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/call.h"
#include "table/hbase/idl.h"
#include "table/table-checks.h"
#include "table/table.h"

/**
 * TallHbaseAttribute:
 *
 * A key of a table's descriptor and its value: any bytes, in the descriptor's.
 */
typedef struct
{
  TallSlice key;
  TallSlice value;
} TallHbaseAttribute;

/**
 * TallHbaseDescriptor:
 *
 * A table's descriptor as a gateway sent it. It is changed in its bytes: what we do not know of it
 * must go back as it came.
 */
typedef struct
{
  TallSlice raw; /* not owned */
  gboolean compact;
  gsize start; /* the attributes' bytes: from here, with the head of their field … */
  gsize end;   /* … up to here; the same if there are none */
  TallHbaseAttribute *attributes; /* n_attributes of them, in the arena */
  guint n_attributes;
  GArray *families; /* of TallHbaseTColumnFamilyDescriptor; in the arena, but for the array */
} TallHbaseDescriptor;

gboolean tall_hbase_descriptor_init (TallHbaseDescriptor *self,
                                     TallSlice raw,
                                     gboolean compact,
                                     TallArena *arena,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_descriptor_clear (TallHbaseDescriptor *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseDescriptor, tall_hbase_descriptor_clear)

gboolean tall_hbase_descriptor_is_read_only (const TallHbaseDescriptor *self);
char *tall_hbase_descriptor_get_seal (const TallHbaseDescriptor *self);
GByteArray *tall_hbase_descriptor_with_seal (const TallHbaseDescriptor *self, const char *seal);
gboolean tall_hbase_descriptor_keeps (const TallHbaseDescriptor *self,
                                      const TallHbaseDescriptor *sent);

gboolean tall_hbase_set_access (TallHbasePool *pool,
                                const char *table,
                                const TallTableShutter *to,
                                gint64 deadline,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/* Keys of the spool in which files are joined are
 *
 *     u8   section: rows that are looked up, then those of orders
 *     u8   kind of file                     in the first section
 *     key  and a NUL byte
 *     u8   kind of file                     in the second: headers come before lines
 *     u32  file
 *     u64  line
 */
void tall_join_key_look_up (GByteArray *self, guint8 kind, const char *key);
void tall_join_key_make_of_order (GByteArray *self, const char *key, gboolean is_line);
void tall_join_key_append_place (GByteArray *self, guint file, guint64 line);
gboolean tall_join_key_parse (TallSlice self, TallSlice *group, guint *file, guint64 *line)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_join_key_is_looked_up (TallSlice group);

G_END_DECLS

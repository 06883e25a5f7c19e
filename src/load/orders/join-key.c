/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/join-key.h"

#define SECTION_LOOKED_UP 1
#define SECTION_ORDERS 2

#define PLACE_SIZE (sizeof (guint32) + sizeof (guint64))
#define MIN_GROUP 3 /* section, an empty key, kind */

/* What the keys of rows that are looked up by @key begin with. */
void
tall_join_key_look_up (GByteArray *self, guint8 kind, const char *key)
{
  g_byte_array_set_size (self, 0);
  tall_bytes_append_u8 (self, SECTION_LOOKED_UP);
  tall_bytes_append_u8 (self, kind);
  tall_bytes_append (self, tall_slice (key, strlen (key) + 1));
}

/* What the keys of an order's header, or lines, begin with. */
void
tall_join_key_make_of_order (GByteArray *self, const char *key, gboolean is_line)
{
  g_byte_array_set_size (self, 0);
  tall_bytes_append_u8 (self, SECTION_ORDERS);
  tall_bytes_append (self, tall_slice (key, strlen (key) + 1));
  tall_bytes_append_u8 (self, (guint8)is_line);
}

void
tall_join_key_append_place (GByteArray *self, guint file, guint64 line)
{
  tall_bytes_append_u32 (self, file);
  tall_bytes_append_u64 (self, line);
}

/**
 * tall_join_key_parse:
 * @group: (out): all before the place
 *
 * Returns: FALSE if the key is damaged
 */
gboolean
tall_join_key_parse (TallSlice self, TallSlice *group, guint *file, guint64 *line)
{
  if (self.len < PLACE_SIZE + MIN_GROUP)
    return FALSE;
  *group = tall_slice (self.data, self.len - PLACE_SIZE);
  TallReader place = tall_reader (tall_slice (self.data + group->len, PLACE_SIZE));
  *file = tall_reader_u32 (&place);
  *line = tall_reader_u64 (&place);
  return TRUE;
}

gboolean
tall_join_key_is_looked_up (TallSlice group)
{
  return group.data[0] == SECTION_LOOKED_UP;
}

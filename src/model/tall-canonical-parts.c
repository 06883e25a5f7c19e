/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-canonical-private.h"
#include "tall-error.h"

/* Field numbers are those of proto/. Messages are read straight into the model, because the program
 * mostly reads: an order of ten lines takes 1.1 µs; protobuf-c and a copy of its structs took 2.8
 * µs. protobuf-c writes, and in the tests it reads what this reader reads. */

gboolean
tall_canonical_fail (GError **error, const char *what, const char *why)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "stored %s: %s", what, why);
  return FALSE;
}

/* Stored data that the model refuses is damaged. */
gboolean
tall_canonical_finish (gboolean valid, GError *invalid, const char *what, GError **error)
{
  if (!valid)
    tall_canonical_fail (error, what, invalid->message);
  g_clear_error (&invalid);
  return valid;
}

/* Fails @outer if a message inside it is wrong or lacks a field that it must have. */
void
tall_pb_end_inner (TallPbReader *outer, const TallPbReader *inner, gboolean complete)
{
  if (inner->failed || !complete)
    tall_pb_reader_fail (outer);
}

/* Returns: TRUE, for the flag that says that the decimal is there */
gboolean
tall_pb_read_decimal (TallPbReader *outer, TallDecimal *decimal)
{
  TallPbReader in = tall_pb_reader (tall_pb_reader_bytes (outer));
  guint64 scale = G_MAXUINT64;
  gboolean has_unscaled = FALSE;
  while (tall_pb_reader_next (&in, 0, 2))
    switch (in.field)
      {
      case 1:
        decimal->unscaled = tall_pb_reader_signed (&in);
        has_unscaled = TRUE;
        break;
      case 2:
        scale = tall_pb_reader_number (&in);
        break;
      default:
        tall_pb_reader_skip (&in);
      }
  decimal->scale = MIN (scale, G_MAXUINT8);
  tall_pb_end_inner (outer, &in, has_unscaled && scale <= TALL_DECIMAL_MAX_SCALE);
  return TRUE;
}

TallAddress *
tall_pb_read_address (TallPbReader *outer, TallArena *arena)
{
  TallAddress *address = tall_arena_new0 (arena, TallAddress);
  char **texts[] = { &address->line1, &address->line2, &address->city,
                     &address->state, &address->zip,   &address->country };
  TallPbReader in = tall_pb_reader (tall_pb_reader_bytes (outer));
  while (tall_pb_reader_next (&in, 0, G_N_ELEMENTS (texts)))
    if (in.field <= G_N_ELEMENTS (texts))
      *texts[in.field - 1] = tall_pb_reader_text (&in, arena);
    else
      tall_pb_reader_skip (&in);
  tall_pb_end_inner (outer, &in, TRUE);
  return address;
}

/* Appends the present field to @attributes, which is allocated at the first. */
void
tall_pb_read_attribute (TallPbReader *outer, TallArena *arena, TallAttributes *attributes)
{
  TallPbReader rest = *outer;
  TallPbReader in = tall_pb_reader (tall_pb_reader_bytes (outer));
  if (attributes->items == NULL)
    {
      tall_pb_reader_bytes (&rest);
      guint n = 1 + tall_pb_reader_count (rest, rest.field);
      attributes->items = tall_arena_newa0 (arena, TallAttribute, n);
    }

  TallAttribute *item = &attributes->items[attributes->n_items++];
  while (tall_pb_reader_next (&in, 0, 2))
    switch (in.field)
      {
      case 1:
        item->key = tall_pb_reader_text (&in, arena);
        break;
      case 2:
        item->value = tall_pb_reader_text (&in, arena);
        break;
      default:
        tall_pb_reader_skip (&in);
      }
  tall_pb_end_inner (outer, &in,
                     item->key != NULL && item->value != NULL
                         && (item == attributes->items || item[-1].key == NULL
                             || strcmp (item[-1].key, item->key) < 0));
}

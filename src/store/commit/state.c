/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/state.h"

#include "tall-error.h"

#define FLAG_LIVE 0x01

static void
put_number (guint8 *to, guint64 value, guint n_bytes)
{
  for (guint i = 0; i < n_bytes; i++)
    to[i] = (guint8)(value >> (8 * (n_bytes - 1 - i)));
}

/**
 * tall_state_write:
 * @bytes: (out caller-allocates): the cell's value
 */
void
tall_state_write (const TallState *self, guint8 bytes[TALL_STATE_SIZE])
{
  bytes[0] = TALL_STATE_FORMAT;
  bytes[1] = self->live ? FLAG_LIVE : 0;
  put_number (bytes + 2, self->schema, 2);
  put_number (bytes + 4, self->n_locations, 4);
  put_number (bytes + 8, self->n_lines, 4);
  put_number (bytes + 12, (guint64)self->sales_date, 8);
  put_number (bytes + 20, (guint64)self->revision, 8);
  memcpy (bytes + 28, self->token, TALL_TOKEN_SIZE);
  put_number (bytes + 44, (guint64)self->pending, 8);
  memcpy (bytes + 52, self->pending_token, TALL_TOKEN_SIZE);
  memcpy (bytes + 68, self->digest, TALL_DIGEST_SIZE);
}

/**
 * tall_state_encode:
 *
 * Returns: (transfer none): the cell's value, in @arena
 */
TallSlice
tall_state_encode (const TallState *self, TallArena *arena)
{
  guint8 *bytes = tall_arena_alloc (arena, TALL_STATE_SIZE);
  tall_state_write (self, bytes);
  return tall_slice (bytes, TALL_STATE_SIZE);
}

static gboolean
check_form (TallSlice bytes, GError **error)
{
  if (bytes.len > 0 && bytes.data[0] > TALL_STATE_FORMAT)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
                   "its state cell has format %u, and this version of tallorder knows none after "
                   "%d; use the newer version",
                   bytes.data[0], TALL_STATE_FORMAT);
      return FALSE;
    }
  if (bytes.len == TALL_STATE_SIZE && bytes.data[0] == TALL_STATE_FORMAT
      && (bytes.data[1] & ~FLAG_LIVE) == 0)
    return TRUE;

  g_autofree char *hex = tall_slice_to_hex (tall_slice (bytes.data, MIN (bytes.len, 2)));
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "its state cell has %" G_GSIZE_FORMAT " bytes that begin with %s, not %d that begin "
               "with 0100 or 0101",
               bytes.len, hex, TALL_STATE_SIZE);
  return FALSE;
}

static gboolean
check_revisions (const TallState *state, GError **error)
{
  gboolean in_range = state->revision >= 0 && state->revision <= TALL_LATEST_REVISION
                      && state->pending >= 0 && state->pending <= TALL_LATEST_REVISION;
  if (in_range && (state->revision > 0 || !state->live))
    return TRUE;

  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "its state cell has revision %" G_GINT64_FORMAT " and pending revision "
               "%" G_GINT64_FORMAT,
               state->revision, state->pending);
  return FALSE;
}

/**
 * tall_state_decode:
 * @bytes: a value of a cell `s`, which may be anything
 * @state: (out caller-allocates): what it says; encoded again it gives the same bytes
 *
 * Returns: FALSE with %TALL_ERROR_NEWER_VERSION for a format after ours, with %TALL_ERROR_DAMAGED
 *   for what no version writes
 */
gboolean
tall_state_decode (TallSlice bytes, TallState *state, GError **error)
{
  if (!check_form (bytes, error))
    return FALSE;

  TallReader reader = tall_reader (tall_slice (bytes.data + 1, bytes.len - 1));
  state->live = (tall_reader_u8 (&reader) & FLAG_LIVE) != 0;
  state->schema = tall_reader_u16 (&reader);
  state->n_locations = tall_reader_u32 (&reader);
  state->n_lines = tall_reader_u32 (&reader);
  state->sales_date = (gint64)tall_reader_u64 (&reader);
  state->revision = (gint64)tall_reader_u64 (&reader);
  memcpy (state->token, tall_reader_take (&reader, TALL_TOKEN_SIZE).data, TALL_TOKEN_SIZE);
  state->pending = (gint64)tall_reader_u64 (&reader);
  memcpy (state->pending_token, tall_reader_take (&reader, TALL_TOKEN_SIZE).data, TALL_TOKEN_SIZE);
  memcpy (state->digest, tall_reader_take (&reader, TALL_DIGEST_SIZE).data, TALL_DIGEST_SIZE);
  g_assert (tall_reader_done (&reader));
  return check_revisions (state, error);
}

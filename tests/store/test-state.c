/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "store/commit/root.h"
#include "tall-must.h"

static TallState
make_state (GRand *rand)
{
  TallState state = {
    .live = g_rand_boolean (rand),
    .schema = (guint16)g_rand_int (rand),
    .n_locations = g_rand_int (rand),
    .n_lines = g_rand_int (rand),
    .sales_date = g_rand_boolean (rand) ? TALL_NO_DATE : g_rand_int_range (rand, -1000, 1000),
    .revision = g_rand_int_range (rand, 1, G_MAXINT32),
    .pending = g_rand_int_range (rand, 0, G_MAXINT32),
  };
  for (guint i = 0; i < TALL_TOKEN_SIZE; i++)
    {
      state.token[i] = (guint8)g_rand_int (rand);
      state.pending_token[i] = (guint8)g_rand_int (rand);
      state.digest[i] = (guint8)g_rand_int (rand);
    }
  return state;
}

static void
test_round_trip (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int () & 0x7fffffff);
  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      TallState state = make_state (rand);
      TallState decoded;
      TallSlice bytes = tall_state_encode (&state, arena);
      g_assert_cmpuint (bytes.len, ==, TALL_STATE_SIZE);
      must (tall_state_decode (bytes, &decoded, &error));

      g_assert_cmpint (decoded.live, ==, state.live);
      g_assert_cmpuint (decoded.schema, ==, state.schema);
      g_assert_cmpuint (decoded.n_locations, ==, state.n_locations);
      g_assert_cmpuint (decoded.n_lines, ==, state.n_lines);
      g_assert_cmpint (decoded.sales_date, ==, state.sales_date);
      g_assert_cmpint (decoded.revision, ==, state.revision);
      g_assert_cmpint (decoded.pending, ==, state.pending);
      g_assert_cmpmem (decoded.token, 16, state.token, 16);
      g_assert_cmpmem (decoded.pending_token, 16, state.pending_token, 16);
      g_assert_cmpmem (decoded.digest, 16, state.digest, 16);
    }
}

static void
assert_refused (const guint8 *bytes, gsize len, TallError code)
{
  TallState state;
  must_fail (tall_state_decode (tall_slice (bytes, len), &state, &error), (gint)code);
}

/* A newer format may have any length and any flags. */
static void
test_newer (void)
{
  guint8 bytes[TALL_STATE_SIZE + 1] = { TALL_STATE_FORMAT + 1, 0xff };
  for (gsize len = 1; len <= sizeof bytes; len++)
    assert_refused (bytes, len, TALL_ERROR_NEWER_VERSION);
  bytes[0] = 0xff;
  assert_refused (bytes, TALL_STATE_SIZE, TALL_ERROR_NEWER_VERSION);
}

static void
test_damaged (void)
{
  guint8 bytes[TALL_STATE_SIZE + 1] = { TALL_STATE_FORMAT };
  for (gsize len = 0; len <= sizeof bytes; len++)
    if (len != TALL_STATE_SIZE)
      assert_refused (bytes, len, TALL_ERROR_DAMAGED);
  bytes[0] = 0;
  assert_refused (bytes, TALL_STATE_SIZE, TALL_ERROR_DAMAGED);

  bytes[0] = TALL_STATE_FORMAT;
  for (guint8 flags = 2; flags != 0; flags = (guint8)(flags << 1))
    {
      bytes[1] = flags;
      assert_refused (bytes, TALL_STATE_SIZE, TALL_ERROR_DAMAGED);
    }
  bytes[1] = 1; /* live, but of no revision */
  assert_refused (bytes, TALL_STATE_SIZE, TALL_ERROR_DAMAGED);
  bytes[1] = 0;
  bytes[20] = 0x80; /* revision */
  assert_refused (bytes, TALL_STATE_SIZE, TALL_ERROR_DAMAGED);
  bytes[20] = 0;
  bytes[44] = 0x40; /* pending, too late for a next one */
  assert_refused (bytes, TALL_STATE_SIZE, TALL_ERROR_DAMAGED);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/state/round-trip", test_round_trip);
  g_test_add_func ("/state/newer", test_newer);
  g_test_add_func ("/state/damaged", test_damaged);
  return g_test_run ();
}

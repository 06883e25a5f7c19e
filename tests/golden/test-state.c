/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/commit/root.h"
#include "tall-must.h"

/* The state cells that FORMAT.md shows, byte by byte. */

#define STORED                                                                                     \
  "01010001"                                                                                       \
  "00000001"                                                                                       \
  "00000002"                                                                                       \
  "000000c2bf9d1c00"                                                                               \
  "0000018bcfe56800"                                                                               \
  "11111111111111111111111111111111"                                                               \
  "0000000000000000"                                                                               \
  "00000000000000000000000000000000"                                                               \
  "d41d8cd98f00b204e9800998ecf8427e"

/* Nothing committed, the same token claims the same revision. */
#define CLAIMED                                                                                    \
  "01000000"                                                                                       \
  "00000000"                                                                                       \
  "00000000"                                                                                       \
  "8000000000000000"                                                                               \
  "0000000000000000"                                                                               \
  "00000000000000000000000000000000"                                                               \
  "0000018bcfe56800"                                                                               \
  "11111111111111111111111111111111"                                                               \
  "00000000000000000000000000000000"

#define REVISION G_GINT64_CONSTANT (1700000000000)

static TallState
make_stored (void)
{
  TallState state = {
    .live = TRUE,
    .schema = 1,
    .n_locations = 1,
    .n_lines = 2,
    .sales_date = G_GINT64_CONSTANT (836438400000),
    .revision = REVISION,
  };
  memset (state.token, 0x11, sizeof state.token);
  tall_md5 (tall_slice_str (""), state.digest);
  return state;
}

static TallState
make_claimed (void)
{
  TallState state = { .sales_date = TALL_NO_DATE, .pending = REVISION };
  memset (state.pending_token, 0x11, sizeof state.pending_token);
  return state;
}

/* Encoded it gives the bytes; what is decoded from them gives the same bytes again. */
static void
assert_bytes (const TallState *state, const char *expected)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice bytes = tall_state_encode (state, arena);
  g_autofree char *hex = tall_slice_to_hex (bytes);
  g_assert_cmpstr (hex, ==, expected);

  TallState decoded;
  must (tall_state_decode (bytes, &decoded, &error));
  g_assert_cmpint (decoded.live, ==, state->live);
  g_assert_cmpuint (decoded.n_lines, ==, state->n_lines);
  g_assert_cmpint (decoded.revision, ==, state->revision);
  g_assert_cmpint (decoded.pending, ==, state->pending);
  g_autofree char *again = tall_slice_to_hex (tall_state_encode (&decoded, arena));
  g_assert_cmpstr (again, ==, expected);
}

static void
test_stored (void)
{
  TallState state = make_stored ();
  assert_bytes (&state, STORED);
}

static void
test_claimed (void)
{
  TallState state = make_claimed ();
  assert_bytes (&state, CLAIMED);
}

static guint
get_schema (TallRecord record)
{
  TallContent content;
  must (tall_content_init (&content, record, &error));
  guint schema = content.state.schema;
  tall_content_clear (&content);
  return schema;
}

/* Earlier versions go on with all that has no money beside its lines. */
static void
test_schema (void)
{
  g_autoptr (TallCustomer) customer = tall_customer_new ("VINET");
  g_autoptr (TallOrder) order = tall_order_new ("VINET", "10248");
  g_assert_cmpuint (get_schema (tall_record_of_customer (customer)), ==, 1);
  g_assert_cmpuint (get_schema (tall_record_of_order (order)), ==, 1);
  tall_order_add_adjustment (order, "shipping", 495, 2);
  g_assert_cmpuint (get_schema (tall_record_of_order (order)), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/golden/state/stored", test_stored);
  g_test_add_func ("/golden/state/claimed", test_claimed);
  g_test_add_func ("/golden/state/schema", test_schema);
  return g_test_run ();
}

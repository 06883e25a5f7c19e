/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-spec-codec.h"

static TallTableSpec *
full_spec (void)
{
  TallTableSpec *spec = tall_table_spec_new ("orders");
  spec->max_versions = 3;
  spec->ttl = 86400;
  spec->compression = g_strdup ("lz4");
  spec->block_encoding = g_strdup ("");
  spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (spec->splits, g_bytes_new_static ("\x40", 1));
  g_ptr_array_add (spec->splits, g_bytes_new_static ("\x80\x00", 2));
  return spec;
}

static void
test_format (void)
{
  static const guint8 expected[] = {
    0x01,                                           /* format */
    0x00, 0x00, 0x00, 0x03,                         /* versions */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x51, 0x80, /* TTL */
    0x00, 0x03, 'l',  'z',  '4',                    /* compression */
    0xff, 0xff,                                     /* no bloom filter named */
    0x00, 0x00,                                     /* an empty name */
    0x00, 0x00, 0x00, 0x02,                         /* split points */
    0x00, 0x01, 0x40, 0x00, 0x02, 0x80, 0x00,
  };
  g_autoptr (TallTableSpec) spec = full_spec ();
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  tall_spec_encode (spec, stored);
  g_assert_cmpmem (stored->data, stored->len, expected, sizeof expected);
}

static void
test_round_trip (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableSpec) spec = full_spec ();
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  tall_spec_encode (spec, stored);
  g_autoptr (TallTableSpec) back = tall_spec_decode ("orders", tall_slice_array (stored), &error);
  g_assert_no_error (error);
  g_assert_nonnull (back);
  g_assert_cmpstr (back->name, ==, "orders");
  g_assert_cmpuint (back->max_versions, ==, 3);
  g_assert_cmpuint (back->ttl, ==, 86400);
  g_assert_cmpstr (back->compression, ==, "lz4");
  g_assert_cmpstr (back->bloom_filter, ==, NULL);
  g_assert_cmpstr (back->block_encoding, ==, "");
  g_assert_cmpuint (back->splits->len, ==, 2);
  g_assert_true (
      g_bytes_equal (g_ptr_array_index (back->splits, 1), g_ptr_array_index (spec->splits, 1)));
}

static void
test_refused (void)
{
  g_autoptr (TallTableSpec) spec = full_spec ();
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  tall_spec_encode (spec, stored);
  for (gsize len = 0; len < stored->len; len++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree guint8 *exact = g_memdup2 (stored->data, len);
      g_assert_null (tall_spec_decode ("orders", tall_slice (exact, len), &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
    }

  g_autoptr (GError) error = NULL;
  stored->data[0] = TALL_SPEC_FORMAT + 1;
  g_assert_null (tall_spec_decode ("orders", tall_slice_array (stored), &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/spec-codec/format", test_format);
  g_test_add_func ("/table/spec-codec/round-trip", test_round_trip);
  g_test_add_func ("/table/spec-codec/refused", test_refused);
  return g_test_run ();
}

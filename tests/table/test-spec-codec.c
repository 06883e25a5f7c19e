/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/rocksdb/settings.h"
#include "tall-must.h"

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

/* A table that is not open has more settings, in a format of its own. */
static void
test_shut_format (void)
{
  static const guint8 expected[] = {
    0x02,                                           /* format */
    0x00, 0x00, 0x00, 0x00,                         /* versions */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* TTL */
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff,             /* nothing else is named */
    0x00, 0x00, 0x00, 0x00,                         /* split points */
    0x01, 0x00, 0x03, 'a',  '-',  '1',              /* sealed, under this token */
  };
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  spec->access = TALL_ACCESS_SEALED;
  spec->seal = g_strdup ("a-1");
  tall_spec_encode (spec, stored);
  g_assert_cmpmem (stored->data, stored->len, expected, sizeof expected);

  g_autoptr (TallTableSpec) back =
      must (tall_spec_decode ("orders", tall_slice_array (stored), &error));
  g_assert_cmpint (back->access, ==, TALL_ACCESS_SEALED);
  g_assert_cmpstr (back->seal, ==, "a-1");
}

/* Accesses with and without a seal, as they are kept and as they must not be. */
static void
test_accesses (void)
{
  static const struct
  {
    guint8 access;
    const char *seal;
    gboolean valid;
  } cases[] = {
    { TALL_ACCESS_CLOSED, NULL, TRUE },  { TALL_ACCESS_CLOSED, "token", TRUE },
    { TALL_ACCESS_SEALED, NULL, FALSE }, { 3, "token", FALSE },
    { TALL_ACCESS_SEALED, "", FALSE },   { TALL_ACCESS_SEALED, "to ken", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
      g_autoptr (GByteArray) stored = g_byte_array_new ();
      spec->access = (TallTableAccess)cases[i].access;
      spec->seal = g_strdup (cases[i].seal);
      tall_spec_encode (spec, stored);
      g_autoptr (TallTableSpec) back =
          tall_spec_decode ("orders", tall_slice_array (stored), &error);
      g_assert_true ((back != NULL) == cases[i].valid);
      if (back == NULL)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
      else
        g_assert_cmpstr (back->seal, ==, cases[i].seal);
    }
}

static void
test_round_trip (void)
{
  g_autoptr (TallTableSpec) spec = full_spec ();
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  tall_spec_encode (spec, stored);
  g_autoptr (TallTableSpec) back =
      must (tall_spec_decode ("orders", tall_slice_array (stored), &error));
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
  spec->access = TALL_ACCESS_SEALED;
  spec->seal = g_strdup ("token");
  tall_spec_encode (spec, stored);
  for (gsize len = 0; len < stored->len; len++)
    {
      g_autofree guint8 *exact = g_memdup2 (stored->data, len);
      must_fail (tall_spec_decode ("orders", tall_slice (exact, len), &error), TALL_ERROR_DAMAGED);
    }

  stored->data[0] = TALL_SPEC_FORMAT + 1;
  must_fail (tall_spec_decode ("orders", tall_slice_array (stored), &error),
             TALL_ERROR_NEWER_VERSION);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/spec-codec/format", test_format);
  g_test_add_func ("/table/spec-codec/shut-format", test_shut_format);
  g_test_add_func ("/table/spec-codec/accesses", test_accesses);
  g_test_add_func ("/table/spec-codec/round-trip", test_round_trip);
  g_test_add_func ("/table/spec-codec/refused", test_refused);
  return g_test_run ();
}

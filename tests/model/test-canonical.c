/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "tall-test-orders.h"

#include "customer.pb-c.h"
#include "order.pb-c.h"
#include "tall-must.h"

static GRand *
new_rand (void)
{
  return g_rand_new_with_seed (g_test_rand_int ());
}

/* protobuf-c reads what we write, all of it, and writes the same. */
static void
assert_protobuf_c_agrees (const ProtobufCMessageDescriptor *descriptor, TallSlice bytes)
{
  ProtobufCMessage *message = protobuf_c_message_unpack (descriptor, NULL, bytes.len, bytes.data);
  g_assert_nonnull (message);
  g_assert_cmpuint (message->n_unknown_fields, ==, 0);

  gsize len = protobuf_c_message_get_packed_size (message);
  g_autofree guint8 *again = g_malloc (len);
  protobuf_c_message_pack (message, again);
  g_assert_cmpmem (again, len, bytes.data, bytes.len);
  protobuf_c_message_free_unpacked (message, NULL);
}

/* Of a customer. */
static const TallModelField *
find_field (const char *name)
{
  return protobuf_c_message_descriptor_get_field_by_name (&tall_model_customer, name);
}

static void
check_order_round_trip (const TallOrder *order)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice canonical = tall_order_to_canonical (order, arena);
  g_autoptr (TallOrder) back = must (tall_order_from_canonical (canonical, &error));
  tall_test_assert_order_equal (order, back);
  assert_protobuf_c_agrees (&tall_pb__order__descriptor, canonical);
  assert_protobuf_c_agrees (&tall_pb__order_summary__descriptor,
                            tall_order_to_summary (order, arena));

  TallSlice again = tall_order_to_canonical (back, arena);
  g_assert_cmpmem (canonical.data, canonical.len, again.data, again.len);
}

static void
test_order_round_trip (void)
{
  g_autoptr (GRand) rand = new_rand ();
  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, i % 50 == 0 ? 1000 : 12);
      check_order_round_trip (order);
    }

  g_autoptr (TallOrder) long_order = tall_test_order_with_lines ("C", "1", 9999);
  check_order_round_trip (long_order);
}

static void
test_customer_round_trip (void)
{
  g_autoptr (GRand) rand = new_rand ();
  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      TallSlice canonical = tall_customer_to_canonical (customer, arena);
      g_autoptr (TallCustomer) back = must (tall_customer_from_canonical (canonical, &error));
      tall_test_assert_customer_equal (customer, back);
      assert_protobuf_c_agrees (&tall_pb__customer__descriptor, canonical);
      assert_protobuf_c_agrees (&tall_pb__customer_summary__descriptor,
                                tall_customer_to_summary (customer, arena));
      assert_protobuf_c_agrees (&tall_pb__phones__descriptor,
                                tall_list_to_canonical (find_field ("phones"), customer, arena));
    }
}

static void
assert_bytes (TallSlice bytes, const char *hex)
{
  g_autofree char *actual = tall_slice_to_hex (bytes);
  g_assert_cmpstr (actual, ==, hex);
}

/* The bytes that every digest and every stored blob depend on. protoc reads and writes the same:
 * protoc --decode=tall_pb.Order proto/order.proto. */
static void
test_golden (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);
  TallSlice canonical = tall_order_to_canonical (order, arena);
  assert_bytes (canonical, "0a0556494e4554" /* customer_number */
                           "12053130323438" /* order_number */
                           "1880f0e8f9d730" /* sales_date */
                           "2203555344"     /* currency */
                           "2a7f"           /* a location */
                           "0801"           /* its number */
                           "121956696e7320657420616c636f6f6c732043686576616c696572"
                           "1a2c0a14353920727565206465206ce280994162626179651a055265696d732a05"
                           "353131303032064672616e6365" /* address */
                           "2080b0cbd6df30"             /* ship_date */
                           "2a2b"                       /* a line */
                           "0801"                       /* its number */
                           "12023131"                   /* item_number */
                           "1a10517565736f2043616272616c65732030"
                           "220408021000"   /* quantity 1 */
                           "2a0508a80f1002" /* price 9.80 */
                           "3204081e1002"); /* discount 0.15 */

  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (canonical, digest);
  assert_bytes (tall_slice (digest, sizeof digest), "318e8351033004af8903c16e56f10abc");
  assert_bytes (tall_order_to_summary (order, arena),
                "0a0556494e4554120531303234381801220508820d10022a03555344");
}

/* Schema 2: what is new comes behind all that was there. */
static void
test_golden_money (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 0);
  tall_order_add_adjustment (order, "tax", 19, 2);
  TallAdjustment *discount = tall_order_add_adjustment (order, "discount", -5, 0);
  discount->description = tall_arena_strdup (arena, "x");
  discount->has_line = TRUE;
  discount->line = 258;
  order->billing_address = tall_address_new (arena);
  order->billing_address->city = tall_arena_strdup (arena, "Rom");
  assert_bytes (tall_order_to_canonical (order, arena), "0a0143120131"
                                                        "3a0b0a03746178" /* kind */
                                                        "120408261002"   /* amount 0.19 */
                                                        "3a160a08646973636f756e74"
                                                        "120408091000" /* amount -5 */
                                                        "1a0178"       /* description */
                                                        "208202"       /* line */
                                                        "42051a03526f6d");
  assert_bytes (tall_order_to_summary (order, arena), "0a014312013118002205"
                                                      "08c1071002");
}

static void
test_golden_customer (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallCustomer) customer = tall_test_plain_customer ("VINET");
  assert_bytes (tall_customer_to_canonical (customer, arena),
                "0a0556494e4554121956696e7320657420616c636f6f6c732043686576616c696572"
                "1a2c0a14353920727565206465206ce280994162626179651a055265696d732a05"
                "353131303032064672616e6365"
                "220b32362e34372e31352e3130220b32362e34372e31352e3131"
                "2a187061756c2e68656e72696f74406578616d706c652e636f6d"
                "32170a07636f6e74616374120c5061756c2048656e72696f74");
  assert_bytes (tall_customer_to_summary (customer, arena),
                "0a0556494e4554121956696e7320657420616c636f6f6c732043686576616c696572");
  assert_bytes (tall_list_to_canonical (find_field ("attributes"), customer, arena),
                "0a170a07636f6e74616374120c5061756c2048656e72696f74");
}

static TallSlice
from_hex (TallArena *arena, const char *hex)
{
  gsize len = strlen (hex) / 2;
  guint8 *bytes = tall_arena_alloc (arena, len);
  for (gsize i = 0; i < len; i++)
    bytes[i] = g_ascii_xdigit_value (hex[2 * i]) << 4 | g_ascii_xdigit_value (hex[2 * i + 1]);
  return tall_slice (bytes, len);
}

#define NUMBERS "0a0143120131" /* customer "C", order "1" */

/* Each differs from a good order in one thing. */
static const char *const hostile[][2] = {
  { "0a0143", "no order number" },
  { "0a0143"
    "1200",
    "empty order number" },
  { "0a0143"
    "12020a31",
    "control character in a number" },
  { "0a0143"
    "1202ff31",
    "number that is not UTF-8" },
  { NUMBERS "2202ff31", "currency that is not UTF-8" },
  { NUMBERS "2203610062", "currency with a NUL inside" },
  { NUMBERS "220100", "currency of one NUL" },
  { "0a0243"
    "00120131",
    "number that ends with a NUL" },
  { NUMBERS "18ffffffffffffffffff01", "sales date out of range" },
  { NUMBERS "188000", "varint longer than need be" },
  { NUMBERS "22016122"
            "0162",
    "currency twice" },
  { NUMBERS "2a00", "location without a number" },
  { NUMBERS "2a020800", "location 0" },
  { NUMBERS "2a0b08ffffffffffffffffff01", "location -1" },
  { NUMBERS "2a0608ffffffff0f", "location -1 in five bytes" },
  { NUMBERS "2a020802"
            "2a020801",
    "locations not sorted" },
  { NUMBERS "2a020801"
            "2a020801",
    "location twice" },
  { NUMBERS "2a0a0801"
            "2a020802"
            "2a020801",
    "lines not sorted" },
  { NUMBERS "2a0608012a020801"
            "2a0608022a020801",
    "line twice in the order" },
  { NUMBERS "2a0c0801"
            "2a080801"
            "220408021013",
    "quantity of scale 19" },
  { NUMBERS "2a0d0801"
            "2a090801"
            "22050802108002",
    "quantity of scale 256" },
  { NUMBERS "2a0a0801"
            "2a060801"
            "22020802",
    "quantity without a scale" },
  { NUMBERS "2a0c0801"
            "2a080801"
            "320408011000",
    "discount -1" },
  { NUMBERS "2a0c0801"
            "2a080801"
            "320408041000",
    "discount 2" },
  { NUMBERS "32060a0162120131"
            "32060a0161120131",
    "attributes not sorted" },
  { NUMBERS "32060a0161120131"
            "32060a0161120131",
    "attribute twice" },
  { NUMBERS "32030a0161", "attribute without a value" },
  { NUMBERS "32090a0161120131120132", "attribute with two values" },
  { NUMBERS "2a0e0801"
            "2a0a0801"
            "2206080210001000",
    "quantity with two scales" },
  { NUMBERS "2205616263", "currency cut short" },
  { NUMBERS "22ffffffff0f", "length beyond the end" },
  { NUMBERS "22", "tag without a value" },
  { NUMBERS "18", "varint without bytes" },
  { NUMBERS "2007", "currency as a varint" },
  { NUMBERS "2b", "start of a group" },
  { NUMBERS "78017001", "unknown fields that do not ascend" },
  { NUMBERS "7801220161", "unknown field before one that is known" },
  { NUMBERS "808080801001", "unknown field with a number beyond 29 bits" },
  { NUMBERS "2a050801780148", "unknown field of a location that is cut off" },
  { NUMBERS "0001", "field number 0" },
  { NUMBERS "3a030a0161", "adjustment without an amount" },
  { NUMBERS "3a0612040802"
            "1000",
    "adjustment without a kind" },
  { NUMBERS "3a080a00"
            "1204"
            "08021000",
    "adjustment of an empty kind" },
  { NUMBERS "3a0b0a0161"
            "1204"
            "08021000"
            "2000",
    "adjustment of line 0" },
  { NUMBERS "3a0d0a0161"
            "1204"
            "08021000"
            "7801"
            "7001",
    "unknown fields of an adjustment that do not ascend" },
  { NUMBERS "42050a0161"
            "0a0162",
    "billing address with two texts" },
  { "", "nothing" },
};

static void
test_hostile (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  for (guint i = 0; i < G_N_ELEMENTS (hostile); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallOrder) order =
          tall_order_from_canonical (from_hex (arena, hostile[i][0]), &error);
      g_test_message ("%s: %s", hostile[i][1], order != NULL ? "taken" : error->message);
      g_assert_null (order);
      g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
    }
}

/* What the reader itself refuses, before anything is checked. */
static void
test_not_canonical (void)
{
  static const char *const cases[] = {
    "0a0143",
    "120131",
    NUMBERS "2a00",
    NUMBERS "2a0208012a020801",
    NUMBERS "2a0a08012a0208022a020802",
  };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (tall_order_from_canonical (from_hex (arena, cases[i]), &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
      g_assert_cmpstr (error->message, ==, "stored order: not in canonical form");
    }
}

static void
test_too_long (void)
{
  gsize len = TALL_MAX_CANONICAL_BYTES + 1;
  g_autofree guint8 *bytes = g_malloc0 (len);
  must_fail (tall_order_from_canonical (tall_slice (bytes, len), &error), TALL_ERROR_DAMAGED);
}

/* The library takes memory for each field that it finds; all of it together is bounded by the bytes
 * that are there. Here fields are as small as they can be, and as many as a message may have. */
static void
test_memory (void)
{
  static const char *const units[] = { "2200", "7801", "7a00", "32060a0161120131" };
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      TallSlice unit = from_hex (arena, units[i]);
      tall_bytes_append (bytes, from_hex (arena, "0a0143"));
      while (bytes->len + unit.len <= TALL_MAX_CANONICAL_BYTES)
        tall_bytes_append (bytes, unit);

      g_autoptr (GError) error = NULL;
      TallSlice message = tall_slice_array (bytes);
      g_autoptr (TallCustomer) customer = tall_customer_from_canonical (message, &error);
      g_test_message ("%s: %s", units[i], customer != NULL ? "taken" : error->message);
      g_assert_cmpint (customer != NULL, ==, unit.len == 2);
      if (customer != NULL)
        g_assert_cmpuint (tall_arena_get_size (tall_customer_get_arena (customer)), <,
                          64 * (gsize)bytes->len);
    }
}

/* What a newer schema adds is skipped, at every level. */
static void
test_unknown_fields (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice bytes = from_hex (arena, NUMBERS "2a0b0801"
                                             "2a040801"
                                             "7801"
                                             "7a0141"
                                             "7a0142");
  g_autoptr (TallOrder) order = must (tall_order_from_canonical (bytes, &error));
  g_assert_cmpuint (tall_order_count_lines (order), ==, 1);
  assert_bytes (tall_order_to_canonical (order, arena), NUMBERS "2a060801"
                                                                "2a020801");
}

/* An address without texts, an address of empty texts and no address are three things. */
static void
test_absent_and_empty (void)
{
  static const char *const cases[] = {
    NUMBERS "2a020801",     NUMBERS "2a0408011a00", NUMBERS "2a0608011a020a00",
    NUMBERS "2a0408011200", NUMBERS "2200",
  };

  g_autoptr (TallArena) arena = tall_arena_new (0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallOrder) order =
          must (tall_order_from_canonical (from_hex (arena, cases[i]), &error));
      assert_bytes (tall_order_to_canonical (order, arena), cases[i]);
    }
}

/* protobuf-c reads the same as our own reader. */
static void
assert_same_as_protobuf_c (const TallOrder *order, TallSlice bytes, TallArena *arena)
{
  TallPb__Order *message = tall_pb__order__unpack (NULL, bytes.len, bytes.data);
  g_assert_nonnull (message);
  g_assert_cmpuint (tall_pb__order__get_packed_size (message), ==, bytes.len);
  tall_pb__order__free_unpacked (message, NULL);

  /* Shorter only by the fields that are not known. */
  TallSlice again = tall_order_to_canonical (order, arena);
  if (again.len == bytes.len)
    g_assert_cmpmem (again.data, again.len, bytes.data, bytes.len);
  else
    g_assert_cmpuint (again.len, <, bytes.len);
}

static void
check_damaged (TallSlice bytes)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_order_from_canonical (bytes, &error);
  if (order == NULL)
    g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  else
    assert_same_as_protobuf_c (order, bytes, arena);
}

/* No change of one bit leads to a crash; what is still accepted is canonical. */
static void
test_damaged (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (TallOrder) order = tall_test_random_order (rand, 8);
      TallSlice canonical = tall_order_to_canonical (order, arena);
      guint8 *bytes = tall_arena_memdup (arena, canonical.data, canonical.len);
      for (gsize bit = 0; bit < canonical.len * 8; bit++)
        {
          bytes[bit / 8] ^= 1u << bit % 8;
          check_damaged (tall_slice (bytes, canonical.len));
          bytes[bit / 8] ^= 1u << bit % 8;
        }
    }
}

static void
test_order_summary (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 3);
  TallOrderSummary summary;
  must (tall_order_summary_parse (tall_order_to_summary (order, arena), arena, &summary, &error));
  g_assert_cmpstr (summary.customer_number, ==, "VINET");
  g_assert_cmpstr (summary.order_number, ==, "10248");
  g_assert_cmpuint (summary.lines, ==, 3);
  g_assert_cmpstr (summary.currency, ==, "USD");
  g_assert_nonnull (summary.total);
  /* 1 × 9.80 × 0.85 + 2 × 9.87 + 3 × 9.94 */
  g_assert_true (tall_decimal_identical (*summary.total, TALL_DECIMAL (5789, 2)));
}

/* Summaries of no order: each differs from a good one in one thing. */
static void
test_bad_summaries (void)
{
  static const struct
  {
    const char *hex;
    gboolean good;
  } cases[] = {
    { "0a014312013118904e", TRUE },            /* 10,000 lines */
    { "0a014312013118914e", FALSE },           /* 10,001 */
    { "0a01431201311801220408021012", TRUE },  /* a total of scale 18 */
    { "0a01431201311801220408021013", FALSE }, /* of scale 19 */
    { "0a014312013118012a01ff", FALSE },       /* a currency that is not UTF-8 */
    { "0a0143120131", FALSE },                 /* no number of lines */
    { "0a001201311801", FALSE },               /* no customer */
    { "0a01431201311801780122", FALSE },       /* cut */
  };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      TallOrderSummary summary;
      TallSlice bytes = from_hex (arena, cases[i].hex);
      g_test_message ("%s", cases[i].hex);
      g_assert_cmpint (tall_order_summary_parse (bytes, arena, &summary, &error), ==,
                       cases[i].good);
      if (!cases[i].good)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
    }
}

static void
test_summary_without_total (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);
  TallLineItem *line = order->shipping_locations[0]->line_items[0];
  line->price = line->quantity = tall_decimal_new (arena, G_MAXINT64, 0);
  order->currency = NULL;
  TallOrderSummary summary;
  must (tall_order_summary_parse (tall_order_to_summary (order, arena), arena, &summary, &error));
  g_assert_null (summary.total);
  g_assert_null (summary.currency);
}

/* The cells that stand alone, good and bad. */
static void
test_cells (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCustomerSummary customer;
  g_assert_true (
      tall_customer_summary_parse (from_hex (arena, "0a01431200"), arena, &customer, NULL));
  g_assert_cmpstr (customer.number, ==, "C");
  g_assert_cmpstr (customer.name, ==, "");
  g_assert_true (tall_customer_summary_parse (from_hex (arena, "0a0143"), arena, &customer, NULL));
  g_assert_null (customer.name);

  static const char *const bad[] = { "0a00", "0a01431201ff", "0a0143120100", "12", "" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      must_fail (tall_customer_summary_parse (from_hex (arena, bad[i]), arena, &customer, &error),
                 TALL_ERROR_DAMAGED);
    }

  TallCustomer list = TALL_PB__CUSTOMER__INIT;
  const TallModelField *field = find_field ("attributes");
  g_assert_true (tall_list_from_canonical (field, from_hex (arena, ""), arena, &list, NULL));
  g_assert_cmpuint (list.n_attributes, ==, 0);
  TallSlice unsorted = from_hex (arena, "0a060a0162120131"
                                        "0a060a0161120131");
  must_fail (tall_list_from_canonical (field, unsorted, arena, &list, &error), TALL_ERROR_DAMAGED);
  TallSlice twice = from_hex (arena, "0a060a0161120131"
                                     "0a060a0161120132");
  must_fail (tall_list_from_canonical (field, twice, arena, &list, &error), TALL_ERROR_DAMAGED);
}

/* A list of texts as a message of its own. */
static void
test_texts (void)
{
  static const char *const bad[] = {
    "0a",             /* no length */
    "0a0131320a0132", /* a length that is too small */
    "0a0331003a",     /* a NUL, which a C string would cut */
    "0a01ff",         /* not UTF-8 */
    "08010a0131",     /* a number in the place of a text */
    "12013180",       /* an unknown field that is cut off */
    "1201310a0132",   /* an unknown one before those that are known */
  };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCustomer list = TALL_PB__CUSTOMER__INIT;
  const TallModelField *field = find_field ("phones");
  g_assert_true (tall_list_from_canonical (field, from_hex (arena, ""), arena, &list, NULL));
  g_assert_cmpuint (list.n_phones, ==, 0);

  /* Empty texts count; what a newer schema adds is read over. */
  TallSlice newer = from_hex (arena, "0a0131"
                                     "0a00"
                                     "120132");
  g_assert_true (tall_list_from_canonical (field, newer, arena, &list, NULL));
  g_assert_cmpuint (list.n_phones, ==, 2);
  g_assert_cmpstr (list.phones[0], ==, "1");
  g_assert_cmpstr (list.phones[1], ==, "");
  assert_bytes (tall_list_to_canonical (field, &list, arena), "0a01310a00");

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      TallSlice bytes = from_hex (arena, bad[i]);
      must_fail (tall_list_from_canonical (field, bytes, arena, &list, &error), TALL_ERROR_DAMAGED);
    }
}

/* A digest can be forged: bytes that have one are held against their length, and what order,
 * numbers and scales there may be. */
static void
test_proved (void)
{
  static const struct
  {
    const char *hex;
    gboolean good;
  } cases[] = {
    { "0a016312016f", TRUE },
    { "0a016312016f2a0c08012a0808012a0408", FALSE },         /* ends too early */
    { "0a016312016f2a0c08012a0808012a0408021002", TRUE },    /* a price of 0.01 */
    { "0a016312016f2a0d08012a0908012a05080210c801", FALSE }, /* of 1e-200 */
    { "0a0363007812016f", FALSE },                           /* a NUL in a number */
    { "0a016312016f2a0208012a020801", FALSE },               /* a location twice */
    { "0a016312016f2a0208022a020801", FALSE },               /* locations not sorted */
    { "0a016312016f2a0a08012a0208012a020801", FALSE },       /* a line twice */
    { "0a016312016f2a0608012a020800", FALSE },               /* line 0 */
    { "0a016312016f32060a016112013132060a0161120131", FALSE },
  };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallOrder) order = tall_order_from_proved (from_hex (arena, cases[i].hex), &error);
      g_test_message ("%s", cases[i].hex);
      g_assert_true ((order != NULL) == cases[i].good);
      if (order == NULL)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/canonical/proved", test_proved);
  g_test_add_func ("/model/canonical/order-round-trip", test_order_round_trip);
  g_test_add_func ("/model/canonical/customer-round-trip", test_customer_round_trip);
  g_test_add_func ("/model/canonical/golden", test_golden);
  g_test_add_func ("/model/canonical/golden-money", test_golden_money);
  g_test_add_func ("/model/canonical/golden-customer", test_golden_customer);
  g_test_add_func ("/model/canonical/hostile", test_hostile);
  g_test_add_func ("/model/canonical/not-canonical", test_not_canonical);
  g_test_add_func ("/model/canonical/too-long", test_too_long);
  g_test_add_func ("/model/canonical/memory", test_memory);
  g_test_add_func ("/model/canonical/unknown-fields", test_unknown_fields);
  g_test_add_func ("/model/canonical/absent-and-empty", test_absent_and_empty);
  g_test_add_func ("/model/canonical/damaged", test_damaged);
  g_test_add_func ("/model/canonical/order-summary", test_order_summary);
  g_test_add_func ("/model/canonical/bad-summaries", test_bad_summaries);
  g_test_add_func ("/model/canonical/summary-without-total", test_summary_without_total);
  g_test_add_func ("/model/canonical/cells", test_cells);
  g_test_add_func ("/model/canonical/texts", test_texts);
  return g_test_run ();
}

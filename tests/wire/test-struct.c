/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/struct.h"
#include "tall-decimal.h"
#include "wire-cases.h"
#include "tall-must.h"

/* Structs by their descriptions: as much as the limits say is read, and its memory is asked for. */

static TallTransport *
transport_new (GByteArray *bytes, gboolean compact, guint max_depth)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = TALL_WIRE_SERVER;
  options.compact = compact;
  options.max_depth = max_depth;
  return tall_transport_new_memory (tall_slice_array (bytes), &options);
}

typedef struct
{
  gint32 number;
} Element;

typedef struct
{
  Element *elements; /* n_elements of them */
  guint n_elements;
} List;

static const TallStructField element_type_fields[] = {
  { "number", 1, TALL_KIND_I32, G_STRUCT_OFFSET (Element, number), TALL_STRUCT_ALWAYS, NULL },
};
static TALL_STRUCT_TYPE (element_type, "an element", Element);
static const TallStructField list_type_fields[] = {
  { "elements", 1, TALL_KIND_STRUCTS, G_STRUCT_OFFSET (List, elements),
    G_STRUCT_OFFSET (List, n_elements), &element_type },
};
static TALL_STRUCT_TYPE (list_type, "a list", List);

/* As many structs as the limit says, and one more: refused, and the connection goes on. */
static void
test_structs (gconstpointer data)
{
  Element elements[8] = { { 0 } };
  const List sent = { elements, G_N_ELEMENTS (elements) };
  TallStructLimits limits = {
    .structs = "structs", .bytes = "bytes", .text_bytes = 1, .pair_bytes = 1
  };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (TallTransport) memory = transport_new (bytes, COMPACT, 3);
  tall_struct_write (&list_type, &sent, tall_protocol_get_writer (memory));
  tall_bytes_append (bytes, tall_transport_get_output (memory));

  for (limits.n_structs = 7; limits.n_structs <= 8; limits.n_structs++)
    {
      g_autoptr (TallTransport) transport = transport_new (bytes, COMPACT, 3);
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (GError) error = NULL;
      List list = { NULL };
      TallStructReader reader;
      tall_struct_reader_init (&reader, transport, arena, &limits);
      gboolean ok = tall_struct_reader_read (&reader, &list_type, &list, &error);
      g_assert_cmpint (ok, ==, limits.n_structs == 8);
      g_assert_cmpint (reader.refused, ==, !ok);
      g_assert_cmpuint (list.n_elements, ==, ok ? 8 : 0);
    }
}

typedef struct
{
  const char *key;
  const char *value;
} Pair;

typedef struct
{
  TallArena *arena; /* its own */
  gint32 number;
} Owner;

/* A field of each kind that takes memory. */
typedef struct
{
  const char *text;
  TallSlice bytes;
  const char **texts; /* n_texts of them */
  gsize n_texts;
  Pair **pairs; /* n_pairs of them */
  gsize n_pairs;
  Element **objects; /* n_objects of them */
  gsize n_objects;
  Element *elements; /* n_elements of them */
  guint n_elements;
  Element *one;
  Owner *owner;
  const char *late;
} Booked;

static gpointer
create_owner (TallArena **arena)
{
  *arena = tall_arena_new (0);
  Owner *owner = tall_arena_new0 (*arena, Owner);
  owner->arena = *arena;
  return owner;
}

static void
clear_owner (gpointer pointer)
{
  Owner *owner = *(Owner **)pointer;
  if (owner != NULL)
    tall_arena_free (owner->arena);
}

#define ALONE(name, id, kind, type, member, of)                                                    \
  {                                                                                                \
    name, id, TALL_KIND_##kind, G_STRUCT_OFFSET (type, member), TALL_STRUCT_ALWAYS, of             \
  }
#define MANY(name, id, kind, member, of)                                                           \
  {                                                                                                \
    name, id, TALL_KIND_##kind, G_STRUCT_OFFSET (Booked, member),                                  \
        G_STRUCT_OFFSET (Booked, n_##member), of                                                   \
  }
static const TallStructField pair_type_fields[] = {
  ALONE ("key", 1, TEXT, Pair, key, NULL),
  ALONE ("value", 2, TEXT, Pair, value, NULL),
};
static TALL_STRUCT_TYPE (pair_type, "a pair", Pair);
static const TallStructField owner_type_fields[] = {
  ALONE ("number", 1, I32, Owner, number, NULL),
};
static TALL_STRUCT_TYPE (
    owner_type, "an owner", Owner, .create = create_owner, .clear = clear_owner);
static const TallStructField booked_type_fields[] = {
  ALONE ("text", 1, TEXT, Booked, text, NULL),
  ALONE ("bytes", 2, BYTES, Booked, bytes, NULL),
  MANY ("texts", 3, TEXTS, texts, NULL),
  MANY ("pairs", 4, PAIRS, pairs, &pair_type),
  MANY ("objects", 5, OBJECTS, objects, &element_type),
  MANY ("elements", 6, STRUCTS, elements, &element_type),
  ALONE ("one", 7, STRUCT, Booked, one, &element_type),
  ALONE ("owner", 8, STRUCT, Booked, owner, &owner_type),
  ALONE ("late", 9, REASON, Booked, late, NULL),
};
static TALL_STRUCT_TYPE (booked_type, "what is booked", Booked);

/* Bytes that are asked for, one time after the other. */
typedef struct
{
  gsize bytes[16];
  guint n;
  guint most; /* times that are granted */
} Spending;

static gboolean
spend (gpointer memory, gsize bytes, GError **error)
{
  Spending *self = memory;
  if (self->n == self->most)
    {
      g_set_error_literal (error, TALL_ERROR, TALL_ERROR_OVERLOADED, "no memory");
      return FALSE;
    }
  g_assert_cmpuint (self->n, <, G_N_ELEMENTS (self->bytes));
  self->bytes[self->n++] = bytes;
  return TRUE;
}

static gsize
sum (const Spending *self)
{
  gsize bytes = 0;
  for (guint i = 0; i < self->n; i++)
    bytes += self->bytes[i];
  return bytes;
}

static gboolean
read_booked (GByteArray *bytes, gboolean compact, Spending *spending)
{
  static const TallStructLimits limits = {
    .n_structs = 100, .structs = "", .n_bytes = 100, .bytes = "", .text_bytes = 1, .pair_bytes = 1
  };
  Booked read = { NULL };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallTransport) transport = transport_new (bytes, compact, 3);
  g_autoptr (GError) error = NULL;
  TallStructReader reader;
  tall_struct_reader_init (&reader, transport, arena, &limits);
  reader.spend = spend;
  reader.memory = spending;
  gboolean ok = tall_struct_reader_read (&reader, &booked_type, &read, &error);
  g_assert_cmpint (reader.refused, ==, !ok);
  if (!ok)
    g_assert_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED);
  return ok;
}

/* All memory that is taken for what is read is asked for before: a text takes a NUL and up to seven
 * bytes behind it. Where it is not granted, the call is refused, and the connection goes on. */
static void
test_memory (gconstpointer data)
{
  const char *texts[] = { "a", "bc" };
  Pair pair = { "k", "value" };
  Pair *pairs[] = { &pair };
  Element elements[3] = { { 0 } };
  Element *objects[] = { &elements[0], &elements[1] };
  Owner owner = { NULL, 1 };
  Booked sent = {
    "abc", tall_slice ("12345", 5), texts, 2, pairs, 1, objects, 2, elements, 3, &elements[0],
    &owner
  };
  static const gsize due[] = {
    3 + 8,
    5 + 8,
    2 * sizeof (char *),
    1 + 8,
    2 + 8,
    sizeof (Pair *) + sizeof (Pair),
    1 + 8,
    5 + 8,
    2 * (sizeof (Element *) + sizeof (Element)),
    3 * sizeof (Element),
    sizeof (Element),
    2048, /* an arena */
  };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (TallTransport) memory = transport_new (bytes, COMPACT, 3);
  tall_struct_write (&booked_type, &sent, tall_protocol_get_writer (memory));
  tall_bytes_append (bytes, tall_transport_get_output (memory));

  for (guint most = 0; most <= G_N_ELEMENTS (due); most++)
    {
      Spending spending = { .most = most };
      g_assert_cmpint (read_booked (bytes, COMPACT, &spending), ==, most == G_N_ELEMENTS (due));
      g_assert_cmpuint (spending.n, ==, most);
      for (guint i = 0; i < most; i++)
        g_assert_cmpuint (spending.bytes[i], >=, due[i]);
    }
}

/* As many pairs and texts as the limit of bytes allows, though they have none, and one more:
 * refused before any is read. */
static void
test_pairs (gconstpointer data)
{
  const char *texts[] = { "", "", "", "" };
  Pair pair = { "", "" };
  Pair *pairs[] = { &pair, &pair, &pair, &pair };
  TallStructLimits limits = { .structs = "", .bytes = "bytes", .text_bytes = 3, .pair_bytes = 7 };

  for (guint is_map = 0; is_map < 2; is_map++)
    for (guint more = 0; more < 2; more++)
      {
        Booked sent = { .texts = texts,
                        .n_texts = is_map ? 0 : 3 + more,
                        .pairs = pairs,
                        .n_pairs = is_map ? 3 + more : 0 };
        Booked read = { NULL };
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        g_autoptr (TallTransport) memory = transport_new (bytes, COMPACT, 3);
        tall_struct_write (&booked_type, &sent, tall_protocol_get_writer (memory));
        tall_bytes_append (bytes, tall_transport_get_output (memory));
        g_autoptr (TallTransport) transport = transport_new (bytes, COMPACT, 3);
        g_autoptr (TallArena) arena = tall_arena_new (0);
        g_autoptr (GError) error = NULL;
        Spending spending = { .most = G_N_ELEMENTS (spending.bytes) };
        TallStructReader reader;
        limits.n_bytes = is_map ? 3 * 7 + 6 : 3 * 3 + 2;
        tall_struct_reader_init (&reader, transport, arena, &limits);
        reader.spend = spend;
        reader.memory = &spending;
        gboolean ok = tall_struct_reader_read (&reader, &booked_type, &read, &error);
        g_assert_cmpint (ok, ==, !more);
        g_assert_cmpint (reader.refused, ==, !ok);
        g_assert_cmpuint (is_map ? read.n_pairs : read.n_texts, ==, ok ? 3 : 0);
        if (!ok)
          {
            g_assert_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE);
            g_assert_cmpuint (sum (&spending), ==, 0);
          }
      }
}

/* Reads what was written to @written, within wide limits. Returns: the reason why it is refused,
 * after which the connection goes on; NULL: it is not */
static char *
read_refused (TallTransport *written, const TallStructType *type, gpointer object, guint n_structs)
{
  const TallStructLimits limits = { .n_structs = n_structs,
                                    .shown_structs = n_structs,
                                    .structs = "structs",
                                    .n_bytes = 1000,
                                    .bytes = "bytes",
                                    .text_bytes = 1,
                                    .pair_bytes = 1 };
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory (tall_transport_get_output (written),
                                 tall_transport_get_options (written));
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) error = NULL;
  TallStructReader reader;
  tall_struct_reader_init (&reader, transport, arena, &limits);
  gboolean ok = tall_struct_reader_read (&reader, type, object, &error);
  g_assert_cmpint (reader.refused, ==, !ok);
  g_assert_false (tall_transport_is_broken (transport));
  return ok ? NULL : g_strdup (error->message);
}

/* What has an arena of its own can be taken away; what comes behind it does not lie there. */
static void
test_owner (gconstpointer data)
{
  Owner owner = { NULL, 7 };
  const Booked sent = { .owner = &owner, .late = "not the owner's" };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (TallTransport) written = transport_new (bytes, COMPACT, 3);
  tall_struct_write (&booked_type, &sent, tall_protocol_get_writer (written));
  tall_bytes_append (bytes, tall_transport_get_output (written));

  Booked read = { NULL };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallTransport) transport = transport_new (bytes, COMPACT, 3);
  TallStructReader reader;
  tall_struct_reader_init (&reader, transport, arena, NULL);
  must (tall_struct_reader_read (&reader, &booked_type, &read, &error));
  g_assert_true (reader.arena == arena);
  Owner *taken = g_steal_pointer (&read.owner);
  g_assert_cmpint (taken->number, ==, 7);
  tall_arena_free (taken->arena);
  g_assert_cmpstr (read.late, ==, sent.late);
}

/* What is only for people counts as a text. */
static void
test_reason (gconstpointer data)
{
  TallStructLimits limits = { .structs = "", .bytes = "bytes", .text_bytes = 3, .pair_bytes = 7 };
  const Booked sent = { .late = "0123456789" };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (TallTransport) written = transport_new (bytes, COMPACT, 3);
  tall_struct_write (&booked_type, &sent, tall_protocol_get_writer (written));
  tall_bytes_append (bytes, tall_transport_get_output (written));
  for (limits.n_bytes = 12; limits.n_bytes <= 13; limits.n_bytes++)
    {
      Booked read = { NULL };
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (TallTransport) transport = transport_new (bytes, COMPACT, 3);
      TallStructReader reader;
      tall_struct_reader_init (&reader, transport, arena, &limits);
      g_assert_cmpint (tall_struct_reader_read (&reader, &booked_type, &read, NULL), ==,
                       limits.n_bytes == 13);
    }
}

/* The limit of structs is that of all lists together. */
static void
test_structs_together (gconstpointer data)
{
  Element elements[3] = { { 0 } };
  Element *objects[] = { &elements[0], &elements[1] };
  const Booked sent = { .objects = objects, .n_objects = 2, .elements = elements, .n_elements = 3 };
  g_autoptr (GByteArray) none = g_byte_array_new ();
  g_autoptr (TallTransport) written = transport_new (none, COMPACT, 3);
  tall_struct_write (&booked_type, &sent, tall_protocol_get_writer (written));

  Booked read = { NULL };
  g_autofree char *taken = read_refused (written, &booked_type, &read, 5);
  g_assert_cmpstr (taken, ==, NULL);
  Booked part = { NULL };
  g_autofree char *refused = read_refused (written, &booked_type, &part, 4);
  g_assert_cmpstr (refused, ==, "elements: more than 4 structs");
}

/* Values of another type than is due; of nothing the type does not matter. */
static void
test_wrong_types (gconstpointer data)
{
  static const struct
  {
    gint16 id;
    ThriftType type;    /* of the field … */
    ThriftType key;     /* … of the keys of a map … */
    ThriftType element; /* … and of elements or values */
    guint n;            /* of them */
    const char *reason; /* NULL: taken */
  } cases[] = {
    { 1, T_I32, T_STOP, T_STOP, 0, "text: has the wrong type" },
    { 3, T_SET, T_STOP, T_STRING, 1, "texts: has the wrong type" },
    { 3, T_LIST, T_STOP, T_STRING, 1, NULL },
    { 3, T_LIST, T_STOP, T_I32, 1, "texts: its elements have the wrong type" },
    { 3, T_LIST, T_STOP, T_I32, 0, NULL },
    { 4, T_MAP, T_STRING, T_STRING, 1, NULL },
    { 4, T_MAP, T_STRING, T_I32, 1, "pairs: its keys and values must be texts" },
    { 4, T_MAP, T_I32, T_STRING, 1, "pairs: its keys and values must be texts" },
    { 4, T_MAP, T_I32, T_I32, 0, NULL },
    { 5, T_LIST, T_STOP, T_STRING, 1, "objects: its elements have the wrong type" },
    { 6, T_LIST, T_STOP, T_STRING, 1, "elements: its elements have the wrong type" },
    { 7, T_STRING, T_STOP, T_STOP, 0, "one: has the wrong type" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GByteArray) none = g_byte_array_new ();
      g_autoptr (TallTransport) written = transport_new (none, COMPACT, 3);
      ThriftProtocol *protocol = tall_protocol_get_writer (written);
      thrift_protocol_write_struct_begin (protocol, "", NULL);
      thrift_protocol_write_field_begin (protocol, "", cases[i].type, cases[i].id, NULL);
      if (cases[i].type == T_MAP)
        thrift_protocol_write_map_begin (protocol, cases[i].key, cases[i].element, cases[i].n,
                                         NULL);
      else if (cases[i].type == T_LIST || cases[i].type == T_SET)
        thrift_protocol_write_list_begin (protocol, cases[i].element, cases[i].n, NULL);
      for (guint k = 0; k < (cases[i].type == T_MAP ? 2 : 1) * cases[i].n; k++)
        thrift_protocol_write_binary (protocol, NULL, 0, NULL);
      thrift_protocol_write_field_stop (protocol, NULL);
      thrift_protocol_write_struct_end (protocol, NULL);

      Booked read = { NULL };
      g_autofree char *refused = read_refused (written, &booked_type, &read, 10);
      g_assert_cmpstr (refused, ==, cases[i].reason);
    }
}

typedef struct
{
  TallDecimal *price;
} Priced;

static const TallStructField decimal_type_fields[] = {
  ALONE ("unscaled", TALL_DECIMAL_UNSCALED_ID, I64, TallDecimal, unscaled, NULL),
  ALONE ("scale", TALL_DECIMAL_SCALE_ID, I32, TallDecimal, scale, NULL),
};
static TALL_STRUCT_TYPE (decimal_type,
                         "a decimal",
                         TallDecimal,
                         .head = &tall_pb__decimal__descriptor,
                         .required = TALL_STRUCT_BIT (1) | TALL_STRUCT_BIT (2),
                         .lacking = "lacks a part");
static const TallStructField priced_type_fields[] = {
  ALONE ("price", 1, STRUCT, Priced, price, &decimal_type),
};
static TALL_STRUCT_TYPE (priced_type, "what has a price", Priced);

/* A struct with @n times the same field, of zeros. */
static void
write_one (ThriftProtocol *protocol, gint16 id, ThriftType type, guint n)
{
  thrift_protocol_write_struct_begin (protocol, "", NULL);
  for (guint i = 0; i < n; i++)
    {
      thrift_protocol_write_field_begin (protocol, "", type, id, NULL);
      if (type == T_I32)
        thrift_protocol_write_i32 (protocol, 0, NULL);
      else
        thrift_protocol_write_i64 (protocol, 0, NULL);
    }
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

/* A strict reader takes no field twice, also none that it does not know; any other does. */
static void
test_unknown_twice (gconstpointer data)
{
  static const gint16 ids[] = { 2, 63 };
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    for (guint n = 1; n <= 2; n++)
      {
        Element element = { 0 };
        g_autoptr (GByteArray) none = g_byte_array_new ();
        g_autoptr (TallTransport) written = transport_new (none, COMPACT, 3);
        write_one (tall_protocol_get_writer (written), ids[i], T_I64, n);
        g_autofree char *refused = read_refused (written, &element_type, &element, 10);
        g_assert_cmpstr (refused, ==, NULL);

        g_autoptr (TallTransport) transport =
            tall_transport_new_memory (tall_transport_get_output (written),
                                       tall_transport_get_options (written));
        g_autoptr (TallArena) arena = tall_arena_new (0);
        g_autoptr (GError) error = NULL;
        TallStructReader reader;
        tall_struct_reader_init (&reader, transport, arena, NULL);
        g_assert_cmpint (tall_struct_reader_read (&reader, &element_type, &element, &error), ==,
                         n == 1);
        if (n == 2)
          g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      }
}

/* The model's decimals have both parts, and a scale up to 18. */
static void
test_decimal (gconstpointer data)
{
  static const gint32 scales[] = { 0, 18, 19, -1, G_MAXINT32, G_MININT32 };
  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      TallDecimal price = TALL_DECIMAL (-7, (guint32)scales[i]);
      const Priced sent = { &price };
      Priced read = { NULL };
      g_autoptr (GByteArray) none = g_byte_array_new ();
      g_autoptr (TallTransport) written = transport_new (none, COMPACT, 3);
      tall_struct_write (&priced_type, &sent, tall_protocol_get_writer (written));
      g_autofree char *refused = read_refused (written, &priced_type, &read, 10);
      g_assert_cmpstr (refused, ==, i < 2 ? NULL : "price: the scale of a decimal is 0 to 18");
    }

  for (gint16 id = TALL_DECIMAL_UNSCALED_ID; id <= TALL_DECIMAL_SCALE_ID; id++)
    {
      Priced read = { NULL };
      g_autoptr (GByteArray) none = g_byte_array_new ();
      g_autoptr (TallTransport) written = transport_new (none, COMPACT, 3);
      ThriftProtocol *protocol = tall_protocol_get_writer (written);
      thrift_protocol_write_struct_begin (protocol, "", NULL);
      thrift_protocol_write_field_begin (protocol, "", T_STRUCT, 1, NULL);
      write_one (protocol, id, id == TALL_DECIMAL_SCALE_ID ? T_I32 : T_I64, 1);
      thrift_protocol_write_field_stop (protocol, NULL);
      thrift_protocol_write_struct_end (protocol, NULL);
      g_autofree char *refused = read_refused (written, &priced_type, &read, 10);
      g_assert_cmpstr (refused, ==, "price: lacks a part");
    }
}

typedef struct
{
  TallSlice raw;
  gint32 number;
} Passed;

static const TallStructField passed_type_fields[] = {
  { "raw", 1, TALL_KIND_RAW, G_STRUCT_OFFSET (Passed, raw), TALL_STRUCT_ALWAYS, NULL },
  { "number", 2, TALL_KIND_I32, G_STRUCT_OFFSET (Passed, number), TALL_STRUCT_ALWAYS, NULL },
};
static TALL_STRUCT_TYPE (passed_type, "what is passed on", Passed);

/* A struct that nobody knows is kept as its bytes, up to its end, and goes on as them. */
static void
test_raw (gconstpointer data)
{
  Element elements[3] = { { 1 }, { -70000 }, { 7 } };
  const List list = { elements, G_N_ELEMENTS (elements) };
  g_autoptr (GByteArray) none = g_byte_array_new ();
  g_autoptr (TallTransport) inner = transport_new (none, COMPACT, 3);
  tall_struct_write (&list_type, &list, tall_protocol_get_writer (inner));
  const Passed sent = { tall_transport_get_output (inner), 5 };
  g_autoptr (TallTransport) outer = transport_new (none, COMPACT, 3);
  tall_struct_write (&passed_type, &sent, tall_protocol_get_writer (outer));

  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  tall_bytes_append (bytes, tall_transport_get_output (outer));
  g_autoptr (TallTransport) transport = transport_new (bytes, COMPACT, 4);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  Passed passed = { TALL_SLICE_INIT, 0 };
  TallStructReader reader;
  tall_struct_reader_init (&reader, transport, arena, NULL);
  must (tall_struct_reader_read (&reader, &passed_type, &passed, &error));
  must (tall_struct_reader_finish (&reader, &error));
  g_assert_cmpmem (passed.raw.data, passed.raw.len, sent.raw.data, sent.raw.len);
  g_assert_cmpint (passed.number, ==, 5);
}

int
main (int argc, char **argv)
{
  static const WireCase cases[] = {
    { "structs", test_structs },
    { "memory", test_memory },
    { "pairs", test_pairs },
    { "owner", test_owner },
    { "reason", test_reason },
    { "structs-together", test_structs_together },
    { "wrong-types", test_wrong_types },
    { "decimal", test_decimal },
    { "unknown-twice", test_unknown_twice },
    { "raw", test_raw },
  };
  g_test_init (&argc, &argv, NULL);
  wire_add_cases ("struct", cases, G_N_ELEMENTS (cases));
  return g_test_run ();
}

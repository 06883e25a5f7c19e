/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Values that a server does not take: it names their place, and the connection goes on. */

#include "service/calls/calls.h"
#include "tall-error.h"
#include "service/calls/idl-failure.h"
#include "tall-limits.h"
#include "wire/struct.h"
#include "tall-test-service.h"
#include "tall-test-wire.h"
#include "tall-must.h"

typedef TallTestService Fixture;

/* What a put must be answered with; the connection goes on. */
static void
assert_refused (
    Fixture *f, TallTestMessage *message, const char *name, TallError code, const char *field)
{
  g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
  g_autoptr (TallTransport) reply =
      tall_test_exchange (connection, message, f->compact, name, T_REPLY);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallStructReader reader;
  TallIdlResult result = { 0 };
  tall_struct_reader_init (&reader, reply, arena, &tall_idl_limits);
  must (tall_struct_reader_read (&reader, tall_calls_find (name)->result, &result, &error));

  g_assert_nonnull (result.failure);
  g_autoptr (GError) failure = tall_idl_failure_to_error (result.failure);
  g_assert_error (failure, TALL_ERROR, (int)code);
  g_assert_cmpstr (tall_error_get_field (failure), ==, field);
  g_assert_cmpuint (tall_test_front_count_stored (TALL_TEST_FRONT (f->front)), ==, 0);
  tall_test_assert_ping_works (connection, f->compact);
}

static void
write_text (TallTestMessage *message, const char *text)
{
  gsize len = strlen (text);
  g_autofree char *bytes = g_strdup (text);
  for (gsize i = 0; i < len; i++)
    if (bytes[i] == '~')
      bytes[i] = '\0';
  g_assert_cmpint (thrift_protocol_write_binary (message->protocol, bytes, (guint32)len, NULL), >,
                   0);
}

static void
write_number (TallTestMessage *message, const char *number)
{
  gint32 n = number[0] == '#'
                 ? thrift_protocol_write_i64 (message->protocol,
                                              g_ascii_strtoll (number + 1, NULL, 10), NULL)
                 : thrift_protocol_write_i32 (message->protocol,
                                              (gint32)g_ascii_strtoll (number, NULL, 10), NULL);
  g_assert_cmpint (n, >, 0);
}

/* @list: the type of the elements and their number; or pairs of texts */
static void
begin_list (TallTestMessage *message, const char *list)
{
  ThriftType type = list[0] == 'S' ? T_STRUCT : list[0] == 'I' ? T_I32 : T_STRING;
  guint32 n = (guint32)g_ascii_strtoull (list + 1, NULL, 10);
  gint32 written = list[0] == 'P'
                       ? thrift_protocol_write_map_begin (message->protocol, type, type, n, NULL)
                       : thrift_protocol_write_list_begin (message->protocol, type, n, NULL);
  g_assert_cmpint (written, >, 0);
}

static ThriftType
find_type (const char *value)
{
  switch (value[0])
    {
    case '{':
      return T_STRUCT;
    case '#':
      return value[1] == '#' ? T_I64 : T_I32;
    case '[':
      return value[1] == 'P' ? T_MAP : T_LIST;
    default:
      return T_STRING;
    }
}

/* A word of a script: `}` ends a struct, and all others are values, with the field's number before
 * them unless they are elements of a list. `{` begins a struct, and `{}` is an empty one; `=TEXT`
 * is a text, in which `~` is a NUL, and `xN` one of so many letters; `#N` and `##N` are numbers of
 * 32 and 64 bits; `[SN` begins a list of so many structs, `[T` of texts, `[I` of numbers, `[P` of
 * pairs. */
static void
write_word (TallTestMessage *message, const char *word)
{
  char *value;
  gint16 id = (gint16)g_ascii_strtoll (word, &value, 10);
  if (value != word)
    tall_test_message_begin_field (message, find_type (value), id);
  if (value[0] == '{')
    tall_test_message_begin_element (message);
  if (value[0] == '}' || g_str_equal (value, "{}"))
    tall_test_message_end_struct (message);
  else if (value[0] == '=')
    write_text (message, value + 1);
  else if (value[0] == 'x')
    {
      g_autofree char *text = g_strnfill (g_ascii_strtoull (value + 1, NULL, 10), 'x');
      write_text (message, text);
    }
  else if (value[0] == '#')
    write_number (message, value + 1);
  else if (value[0] == '[')
    begin_list (message, value + 1);
}

/* Words up to the end or a `)`; `N*WORD` and `N*( … )` are so many times the same. Returns: how
 * many they were */
static guint
write_words (TallTestMessage *message, char **words)
{
  guint i = 0;
  for (; words[i] != NULL && !g_str_equal (words[i], ")"); i++)
    {
      char *rest;
      guint64 n = g_ascii_strtoull (words[i], &rest, 10);
      guint n_words = 0;
      if (rest[0] != '*')
        write_word (message, words[i]);
      for (guint64 k = 0; rest[0] == '*' && k < n; k++)
        if (rest[1] == '(')
          n_words = write_words (message, words + i + 1) + 1;
        else
          write_word (message, rest + 1);
      i += n_words;
    }
  return i;
}

/* An order up to and not including its end, and one with a price that has another field. */
#define ORDER "1{ 1=VINET 2=10248 "
#define PRICE(field) ORDER "5[S1 { 1#1 5[S1 { 5{ 1##5 " field " } } } } "
#define OPTION(field) ORDER "} 2{ " field " }"
#define FIND(index, second, limit, kind)                                                           \
  "1{ 1=" index " 2[T2 =VINET =" second " 5#" limit " 7{ 1#" kind " } }"

/* One more than each may have. */
#define MANY "1{ 1[S1001 1001*{} }"
G_STATIC_ASSERT (TALL_IDL_MANY_ITEMS == 1000 && TALL_MAX_CANONICAL_BYTES == 1048576);

static const struct
{
  const char *call;
  const char *script; /* its arguments */
  TallError code;
  const char *field;
} cases[] = {
  { "putOrder", "1{ 1=a~b 2=10248 }", TALL_ERROR_INVALID, "customer_number" },
  { "putOrder", "1{ 1=VINET 1=VINET 2=10248 }", TALL_ERROR_INVALID, "customer_number" },
  { "putOrder", ORDER "5[S1 { 1#1 1#2 } }", TALL_ERROR_INVALID, "shipping_locations[0].number" },
  { "putOrder", ORDER "5[S2 { 1#1 } { 2=~ } }", TALL_ERROR_INVALID, "shipping_locations[1].name" },
  { "putOrder", ORDER "4=\xc3( }", TALL_ERROR_INVALID, "currency" },
  { "putOrder", ORDER "3=1996-07-04 }", TALL_ERROR_INVALID, "sales_date" },
  { "putOrder", ORDER "5[T1 1=no-structs }", TALL_ERROR_INVALID, "shipping_locations" },
  { "putOrder", PRICE ("3#2"), TALL_ERROR_INVALID, "shipping_locations[0].line_items[0].price" },
  { "putOrder", PRICE ("2#19"), TALL_ERROR_INVALID, "shipping_locations[0].line_items[0].price" },
  { "putOrder", PRICE ("2#-1"), TALL_ERROR_INVALID, "shipping_locations[0].line_items[0].price" },
  { "putOrder", ORDER "5[S10001 10001*{} }", TALL_ERROR_TOO_LARGE, NULL },
  { "putOrder", ORDER "6[P200000 400000*= }", TALL_ERROR_TOO_LARGE, NULL },
  { "putOrder", ORDER "4x1048576 }", TALL_ERROR_TOO_LARGE, NULL },
  /* Each text is short enough. */
  { "putOrder", ORDER "5[S2 { 1#1 2x699050 } { 1#2 2x699050 } }", TALL_ERROR_TOO_LARGE, NULL },
  { "putOrder", "", TALL_ERROR_INVALID, "customer_number" },
  { "putOrder", OPTION ("1#3"), TALL_ERROR_INVALID, "options.condition" },
  { "putOrder", OPTION ("1#-1"), TALL_ERROR_INVALID, "options.condition" },
  { "putOrder", OPTION ("1#2"), TALL_ERROR_INVALID, "options.revision" },
  { "putOrder", OPTION ("4#0"), TALL_ERROR_INVALID, "options.timeout_ms" },
  { "putOrder", OPTION ("4#3600001"), TALL_ERROR_INVALID, "options.timeout_ms" },
  { "putOrder", OPTION ("3=fifteen-bytes.."), TALL_ERROR_INVALID, "options.token" },

  { "getOrder", "1=VINET", TALL_ERROR_INVALID, "order_number" },
  { "getCustomer", "1=a~b", TALL_ERROR_INVALID, "number" },

  /* Calls on many: what is refused as a whole leaves nothing behind. */
  { "putOrders", "1{ 1[S2 { " ORDER "} } { 1{ 1=a~b 2=10248 } } }", TALL_ERROR_INVALID,
    "puts[1].order.customer_number" },
  { "putOrders", "1{ 1[S1 { " PRICE ("2#19") "} }", TALL_ERROR_INVALID,
    "puts[0].order.shipping_locations[0].line_items[0].price" },
  { "putOrders", MANY, TALL_ERROR_TOO_LARGE, NULL },
  { "putOrders", "1{ 1[S21 21*( { " ORDER "5[S10000 10000*{} } } ) }", TALL_ERROR_TOO_LARGE, NULL },
  { "putOrders", "1{ 1[I1 #1 }", TALL_ERROR_INVALID, "puts" },
  { "getOrders", MANY, TALL_ERROR_TOO_LARGE, NULL },
  { "getOrders", "1{ 1[I1 #1 }", TALL_ERROR_INVALID, "ids" },
  { "listCustomers", "1{ 2=a~ }", TALL_ERROR_INVALID, "page" },
  { "listCustomers", "1{ 1#0 }", TALL_ERROR_INVALID, "limit" },
  { "getCustomerOrders", "1{ 3=\xff\xfe }", TALL_ERROR_INVALID, "page" },
  { "getCustomerOrders", "", TALL_ERROR_INVALID, "customer_number" },
  { "findOrders", FIND ("none", "", "1", "0"), TALL_ERROR_INVALID, "index" },
  { "findOrders", FIND ("by-customer", "a~", "1", "0"), TALL_ERROR_INVALID, "values[1]" },
  { "findOrders", FIND ("by-customer", "x", "1", "0"), TALL_ERROR_INVALID, "values" },
  { "findOrders", FIND ("by-customer", "x", "1001", "0"), TALL_ERROR_INVALID, "limit" },
  { "findOrders", FIND ("by-customer", "x", "1", "4"), TALL_ERROR_INVALID, "part.kind" },
  { "findOrders", "", TALL_ERROR_INVALID, "values" },
  { "listOrders", "", TALL_ERROR_INVALID, "customer_number" },
  { "deleteCustomer", "", TALL_ERROR_INVALID, "customer_number" },
};

static void
test_refused (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (TallTestMessage) message;
      g_auto (GStrv) words = g_strsplit (cases[i].script, " ", -1);
      g_test_message ("row %u: %s", i, cases[i].call);
      tall_test_message_init (&message, f->compact, cases[i].call, T_CALL);
      write_words (&message, words);
      tall_test_message_end_struct (&message);
      assert_refused (f, &message, cases[i].call, cases[i].code, cases[i].field);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/service/refused/binary", Fixture, GINT_TO_POINTER (FALSE), tall_test_service_set_up,
              test_refused, tall_test_service_tear_down);
  g_test_add ("/service/refused/compact", Fixture, GINT_TO_POINTER (TRUE), tall_test_service_set_up,
              test_refused, tall_test_service_tear_down);
  return g_test_run ();
}

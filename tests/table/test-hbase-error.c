/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/reply.h"

/* What HBase says, and what people are shown of it. */
static const struct
{
  const char *message;
  const char *shown;
} texts[] = {
  { NULL, "HBase gave no reason" },
  { "", "HBase gave no reason" },
  { "java.io.IOException: it hurts", "java.io.IOException: it hurts" },
  { "org.apache.hadoop.hbase.TableNotFoundException: t\n\tat org.apache.hadoop.Some.where\n\tat x",
    "TableNotFoundException: t" },
  { "org.apache.hadoop.hbase.regionserver.Region$Inner: x", "Region$Inner: x" },
  { "Failed after attempts=2, exceptions:\nit hurts\r\nit hurts still\n",
    "Failed after attempts=2, exceptions: it hurts  it hurts still " },
  { "row '\x1b[2J\xff\xc2\x9b\n' of t", "row '\\x1b[2J\xef\xbf\xbd\\x9b ' of t" },
};

static void
test_text (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      TallHbaseTIOError io = { (char *)texts[i].message, FALSE };
      g_autofree char *text = tall_hbase_error_get_text (&io);
      g_assert_cmpstr (text, ==, texts[i].shown);
    }
}

/* A long one ends after a whole character. */
static void
test_long_text (void)
{
  g_autoptr (GString) message = g_string_new ("");
  for (guint i = 0; i < 1000; i++)
    g_string_append (message, "ä");
  TallHbaseTIOError io = { message->str, FALSE };
  g_autofree char *text = tall_hbase_error_get_text (&io);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_cmpint (g_utf8_strlen (text, -1), ==, 400);
}

/* A row's key is anybody's text, and what one of several tries met is not what became of all:
 * neither tells what happened, wherever it is. */
static const struct
{
  const char *message;
  TallError code;
} codes[] = {
  { "org.apache.hadoop.hbase.TableNotFoundException: t", TALL_ERROR_NOT_FOUND },
  { "org.apache.hadoop.hbase.TableNotFoundException", TALL_ERROR_NOT_FOUND },
  { "java.io.IOException: org.apache.hadoop.hbase.TableNotFoundException: t\n\tat x",
    TALL_ERROR_NOT_FOUND },
  { "t is disabled.", TALL_ERROR_SHUT },
  { "ns:shop.orders is disabled.", TALL_ERROR_SHUT },
  { "org.apache.hadoop.hbase.TableNotEnabledException: shop.orders", TALL_ERROR_SHUT },
  { "org.apache.hadoop.hbase.DoNotRetryIOException: region is read only\n\tat x", TALL_ERROR_SHUT },
  { "Failed 2 actions: org.apache.hadoop.hbase.DoNotRetryIOException: region is read only\n\tat x",
    TALL_ERROR_SHUT },
  { "org.apache.hadoop.hbase.security.AccessDeniedException: Insufficient permissions",
    TALL_ERROR_UNSUPPORTED },
  { "no place for row 'region is read only'", TALL_ERROR_INTERNAL },
  { "Failed after attempts=2, exceptions:\nregion is read only", TALL_ERROR_INTERNAL },
  { "java.lang.RuntimeException: java.lang.ClassNotFoundException: x.Codec",
    TALL_ERROR_UNSUPPORTED },
  { "org.apache.hadoop.hbase.DoNotRetryIOException: Compression algorithm 'lzo' previously failed",
    TALL_ERROR_UNSUPPORTED },
  { "Failed 2 actions: org.apache.hadoop.hbase.CallQueueTooBigException: 2 times",
    TALL_ERROR_OVERLOADED },
  { "org.apache.hadoop.hbase.DoNotRetryIOException: Field is not a long, it's 3 bytes wide",
    TALL_ERROR_INVALID },
  { "Failed 1 action: RegionTooBusyException: 1 time", TALL_ERROR_OVERLOADED },
  { "TableNotFoundException: no place for row 'x' on table 't'", TALL_ERROR_NOT_FOUND },
  { "Field is not a long, it's 3 bytes wide", TALL_ERROR_INVALID },
  { "callTimeout=1: row 'TableExistsException' on table 't'", TALL_ERROR_INTERNAL },
  { "Failed to find location, tableName=t, row=CompressionTest", TALL_ERROR_INTERNAL },
  { "Failed after attempts=2, exceptions:\nTableNotFoundException: t", TALL_ERROR_INTERNAL },
  { "java.io.IOException: no place for TableNotFoundException: x", TALL_ERROR_INTERNAL },
  { "it is lost: the row is disabled", TALL_ERROR_INTERNAL },
  { "the row TableNotFoundException", TALL_ERROR_INTERNAL },
  { "TableNotFoundException is what they call row 'x'", TALL_ERROR_INTERNAL },
  { "TableNotFoundExceptions: t", TALL_ERROR_INTERNAL },
  { "MyTableNotFoundException: t", TALL_ERROR_INTERNAL },
  { "Failed 1 of them: RegionTooBusyException: 1 time", TALL_ERROR_INTERNAL },
  { "shop.orders", TALL_ERROR_INTERNAL },
  { "", TALL_ERROR_INTERNAL },
  { NULL, TALL_ERROR_INTERNAL },
};

static void
test_code (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      TallHbaseTIOError io = { (char *)codes[i].message, FALSE };
      g_autoptr (GError) error = NULL;
      tall_hbase_error_set (&error, NULL, &io, "here:1");
      g_test_message ("%s", error->message);
      g_assert_error (error, TALL_ERROR, (int)codes[i].code);
      g_assert_true (g_str_has_prefix (error->message, "HBase: "));
      g_assert_true (g_str_has_prefix (tall_error_get_detail (error), "the gateway at here:1: "));
      g_assert_cmpint (tall_hbase_error_is_clear (&io), ==, error->code != TALL_ERROR_INTERNAL);
    }
}

/* What other code and the connection say is shown in the same way. */
static void
test_other_reasons (void)
{
  static const char spoilt[] = "\x1b[2J\xff\nend";
  static const int due[] = { TALL_ERROR_UNAVAILABLE, TALL_ERROR_INTERNAL };
  g_autoptr (GError) lost = g_error_new_literal (TALL_ERROR, TALL_ERROR_UNAVAILABLE, spoilt);
  g_autoptr (GError) foreign = g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_FAILED, spoilt);
  GError *reasons[] = { lost, foreign };

  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    {
      g_autoptr (GError) error = NULL;
      tall_hbase_error_set (&error, reasons[i], NULL, "here:1");
      g_assert_error (error, TALL_ERROR, due[i]);
      g_assert_true (g_str_has_suffix (tall_error_get_detail (error), " \\x1b[2J\xef\xbf\xbd end"));
      g_assert_null (strstr (error->message, "end"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/error/text", test_text);
  g_test_add_func ("/table/hbase/error/long-text", test_long_text);
  g_test_add_func ("/table/hbase/error/code", test_code);
  g_test_add_func ("/table/hbase/error/other-reasons", test_other_reasons);
  return g_test_run ();
}

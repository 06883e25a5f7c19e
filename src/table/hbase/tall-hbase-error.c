/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-error.h"

#define MAX_TEXT 400

/**
 * tall_hbase_error_get_text:
 *
 * HBase's messages are those of Java exceptions, often with the name of the class before and the
 * stack after them.
 *
 * Returns: (transfer full): the part for people
 */
char *
tall_hbase_error_get_text (const HbTIOError *io)
{
  if (io->message == NULL || *io->message == '\0')
    return g_strdup ("HBase gave no reason");

  g_autofree char *text = g_utf8_make_valid (io->message, -1);
  text[strcspn (text, "\r\n")] = '\0';
  const char *start = text;
  if (g_str_has_prefix (start, "org.apache.hadoop."))
    {
      gsize class_name = strspn (start, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS ".$_");
      const char *dot = g_strrstr_len (start, (gssize)class_name, ".");
      start = dot == NULL ? start : dot + 1;
    }
  return g_utf8_strlen (start, -1) <= MAX_TEXT ? g_strdup (start)
                                               : g_utf8_substring (start, 0, MAX_TEXT);
}

static TallError
code_of_text (const HbTIOError *io, const char *text)
{
  static const struct
  {
    const char *part; /* of the message */
    TallError code;
  } known[] = {
    { "TableNotFoundException", TALL_ERROR_NOT_FOUND },
    { "TableExistsException", TALL_ERROR_CONFLICT },
    { "NamespaceNotFoundException", TALL_ERROR_INVALID },
    { "NoSuchColumnFamilyException", TALL_ERROR_UNSUPPORTED },
    { "is disabled", TALL_ERROR_UNAVAILABLE },
    { "RegionTooBusyException", TALL_ERROR_OVERLOADED },
    { "CallQueueTooBigException", TALL_ERROR_OVERLOADED },
    { "ClassNotFoundException", TALL_ERROR_UNSUPPORTED },
    { "CompressionTest", TALL_ERROR_UNSUPPORTED },
    { "is not a long", TALL_ERROR_INVALID },
    { "not a long", TALL_ERROR_INVALID },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strstr (text, known[i].part) != NULL)
      return known[i].code;
  return io->__isset_canRetry && io->canRetry ? TALL_ERROR_UNAVAILABLE : TALL_ERROR_INTERNAL;
}

/**
 * tall_hbase_error_is_garbled:
 *
 * Returns: whether what came back makes no sense, or is the answer to another call
 */
gboolean
tall_hbase_error_is_garbled (const GError *reason)
{
  return g_error_matches (reason, TALL_ERROR, TALL_ERROR_INVALID)
         || g_error_matches (reason, TALL_ERROR, TALL_ERROR_TOO_LARGE);
}

/**
 * tall_hbase_error_set:
 * @reason: what the generated client or the connection said
 * @io: (nullable): the error that the gateway declared
 * @gateway: its address
 *
 * The one translation of a failed call. Tells nothing about whether a write happened: that is for
 * the caller, who knows what was sent.
 */
void
tall_hbase_error_set (GError **error, GError *reason, const HbTIOError *io, const char *gateway)
{
  if (io != NULL)
    {
      g_autofree char *text = tall_hbase_error_get_text (io);
      g_set_error (error, TALL_ERROR, (int)code_of_text (io, text),
                   "HBase, by the gateway at %s: %s", gateway, text);
    }
  else if (reason->domain == TALL_ERROR && !tall_hbase_error_is_garbled (reason))
    g_set_error (error, TALL_ERROR, reason->code, "gateway %s", reason->message);
  else
    /* Not what a gateway says: a TApplicationException, or bytes that make no sense. */
    g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "the gateway at %s failed: %s", gateway,
                 reason->message);
}

/**
 * tall_hbase_error_set_no_table:
 * @table: its short name
 */
void
tall_hbase_error_set_no_table (GError **error, const char *table, const char *deployment)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
               "there is no table \"%s\" of deployment \"%s\" in HBase", table, deployment);
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-error.h"

#include "tall-text.h"

#define MAX_TEXT 400

/* How the lines of a Java stack begin. */
#define STACK "\n\tat "

/* In one line, and without what could steer a terminal. */
static char *
show (const char *text)
{
  g_autofree char *line = g_strdelimit (g_strdup (text), "\r\n\t", ' ');
  return tall_text_clean (line);
}

/* Without the package of its class. */
static const char *
skip_package (const char *text)
{
  if (!g_str_has_prefix (text, "org.apache.hadoop."))
    return text;

  gsize class_name = strspn (text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS ".$_");
  const char *dot = g_strrstr_len (text, (gssize)class_name, ".");
  return dot == NULL ? text : dot + 1;
}

/**
 * tall_hbase_error_get_text:
 *
 * HBase's messages are those of Java exceptions, often with the name of the class before and the
 * stack after them.
 *
 * Returns: (transfer full): the part for people, in one line
 */
char *
tall_hbase_error_get_text (const HbTIOError *io)
{
  if (io->message == NULL || *io->message == '\0')
    return g_strdup ("HBase gave no reason");

  g_autofree char *reason = g_strdup (skip_package (io->message));
  char *stack = strstr (reason, STACK);
  if (stack != NULL)
    *stack = '\0';
  g_autofree char *text = show (reason);
  return g_utf8_strlen (text, -1) <= MAX_TEXT ? g_steal_pointer (&text)
                                              : g_utf8_substring (text, 0, MAX_TEXT);
}

/* What HBase itself says: not the row keys in it, which are anybody's words, and of what happened
 * in several tries only what they have in common. */
static char *
own_words (const HbTIOError *io)
{
  static const char *const ends[] = { "\n", "\r", "row '", "row=" };
  const char *text = io->message != NULL ? io->message : "";
  gsize len = strlen (text);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      const char *end = g_strstr_len (text, (gssize)len, ends[i]);
      len = end == NULL ? len : (gsize)(end - text);
    }
  return g_strndup (text, len);
}

static TallError
code_of (const HbTIOError *io)
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

  g_autofree char *text = own_words (io);
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
  g_autofree char *text = io != NULL ? tall_hbase_error_get_text (io) : show (reason->message);
  if (io != NULL)
    g_set_error (error, TALL_ERROR, (int)code_of (io), "HBase, by the gateway at %s: %s", gateway,
                 text);
  else if (reason->domain == TALL_ERROR && !tall_hbase_error_is_garbled (reason))
    g_set_error (error, TALL_ERROR, reason->code, "gateway %s", text);
  else
    /* Not what a gateway says: a TApplicationException, or bytes that make no sense. */
    g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "the gateway at %s failed: %s", gateway,
                 text);
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

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/error.h"

#include "base/text.h"

#define MAX_TEXT 400

/* How the lines of a Java stack begin. */
#define STACK "\n\tat "

#define NAME G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS

/* Makes one line, without characters that could steer a terminal. */
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
  gsize class_name = strspn (text, NAME "._$");
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
tall_hbase_error_get_text (const TallHbaseTIOError *io)
{
  if (io->message == NULL || *io->message == '\0')
    return g_strdup ("HBase gave no reason");

  gboolean is_of_hbase = g_str_has_prefix (io->message, "org.apache.hadoop.");
  g_autofree char *reason = g_strdup (is_of_hbase ? skip_package (io->message) : io->message);
  char *stack = strstr (reason, STACK);
  if (stack != NULL)
    *stack = '\0';
  g_autofree char *text = show (reason);
  return g_utf8_strlen (text, -1) <= MAX_TEXT ? g_steal_pointer (&text)
                                              : g_utf8_substring (text, 0, MAX_TEXT);
}

/* The start of HBase's text, and what it means. */
typedef struct
{
  const char *start;
  TallError code;
  const char *public; /* what anybody may read */
} Known;

/* The classes of exceptions. */
static const Known classes[] = {
  { "TableNotFoundException", TALL_ERROR_NOT_FOUND, "the table does not exist" },
  { "TableExistsException", TALL_ERROR_CONFLICT, "the table exists already" },
  { "NamespaceNotFoundException", TALL_ERROR_INVALID, "the namespace does not exist" },
  { "NoSuchColumnFamilyException", TALL_ERROR_UNSUPPORTED, "the table has other column families" },
  { "TableNotEnabledException", TALL_ERROR_SHUT, "the table is disabled" },
  { "RegionTooBusyException", TALL_ERROR_OVERLOADED, "a region has too much to do" },
  { "CallQueueTooBigException", TALL_ERROR_OVERLOADED, "a server has too much to do" },
  { "AccessDeniedException", TALL_ERROR_UNSUPPORTED, "the gateway's user lacks the right" },
  { "ClassNotFoundException", TALL_ERROR_UNSUPPORTED, "a part of it is not installed" },
};

/* Errors without a class of their own. */
static const Known phrases[] = {
  { "Compression algorithm '", TALL_ERROR_UNSUPPORTED, "the compression is not installed" },
  { "region is read only", TALL_ERROR_SHUT, "the table is read-only" },
  { "Field is not a long", TALL_ERROR_INVALID, "the cell is not a counter of 8 bytes" },
  { "not a long", TALL_ERROR_INVALID, "the cell is not a counter of 8 bytes" },
};
static const Known disabled = { " is disabled", TALL_ERROR_SHUT, "the table is disabled" };
static const Known retriable = { "", TALL_ERROR_UNAVAILABLE, "it could not do it now" };
static const Known unknown = { "", TALL_ERROR_INTERNAL, "it failed" };

/* If several rows failed alike, HBase begins with their number: `Failed 2 actions: `. */
static const char *
skip_count (const char *text)
{
  if (!g_str_has_prefix (text, "Failed "))
    return text;

  const char *rest = text + strlen ("Failed ");
  rest += strspn (rest, G_CSET_DIGITS);
  if (g_str_has_prefix (rest, " action: "))
    return rest + strlen (" action: ");
  return g_str_has_prefix (rest, " actions: ") ? rest + strlen (" actions: ") : text;
}

static const Known *
find_class (const char *name, gsize len)
{
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (strlen (classes[i].start) == len && strncmp (classes[i].start, name, len) == 0)
      return &classes[i];
  return NULL;
}

static const Known *
find_phrase (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (phrases); i++)
    if (g_str_has_prefix (text, phrases[i].start))
      return &phrases[i];
  /* A table's name comes before it. */
  gsize table = strspn (text, NAME "_.:-");
  return table > 0 && g_str_has_prefix (text + table, disabled.start) ? &disabled : NULL;
}

/* Reads the text from its start: classes, each with a colon, then the text of the last one.
 * Anything later may be a row key, which can be any text, or the result of only one of several
 * tries.
 *
 * Returns: NULL if it says nothing that is known here */
static const Known *
find_known (const TallHbaseTIOError *io)
{
  const char *text = io->message != NULL ? skip_count (io->message) : "";

  for (;;)
    {
      const char *name = skip_package (text);
      gsize len = strspn (name, NAME "_$");
      const Known *known = find_class (name, len);
      if (known != NULL && (name[len] == '\0' || strchr (":\r\n", name[len]) != NULL))
        return known;
      if (len == 0 || strncmp (name + len, ": ", 2) != 0)
        return find_phrase (text);
      text = name + len + 2;
    }
}

/**
 * tall_hbase_error_is_clear:
 *
 * Returns: whether HBase's text itself says what is wrong
 */
gboolean
tall_hbase_error_is_clear (const TallHbaseTIOError *io)
{
  return find_known (io) != NULL;
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

/* What the gateway declared. */
static void
set_declared (GError **error, const TallHbaseTIOError *io, const char *gateway)
{
  g_autofree char *text = tall_hbase_error_get_text (io);
  g_autofree char *detail = g_strdup_printf ("the gateway at %s: %s", gateway, text);
  const Known *known = find_known (io);

  if (known == NULL)
    known = io->can_retry ? &retriable : &unknown;
  tall_error_set_detailed (error, known->code, detail, "HBase: %s", known->public);
}

/**
 * tall_hbase_error_set:
 * @reason: what the reply or the connection said
 * @io: (nullable): the error that the gateway declared
 * @gateway: its address
 *
 * The one translation of a failed call: its meaning becomes the message, the gateway's own words
 * become the detail. It does not say whether a write happened: the caller decides that, because it
 * knows what was sent.
 */
void
tall_hbase_error_set (GError **error,
                      GError *reason,
                      const TallHbaseTIOError *io,
                      const char *gateway)
{
  if (io != NULL)
    {
      set_declared (error, io, gateway);
      return;
    }

  g_autofree char *text = show (reason->message);
  g_autofree char *detail = g_strdup_printf ("the gateway at %s: %s", gateway, text);
  if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    tall_error_set_detailed (error, TALL_ERROR_TIMED_OUT, detail,
                             "HBase's gateway did not answer in time");
  else if (reason->domain == TALL_ERROR && !tall_hbase_error_is_garbled (reason))
    tall_error_set_detailed (error, reason->code, detail, "the call to HBase's gateway failed");
  else
    /* Not an error that the gateway declares: a TApplicationException, or bytes that make no
     * sense. */
    tall_error_set_detailed (error, TALL_ERROR_INTERNAL, detail,
                             "HBase's gateway gave an answer that makes no sense");
}

/**
 * tall_hbase_error_set_no_table:
 * @table: its short name
 */
void
tall_hbase_error_set_no_table (GError **error, const char *table, const char *deployment)
{
  tall_error_set_detailed (error, TALL_ERROR_NOT_FOUND, "HBase says so",
                           "there is no table \"%s\" of deployment \"%s\" in HBase", table,
                           deployment);
}

/**
 * tall_hbase_error_set_disabled:
 * @table: its short name
 */
void
tall_hbase_error_set_disabled (GError **error, const char *table, const char *deployment)
{
  tall_error_set_detailed (error, TALL_ERROR_SHUT, "HBase says so",
                           "table \"%s\" of deployment \"%s\" is disabled in HBase", table,
                           deployment);
}

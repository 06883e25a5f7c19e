/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/reply.h"

#include "base/text.h"

#include <stdlib.h>

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

G_DEFINE_QUARK (tall - hbase - exception, tall_hbase_exception)

gboolean
tall_hbase_send (TallTransport *transport,
                 TallHbaseMethodId method,
                 const TallHbaseArgs *args,
                 GError **error)
{
  const TallHbaseMethod *self = &tall_hbase_methods[method];
  return tall_message_write_call (self->name, transport, self->args, args, error)
         && tall_transport_flush (transport, error);
}

static void
read_exception (TallStructReader *reader, GError **error)
{
  TallMessageException exception = { 0 };
  if (tall_struct_reader_read (reader, &tall_message_exception_type, &exception, error)
      && tall_struct_reader_finish (reader, error))
    g_set_error (error, TALL_HBASE_EXCEPTION, exception.type, "application error: %s",
                 exception.message != NULL && *exception.message != '\0' ? exception.message
                                                                         : "no reason given");
}

static gboolean
read_result (TallStructReader *reader,
             const TallHbaseMethod *method,
             TallHbaseResult *result,
             GError **error)
{
  if (!tall_struct_reader_read (reader, method->result, result, error)
      || !tall_struct_reader_finish (reader, error))
    return FALSE;
  if (result->io != NULL || method->success == NULL || (reader->seen & TALL_STRUCT_BIT (0)) != 0)
    return TRUE;
  return tall_transport_reject (reader->transport, error, "the reply has neither %s nor an error",
                                method->success);
}

/**
 * tall_hbase_receive:
 * @method: of the call that was sent last
 * @result: (out): what the reply says, by itself without what it hands on
 *
 * Reads one reply, straight from the buffer.
 *
 * Returns: FALSE with the result's `io` if the gateway declared an error, else with @error set;
 *   after @error the connection must be closed
 */
gboolean
tall_hbase_receive (TallTransport *transport,
                    TallHbaseMethodId method,
                    const TallHbaseReceiver *receiver,
                    TallHbaseResult *result,
                    GError **error)
{
  g_auto (TallMessage) message = { NULL };
  TallStructReader reader;

  *result = (TallHbaseResult){ NULL };
  if (!tall_message_read (&message, transport, error))
    return FALSE;
  tall_struct_reader_init (&reader, transport, receiver->arena, NULL);
  reader.handler = receiver->handler;
  reader.sink = receiver->sink;
  if (message.type == T_EXCEPTION)
    {
      read_exception (&reader, error);
      return FALSE;
    }
  if (read_result (&reader, &tall_hbase_methods[method], result, error))
    return result->io == NULL;
  result->io = NULL;
  return FALSE;
}

/**
 * tall_hbase_exchange:
 *
 * Sends a call and reads its reply; fails as tall_hbase_receive() does.
 */
gboolean
tall_hbase_exchange (TallTransport *transport,
                     TallHbaseMethodId method,
                     const TallHbaseArgs *args,
                     const TallHbaseReceiver *receiver,
                     TallHbaseResult *result,
                     GError **error)
{
  *result = (TallHbaseResult){ NULL };
  return tall_hbase_send (transport, method, args, error)
         && tall_hbase_receive (transport, method, receiver, result, error);
}

/* What a cell takes besides its bytes. */
#define CELL_OVERHEAD 64
/* Cells of a row, mostly. */
#define USUAL_CELLS 32

/* By qualifier, and from the newest to the oldest. */
static int
compare_cells (gconstpointer a, gconstpointer b)
{
  const TallCell *x = a;
  const TallCell *y = b;
  int order = tall_slice_compare (x->qualifier, y->qualifier);
  return order != 0 ? order : (x->timestamp < y->timestamp) - (x->timestamp > y->timestamp);
}

/* HBase sends them sorted already. */
static void
sort_cells (TallRow *row)
{
  for (guint i = 1; i < row->n_cells; i++)
    if (compare_cells (&row->cells[i - 1], &row->cells[i]) > 0)
      {
        qsort (row->cells, row->n_cells, sizeof *row->cells, compare_cells);
        return;
      }
}

/* A cell of another family, or without a timestamp, is not ours and is skipped. */
static void
add_cell (TallHbaseReply *self, const TallHbaseTColumnValue *value)
{
  if (!value->has_timestamp || !tall_slice_equal (value->family, tall_slice_str (TALL_FAMILY)))
    return;
  TallCell cell = { .qualifier = value->qualifier,
                    .timestamp = value->timestamp,
                    .value = value->value };
  self->bytes += CELL_OVERHEAD + cell.qualifier.len + cell.value.len;
  g_array_append_val (self->cells, cell);
}

static void
add_row (TallHbaseReply *self, TallSlice key)
{
  TallRow row = { .key = key, .n_cells = self->cells->len };
  row.cells = tall_arena_memdup (self->arena, self->cells->data, row.n_cells * sizeof (TallCell));
  sort_cells (&row);
  self->bytes += key.len;
  g_array_append_val (self->rows, row);
}

static gboolean
begin (TallStructReader *reader, const TallStructType *type, GError **error)
{
  TallHbaseReply *self = reader->sink;
  if (type == &tall_hbase_t_column_value_type)
    return TRUE;

  if (self->max_rows == 0)
    return tall_transport_reject (reader->transport, error,
                                  "the list of rows is longer than asked for");
  self->max_rows--;
  if (self->arenas != NULL)
    reader->arena = self->arena = self->arenas[self->rows->len];
  g_array_set_size (self->cells, 0);
  return TRUE;
}

static gboolean
end (TallStructReader *reader, const TallStructType *type, gconstpointer element, GError **error)
{
  TallHbaseReply *self = reader->sink;
  if (type == &tall_hbase_t_column_value_type)
    {
      add_cell (self, element);
      return TRUE;
    }

  const TallHbaseTResult *row = element;
  if (self->cells->len > 0 && row->row.data == NULL)
    return tall_transport_reject (reader->transport, error, "a row has cells and no key");
  add_row (self, row->row);
  return TRUE;
}

/**
 * tall_hbase_reply_init:
 * @arena: takes what will be read
 */
void
tall_hbase_reply_init (TallHbaseReply *self, TallArena *arena)
{
  self->arena = arena;
  self->arenas = NULL;
  self->rows = g_array_new (FALSE, FALSE, sizeof (TallRow));
  self->cells = g_array_sized_new (FALSE, FALSE, sizeof (TallCell), USUAL_CELLS);
  self->bytes = 0;
}

void
tall_hbase_reply_clear (TallHbaseReply *self)
{
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->cells, g_array_unref);
}

/**
 * tall_hbase_reply_read:
 * @transport: where the reply is due
 * @method: one that answers with a row or with rows
 * @max_rows: as many as were asked for
 * @io: (out) (transfer none): what the gateway declared, in the arena
 *
 * Reads one reply and appends its rows, straight from the buffer into the arena.
 *
 * Returns: FALSE with @io or @error set, and no rows; after @error the connection must be closed
 */
gboolean
tall_hbase_reply_read (TallHbaseReply *self,
                       TallTransport *transport,
                       TallHbaseMethodId method,
                       guint max_rows,
                       TallHbaseTIOError **io,
                       GError **error)
{
  static const TallStructHandler handler = { begin, end };
  TallHbaseReceiver receiver = { self->arena, &handler, self };
  TallHbaseResult result;
  guint n_before = self->rows->len;
  gsize bytes_before = self->bytes;

  self->max_rows = max_rows;
  if (tall_hbase_receive (transport, method, &receiver, &result, error))
    return TRUE;

  g_array_set_size (self->rows, n_before);
  self->bytes = bytes_before;
  *io = result.io;
  return FALSE;
}

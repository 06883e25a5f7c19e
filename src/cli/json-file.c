/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/json-file.h"

#include "model/json.h"
#include "tall-error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

void
tall_json_item_clear (TallJsonItem *self)
{
  g_clear_pointer (&self->order, tall_order_free);
  g_clear_pointer (&self->customer, tall_customer_free);
  g_clear_error (&self->error);
}

/* Returns: the text without white space around it */
static TallSlice
json_strip (TallSlice text)
{
  while (text.len > 0 && g_ascii_isspace (text.data[text.len - 1]))
    text.len--;
  while (text.len > 0 && g_ascii_isspace (text.data[0]))
    text = tall_slice (text.data + 1, text.len - 1);
  return text;
}

/* If @text is `{"NAME": …}`, makes it what stands there. */
static gboolean
unwrap (TallSlice *text, const char *name)
{
  g_autofree char *key = g_strdup_printf ("\"%s\"", name);
  TallSlice rest = json_strip (*text);
  if (rest.len < 2 || rest.data[0] != '{' || rest.data[rest.len - 1] != '}')
    return FALSE;
  rest = json_strip (tall_slice (rest.data + 1, rest.len - 2));
  if (!tall_slice_has_prefix (rest, tall_slice_str (key)))
    return FALSE;
  rest = json_strip (tall_slice (rest.data + strlen (key), rest.len - strlen (key)));
  if (rest.len == 0 || rest.data[0] != ':')
    return FALSE;
  *text = json_strip (tall_slice (rest.data + 1, rest.len - 1));
  return TRUE;
}

/* An order where a customer is expected, or the other way round: who gave it should know what takes
 * it. */
static void
explain_kind (TallSlice text, gboolean is_customer, GError **error)
{
  const char *start = (const char *)text.data;
  g_autoptr (TallOrder) order =
      is_customer ? tall_order_from_json (start, (gssize)text.len, NULL) : NULL;
  g_autoptr (TallCustomer) customer =
      is_customer ? NULL : tall_customer_from_json (start, (gssize)text.len, NULL);

  if (order == NULL && customer == NULL)
    return;
  g_clear_error (error);
  tall_error_set_invalid (error, is_customer ? "customer" : "order",
                          is_customer ? "this is an order: tallorder put takes it, or write it as "
                                        "{\"order\": ...}"
                                      : "this is a customer: tallorder customer put takes it, or "
                                        "write it as {\"customer\": ...}");
}

/* @text: without white space around it
 * @kind: what an object without wrapping is
 *
 * Makes an empty item an order or a customer, or says in it why that cannot be. */
static void
json_item_parse (TallJsonItem *self, TallSlice text, TallJsonKind kind)
{
  gboolean is_customer = unwrap (&text, "customer");
  gboolean is_plain = !is_customer && !unwrap (&text, "order");
  if (is_plain)
    is_customer = kind == TALL_JSON_CUSTOMERS;

  const char *start = (const char *)text.data;
  if (is_customer)
    self->customer = tall_customer_from_json_with_revision (start, (gssize)text.len,
                                                            &self->revision, &self->error);
  else
    self->order =
        tall_order_from_json_with_revision (start, (gssize)text.len, &self->revision, &self->error);
  if (is_plain && self->error != NULL)
    explain_kind (text, is_customer, &self->error);
}

/* Returns: where the string that begins at @at has ended */
static gsize
skip_string (TallSlice text, gsize at)
{
  for (at++; at < text.len && text.data[at] != '"'; at++)
    if (text.data[at] == '\\')
      at++;
  return MIN (at + 1, text.len);
}

/* Whether @c comes next, after blanks. Moves @at (inout) behind it. */
static gboolean
take (TallSlice text, gsize *at, char c)
{
  gsize i = *at;
  while (i < text.len && g_ascii_isspace (text.data[i]))
    i++;
  if (i >= text.len || text.data[i] != (guint8)c)
    return FALSE;
  *at = i + 1;
  return TRUE;
}

/* Whether the string between @start and @end names what is listed, and a list follows. */
static gboolean
is_list (TallSlice text, gsize start, gsize end)
{
  TallSlice name = tall_slice (text.data + start, end - start);
  return (tall_slice_equal (name, tall_slice_str ("\"orders\""))
          || tall_slice_equal (name, tall_slice_str ("\"customers\"")))
         && take (text, &end, ':') && take (text, &end, '[');
}

/* @text: JSON, perhaps only the beginning of an object
 *
 * Returns: whether it is an object with a list `orders` or `customers`, as listings are printed */
static gboolean
json_is_listing (TallSlice text)
{
  guint64 depth = 0;
  for (gsize i = 0; i < text.len;)
    {
      guint8 c = text.data[i];
      gsize end = c == '"' ? skip_string (text, i) : i + 1;
      if (c == '"' && depth == 1 && is_list (text, i, end))
        return TRUE;
      if (c == '{' || c == '[')
        depth++;
      else if ((c == '}' || c == ']') && --depth == 0)
        return FALSE;
      i = end;
    }
  return FALSE;
}

/* Returns: whether braces that are opened are closed again, not looking into strings */
static gboolean
json_is_closed (TallSlice text)
{
  gint64 depth = 0;
  gboolean in_string = FALSE;
  for (gsize i = 0; i < text.len; i++)
    {
      guint8 c = text.data[i];
      if (in_string && c == '\\')
        i++;
      else if (c == '"')
        in_string = !in_string;
      else if (!in_string)
        depth += (c == '{') - (c == '}');
    }
  return depth == 0 && !in_string;
}

/* Returns: whether a later line is an object by itself, so that what stands before it is a broken
 *   line and not the beginning of one object over many */
static gboolean
json_has_object_lines (TallSlice text)
{
  const guint8 *end = text.len > 0 ? memchr (text.data, '\n', text.len) : NULL;
  while (end != NULL)
    {
      gsize skipped = (gsize)(end - text.data) + 1;
      text = tall_slice (text.data + skipped, text.len - skipped);
      end = text.len > 0 ? memchr (text.data, '\n', text.len) : NULL;
      TallSlice line =
          json_strip (tall_slice (text.data, end != NULL ? (gsize)(end - text.data) : text.len));
      if (line.len > 0 && text.data[0] == '{' && line.data[line.len - 1] == '}'
          && json_is_closed (line))
        return TRUE;
    }
  return FALSE;
}

/* Bytes of one object; more than any order within the limits takes. */
#define MAX_OBJECT (16 * 1024 * 1024)
#define CHUNK_SIZE 65536

/* Milliseconds between two looks whether a stop was asked for, while nothing comes. */
#define STOP_CHECK 100

struct _TallJsonFile
{
  char *name;
  int fd;
  TallJsonKind kind;
  const gint *stop;   /* atomic; reading ends when it is not 0 any more; NULL: it never does */
  GByteArray *buffer; /* what was read and not handed over */
  gsize at;           /* where the next line begins in it */
  gboolean file_ended;
  guint64 next_line; /* number of that line */
  gboolean by_lines; /* an object in each line */
};

/**
 * tall_json_file_open:
 * @path: a file, or `-` for standard input
 * @kind: what an object without wrapping is
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_INVALID if it cannot be opened
 */
TallJsonFile *
tall_json_file_open (const char *path, TallJsonKind kind, GError **error)
{
  gboolean is_stdin = g_str_equal (path, "-");
  int fd = is_stdin ? STDIN_FILENO : open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID, "%s cannot be opened: %s", path,
                   g_strerror (errno));
      return NULL;
    }
  TallJsonFile *self = g_new0 (TallJsonFile, 1);
  self->name = g_strdup (is_stdin ? "standard input" : path);
  self->fd = fd;
  self->kind = kind;
  self->buffer = g_byte_array_new ();
  self->next_line = 1;
  return self;
}

void
tall_json_file_free (TallJsonFile *self)
{
  if (self == NULL)
    return;
  if (self->fd != STDIN_FILENO)
    close (self->fd);
  g_byte_array_unref (self->buffer);
  g_free (self->name);
  g_free (self);
}

/**
 * tall_json_file_set_stop:
 * @stop: (nullable): read atomically
 *
 * Makes reading end with %TALL_JSON_STOPPED when @stop is not 0 any more and nothing comes.
 */
void
tall_json_file_set_stop (TallJsonFile *self, const gint *stop)
{
  self->stop = stop;
}

const char *
tall_json_file_get_name (const TallJsonFile *self)
{
  return self->name;
}

/**
 * tall_json_file_get_line:
 *
 * Returns: the number of the line that comes next, from 1
 */
guint64
tall_json_file_get_line (const TallJsonFile *self)
{
  return self->next_line;
}

/* Whether something has been read that was not yet handed over. */
gboolean
tall_json_file_has_rest (const TallJsonFile *self)
{
  return self->at < self->buffer->len;
}

/* Waits until something can be read. Returns FALSE if a stop was asked for. */
static gboolean
wait_for_input (const TallJsonFile *self)
{
  struct pollfd input = { .fd = self->fd, .events = POLLIN };
  while (self->stop != NULL && poll (&input, 1, STOP_CHECK) <= 0)
    if (g_atomic_int_get (self->stop) != 0)
      return FALSE;
  return TRUE;
}

static TallJsonStep
fill (TallJsonFile *self, GError **error)
{
  guint8 chunk[CHUNK_SIZE];
  if (self->at > 0)
    g_byte_array_remove_range (self->buffer, 0, (guint)self->at);
  self->at = 0;
  ssize_t n;
  do
    {
      if (!wait_for_input (self))
        return TALL_JSON_STOPPED;
      n = read (self->fd, chunk, sizeof chunk);
    }
  while (n < 0 && (errno == EINTR || errno == EAGAIN));
  if (n < 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "Reading %s failed: %s", self->name,
                   g_strerror (errno));
      return TALL_JSON_FAILED;
    }
  g_byte_array_append (self->buffer, chunk, (guint)n);
  self->file_ended = n == 0;
  return TALL_JSON_ITEM;
}

static TallJsonStep
set_too_long (const TallJsonFile *self, GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "%s:%" G_GUINT64_FORMAT ": what begins here is longer than %d bytes, more than any "
               "order takes; nothing from here on was read. Is a line break or a brace missing?",
               self->name, self->next_line, MAX_OBJECT);
  return TALL_JSON_FAILED;
}

/* The next line with its end, not yet taken, as far as it was read. Returns whether it is whole: at
 * the end of the file it is empty then. */
static gboolean
peek_line (const TallJsonFile *self, TallSlice *line)
{
  const guint8 *data = self->buffer->data; /* NULL while it is empty */
  const guint8 *start = data != NULL ? data + self->at : NULL;
  gsize len = self->buffer->len - self->at;
  const guint8 *end = len > 0 ? memchr (start, '\n', len) : NULL;
  *line = tall_slice (start, end != NULL ? (gsize)(end - start) + 1 : len);
  return end != NULL || self->file_ended;
}

/* Reads until peek_line() gives a whole line. */
static TallJsonStep
find_line (TallJsonFile *self, TallSlice *line, GError **error)
{
  while (TRUE)
    {
      gboolean is_whole = peek_line (self, line);
      if (line->len > MAX_OBJECT)
        return set_too_long (self, error);
      if (is_whole)
        return TALL_JSON_ITEM;
      TallJsonStep step = fill (self, error);
      if (step != TALL_JSON_ITEM)
        return step;
    }
}

static void
take_line (TallJsonFile *self, TallSlice line)
{
  self->at += line.len;
  if (line.len > 0 && line.data[line.len - 1] == '\n')
    self->next_line++;
}

/**
 * tall_json_file_is_ready:
 *
 * After the first object, reads what can be read without waiting.
 *
 * Returns: whether tall_json_file_next() has something to say at once. FALSE also at the end.
 */
gboolean
tall_json_file_is_ready (TallJsonFile *self)
{
  struct pollfd input = { .fd = self->fd, .events = POLLIN };
  while (TRUE)
    {
      TallSlice line;
      gboolean is_whole = peek_line (self, &line);
      if (line.len > MAX_OBJECT || (is_whole && json_strip (line).len > 0))
        return TRUE;
      if (is_whole && line.len == 0)
        return FALSE;
      if (is_whole)
        take_line (self, line);
      else if (poll (&input, 1, 0) <= 0)
        return FALSE;
      else if (fill (self, NULL) != TALL_JSON_ITEM)
        return TRUE;
    }
}

/* Says where the item begins. */
static void
set_place (const TallJsonFile *self, TallJsonItem *item)
{
  item->line = self->next_line;
  g_prefix_error (&item->error, "%s:%" G_GUINT64_FORMAT ": ", self->name, item->line);
}

static void
parse_item (TallJsonFile *self, TallSlice text, TallJsonItem *item)
{
  json_item_parse (item, text, self->kind);
  set_place (self, item);
}

/* A listing is not read as lines, of which some might be orders, and of a file in another format
 * not each line is worth a message. Nothing after it is read. */
static TallJsonStep
refuse_rest (TallJsonFile *self, const char *what, TallJsonItem *item)
{
  tall_json_item_clear (item);
  tall_error_set_invalid (&item->error, NULL,
                          "this is %s, and nothing of it is stored. tallorder export prints "
                          "orders and customers as put takes them",
                          what);
  set_place (self, item);
  self->at = self->buffer->len;
  self->file_ended = TRUE;
  return TALL_JSON_ITEM;
}

/* The first line is not a whole object: everything up to the end of the file as one, unless there
 * are objects in later lines, which the broken one must not take with it. */
static TallJsonStep
read_rest (TallJsonFile *self, TallJsonItem *item, GError **error)
{
  while (!self->file_ended && self->buffer->len - self->at <= MAX_OBJECT)
    {
      TallJsonStep step = fill (self, error);
      if (step != TALL_JSON_ITEM)
        return step;
    }
  TallSlice rest = tall_slice (self->buffer->data + self->at, self->buffer->len - self->at);
  if (json_is_listing (rest))
    return refuse_rest (self, "a listing", item);
  if (rest.len <= MAX_OBJECT)
    parse_item (self, json_strip (rest), item);
  if ((item->error != NULL || rest.len > MAX_OBJECT) && json_has_object_lines (rest))
    {
      tall_json_item_clear (item);
      self->by_lines = TRUE;
      return tall_json_file_next (self, item, error);
    }
  if (json_strip (rest).data[0] != '{')
    return refuse_rest (self, "not a JSON object, { … } (for CSV there is tallorder load)", item);
  if (rest.len > MAX_OBJECT)
    return set_too_long (self, error);
  self->at = self->buffer->len;
  return TALL_JSON_ITEM;
}

/**
 * tall_json_file_next:
 * @item: (out caller-allocates): the next order or customer, or why it is bad
 *
 * Returns: %TALL_JSON_ITEM if there is one, %TALL_JSON_END after the last, %TALL_JSON_FAILED, with
 *   @error set, if the file cannot be read or what comes is longer than any object may be,
 *   %TALL_JSON_STOPPED as tall_json_file_set_stop() says
 */
TallJsonStep
tall_json_file_next (TallJsonFile *self, TallJsonItem *item, GError **error)
{
  *item = (TallJsonItem){ 0 };
  TallSlice line;
  TallJsonStep step;
  while ((step = find_line (self, &line, error)) == TALL_JSON_ITEM)
    {
      TallSlice text = json_strip (line);
      if (line.len == 0)
        return TALL_JSON_END;
      if (text.len > 0 && !self->by_lines
          && (!json_is_closed (text) || (text.data[0] != '{' && self->fd != STDIN_FILENO)))
        return read_rest (self, item, error);
      if (!self->by_lines && json_is_listing (text))
        return refuse_rest (self, "a listing", item);
      if (text.len > 0)
        {
          self->by_lines = TRUE;
          parse_item (self, text, item);
          take_line (self, line);
          return TALL_JSON_ITEM;
        }
      take_line (self, line);
    }
  return step;
}

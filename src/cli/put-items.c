/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/put-items.h"

#include "base/workers.h"
#include "cli/output.h"
#include "cli/show.h"
#include "tall-error.h"

/* What became of an object that was tried. */
typedef enum
{
  STORED,
  REFUSED,
  NOT_DONE, /* for a reason that is not its own */
  UNKNOWN,
} Fate;

static Fate
get_fate (const TallJsonItem *item)
{
  if (item->error == NULL)
    return STORED;
  if (tall_error_is_of_one (item->error))
    return REFUSED;
  return tall_error_is_not_done (item->error) ? NOT_DONE : UNKNOWN;
}

static void
put_batch_clear (TallPutBatch *self)
{
  for (guint i = 0; i < self->n; i++)
    tall_json_item_clear (&self->items[i]);
  *self = (TallPutBatch){ 0 };
}

/* @jobs: how many objects at most
 * @stop: read atomically; nothing is read when it is not 0 any more
 *
 * Adds what comes. Waits for the first object only, so that nothing that has come waits for what
 * has not.
 *
 * Returns: %TALL_JSON_ITEM, or why there is nothing behind those that were added */
static TallJsonStep
put_batch_read (
    TallPutBatch *self, TallJsonFile *file, guint jobs, const gint *stop, GError **error)
{
  while (self->n < jobs && (self->n == 0 || tall_json_file_is_ready (file)))
    {
      if (g_atomic_int_get (stop) != 0)
        return TALL_JSON_STOPPED;
      TallJsonStep step = tall_json_file_next (file, &self->items[self->n], error);
      if (step != TALL_JSON_ITEM)
        return step;
      self->n++;
    }
  return TALL_JSON_ITEM;
}

static gboolean
is_same (const TallJsonItem *a, const TallJsonItem *b)
{
  if (a->customer != NULL && b->customer != NULL)
    return g_str_equal (a->customer->number, b->customer->number);
  return a->order != NULL && b->order != NULL
         && g_str_equal (a->order->order_number, b->order->order_number)
         && g_str_equal (a->order->customer_number, b->order->customer_number);
}

/* Where those end that may be stored at once: before the first that something before it is about,
 * too. */
static guint
find_end (const TallPutBatch *self)
{
  for (guint end = self->n_tried + 1; end < self->n; end++)
    for (guint i = self->n_tried; i < end; i++)
      if (is_same (&self->items[i], &self->items[end]))
        return end;
  return self->n;
}

typedef struct
{
  TallPutBatch *batch;
  TallFront *front;
  const TallPutCall *call;
} Round;

/* Whether an object is only stored if its own revision is still there. */
static gboolean
has_own_condition (const TallPutCall *call, const TallJsonItem *item)
{
  return item->revision > 0 && !call->force && call->write.condition == TALL_IF_ANY;
}

/* A conflict with a revision that nobody has typed says where it comes from. */
static void
explain_conflict (GError *error)
{
  if (!g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    return;
  char *message =
      g_strconcat (error->message,
                   "; the JSON has that revision, and --force stores it all the same", NULL);
  g_free (error->message);
  error->message = message;
}

static void
store_item (gpointer data, guint i)
{
  const Round *round = data;
  guint at = round->batch->n_tried + i;
  TallJsonItem *item = &round->batch->items[at];
  gint64 *revision = &round->batch->revisions[at];

  if (item->error != NULL)
    return;
  TallWriteOptions options = round->call->write;
  gboolean is_own = has_own_condition (round->call, item);
  if (is_own)
    {
      options.condition = TALL_IF_REVISION;
      options.revision = item->revision;
    }
  gboolean stored =
      item->order != NULL
          ? tall_front_put_order (round->front, item->order, &options, revision, &item->error)
          : tall_front_put_customer (round->front, item->customer, &options, revision,
                                     &item->error);
  g_assert (stored == (item->error == NULL));
  if (is_own && !stored)
    explain_conflict (item->error);
}

/* Tries those that come next, at least one, all at once, and waits for the last of them. */
static void
put_batch_store (TallPutBatch *self, TallFront *front, const TallPutCall *call)
{
  Round round = { .batch = self, .front = front, .call = call };
  guint end = find_end (self);
  tall_workers_run (store_item, &round, end - self->n_tried);
  self->n_tried = end;
}

/* From which line on nothing was done. */
static guint64
find_rest (const TallPutBatch *self, guint64 next, guint *n_before)
{
  guint i = self->n_tried;
  while (i > 0 && get_fate (&self->items[i - 1]) == NOT_DONE)
    i--;
  *n_before = i;
  return i < self->n ? self->items[i].line : next;
}

/* @next: the line behind the batch
 *
 * Returns: the line that stopped the rest */
static guint64
put_batch_find_stop (const TallPutBatch *self, guint64 next)
{
  for (guint i = 0; i < self->n_tried; i++)
    if (get_fate (&self->items[i]) >= NOT_DONE)
      return self->items[i].line;
  return self->n_tried < self->n ? self->items[self->n_tried].line : next;
}

/* The lines of the first @n whose fate it is, such as `lines 3, 5 and 6`; NULL: none. */
static char *
name_lines (const TallPutBatch *self, guint n, Fate fate)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++)
    if (get_fate (&self->items[i]) == fate)
      g_ptr_array_add (lines, g_strdup_printf ("%" G_GUINT64_FORMAT, self->items[i].line));
  if (lines->len == 0)
    return NULL;
  g_autofree char *last = g_ptr_array_steal_index (lines, lines->len - 1);
  if (lines->len == 0)
    return g_strdup_printf ("line %s", last);
  g_ptr_array_add (lines, NULL);
  g_autofree char *others = g_strjoinv (", ", (char **)lines->pdata);
  return g_strdup_printf ("lines %s and %s", others, last);
}

/* @next: the line behind the batch
 *
 * What was perhaps stored must not be put again unseen: somebody may have written it since. The
 * same holds for what is stored, so nothing that is stored is among the lines to be put again.
 *
 * Returns: (transfer full): how to go on after a stop */
static char *
put_batch_advise (const TallPutBatch *self, guint64 next)
{
  guint n_before;
  guint64 rest = find_rest (self, next, &n_before);
  g_autofree char *unknown = name_lines (self, n_before, UNKNOWN);
  g_autofree char *missed = name_lines (self, n_before, NOT_DONE);
  g_autofree char *again =
      g_strdup_printf ("%s%sthe lines from %" G_GUINT64_FORMAT " on", missed != NULL ? missed : "",
                       missed != NULL ? " and " : "", rest);
  if (unknown == NULL)
    return g_strdup_printf ("To go on, put %s", again);
  return g_strdup_printf ("What %s %s may be stored: look at it, and put it again if it is not. "
                          "Then go on with %s",
                          unknown, g_str_has_prefix (unknown, "lines") ? "hold" : "holds", again);
}

typedef struct
{
  const TallPutCall *call;
  TallFront *front;
  TallJsonFile *file;
  const gint *stop; /* atomic; 0: no signal came */
  TallPutBatch batch;
  guint64 n_read;
  guint64 n_stored;
  guint64 n_refused;
} Put;

/* One line for programs: what became of the object that began in a line. */
static void
print_json (const TallJsonItem *item, gint64 revision)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  const GError *error = item->error;

  json_builder_begin_object (builder);
  tall_json_add_number (builder, "line", (gint64)item->line);
  if (item->order != NULL)
    {
      tall_json_add_text (builder, "customer_number", item->order->customer_number);
      tall_json_add_text (builder, "order_number", item->order->order_number);
    }
  else if (item->customer != NULL)
    tall_json_add_text (builder, "number", item->customer->number);
  if (error == NULL)
    tall_json_add_number (builder, "revision", revision);
  else
    {
      tall_json_add_text (builder, "error", tall_error_code_name ((TallError)error->code));
      tall_json_add_text (builder, "message", error->message);
    }
  if (error != NULL && tall_error_get_revision (error) > 0)
    tall_json_add_number (builder, "stored_revision", tall_error_get_revision (error));
  json_builder_end_object (builder);
  tall_json_print_line (builder);
}

static void
print_stored (const TallJsonItem *item, gint64 revision)
{
  if (item->order != NULL)
    tall_print ("Stored order %s of %s, revision %" G_GINT64_FORMAT "\n", item->order->order_number,
                item->order->customer_number, revision);
  else
    tall_print ("Stored customer %s, revision %" G_GINT64_FORMAT "\n", item->customer->number,
                revision);
}

/* Whether a message has to say which object it is about. */
static gboolean
has_many (const Put *self)
{
  return self->n_read > 1 || tall_json_file_has_rest (self->file);
}

/* Says what became of the @i-th of the batch. Returns FALSE if going on makes no sense. */
static gboolean
report_item (Put *self, guint i)
{
  TallJsonItem *item = &self->batch.items[i];
  gint64 revision = self->batch.revisions[i];

  if (self->call->json && (item->error != NULL || !self->call->quiet))
    print_json (item, revision);
  if (item->error == NULL)
    {
      self->n_stored++;
      if (!self->call->json && !self->call->quiet)
        print_stored (item, revision);
      if (item->order != NULL && !self->call->quiet)
        tall_show_warn_of_adjustments (item->order);
      return TRUE;
    }
  gboolean was_parsed = item->order != NULL || item->customer != NULL;
  if (was_parsed && has_many (self))
    g_prefix_error (&item->error, "%s:%" G_GUINT64_FORMAT ": ",
                    tall_json_file_get_name (self->file), item->line);
  tall_print_failure (item->error);
  gboolean refused = tall_error_is_of_one (item->error);
  self->n_refused += refused;
  return refused;
}

/* Stores what was read. Returns FALSE if going on makes no sense. */
static gboolean
put_batch (Put *self)
{
  TallPutBatch *batch = &self->batch;
  gboolean going = TRUE;

  while (going && batch->n_tried < batch->n && g_atomic_int_get (self->stop) == 0)
    {
      guint i = batch->n_tried;
      put_batch_store (batch, self->front, self->call);
      for (; i < batch->n_tried; i++)
        going = report_item (self, i) && going;
    }
  return going;
}

/* For one object its own line says everything. */
static void
print_summary (const Put *self)
{
  if (self->n_stored + self->n_refused > 1 && !self->call->json && !self->call->quiet)
    tall_print ("%" G_GUINT64_FORMAT " stored, %" G_GUINT64_FORMAT " refused\n", self->n_stored,
                self->n_refused);
}

/* Where it stopped, so that whoever goes on knows what is done. Of a single object that is plain.
 */
static void
print_stop (const Put *self)
{
  if (!has_many (self))
    return;
  guint64 next = tall_json_file_get_line (self->file);
  g_autofree char *advice = put_batch_advise (&self->batch, next);
  tall_print_error ("Stopped at line %" G_GUINT64_FORMAT " of %s: %" G_GUINT64_FORMAT
                    " stored, %" G_GUINT64_FORMAT " refused, the rest not tried. %s",
                    put_batch_find_stop (&self->batch, next), tall_json_file_get_name (self->file),
                    self->n_stored, self->n_refused, advice);
}

/* Reads and stores one batch. @going (out): whether what was read is settled. */
static TallJsonStep
put_next (Put *self, gboolean *going, GError **error)
{
  guint n = self->batch.n;
  TallJsonStep step =
      put_batch_read (&self->batch, self->file, self->call->jobs, self->stop, error);
  self->n_read += self->batch.n - n;
  *going = put_batch (self);
  return *going && self->batch.n_tried < self->batch.n ? TALL_JSON_STOPPED : step;
}

/* The first object is in the batch. */
static TallExit
put_all (Put *self)
{
  g_autoptr (GError) error = NULL;
  gboolean going = TRUE;
  tall_json_file_set_stop (self->file, self->stop);
  TallJsonStep step = put_next (self, &going, &error);
  while (going && step == TALL_JSON_ITEM)
    {
      put_batch_clear (&self->batch);
      step = put_next (self, &going, &error);
    }
  if (going && step == TALL_JSON_END)
    {
      print_summary (self);
      return self->n_refused > 0 ? TALL_EXIT_NO : TALL_EXIT_DONE;
    }
  if (going && step == TALL_JSON_FAILED)
    tall_print_failure (error);
  print_stop (self);
  return going && step == TALL_JSON_STOPPED ? (TallExit)(128 + g_atomic_int_get (self->stop))
                                            : TALL_EXIT_FAILED;
}

static void
put_clear (Put *self)
{
  put_batch_clear (&self->batch);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Put, put_clear)

/* A token or a revision belongs to one put, so there must not be a second object. */
static gboolean
check_single (Put *self, GError **error)
{
  const TallWriteOptions *write = &self->call->write;
  if (!write->has_token && write->condition != TALL_IF_REVISION)
    return TRUE;
  g_auto (TallJsonItem) second = { 0 };
  TallJsonStep step = tall_json_file_next (self->file, &second, error);
  if (step == TALL_JSON_ITEM)
    tall_usage_error (self->call->command, "--token and --if-revision go with a single order");
  return step == TALL_JSON_END;
}

/* Reads the first object, before anything is opened. */
static TallExit
read_first (Put *self)
{
  g_autoptr (GError) error = NULL;
  TallJsonStep step = tall_json_file_next (self->file, &self->batch.items[0], &error);
  if (step == TALL_JSON_END)
    g_set_error (&error, TALL_ERROR, TALL_ERROR_INVALID, "%s holds no JSON object",
                 g_str_equal (self->call->path, "-") ? "Standard input" : self->call->path);
  if (step == TALL_JSON_ITEM)
    self->batch.n = 1;
  if (step == TALL_JSON_ITEM && !check_single (self, &error) && error == NULL)
    return TALL_EXIT_USAGE;
  if (error == NULL)
    return TALL_EXIT_DONE;
  return tall_fail_with (error, TALL_EXIT_FAILED);
}

/**
 * tall_put_items:
 *
 * Stores the orders and customers of a JSON file, several at once. What is said of them comes in
 * the order of the file.
 */
TallExit
tall_put_items (const TallPutCall *call)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallJsonFile) file = tall_json_file_open (call->path, call->kind, &error);
  if (file == NULL)
    return tall_fail_with (error, TALL_EXIT_FAILED);
  g_auto (Put) self = { .call = call, .file = file, .n_read = 1 };
  TallExit code = read_first (&self);
  if (code != TALL_EXIT_DONE)
    return code;
  g_autoptr (TallFront) front = tall_options_open_front (call->options, call->command, &code);
  if (front == NULL)
    return code;
  self.front = front;
  self.stop = tall_stop_on_signals ();
  return put_all (&self);
}

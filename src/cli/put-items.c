/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/put-items.h"
#include "tall-error.h"
#include "cli/json-output.h"
#include "cli/output.h"
#include "cli/stop.h"

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
      tall_put_batch_store (batch, self->front, &self->call->write);
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
  g_autofree char *advice = tall_put_batch_advise (&self->batch, next);
  tall_print_error ("Stopped at line %" G_GUINT64_FORMAT " of %s: %" G_GUINT64_FORMAT
                    " stored, %" G_GUINT64_FORMAT " refused, the rest not tried. %s",
                    tall_put_batch_find_stop (&self->batch, next),
                    tall_json_file_get_name (self->file), self->n_stored, self->n_refused, advice);
}

/* Reads and stores one batch. @going (out): whether what was read is settled. */
static TallJsonStep
put_next (Put *self, gboolean *going, GError **error)
{
  guint n = self->batch.n;
  TallJsonStep step =
      tall_put_batch_read (&self->batch, self->file, self->call->jobs, self->stop, error);
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
      tall_put_batch_clear (&self->batch);
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
  tall_put_batch_clear (&self->batch);
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
  tall_print_failure (error);
  return TALL_EXIT_FAILED;
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
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
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

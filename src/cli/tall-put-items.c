/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-put-items.h"
#include "tall-error.h"
#include "tall-output.h"
#include "tall-stop.h"

#include <json-glib/json-glib.h>

typedef struct
{
  const TallPutCall *call;
  TallFront *front;
  TallJsonFile *file;
  guint64 n_stored;
  guint64 n_refused;
  gboolean is_unknown; /* whether the last item is stored */
} Put;

static gboolean
store_item (Put *self, TallJsonItem *item, gint64 *revision)
{
  const TallWriteOptions *write = &self->call->write;

  if (item->error != NULL)
    return FALSE;
  return item->order != NULL
             ? tall_front_put_order (self->front, item->order, write, revision, &item->error)
             : tall_front_put_customer (self->front, item->customer, write, revision, &item->error);
}

static void
add_text (JsonBuilder *builder, const char *name, const char *text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

static void
add_number (JsonBuilder *builder, const char *name, gint64 number)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, number);
}

/* One line for programs: what became of the object that began in a line. */
static void
print_json (const TallJsonItem *item, gint64 revision)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  const GError *error = item->error;

  json_builder_begin_object (builder);
  add_number (builder, "line", (gint64)item->line);
  if (item->order != NULL)
    {
      add_text (builder, "customer_number", item->order->customer_number);
      add_text (builder, "order_number", item->order->order_number);
    }
  else if (item->customer != NULL)
    add_text (builder, "number", item->customer->number);
  if (error == NULL)
    add_number (builder, "revision", revision);
  else
    {
      add_text (builder, "error", tall_error_code_name ((TallError)error->code));
      add_text (builder, "message", error->message);
    }
  if (error != NULL && tall_error_get_revision (error) > 0)
    add_number (builder, "stored_revision", tall_error_get_revision (error));
  json_builder_end_object (builder);
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, FALSE);
  tall_print_json ("%s\n", text);
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

/* Stores what was read. Returns FALSE if going on makes no sense. */
static gboolean
put_item (Put *self, TallJsonItem *item)
{
  gint64 revision = 0;
  gboolean stored = store_item (self, item, &revision);

  if (self->call->json && (!stored || !self->call->quiet))
    print_json (item, revision);
  if (stored)
    {
      self->n_stored++;
      if (!self->call->json && !self->call->quiet)
        print_stored (item, revision);
      return TRUE;
    }
  tall_print_failure (item->error);
  gboolean refused = tall_error_is_of_one (item->error);
  self->n_refused += refused;
  self->is_unknown = g_error_matches (item->error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  return refused;
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
 * What was perhaps stored must not be put again unseen: somebody may have written it since. */
static void
print_stop (const Put *self, guint64 line)
{
  if (self->n_stored + self->n_refused == 0 && !tall_json_file_has_rest (self->file))
    return;
  g_autofree char *advice =
      self->is_unknown
          ? g_strdup_printf ("What line %" G_GUINT64_FORMAT " holds may be stored: look at it, and "
                             "put it again if it is not. Then go on with the lines from "
                             "%" G_GUINT64_FORMAT " on",
                             line, line + 1)
          : g_strdup_printf ("To go on, put the lines from %" G_GUINT64_FORMAT " on", line);
  tall_print_error ("Stopped at line %" G_GUINT64_FORMAT " of %s: %" G_GUINT64_FORMAT
                    " stored, %" G_GUINT64_FORMAT " refused, the rest not tried. %s",
                    line, tall_json_file_get_name (self->file), self->n_stored, self->n_refused,
                    advice);
}

static TallExit
put_all (Put *self, TallJsonItem *first)
{
  g_autoptr (GError) error = NULL;
  const gint *stop = tall_stop_on_signals ();
  TallJsonStep step = TALL_JSON_ITEM;
  guint64 line = first->line;
  gboolean going = put_item (self, first);
  tall_json_file_set_stop (self->file, stop);
  while (going && step == TALL_JSON_ITEM)
    {
      g_auto (TallJsonItem) item = { 0 };
      line = tall_json_file_get_line (self->file);
      step = g_atomic_int_get (stop) != 0 ? TALL_JSON_STOPPED
                                          : tall_json_file_next (self->file, &item, &error);
      if (step != TALL_JSON_ITEM)
        continue;
      line = item.line;
      going = put_item (self, &item);
    }
  if (going && step == TALL_JSON_END)
    print_summary (self);
  if (going && step == TALL_JSON_END)
    return self->n_refused > 0 ? TALL_EXIT_NO : TALL_EXIT_DONE;
  if (step == TALL_JSON_FAILED)
    tall_print_failure (error);
  print_stop (self, line);
  return step == TALL_JSON_STOPPED ? (TallExit)(128 + g_atomic_int_get (stop)) : TALL_EXIT_FAILED;
}

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

/**
 * tall_put_items:
 *
 * Stores the orders and customers of a JSON file.
 */
TallExit
tall_put_items (const TallPutCall *call)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallJsonItem) first = { 0 };
  g_autoptr (TallJsonFile) file = tall_json_file_open (call->path, call->kind, &error);
  if (file == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  Put self = { .call = call, .file = file };
  TallJsonStep step = tall_json_file_next (file, &first, &error);
  if (step == TALL_JSON_END)
    g_set_error (&error, TALL_ERROR, TALL_ERROR_INVALID, "%s holds no JSON object",
                 g_str_equal (call->path, "-") ? "Standard input" : call->path);
  if (step == TALL_JSON_ITEM && !check_single (&self, &error) && error == NULL)
    return TALL_EXIT_USAGE;
  if (error != NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }

  TallExit exit;
  g_autoptr (TallFront) front = tall_options_open_front (call->options, call->command, &exit);
  if (front == NULL)
    return exit;
  self.front = front;
  return put_all (&self, &first);
}

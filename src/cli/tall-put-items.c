/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-put-items.h"
#include "tall-error.h"
#include "tall-output.h"
#include "tall-stop.h"

typedef struct
{
  TallFront *front;
  TallJsonFile *file;
  const TallWriteOptions *write;
  guint64 n_stored;
  guint64 n_refused;
  gboolean is_unknown; /* whether the last item is stored */
} Put;

static gboolean
store_item (Put *self, TallJsonItem *item)
{
  if (item->error != NULL)
    return FALSE;
  gint64 revision;
  if (item->order != NULL)
    {
      if (!tall_front_put_order (self->front, item->order, self->write, &revision, &item->error))
        return FALSE;
      tall_print ("Stored order %s of %s, revision %" G_GINT64_FORMAT "\n",
                  item->order->order_number, item->order->customer_number, revision);
      return TRUE;
    }
  if (!tall_front_put_customer (self->front, item->customer, self->write, &revision, &item->error))
    return FALSE;
  tall_print ("Stored customer %s, revision %" G_GINT64_FORMAT "\n", item->customer->number,
              revision);
  return TRUE;
}

/* Stores what was read. Returns FALSE if going on makes no sense. */
static gboolean
put_item (Put *self, TallJsonItem *item)
{
  if (store_item (self, item))
    {
      self->n_stored++;
      return TRUE;
    }
  tall_print_failure (item->error);
  gboolean refused = tall_error_is_of_one (item->error);
  self->n_refused += refused;
  self->is_unknown = g_error_matches (item->error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  return refused;
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
    return self->n_refused > 0 ? TALL_EXIT_NO : TALL_EXIT_DONE;
  if (step == TALL_JSON_FAILED)
    tall_print_failure (error);
  print_stop (self, line);
  return step == TALL_JSON_STOPPED ? (TallExit)(128 + g_atomic_int_get (stop)) : TALL_EXIT_FAILED;
}

/* A token or a revision belongs to one put, so there must not be a second object. */
static gboolean
check_single (Put *self, const TallCommand *command, GError **error)
{
  if (!self->write->has_token && self->write->condition != TALL_IF_REVISION)
    return TRUE;
  g_auto (TallJsonItem) second = { 0 };
  TallJsonStep step = tall_json_file_next (self->file, &second, error);
  if (step == TALL_JSON_ITEM)
    tall_usage_error (command, "--token and --if-revision go with a single order");
  return step == TALL_JSON_END;
}

/**
 * tall_put_items:
 * @path: of the JSON file; `-`: standard input
 * @kind: what an object without wrapping is
 *
 * Stores the orders and customers of a JSON file.
 */
TallExit
tall_put_items (const TallOptions *options,
                const TallCommand *command,
                const char *path,
                TallJsonKind kind,
                const TallWriteOptions *write)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallJsonItem) first = { 0 };
  g_autoptr (TallJsonFile) file = tall_json_file_open (path, kind, &error);
  if (file == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  Put self = { .file = file, .write = write };
  TallJsonStep step = tall_json_file_next (file, &first, &error);
  if (step == TALL_JSON_END)
    g_set_error (&error, TALL_ERROR, TALL_ERROR_INVALID, "%s holds no JSON object", path);
  if (step == TALL_JSON_ITEM && !check_single (&self, command, &error) && error == NULL)
    return TALL_EXIT_USAGE;
  if (error != NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }

  TallExit exit;
  g_autoptr (TallFront) front = tall_options_open_front (options, command, &exit);
  if (front == NULL)
    return exit;
  self.front = front;
  return put_all (&self, &first);
}

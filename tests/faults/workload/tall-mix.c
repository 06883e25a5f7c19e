/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-mix.h"

#include "tall-answer.h"
#include "tall-error.h"
#include "tall-mark.h"
#include "tall-target.h"

struct _TallMixClient
{
  const TallMixOptions *options;
  TallFront *front;
  guint thread;
  GRand *rand;
  guint n_puts;
  guint n_undone;  /* calls in a row that were not done */
  guint n_unknown; /* calls of this generation whose outcome is not known */
  guint generation;
  char *customer;                    /* of the generation */
  gint64 known[TALL_MIX_MAX_ORDERS]; /* revisions last seen; 0: none */
};

/* Of a get: what asking again would not change. */
static const char *const final_outcomes[] = { "not-found", "wrong", NULL };

/* How often something is done, of TOTAL_WEIGHT times. */
enum
{
  WEIGHT_PUT = 40,
  WEIGHT_PATCH = 10,
  WEIGHT_DELETE = 10,
  WEIGHT_GET = 28,
  WEIGHT_LIST = 6,
  WEIGHT_FIND = 6,
  WEIGHT_GET_MANY = 6,
  TOTAL_WEIGHT = WEIGHT_PUT + WEIGHT_PATCH + WEIGHT_DELETE + WEIGHT_GET + WEIGHT_LIST + WEIGHT_FIND
                 + WEIGHT_GET_MANY,
};

#define MAX_COPIES 3 /* of a patch */

/* After so many calls in a row that were not done: all are refused at once as long as no gateway is
 * there, and the history would be full of that. */
#define MANY 10
#define PAUSE (20 * G_TIME_SPAN_MILLISECOND)

/* Each doubles what the checker has to try, as it may take effect at any later time: a client that
 * has had so many in a generation rests until the next one. */
#define MOST_UNKNOWN 4

guint
tall_mix_generation (const TallMixOptions *self)
{
  return (guint)((tall_history_now () - self->epoch) / self->period);
}

/**
 * tall_mix_client_new:
 * @thread: its number in the history
 *
 * Returns: (transfer full): one who calls @front, one call after the other
 */
TallMixClient *
tall_mix_client_new (const TallMixOptions *options, TallFront *front, guint thread, guint32 seed)
{
  TallMixClient *self = g_new0 (TallMixClient, 1);
  self->options = options;
  self->front = g_object_ref (front);
  self->thread = thread;
  self->rand = g_rand_new_with_seed (seed);
  self->generation = G_MAXUINT;
  return self;
}

void
tall_mix_client_free (TallMixClient *self)
{
  g_object_unref (self->front);
  g_rand_free (self->rand);
  g_free (self->customer);
  g_free (self);
}

static void
enter_generation (TallMixClient *self, guint generation)
{
  if (self->generation == generation)
    return;
  self->generation = generation;
  g_free (self->customer);
  self->customer = g_strdup_printf ("generation-%u", generation);
  self->n_unknown = 0;
  memset (self->known, 0, sizeof self->known);
}

static GString *
begin_outcome (TallMixClient *self, const GError *error)
{
  gboolean undone = error != NULL && g_str_equal (tall_answer_name (error), "undone");
  self->n_undone = undone ? self->n_undone + 1 : 0;
  if (error != NULL && g_str_equal (tall_answer_name (error), "unknown"))
    self->n_unknown++;
  return tall_answer_begin (error);
}

static void
end_outcome (TallMixClient *self, guint call, gint64 time, GString *line)
{
  tall_history_return (self->options->history, call, time, line->str);
  g_string_free (line, TRUE);
}

/* Learns from the answer about an order which revision to expect next. */
static void
learn (TallMixClient *self, guint order, gint64 revision, const GError *error)
{
  if (error == NULL)
    self->known[order] = revision;
  else if (g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    self->known[order] = tall_error_get_revision (error);
  else if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    self->known[order] = 0;
}

static TallWriteOptions
choose_condition (TallMixClient *self, guint order, gboolean may_be_absent)
{
  TallWriteOptions options = { .condition = TALL_IF_ANY };
  gint32 choice = g_rand_int_range (self->rand, 0, 10);
  if (choice < 4 && self->known[order] > 0)
    options.condition = TALL_IF_REVISION;
  else if (choice < 6 && may_be_absent)
    options.condition = TALL_IF_ABSENT;
  if (options.condition == TALL_IF_REVISION)
    options.revision = self->known[order];
  return options;
}

static const char *
name_condition (const TallWriteOptions *options)
{
  return options->condition == TALL_IF_ANY      ? "any"
         : options->condition == TALL_IF_ABSENT ? "absent"
                                                : "revision";
}

static void
put (TallMixClient *self, guint number)
{
  g_autoptr (GError) error = NULL;
  TallWriteOptions options = choose_condition (self, number, TRUE);
  g_autofree char *content =
      g_strdup_printf ("%s-%u-%u", tall_history_get_process (self->options->history), self->thread,
                       self->n_puts++);
  gint64 revision = 0;

  guint call = tall_history_invoke (
      self->options->history, self->thread,
      "\"do\":\"put\",\"customer\":\"%s\",\"order\":%u,\"content\":\"%s\",\"if\":\"%s\","
      "\"revision\":%" G_GINT64_FORMAT,
      self->customer, number, content, name_condition (&options), options.revision);
  g_autoptr (TallOrder) order = tall_mark_order (self->customer, number, content, self->rand);
  TallLateWrite *write = tall_late_begin (self->options->late, self->customer, number);
  gboolean stored = tall_front_put_order (self->front, order, &options, &revision, &error);
  gint64 time = tall_history_now ();
  tall_late_end (self->options->late, write, stored, error);
  GString *line = begin_outcome (self, error);
  if (stored)
    g_string_append_printf (line, ",\"revision\":%" G_GINT64_FORMAT, revision);
  end_outcome (self, call, time, line);
  learn (self, number, revision, error);
}

/* Sends a patch with a token again after an unknown outcome, as clients do. */
static gboolean
patch_once (TallMixClient *self,
            const char *number,
            const char *change,
            const TallWriteOptions *options,
            gint64 *revision,
            GError **error)
{
  gboolean is_unknown = FALSE;
  for (guint i = 0; i < (options->has_token ? MAX_COPIES : 1); i++)
    {
      g_clear_error (error);
      if (tall_front_patch_order (self->front, self->customer, number, &change, 1, options,
                                  revision, error))
        return TRUE;
      gboolean passed = tall_error_get_revision (*error) > 0;
      if (!g_error_matches (*error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
        (*error)->code = is_unknown ? TALL_ERROR_OUTCOME_UNKNOWN : (*error)->code;
      else if (passed && !is_unknown) /* it was the first copy */
        (*error)->code = TALL_ERROR_UNAVAILABLE;
      is_unknown = g_error_matches (*error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
      if (!is_unknown || passed)
        return FALSE;
    }
  return FALSE;
}

static void
patch (TallMixClient *self, guint number)
{
  g_autoptr (GError) error = NULL;
  TallWriteOptions options = choose_condition (self, number, FALSE);
  g_autofree char *order = g_strdup_printf ("%u", number);
  g_autofree char *name =
      g_strdup_printf ("p-%s-%u-%u", tall_history_get_process (self->options->history),
                       self->thread, self->n_puts++);
  g_autofree char *change = tall_mark_patch (name);
  gint64 revision = 0;

  options.has_token = self->known[number] > 0 && g_rand_int_range (self->rand, 0, 2) == 0;
  if (options.has_token)
    tall_token_make (options.token);
  if (options.has_token && options.condition == TALL_IF_ANY)
    options.base = self->known[number];
  guint call =
      tall_history_invoke (self->options->history, self->thread,
                           "\"do\":\"patch\",\"customer\":\"%s\",\"order\":%u,\"content\":\"%s\","
                           "\"if\":\"%s\",\"revision\":%" G_GINT64_FORMAT,
                           self->customer, number, name, name_condition (&options),
                           options.revision);
  TallLateWrite *write = tall_late_begin (self->options->late, self->customer, number);
  gboolean stored = patch_once (self, order, change, &options, &revision, &error);
  gint64 time = tall_history_now ();
  tall_late_end (self->options->late, write, stored, error);
  GString *line = begin_outcome (self, error);
  if (stored)
    g_string_append_printf (line, ",\"revision\":%" G_GINT64_FORMAT, revision);
  end_outcome (self, call, time, line);
  learn (self, number, revision, error);
}

static void
delete_order (TallMixClient *self, guint number)
{
  g_autoptr (GError) error = NULL;
  TallWriteOptions options = choose_condition (self, number, FALSE);
  g_autofree char *order = g_strdup_printf ("%u", number);

  guint call =
      tall_history_invoke (self->options->history, self->thread,
                           "\"do\":\"delete\",\"customer\":\"%s\",\"order\":%u,\"if\":\"%s\","
                           "\"revision\":%" G_GINT64_FORMAT,
                           self->customer, number, name_condition (&options), options.revision);
  TallLateWrite *write = tall_late_begin (self->options->late, self->customer, number);
  gboolean deleted = tall_front_delete_order (self->front, self->customer, order, &options, &error);
  gint64 time = tall_history_now ();
  tall_late_end (self->options->late, write, FALSE, error);
  end_outcome (self, call, time, begin_outcome (self, error));
  if (deleted)
    self->known[number] = 0;
  else
    learn (self, number, 0, error);
}

/* Appends what is known of an order that was read; a torn one is an error. */
static void
append_order (GString *line, const TallOrder *order, gboolean is_part, gint64 revision)
{
  g_autoptr (GError) error = NULL;
  const char *content = NULL;
  if (tall_mark_read (order, is_part, &content, &error))
    g_string_append_printf (line,
                            "\"outcome\":\"ok\",\"revision\":%" G_GINT64_FORMAT
                            ",\"content\":\"%s\"",
                            revision, content);
  else
    {
      g_string_append (line, "\"outcome\":\"wrong\"");
      tall_history_append_text (line, "error", error->message);
    }
}

/* All of it, or, which says the same, its first location. */
static TallOrder *
fetch (TallMixClient *self, const char *number, gboolean is_part, gint64 *revision, GError **error)
{
  static const TallOrderPart first = { TALL_PART_LOCATION, 1 };
  if (!is_part)
    return tall_front_get_order (self->front, self->customer, number, revision, error);
  const TallOrderId id = { self->customer, number };
  TallOutcome outcome = { 0 };
  if (tall_front_get_parts (self->front, &id, 1, &first, &outcome, error) && outcome.error != NULL)
    g_propagate_error (error, outcome.error);
  *revision = outcome.revision;
  return outcome.order;
}

/* Returns: whether it was answered, if only that something is wrong. */
static gboolean
get (TallMixClient *self, guint number)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *order_number = g_strdup_printf ("%u", number);
  gboolean is_part = g_rand_int_range (self->rand, 0, 3) == 0;
  gint64 revision = 0;

  guint call = tall_history_invoke (self->options->history, self->thread,
                                    "\"do\":\"get\",\"customer\":\"%s\",\"order\":%u",
                                    self->customer, number);
  g_autoptr (TallOrder) order = fetch (self, order_number, is_part, &revision, &error);
  gint64 time = tall_history_now ();
  GString *line = order != NULL ? g_string_new (NULL) : begin_outcome (self, error);
  if (order != NULL)
    append_order (line, order, is_part, revision);
  end_outcome (self, call, time, line);
  learn (self, number, revision, error);
  return order != NULL || g_strv_contains (final_outcomes, tall_answer_name (error));
}

/* Appends one of several, and ends it. */
static void
append_outcome (TallMixClient *self, GString *line, const TallOutcome *one)
{
  if (one->error == NULL)
    append_order (line, one->order, FALSE, one->revision);
  else
    {
      GString *outcome = begin_outcome (self, one->error);
      g_string_append (line, outcome->str);
      g_string_free (outcome, TRUE);
    }
  g_string_append_c (line, '}');
}

static void
append_many (TallMixClient *self, GString *line, const TallOutcome *outcomes, guint n)
{
  g_string_append (line, ",\"orders\":[");
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (line, "%s{\"order\":%u,", i > 0 ? "," : "", i);
      append_outcome (self, line, &outcomes[i]);
    }
  g_string_append_c (line, ']');
}

static void
get_many (TallMixClient *self)
{
  guint n = self->options->n_orders;
  TallOrderId ids[TALL_MIX_MAX_ORDERS];
  TallOutcome outcomes[TALL_MIX_MAX_ORDERS] = { 0 };
  g_autoptr (GPtrArray) numbers = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (numbers, g_strdup_printf ("%u", i));
      ids[i] = (TallOrderId){ self->customer, g_ptr_array_index (numbers, i) };
    }
  guint call = tall_history_invoke (self->options->history, self->thread,
                                    "\"do\":\"get-many\",\"customer\":\"%s\"", self->customer);
  gboolean answered = tall_front_get_orders (self->front, ids, n, outcomes, &error);
  gint64 time = tall_history_now ();
  GString *line = begin_outcome (self, error);
  if (answered)
    append_many (self, line, outcomes, n);
  end_outcome (self, call, time, line);
  for (guint i = 0; i < n; i++)
    tall_outcome_clear (&outcomes[i]);
}

static void
append_entries (GString *line, const TallOrderList *list)
{
  g_string_append (line, ",\"orders\":[");
  for (guint i = 0; i < list->n_entries; i++)
    g_string_append_printf (line,
                            "%s{\"order\":%s,\"outcome\":\"ok\",\"revision\":%" G_GINT64_FORMAT
                            ",\"content\":\"%s\"}",
                            i > 0 ? "," : "", list->entries[i].order_number,
                            list->entries[i].revision,
                            list->entries[i].currency != NULL ? list->entries[i].currency : "");
  g_string_append_c (line, ']');
}

static void
list (TallMixClient *self)
{
  g_autoptr (GError) error = NULL;
  TallListOptions options = { .limit = TALL_MIX_MAX_ORDERS };

  guint call = tall_history_invoke (self->options->history, self->thread,
                                    "\"do\":\"list\",\"customer\":\"%s\",\"orders\":%u",
                                    self->customer, self->options->n_orders);
  g_autoptr (TallOrderList) found =
      tall_front_list_orders (self->front, self->customer, &options, &error);
  gint64 time = tall_history_now ();
  GString *line = begin_outcome (self, error);
  if (found != NULL)
    append_entries (line, found);
  end_outcome (self, call, time, line);
}

/* Appends a page, and begins the next one. Returns whether there is one. */
static gboolean
find_page (
    TallMixClient *self, TallFindOptions *options, char **page, GString *found, GError **error)
{
  options->limit = (guint)g_rand_int_range (self->rand, 1, TALL_MIX_MAX_ORDERS + 1);
  options->page = *page;
  g_autoptr (TallFound) orders = tall_front_find_orders (self->front, options, error);
  for (guint i = 0; orders != NULL && i < orders->n_orders; i++)
    {
      const TallOutcome *one = &orders->orders[i];
      g_string_append (found, found->len > 0 ? ",{" : "{");
      if (one->order != NULL)
        g_string_append_printf (found, "\"order\":%s,", one->order->order_number);
      append_outcome (self, found, one);
    }
  g_free (*page);
  *page = orders != NULL ? g_steal_pointer (&orders->next_page) : NULL;
  return *page != NULL;
}

/* Those whose content ends with some digit, page after page. */
static void
find (TallMixClient *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) found = g_string_new (NULL);
  g_autofree char *page = NULL;
  g_autofree char *ending = g_strdup_printf ("%d", g_rand_int_range (self->rand, 0, 10));
  const char *values[] = { self->customer, ending };
  TallFindOptions options = { TALL_TARGET_INDEX, values, G_N_ELEMENTS (values) };

  guint call =
      tall_history_invoke (self->options->history, self->thread,
                           "\"do\":\"find\",\"customer\":\"%s\",\"content\":\"%s\",\"orders\":%u",
                           self->customer, ending, self->options->n_orders);
  while (find_page (self, &options, &page, found, &error))
    continue;
  gint64 time = tall_history_now ();
  GString *line = begin_outcome (self, error);
  if (error == NULL)
    g_string_append_printf (line, ",\"orders\":[%s]", found->str);
  end_outcome (self, call, time, line);
}

static void
step (TallMixClient *self)
{
  guint order = (guint)g_rand_int_range (self->rand, 0, (gint32)self->options->n_orders);
  gint32 choice = g_rand_int_range (self->rand, 0, TOTAL_WEIGHT);

  enter_generation (self, tall_mix_generation (self->options));
  if ((choice -= WEIGHT_PUT) < 0)
    put (self, order);
  else if ((choice -= WEIGHT_PATCH) < 0)
    patch (self, order);
  else if ((choice -= WEIGHT_DELETE) < 0)
    delete_order (self, order);
  else if ((choice -= WEIGHT_GET) < 0)
    get (self, order);
  else if ((choice -= WEIGHT_LIST) < 0)
    list (self);
  else if ((choice -= WEIGHT_FIND) < 0)
    find (self);
  else
    get_many (self);
}

/* Before the next call. @waits: the calls are done, and others are waited for */
static gulong
find_pause (const TallMixClient *self, gboolean waits)
{
  const TallMixOptions *options = self->options;
  if (self->n_unknown >= MOST_UNKNOWN)
    {
      gint64 next = options->epoch + (gint64)(self->generation + 1) * options->period;
      return (gulong)(MAX (next - tall_history_now (), 0) / 1000);
    }
  return MAX (options->pause, waits || self->n_undone >= MANY ? PAUSE : 0);
}

/**
 * tall_mix_client_run:
 *
 * Calls until the options say that it is enough.
 */
void
tall_mix_client_run (TallMixClient *self)
{
  const TallMixOptions *options = self->options;
  for (guint i = 0; options->n_operations == 0 || i < options->n_operations
                    || g_atomic_int_get (&options->n_awaited) > 0;
       i++)
    {
      if (g_atomic_int_get (&options->stop) || tall_history_now () >= options->end)
        return;
      tall_gate_enter (options->gate);
      step (self);
      tall_gate_leave (options->gate);
      gboolean waits = options->n_operations > 0 && i >= options->n_operations;
      gulong pause = find_pause (self, waits);
      if (pause > 0)
        g_usleep (pause);
    }
}

/**
 * tall_mix_client_read_back:
 * @end: no order is tried again afterwards
 *
 * Fetches every order of the first @n_generations, for the end of a history: what was acknowledged
 * is there.
 *
 * Returns: FALSE if there was no answer about some order in time
 */
gboolean
tall_mix_client_read_back (TallMixClient *self, guint n_generations, gint64 end)
{
  for (guint i = 0; i < n_generations; i++)
    {
      enter_generation (self, i);
      for (guint j = 0; j < self->options->n_orders; j++)
        while (!get (self, j))
          if (tall_history_now () >= end)
            return FALSE;
      list (self);
    }
  return TRUE;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Compares fetching, listing, storing and replacing orders with SQLite, both in this process, on
 * the same orders and with the same checks:
 *
 *     tallorder-peer-calls [--count N] [--lines N] [--seconds S] [--check] [--json]
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <locale.h>

#include "report.h"
#include "tall-error.h"
#include "floor-run.h"
#include "floor-store.h"
#include "peer-store.h"

#define A_CUSTOMER 50 /* orders of each */
#define PAGE 30
#define BATCH 16    /* operations that are timed together */
#define MANY 1000   /* orders that are stored by one call */
#define STRIDE 7919 /* prime: visits all orders, without a pattern that caches like */
#define ROUND_SECONDS 0.02
#define GOAL 1

static gint n_orders = 20000;
static gint n_lines = 5;
static gdouble seconds = 2;
static gboolean check_goals;
static gboolean as_json;

/* The same orders here and there. */
typedef struct
{
  const TallLayout *layout;
  gboolean sync;
  TallBenchStore ours;
  TallPeerStore *peer;
  TallWorkload workload;
  GPtrArray *orders; /* of TallOrder: that of index n is of customer n % n_customers */
} Pair;

/* One of both, and what it works on. */
typedef struct
{
  Pair *pair;
  gboolean is_peer;
  TallWorkload workload; /* of new content */
  guint64 next;
  GPtrArray *written; /* of TallOrder: of this batch */
  gpointer found[BATCH];
} Side;

static void
side_clear (Side *self)
{
  g_clear_pointer (&self->written, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Side, side_clear)

static guint
find (const Side *self, guint i)
{
  return (guint)((self->next + i) * STRIDE % self->pair->orders->len);
}

static const TallOrder *
find_order (const Side *self, guint i)
{
  return g_ptr_array_index (self->pair->orders, find (self, i));
}

static TallOrder *
get (const Side *self, const TallOrder *order, GError **error)
{
  if (self->is_peer)
    return tall_peer_store_get (self->pair->peer, order->customer_number, order->order_number,
                                error);
  return tall_front_get_order (self->pair->ours.front, order->customer_number, order->order_number,
                               NULL, error);
}

static gboolean
put (const Side *self, TallOrder *order, gboolean is_new, GError **error)
{
  if (self->is_peer)
    return tall_peer_store_put (self->pair->peer, order, is_new, error);
  return tall_front_put_order (self->pair->ours.front, order, NULL, NULL, error);
}

static gboolean
run_fetch (gpointer data, guint n, GError **error)
{
  Side *self = data;
  for (guint i = 0; i < n; i++)
    if ((self->found[i] = get (self, find_order (self, i), error)) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
check_fetch (gpointer data, guint n, GError **error)
{
  Side *self = data;
  for (guint i = 0; i < n; i++)
    if (!tall_bench_check_same (find_order (self, i), self->found[i], error))
      return FALSE;
  self->next += n;
  return TRUE;
}

static void
clear_fetch (gpointer data, guint n)
{
  Side *self = data;
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&self->found[i], tall_order_free);
}

/* A page, of either side. */
typedef struct
{
  TallOrderList *ours; /* NULL: the peer's */
  TallPeerEntry entries[PAGE];
  guint n;
} Page;

static void
page_free (Page *self)
{
  g_clear_pointer (&self->ours, tall_order_list_free);
  g_free (self);
}

static gboolean
run_list (gpointer data, guint n, GError **error)
{
  static const TallListOptions options = { .limit = PAGE };
  Side *self = data;
  for (guint i = 0; i < n; i++)
    {
      const char *customer = find_order (self, i)->customer_number;
      Page *page = self->found[i] = g_new0 (Page, 1);
      page->n = PAGE;
      if (self->is_peer)
        {
          if (!tall_peer_store_list (self->pair->peer, customer, page->entries, &page->n, error))
            return FALSE;
          continue;
        }
      page->ours = tall_front_list_orders (self->pair->ours.front, customer, &options, error);
      if (page->ours == NULL)
        return FALSE;
      page->n = page->ours->n_entries;
    }
  return TRUE;
}

static int
compare_dates (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return (x < y) - (x > y);
}

/* The dates of the customer's orders, the newest first. */
static GArray *
find_dates (const Side *self, guint i)
{
  GArray *dates = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint n_customers = self->pair->workload.n_customers;
  for (guint k = find (self, i) % n_customers; k < self->pair->orders->len; k += n_customers)
    {
      const TallOrder *order = g_ptr_array_index (self->pair->orders, k);
      g_array_append_val (dates, order->sales_date);
    }
  g_array_sort (dates, compare_dates);
  return dates;
}

static gboolean
check_page (const Side *self, guint i, const Page *page)
{
  g_autoptr (GArray) dates = find_dates (self, i);
  gboolean same = page->n == MIN (PAGE, dates->len);
  for (guint k = 0; same && k < page->n; k++)
    {
      gint64 date =
          page->ours != NULL ? page->ours->entries[k].sales_date : page->entries[k].sales_date;
      guint lines = page->ours != NULL ? page->ours->entries[k].n_lines : page->entries[k].n_lines;
      same = date == g_array_index (dates, gint64, k) && lines == (guint)n_lines;
    }
  return same;
}

static gboolean
check_list (gpointer data, guint n, GError **error)
{
  Side *self = data;
  for (guint i = 0; i < n; i++)
    if (!check_page (self, i, self->found[i]))
      {
        g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "A page is not what was stored");
        return FALSE;
      }
  self->next += n;
  return TRUE;
}

static void
clear_list (gpointer data, guint n)
{
  Side *self = data;
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&self->found[i], page_free);
}

/* New orders, after those that are there. */
static gboolean
prepare_store (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Side *self = data;
  g_clear_pointer (&self->written, g_ptr_array_unref);
  self->written = tall_workload_make_orders (&self->workload, self->next, n);
  self->next += n;
  return TRUE;
}

static gboolean
write_all (const Side *self, gboolean are_new, GError **error)
{
  for (guint i = 0; i < self->written->len; i++)
    if (!put (self, g_ptr_array_index (self->written, i), are_new, error))
      return FALSE;
  return TRUE;
}

static gboolean
run_store (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  return write_all (data, TRUE, error);
}

/* All by one call, or in one transaction. */
static gboolean
run_store_many (gpointer data, guint n, GError **error)
{
  const Side *self = data;
  if (self->is_peer)
    return tall_peer_store_put_many (self->pair->peer, self->written, error);
  g_autofree TallOutcome *outcomes = g_new0 (TallOutcome, n);
  gboolean done =
      tall_front_put_orders (self->pair->ours.front, (TallOrder *const *)self->written->pdata, NULL,
                             n, outcomes, error);
  for (guint i = 0; i < n; i++)
    {
      if (done && outcomes[i].error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&outcomes[i].error));
          done = FALSE;
        }
      tall_outcome_clear (&outcomes[i]);
    }
  return done;
}

static gboolean
check_written (gpointer data, guint n, GError **error)
{
  Side *self = data;
  for (guint i = 0; i < n; i++)
    {
      const TallOrder *order = g_ptr_array_index (self->written, i);
      g_autoptr (TallOrder) found = get (self, order, error);
      if (found == NULL || !tall_bench_check_same (order, found, error))
        return FALSE;
    }
  return TRUE;
}

/* Other content under the numbers that are there. */
static gboolean
prepare_replace (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Side *self = data;
  g_clear_pointer (&self->written, g_ptr_array_unref);
  self->written = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  self->workload.seed = self->next + 1;
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (self->written, tall_workload_make_order (&self->workload, find (self, i)));
  self->next += n;
  return TRUE;
}

static gboolean
run_replace (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  return write_all (data, FALSE, error);
}

/* In an order in which what is written is read no more. */
static const struct
{
  const char *name;
  const char *prefix; /* of the numbers that are written */
  TallMeasureSide side;
  gboolean synced; /* it is measured where writes are synced */
  gboolean unsynced;
} operations[] = {
  { "fetch", "P", { BATCH, NULL, run_fetch, check_fetch, clear_fetch, NULL }, FALSE, TRUE },
  { "list", "P", { BATCH, NULL, run_list, check_list, clear_list, NULL }, FALSE, TRUE },
  { "store", "N", { BATCH, prepare_store, run_store, check_written, NULL, NULL }, TRUE, TRUE },
  { "replace",
    "P",
    { BATCH, prepare_replace, run_replace, check_written, NULL, NULL },
    TRUE,
    TRUE },
  { "store-many",
    "M",
    { MANY, prepare_store, run_store_many, check_written, NULL, NULL },
    TRUE,
    FALSE },
};

static gboolean
measure (Pair *pair, guint i, TallBenchReport *report, GError **error)
{
  g_auto (TallMeasurement) measurement = { 0 };
  TallWorkload workload = pair->workload;
  workload.prefix = operations[i].prefix;
  g_auto (Side) ours = { .pair = pair, .workload = workload };
  g_auto (Side) peer = { .pair = pair, .workload = workload, .is_peer = TRUE };
  TallMeasureSide sides[] = { operations[i].side, operations[i].side };
  sides[0].data = &ours;
  sides[1].data = &peer;
  const TallMeasurePlan plan = { .seconds = seconds,
                                 .round_seconds = MIN (ROUND_SECONDS, seconds / 10) };
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  const char *kind = pair->layout->single_row ? "document" : "normalized";
  const char *sync = pair->sync ? "-synced" : "";
  g_autofree char *id = g_strdup_printf ("peer-%s-%s%s", operations[i].name, kind, sync);
  g_autofree char *what =
      g_strdup_printf ("%s%s: %s / SQLite, %s", operations[i].name, sync, pair->layout->name, kind);
  tall_bench_report_add_rate (report, id, what, GOAL, &measurement.sides[0], &measurement.sides[1]);
  return TRUE;
}

static gboolean
fill (Pair *self, GError **error)
{
  const Side ours = { .pair = self };
  const Side peer = { .pair = self, .is_peer = TRUE };
  for (guint i = 0; i < self->orders->len; i++)
    {
      TallOrder *order = g_ptr_array_index (self->orders, i);
      if (!put (&ours, order, TRUE, error) || !put (&peer, order, TRUE, error))
        return FALSE;
    }
  for (const TallLayoutTable *table = self->layout->tables; table->name != NULL; table++)
    if (!tall_floor_settle (self->ours.table, table->name, error))
      return FALSE;
  return tall_peer_store_settle (self->peer, error);
}

static gboolean
open_pair (Pair *self, const char *folder, const char *path, GError **error)
{
  const TallStoreSettings settings = {
    .layout = self->layout,
    .key_strategy = &tall_key_hashed,
    .index = TALL_INDEX_BY_DATE,
  };
  if (!tall_bench_store_open_temporary (&self->ours, folder, &settings, self->sync, error))
    return FALSE;
  self->peer = tall_peer_store_open (path, self->layout->single_row, self->sync, error);
  return self->peer != NULL && fill (self, error);
}

static gboolean
compare (const TallLayout *layout,
         gboolean sync,
         const char *folder,
         TallBenchReport *report,
         GError **error)
{
  guint n = (guint)(sync ? MIN (n_orders, 100) : n_orders); /* few, where each write is synced */
  g_autofree char *path = g_build_filename (folder, "peer.sqlite", NULL);
  Pair pair = { .layout = layout, .sync = sync };
  pair.workload = (TallWorkload){ .prefix = "P",
                                  .n_lines = (guint)n_lines,
                                  .n_customers = MAX (n / A_CUSTOMER, 1) };
  pair.orders = tall_workload_make_orders (&pair.workload, 0, n);
  gboolean done = open_pair (&pair, folder, path, error);
  for (guint i = 0; done && i < G_N_ELEMENTS (operations); i++)
    if (sync ? operations[i].synced : operations[i].unsynced)
      done = measure (&pair, i, report, error);
  g_clear_pointer (&pair.peer, tall_peer_store_close);
  tall_bench_store_close (&pair.ours);
  g_ptr_array_unref (pair.orders);
  g_unlink (path);
  return done;
}

static void
show_figure (const char *text, gpointer data G_GNUC_UNUSED)
{
  g_print ("%s", text);
}

static gboolean
compare_all (TallBenchReport *report, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("tallorder-peer-XXXXXX", error);
  if (folder == NULL)
    return FALSE;
  tall_bench_report_set (report, "lines", n_lines);
  tall_bench_report_set (report, "orders", n_orders);
  gboolean done = compare (&tall_layout_blob, FALSE, folder, report, error)
                  && compare (&tall_layout_normalized, FALSE, folder, report, error)
                  && compare (&tall_layout_blob, TRUE, folder, report, error)
                  && compare (&tall_layout_normalized, TRUE, folder, report, error);
  g_rmdir (folder);
  return done;
}

int
main (int argc, char *argv[])
{
  const GOptionEntry entries[] = {
    { "count", 0, 0, G_OPTION_ARG_INT, &n_orders, "orders (20000)", "N" },
    { "lines", 0, 0, G_OPTION_ARG_INT, &n_lines, "lines an order (5)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "of each figure (2)", "S" },
    { "check", 0, 0, G_OPTION_ARG_NONE, &check_goals, "end with 1 unless all goals are reached",
      NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "as JSON", NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (TallBenchReport) report = tall_bench_report_new ();
  g_autoptr (GError) error = NULL;
  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  gboolean valid = g_option_context_parse (context, &argc, &argv, &error);
  if (!valid || argc > 1 || n_orders < 1 || n_lines < 1 || seconds < 0)
    {
      g_printerr ("tallorder-peer-calls: %s; see --help\n",
                  valid ? "each number is 1 or more, and there is nothing else" : error->message);
      return 2;
    }
  if (!as_json)
    tall_bench_report_show (report, show_figure, NULL);
  if (!compare_all (report, &error))
    {
      g_printerr ("tallorder-peer-calls: %s\n", error->message);
      return 3;
    }
  g_autofree char *json = as_json ? tall_bench_report_to_json (report) : NULL;
  if (json != NULL)
    g_print ("%s", json);
  return check_goals && tall_bench_report_count_missed (report) > 0 ? 1 : 0;
}

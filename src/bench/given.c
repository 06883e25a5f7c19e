/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/given.h"

#include "bench/orders.h"
#include "base/fail.h"

#include <math.h>
#include <string.h>

#define MAX_CACHE 1000

/**
 * tall_bench_check_ranges:
 *
 * Returns: FALSE with %TALL_ERROR_INVALID that names the first option that is out of its range
 */
gboolean
tall_bench_check_ranges (const TallRange *ranges, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      const TallRange *range = &ranges[i];
      if ((range->is_optional && range->value <= (double)TALL_BENCH_NO_COUNT)
          || (range->value >= range->least && range->value <= range->most))
        continue;
      g_autofree char *most =
          isinf (range->most) ? g_strdup ("or more") : g_strdup_printf ("to %.15g", range->most);
      return tall_error_fail_invalid (error, range->option, "--%s: choose %.15g %s", range->option,
                                      range->least, most);
    }
  return TRUE;
}

/* Sets the conditions but for the processes.
 *
 * Returns: (nullable): what is wrong */
static const char *
bench_given_read_conditions (TallBenchGiven *self)
{
  TallBenchConditions *conditions = &self->conditions;
  conditions->compression = self->compression;
  conditions->block_encoding = self->block_encoding;
  conditions->admin = self->admin;
  if (self->cache != TALL_BENCH_NO_NUMBER && !(self->cache > 0 && self->cache <= MAX_CACHE))
    return "--cache: choose more than 0, to " G_STRINGIFY (MAX_CACHE);
  conditions->regions = (guint)MAX (self->regions, 0);
  conditions->age = (guint)MAX (self->age, 0);
  conditions->cache = MAX (self->cache, 0);
  if (conditions->cache > 0)
    conditions->rest = TALL_BENCH_COMPACTED;
  if (self->rest == NULL)
    return NULL;
  for (guint i = 0; tall_bench_rest_names[i] != NULL; i++)
    if (g_str_equal (self->rest, tall_bench_rest_names[i]))
      {
        conditions->rest = (TallBenchRest)i;
        return conditions->cache > 0 && i == TALL_BENCH_AS_IT_IS
                   ? "--cache needs rows in files: --rest flushed or compacted"
                   : NULL;
      }
  return "--rest: choose as-it-is, flushed or compacted";
}

#define MAX_LINES 9000 /* with its location, an order has at most 10,000 */
#define ZIPF "zipf:"
#define MAX_ORDERS 10000000
#define USUAL_LINES 5
#define USUAL_COUNT 1000
#define USUAL_CUSTOMERS 20
#define USUAL_SECONDS 1
#define USUAL_SEED 1
/* Lines of all orders, which are kept to be compared with: some 800 MB. */
#define MAX_KEPT_LINES 5000000

static gboolean
read_number (const char *text, gsize len, guint *number)
{
  g_autofree char *part = g_strndup (text, len);
  guint64 value;
  if (!g_ascii_string_to_unsigned (part, 10, 1, MAX_LINES, &value, NULL))
    return FALSE;
  *number = (guint)value;
  return TRUE;
}

static gboolean
fail_lines (const TallBenchGiven *self, GError **error)
{
  return tall_error_fail_invalid (
      error, "lines",
      "--lines %s: write a number, a range such as 1-50, or " ZIPF "50 for a "
      "range with few lines often and many seldom, of 1 to " G_STRINGIFY (MAX_LINES) " lines",
      self->lines);
}

/* `5`, `1-50`, or `zipf:50`. */
static gboolean
read_lines (TallBenchGiven *self, GError **error)
{
  self->few_lines = g_str_has_prefix (self->lines, ZIPF);
  if (self->few_lines)
    {
      const char *most = self->lines + strlen (ZIPF);
      self->min_lines = 1;
      return read_number (most, strlen (most), &self->max_lines) || fail_lines (self, error);
    }
  const char *dash = strchr (self->lines, '-');
  gsize len = dash != NULL ? (gsize)(dash - self->lines) : strlen (self->lines);
  const char *last = dash != NULL ? dash + 1 : self->lines;
  if (!read_number (self->lines, len, &self->min_lines)
      || !read_number (last, strlen (last), &self->max_lines))
    return fail_lines (self, error);
  if (self->min_lines <= self->max_lines)
    return TRUE;
  return tall_error_fail_invalid (error, "lines",
                                  "--lines %s: the range is the wrong way round; write %u-%u",
                                  self->lines, self->max_lines, self->min_lines);
}

static gboolean
check_numbers (const TallBenchGiven *self, GError **error)
{
  const TallRange ranges[] = {
    { "count", (double)self->count, 1, MAX_ORDERS, TRUE },
    { "customers", (double)self->customers, 1, MAX_ORDERS, TRUE },
    { "clients", (double)self->clients, 1, TALL_BENCH_MAX_CLIENTS, FALSE },
    { "operations", (double)self->operations, 1, 1000000000, TRUE },
    { "turns", (double)self->turns, 1, 1000, FALSE },
    { "rate", self->rate, 0.001, 10000000, TRUE },
    { "skew", self->skew, 0, 0.99, TRUE },
    { "seed", (double)self->seed, 0, INFINITY, TRUE },
    { "seconds", self->seconds, 0, 3600, TRUE },
    { "regions", (double)self->regions, 1, TALL_MAX_REGIONS, TRUE },
    { "age", (double)self->age, 0, 1000, TRUE },
  };
  return tall_bench_check_ranges (ranges, G_N_ELEMENTS (ranges), error);
}

static const char *
check_layouts (const TallBenchGiven *self)
{
  if (self->orders != NULL && self->map == NULL)
    return "--orders needs --map, which says which column is what: a preset, as load has them, or "
           "a file";
  if (self->map != NULL && self->orders == NULL)
    return "--map is for the columns of --orders FILE.csv";
  if (self->orders != NULL
      && (self->lines != NULL || self->customers != TALL_BENCH_NO_COUNT
          || self->seed != TALL_BENCH_NO_COUNT || self->skew != TALL_BENCH_NO_NUMBER))
    return "--lines, --customers, --skew and --seed are for orders that are made up: leave them "
           "out, or --orders";
  if (self->operations != TALL_BENCH_NO_COUNT && self->seconds != TALL_BENCH_NO_NUMBER)
    return "Give --seconds or --operations, not both";
  if (self->seconds == 0)
    return "--seconds: a phase takes some time; choose more than 0";
  return NULL;
}

/**
 * tall_bench_given_check:
 *
 * Looks for what makes no sense, and reads @lines.
 */
gboolean
tall_bench_given_check (TallBenchGiven *self, GError **error)
{
  if (!check_numbers (self, error))
    return FALSE;
  const char *wrong = bench_given_read_conditions (self);
  if (wrong == NULL && self->pids != NULL
      && !tall_bench_pids_parse (&self->conditions.pids, self->pids, error))
    return FALSE;
  if (wrong == NULL && self->lines != NULL && !read_lines (self, error))
    return FALSE;
  if (wrong == NULL && self->mix != NULL && !tall_bench_mix_parse (&self->parts, self->mix, error))
    return FALSE;
  if (wrong == NULL)
    wrong = check_layouts (self);
  if (wrong == NULL)
    return TRUE;
  return tall_error_fail_invalid (error, "bench", "%s", wrong);
}

/* tall_layout_choose() or tall_key_strategy_choose() */
typedef gconstpointer (*Choose) (const char *name, GError **error);

static gconstpointer
choose_layout (const char *name, GError **error)
{
  return tall_layout_choose (name, error);
}

static gconstpointer
choose_key (const char *name, GError **error)
{
  return tall_key_strategy_choose (name, error);
}

static gboolean
add_named (GPtrArray *found, Choose choose, const char *name, GError **error)
{
  gconstpointer each = choose (name, error);
  if (each == NULL)
    return FALSE;
  if (!g_ptr_array_find (found, each, NULL))
    {
      g_ptr_array_add (found, (gpointer)each);
      return TRUE;
    }
  return tall_error_fail_invalid (error, "bench", "%s is given twice", name);
}

/* Those that @text names, between commas; NULL: the default. @all: n_all pointers, which `all`
 * stands for. */
static GPtrArray *
find_named (const char *text, gconstpointer all, guint n_all, Choose choose, GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  if (g_strcmp0 (text, "all") == 0)
    {
      g_ptr_array_set_size (found, (gint)n_all);
      memcpy (found->pdata, all, n_all * sizeof (gpointer));
      return g_steal_pointer (&found);
    }
  /* an empty text is split into no names, but is a wrong one */
  if (text == NULL || *text == '\0')
    return add_named (found, choose, text, error) ? g_steal_pointer (&found) : NULL;
  g_auto (GStrv) names = g_strsplit (text, ",", -1);
  for (guint i = 0; names[i] != NULL; i++)
    if (!add_named (found, choose, names[i], error))
      return NULL;
  return g_steal_pointer (&found);
}

/**
 * tall_bench_given_find_layouts:
 *
 * Returns: (transfer container) (element-type TallLayout): those chosen, all unless some are; NULL,
 *   naming those that there are, if one is not known
 */
GPtrArray *
tall_bench_given_find_layouts (const TallBenchGiven *self, GError **error)
{
  guint n;
  const TallLayout *const *all = tall_layouts (&n);
  return find_named (self->layouts != NULL ? self->layouts : "all", all, n, choose_layout, error);
}

/**
 * tall_bench_given_find_keys:
 *
 * Returns: (transfer container) (element-type TallKeyStrategy): the same for key strategies; the
 *   default unless some are chosen
 */
GPtrArray *
tall_bench_given_find_keys (const TallBenchGiven *self, GError **error)
{
  guint n;
  const TallKeyStrategy *const *all = tall_key_strategies (&n);
  return find_named (self->keys, all, n, choose_key, error);
}

static TallBenchOrders *
make_orders (const TallBenchGiven *self, GError **error)
{
  guint count = self->count != TALL_BENCH_NO_COUNT ? (guint)self->count : USUAL_COUNT;
  TallWorkload workload = {
    .prefix = "",
    .n_lines = self->lines != NULL ? self->min_lines : USUAL_LINES,
    .max_lines = self->max_lines,
    .few_lines = self->few_lines,
    .skew = MAX (self->skew, 0),
    .n_customers =
        self->customers != TALL_BENCH_NO_COUNT ? (guint)self->customers : USUAL_CUSTOMERS,
    .seed = self->seed != TALL_BENCH_NO_COUNT ? (guint64)self->seed : USUAL_SEED,
  };
  guint most = MAX (workload.n_lines, workload.max_lines);
  if ((guint64)count * most <= MAX_KEPT_LINES)
    return tall_bench_orders_new (tall_workload_make_orders (&workload, 0, count));
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "All orders are kept in memory, to be compared with what comes back: %u of up to %u "
               "lines are too many; choose a --count up to %u",
               count, most, MAX_KEPT_LINES / most);
  return NULL;
}

static gboolean
check_clients (const TallBenchGiven *self, const TallBenchOrders *orders, GError **error)
{
  if (self->clients <= orders->orders->len)
    return TRUE;
  return tall_error_fail_invalid (error, "clients",
                                  "--clients %" G_GINT64_FORMAT
                                  ": there are only %u orders, and each "
                                  "client needs its own to replace",
                                  self->clients, orders->orders->len);
}

/**
 * tall_bench_given_get_orders:
 * @begin: as of #TallBenchFile
 * @left_out: (out) (nullable) (transfer full): a line for people about what a file has beside them
 *
 * Returns: (transfer full): the orders to measure with, made up or those of a file
 */
TallBenchOrders *
tall_bench_given_get_orders (const TallBenchGiven *self,
                             const gint *(*begin) (void),
                             char **left_out,
                             GError **error)
{
  g_autoptr (TallBenchOrders) orders = NULL;
  *left_out = NULL;
  if (self->orders == NULL)
    orders = make_orders (self, error);
  else
    {
      TallBenchFile file = {
        .paths = (const char *const *)self->orders,
        .map = self->map,
        .max_orders = self->count != TALL_BENCH_NO_COUNT ? (guint)self->count : G_MAXUINT,
        .max_lines = MAX_KEPT_LINES,
        .begin = begin,
      };
      GPtrArray *read = tall_bench_file_read (&file, error);
      *left_out = file.left_out;
      orders = read != NULL ? tall_bench_orders_new (read) : NULL;
    }
  if (orders == NULL || !check_clients (self, orders, error))
    return NULL;
  for (guint i = 0; self->mix != NULL && i < orders->orders->len; i++)
    tall_bench_change_order (g_ptr_array_index (orders->orders, i)); /* from here on it has two */
  return g_steal_pointer (&orders);
}

/**
 * tall_bench_given_make_plan:
 * @stop: atomic: becomes nonzero when the run has to stop
 */
TallBenchPlan
tall_bench_given_make_plan (const TallBenchGiven *self, const gint *stop)
{
  return (TallBenchPlan){
    .n_clients = (guint)self->clients,
    .seconds = self->operations != TALL_BENCH_NO_COUNT ? 0
               : self->seconds > 0                     ? self->seconds
                                                       : USUAL_SECONDS,
    .n_operations = self->operations != TALL_BENCH_NO_COUNT ? (guint64)self->operations : 0,
    .seed = self->seed != TALL_BENCH_NO_COUNT ? (guint64)self->seed : USUAL_SEED,
    .rate = MAX (self->rate, 0),
    .mix = self->mix != NULL ? &self->parts : NULL,
    .stop = stop,
  };
}

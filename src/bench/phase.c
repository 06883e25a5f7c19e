/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/phase.h"

#include "bench/store.h"
#include "bench/orders.h"
#include "table/hbase/table.h"
#include "tall-bulk.h"
#include "tall-limits.h"
#include "base/fail.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define NUMBER_INDEX "number"

/* Of the calling process, if @pid is 0. NAN: there is no such process. */
static double
read_cpu (pid_t pid)
{
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid (pid, &clock) != 0 || clock_gettime (clock, &time) != 0)
    return NAN;
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double
read_cpu_of_all (const pid_t *pids, guint n)
{
  double sum = n > 0 ? 0 : NAN;
  for (guint i = 0; i < n; i++)
    sum += read_cpu (pids[i]);
  return sum;
}

static double
find_measure (const GArray *measures, const char *name)
{
  for (guint i = 0; measures != NULL && i < measures->len; i++)
    if (g_str_equal (g_array_index (measures, TallTableMeasure, i).name, name))
      return g_array_index (measures, TallTableMeasure, i).value;
  return NAN;
}

/**
 * tall_bench_meter_read:
 *
 * Reads what has been spent since some moment, always the same.
 */
void
tall_bench_meter_read (const TallBenchMeter *self, double values[TALL_BENCH_N_SPENDINGS])
{
  static const TallBenchPids none = { 0 };
  const TallBenchPids *pids = self->pids != NULL ? self->pids : &none;
  g_autoptr (GArray) measures =
      TALL_IS_HBASE_TABLE (self->table) ? tall_table_list_measures (self->table) : NULL;
  values[TALL_BENCH_SPENT_CLIENT] = read_cpu (0);
  values[TALL_BENCH_SPENT_GATEWAY] = read_cpu_of_all (pids->gateways, pids->n_gateways);
  values[TALL_BENCH_SPENT_SERVER] = read_cpu_of_all (pids->servers, pids->n_servers);
  values[TALL_BENCH_SPENT_SENT] = find_measure (measures, TALL_HBASE_SENT_BYTES);
  values[TALL_BENCH_SPENT_RECEIVED] = find_measure (measures, TALL_HBASE_RECEIVED_BYTES);
}

static gboolean
add_pid (pid_t *pids, guint *n, const char *text)
{
  guint64 pid;
  if (*n == TALL_BENCH_MAX_PIDS || !g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT, &pid, NULL)
      || isnan (read_cpu ((pid_t)pid)))
    return FALSE;
  pids[(*n)++] = (pid_t)pid;
  return TRUE;
}

static gboolean
add_pid_of (TallBenchPids *self, const char *part)
{
  if (g_str_has_prefix (part, "gateway="))
    return add_pid (self->gateways, &self->n_gateways, part + strlen ("gateway="));
  return g_str_has_prefix (part, "server=")
         && add_pid (self->servers, &self->n_servers, part + strlen ("server="));
}

/**
 * tall_bench_pids_parse:
 * @self: zero before
 * @text: such as `gateway=12,server=34,server=56`
 */
gboolean
tall_bench_pids_parse (TallBenchPids *self, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  gboolean right = parts[0] != NULL;
  for (guint i = 0; right && parts[i] != NULL; i++)
    right = add_pid_of (self, parts[i]);
  if (!right)
    tall_error_set_invalid (error, "pids",
                            "--pids %s: write gateway=PID or server=PID between commas, each of a "
                            "process that runs on this machine",
                            text);
  return right;
}

static const TallBenchPhase *bench_parts (guint *n);

static const TallBenchPhase *
find_part (const char *name, gsize len)
{
  guint n;
  const TallBenchPhase *parts = bench_parts (&n);
  for (guint i = 0; i < n; i++)
    if (strlen (parts[i].name) == len && strncmp (parts[i].name, name, len) == 0)
      return &parts[i];
  return NULL;
}

static gboolean
add_part (TallBenchMix *self, const char *text)
{
  const char *sign = strchr (text, '=');
  const TallBenchPhase *part = sign != NULL ? find_part (text, (gsize)(sign - text)) : NULL;
  guint64 weight;
  if (part == NULL || !g_ascii_string_to_unsigned (sign + 1, 10, 1, 100, &weight, NULL))
    return FALSE;
  for (guint i = 0; i < self->n_parts; i++)
    if (self->parts[i] == part)
      return FALSE;
  self->parts[self->n_parts] = part;
  self->weights[self->n_parts++] = (guint)weight;
  self->total += (guint)weight;
  return TRUE;
}

/**
 * tall_bench_mix_parse:
 * @self: zero before
 * @text: such as `get=90,store=10`
 */
gboolean
tall_bench_mix_parse (TallBenchMix *self, const char *text, GError **error)
{
  g_auto (GStrv) texts = g_strsplit (text, ",", -1);
  gboolean right = texts[0] != NULL;
  for (guint i = 0; right && texts[i] != NULL; i++)
    right = add_part (self, texts[i]);
  if (right)
    return TRUE;
  guint n;
  const TallBenchPhase *parts = bench_parts (&n);
  g_autoptr (GString) names = g_string_new (parts[0].name);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (names, ", %s", parts[i].name);
  return tall_error_fail_invalid (error, "mix",
                                  "--mix %s: write parts and how often each of them, from 1 to "
                                  "100, once each, such as get=90,store=10; there are %s",
                                  text, names->str);
}

/**
 * tall_bench_mix_has:
 * @self: (nullable)
 *
 * Returns: whether it has the part of this name
 */
gboolean
tall_bench_mix_has (const TallBenchMix *self, const char *name)
{
  for (guint i = 0; self != NULL && i < self->n_parts; i++)
    if (g_str_equal (self->parts[i]->name, name))
      return TRUE;
  return FALSE;
}

/**
 * tall_bench_mix_get_indexes:
 * @self: (nullable)
 *
 * Returns: (nullable): lines NAME=TEMPLATE of the indexes that it needs beside the one by date
 */
const char *
tall_bench_mix_get_indexes (const TallBenchMix *self)
{
  return tall_bench_mix_has (self, TALL_BENCH_FIND) ? NUMBER_INDEX "=order_number" : NULL;
}

/* Of a batch at most. */
#define MAX_ORDERS 100
#define MAX_LINES 2000

/* @end: of the number
 *
 * Returns: (transfer full): a number near that of @order, which none of the orders has; another for
 *   each @end */
static char *
make_number (const TallBenchOrders *self, const TallOrder *order, const char *end)
{
  const char *number = order->order_number;
  gsize room = TALL_MAX_NUMBER_BYTES - strlen (self->mark) - strlen (end);
  gsize len = strlen (number);
  if (len > room)
    len = (gsize)(g_utf8_find_prev_char (number, number + room + 1) - number);
  return g_strdup_printf ("%.*s%s%s", (int)len, number, self->mark, end);
}

static TallOrder *
copy_new (const TallBenchOrders *orders, guint64 place)
{
  const TallOrder *order = g_ptr_array_index (orders->orders, place);
  g_autofree char *end = g_strdup_printf ("%" G_GUINT64_FORMAT, place);
  TallOrder *copy = g_new (TallOrder, 1);
  *copy = *order;
  copy->order_number = make_number (orders, order, end);
  return copy;
}

static void
copy_free (TallOrder *copy)
{
  g_free (copy->order_number);
  g_free (copy);
}

/* A tenth of its orders warms up, and must not be in a batch with others. */
static guint
get_batch (const TallBenchClient *client)
{
  guint n_own =
      (client->orders->orders->len - client->number + client->n_clients - 1) / client->n_clients;
  return CLAMP (n_own / 10, 1, MAX_ORDERS);
}

/* Takes the next of the client's own orders, as many as make a batch. */
static void
bench_load_choose (TallBenchClient *client, TallBenchOperation *operation)
{
  guint n_lines = 0;
  guint most = get_batch (client);
  operation->batch = g_ptr_array_new_with_free_func ((GDestroyNotify)copy_free);
  while (operation->n < most && n_lines < MAX_LINES)
    {
      guint64 place = client->number + client->step * client->n_clients;
      if (place >= client->orders->orders->len)
        break;
      TallOrder *copy = copy_new (client->orders, place);
      g_ptr_array_add (operation->batch, copy);
      n_lines += tall_order_count_lines (copy);
      operation->n++;
      client->step++;
    }
}

static gboolean
check_stored (const GPtrArray *batch, const TallBulkResult *results, GError **error)
{
  for (guint i = 0; i < batch->len; i++)
    {
      const TallOrder *copy = g_ptr_array_index (batch, i);
      if (results[i].outcome == TALL_BULK_STORED || results[i].outcome == TALL_BULK_REVIVED)
        continue;
      if (results[i].error != NULL)
        g_propagate_error (error, g_error_copy (results[i].error));
      else
        g_set_error (error, TALL_ERROR, TALL_ERROR_CONFLICT, "Order %s of %s was there already",
                     copy->order_number, copy->customer_number);
      return FALSE;
    }
  return TRUE;
}

/* Puts a batch. The first one of a client begins its load. */
static gboolean
bench_load_run (TallBenchClient *client, TallBenchOperation *operation, GError **error)
{
  const GPtrArray *batch = operation->batch;
  guint n = batch->len;
  if (client->bulk == NULL)
    client->bulk = tall_bulk_begin (client->front, NULL, error);
  if (client->bulk == NULL)
    return FALSE;
  g_autofree TallBulkResult *results = g_new0 (TallBulkResult, n);
  gboolean ok =
      tall_bulk_put_orders (client->bulk, (TallOrder *const *)batch->pdata, n, results, error)
      && check_stored (batch, results, error);
  for (guint i = 0; i < n; i++)
    tall_bulk_result_clear (&results[i]);
  return ok;
}

#define PAGE 30 /* entries of a listing */
#define BASE_LINES 8

static guint
count_kept (const TallOrder *order)
{
  return order->n_shipping_locations + tall_order_count_lines (order);
}

/**
 * tall_bench_operation_count_kept:
 *
 * Returns: how much room the result takes, in lines
 */
guint
tall_bench_operation_count_kept (const TallBenchOperation *self)
{
  guint n = BASE_LINES;
  if (self->found != NULL)
    n += count_kept (self->found);
  if (self->list != NULL)
    n += self->list->n_entries;
  for (guint i = 0; self->all_orders != NULL && i < self->all_orders->n_orders; i++)
    if (self->all_orders->orders[i].order != NULL)
      n += BASE_LINES + count_kept (self->all_orders->orders[i].order);
  return n;
}

static guint64
choose (TallBenchClient *self)
{
  return tall_workload_mix (self->seed + self->number, self->step++);
}

/* Its own orders, one after the other. */
static void
take_next_order (TallBenchClient *self, TallBenchOperation *operation)
{
  GPtrArray *orders = self->orders->orders;
  guint64 place = self->number + self->step++ * self->n_clients;
  operation->order = g_ptr_array_index (orders, place % orders->len);
}

static void
choose_order (TallBenchClient *self, TallBenchOperation *operation)
{
  GPtrArray *orders = self->orders->orders;
  operation->order = g_ptr_array_index (orders, choose (self) % orders->len);
}

static void
choose_own_order (TallBenchClient *self, TallBenchOperation *operation)
{
  GPtrArray *orders = self->orders->orders;
  guint n_own = (orders->len - self->number + self->n_clients - 1) / self->n_clients;
  guint64 place = self->number + choose (self) % n_own * self->n_clients;
  operation->order = g_ptr_array_index (orders, place);
  operation->changed = tall_bench_is_changed (operation->order);
}

static void
take_and_change_order (TallBenchClient *self, TallBenchOperation *operation)
{
  take_next_order (self, operation);
  tall_bench_change_order (operation->order);
}

/* One of its own, so that no two clients replace the same one: that would measure waiting. */
static void
choose_and_change_order (TallBenchClient *self, TallBenchOperation *operation)
{
  choose_own_order (self, operation);
  tall_bench_change_order (operation->order);
}

static void
choose_missing_order (TallBenchClient *self, TallBenchOperation *operation)
{
  choose_order (self, operation);
  operation->number = make_number (self->orders, operation->order, "none");
}

/* As often as it has orders. */
static void
choose_customer (TallBenchClient *self, TallBenchOperation *operation)
{
  choose_order (self, operation);
  operation->customer =
      g_hash_table_lookup (self->orders->by_customer, operation->order->customer_number);
  operation->order = NULL;
}

static gboolean
put_order (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  return tall_front_put_order (self->front, operation->order, NULL, NULL, error);
}

static gboolean
get_order (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  operation->found = tall_front_get_order (self->front, operation->order->customer_number,
                                           operation->order->order_number, NULL, error);
  return operation->found != NULL;
}

/* Takes the order of this customer out of a page: others may have the same number. */
static void
take_found (TallFound *page, TallBenchOperation *operation, GError **error)
{
  for (guint i = 0; i < page->n_orders && operation->found == NULL && *error == NULL; i++)
    {
      TallOutcome *outcome = &page->orders[i];
      if (outcome->error != NULL)
        *error = g_steal_pointer (&outcome->error);
      else if (g_str_equal (outcome->order->customer_number, operation->order->customer_number))
        operation->found = g_steal_pointer (&outcome->order);
    }
}

static gboolean
find_order (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  const char *const values[] = { operation->order->order_number };
  TallFindOptions options = { .index = NUMBER_INDEX, .values = values, .n_values = 1 };
  g_autofree char *token = NULL;
  GError *cause = NULL;
  do
    {
      g_autoptr (TallFound) page = tall_front_find_orders (self->front, &options, &cause);
      if (page == NULL)
        break;
      take_found (page, operation, &cause);
      g_free (token);
      options.page = token = g_steal_pointer (&page->next_page);
    }
  while (operation->found == NULL && cause == NULL && token != NULL);
  if (cause == NULL && operation->found == NULL)
    g_set_error (&cause, TALL_ERROR, TALL_ERROR_DAMAGED,
                 "Order %s of %s is not found by its number: a defect of this version",
                 operation->order->order_number, operation->order->customer_number);
  if (cause != NULL)
    g_propagate_error (error, cause);
  return operation->found != NULL;
}

static gboolean
check_order (const TallBenchOperation *operation, GError **error)
{
  return tall_bench_check_same (operation->order, operation->found, error);
}

static gboolean
list_orders (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  TallListOptions options = { .limit = PAGE };
  operation->list =
      tall_front_list_orders (self->front, operation->customer->number, &options, error);
  return operation->list != NULL;
}

static gboolean
check_list (const TallBenchOperation *operation, GError **error)
{
  return tall_bench_check_list (operation->customer, operation->list, PAGE, FALSE, error);
}

static gboolean
get_missing_order (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  GError *cause = NULL;
  operation->found = tall_front_get_order (self->front, operation->order->customer_number,
                                           operation->number, NULL, &cause);
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    {
      g_error_free (cause);
      return TRUE;
    }
  if (cause != NULL)
    g_propagate_error (error, cause);
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
                 "Order %s of %s came back, and was never stored: a defect of this version",
                 operation->number, operation->order->customer_number);
  return FALSE;
}

static gboolean
get_all_orders (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  TallListOptions options = { .limit = PAGE };
  operation->all_orders =
      tall_front_get_customer_orders (self->front, operation->customer->number, &options, error);
  return operation->all_orders != NULL;
}

static gboolean
check_all_orders (const TallBenchOperation *operation, GError **error)
{
  return tall_bench_check_customer_orders (operation->customer, operation->all_orders, PAGE, error);
}

/* It takes no step: the part does. */
static void
choose_of_mix (TallBenchClient *self, TallBenchOperation *operation)
{
  guint64 random = tall_workload_mix (~(self->seed + self->number), self->step);
  guint place = (guint)(random % self->mix->total);
  guint part = 0;
  for (; place >= self->mix->weights[part]; part++)
    place -= self->mix->weights[part];
  operation->part = self->mix->parts[part];
  operation->part->choose (self, operation);
}

static gboolean
run_of_mix (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  return operation->part->run (self, operation, error);
}

static gboolean
check_of_mix (const TallBenchOperation *operation, GError **error)
{
  return operation->part->check == NULL || operation->part->check (operation, error);
}

/* A new order with the content of one of its own, under a number that nobody has used. */
static void
choose_copy (TallBenchClient *self, TallBenchOperation *operation)
{
  choose_own_order (self, operation);
  g_autofree char *end = g_strdup_printf ("%u-%" G_GUINT64_FORMAT, self->number, self->step);
  operation->number = make_number (self->orders, operation->order, end);
}

static gboolean
put_copy (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  TallOrder copy = *operation->order;
  copy.order_number = operation->number;
  return tall_front_put_order (self->front, &copy, NULL, NULL, error);
}

/* The client may have replaced it since, with the other content. */
static gboolean
check_own_order (const TallBenchOperation *operation, GError **error)
{
  if (tall_bench_is_changed (operation->order) != operation->changed)
    tall_bench_change_order (operation->found);
  return check_order (operation, error);
}

static gboolean
check_list_meanwhile (const TallBenchOperation *operation, GError **error)
{
  return tall_bench_check_list (operation->customer, operation->list, PAGE, TRUE, error);
}

/* What the parts of a mix do: others write at the same time. */
static const TallBenchPhase parts[] = {
  { "store", NULL, FALSE, choose_copy, put_copy, NULL },
  { "get", NULL, FALSE, choose_own_order, get_order, check_own_order },
  { "missing", NULL, FALSE, choose_missing_order, get_missing_order, NULL },
  { "list", NULL, FALSE, choose_customer, list_orders, check_list_meanwhile },
  { TALL_BENCH_FIND, NULL, FALSE, choose_own_order, find_order, check_own_order },
  { "replace", NULL, FALSE, choose_and_change_order, put_order, NULL },
};
G_STATIC_ASSERT (G_N_ELEMENTS (parts) <= TALL_BENCH_MAX_PARTS);

/* Returns: (transfer none) (array length=n): what a mix can be made of */
static const TallBenchPhase *
bench_parts (guint *n)
{
  *n = G_N_ELEMENTS (parts);
  return parts;
}

#define MIX "mix"

static const TallBenchPhase phases[] = {
  { "store", "storing new orders", TRUE, take_next_order, put_order, NULL },
  { "get", "fetching whole orders", FALSE, choose_order, get_order, check_order },
  { "list", "listing the newest " G_STRINGIFY (PAGE) " orders of a customer", FALSE,
    choose_customer, list_orders, check_list },
  { "missing", "fetching orders that are not there", FALSE, choose_missing_order, get_missing_order,
    NULL },
  { "customer", "fetching a customer with " G_STRINGIFY (PAGE) " whole orders", FALSE,
    choose_customer, get_all_orders, check_all_orders },
  { TALL_BENCH_FIND, "finding an order by its number alone", FALSE, choose_order, find_order,
    check_order },
  { MIX, "operations of the mix, each as often as --mix says", FALSE, choose_of_mix, run_of_mix,
    check_of_mix },
  { "replace", "replacing orders", FALSE, choose_and_change_order, put_order, NULL },
  { "load", "loading orders in batches; latencies are those of a batch", TRUE, bench_load_choose,
    bench_load_run, NULL, TRUE },
  { "check", NULL, TRUE, take_next_order, get_order, check_order },
};

/**
 * tall_bench_mix_describe:
 *
 * Returns: (transfer full): lines for the help of a command: what a mix can be made of
 */
char *
tall_bench_mix_describe (void)
{
  GString *text = g_string_new ("A mix is made of these, each with how often it comes:\n");
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    for (guint k = 0; k < G_N_ELEMENTS (phases); k++)
      if (g_str_equal (parts[i].name, phases[k].name))
        g_string_append_printf (text, "  %-8s %s\n", parts[i].name, phases[k].summary);
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

static const TallBenchPhase age = { "age", NULL, TRUE, take_and_change_order, put_order, NULL };

/**
 * tall_bench_phase_age:
 *
 * Returns: (transfer none): the phase that replaces each order once; it is none of
 * tall_bench_phases()
 */
const TallBenchPhase *
tall_bench_phase_age (void)
{
  return &age;
}

/**
 * tall_bench_phases:
 *
 * Returns: (transfer none) (array length=n): the phases, in the order in which they have to run
 */
const TallBenchPhase *
tall_bench_phases (guint *n)
{
  *n = G_N_ELEMENTS (phases);
  return phases;
}

/**
 * tall_bench_phase_runs:
 * @mix: (nullable): what was asked for instead of one kind of operation after the other
 *
 * Returns: whether this phase is measured
 */
gboolean
tall_bench_phase_runs (const TallBenchPhase *self, const TallBenchMix *mix)
{
  gboolean mixed = mix != NULL && mix->total > 0;
  if (self->once)
    return !mixed || !self->loads;
  return g_str_equal (self->name, MIX) == mixed;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/orders.h"

#include "load/store/loader.h"
#include "base/fail.h"

#include <gio/gio.h>
#include <math.h>

#define DAY G_GINT64_CONSTANT (86400000)
#define FIRST_DAY (G_GINT64_CONSTANT (19723) * DAY) /* 2024-01-01 */
#define N_DAYS 366
#define N_ARTICLES 5000

/**
 * tall_workload_mix:
 *
 * Returns: a number that looks random, the same for the same arguments (SplitMix64 by S. Vigna,
 *   with the golden ratio as step)
 */
guint64
tall_workload_mix (guint64 seed, guint64 index)
{
  guint64 z = seed + (index + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static TallAddress *
make_address (TallArena *arena, guint64 index)
{
  TallAddress *address = tall_address_new (arena);
  address->line1 = tall_arena_printf (arena, "%" G_GUINT64_FORMAT " Station Road", 1 + index % 300);
  address->city = tall_arena_strdup (arena, "Springfield");
  address->zip = tall_arena_printf (arena, "%05" G_GUINT64_FORMAT, index % 100000);
  address->country = tall_arena_strdup (arena, "USA");
  return address;
}

static void
fill_line (TallArena *arena, guint64 random, guint i, TallLineItem *line)
{
  guint64 article = (random + (guint64)i * 7) % N_ARTICLES;
  line->item_number = tall_arena_printf (arena, "A%05" G_GUINT64_FORMAT, article);
  line->description = tall_arena_printf (arena, "Article number %" G_GUINT64_FORMAT, article);
  line->quantity = tall_decimal_new (arena, 1 + (gint64)(article % 12), 0);
  line->price = tall_decimal_new (arena, 199 + (gint64)(article * 13 % 20000), 2);
  line->discount = tall_decimal_new (arena, i % 4 == 0 ? 5 : 0, 2);
}

/* 0 … below 1, the same for the same number. */
static double
to_fraction (guint64 random)
{
  return (double)(random >> 11) / (double)(G_GUINT64_CONSTANT (1) << 53);
}

/* The distribution's inverse gives the number: of a uniform one; or of 1/n, summed up as ln n. */
static guint
choose_n_lines (const TallWorkload *self, guint64 random)
{
  guint least = self->n_lines;
  guint most = MAX (self->max_lines, least);
  if (!self->few_lines)
    return least + (guint)((random >> 32) % (most - least + 1));
  double fraction = to_fraction (tall_workload_mix (random, 1));
  return MIN ((guint)(least * pow ((most + 1.0) / least, fraction)), most);
}

/* By the inverse of the sum of k^-skew, which is about k^(1 - skew). */
static guint64
choose_customer (const TallWorkload *self, guint64 random, guint64 index)
{
  if (self->n_customers == 0)
    return index / TALL_WORKLOAD_ORDERS_A_CUSTOMER;
  if (self->skew <= 0)
    return index % self->n_customers;
  double fraction = to_fraction (tall_workload_mix (random, 2));
  return MIN ((guint64)(self->n_customers * pow (fraction, 1 / (1 - self->skew))),
              self->n_customers - 1);
}

static void
fill_location (const TallWorkload *self, guint64 random, TallOrder *order)
{
  TallArena *arena = tall_order_get_arena (order);
  TallShippingLocation *location = tall_order_add_location (order, 1);
  location->name = tall_arena_printf (arena, "Customer %s", order->customer_number);
  location->address = make_address (arena, random % 1000003);
  location->has_ship_date = TRUE;
  location->ship_date = order->sales_date + 3 * DAY;
  guint n_lines = choose_n_lines (self, random);
  for (guint i = 0; i < n_lines; i++)
    fill_line (arena, random >> 16, i, tall_location_add_line (location, arena, (gint32)i + 1));
}

/**
 * tall_workload_make_order:
 *
 * Returns: (transfer full): the order of that index
 */
TallOrder *
tall_workload_make_order (const TallWorkload *self, guint64 index)
{
  guint64 random = tall_workload_mix (self->seed, index);
  guint64 customer = choose_customer (self, random, index);
  g_autofree char *customer_number = g_strdup_printf ("C%08" G_GUINT64_FORMAT, customer);
  g_autofree char *order_number = g_strdup_printf ("%s%010" G_GUINT64_FORMAT, self->prefix, index);
  TallOrder *order = tall_order_new (customer_number, order_number);

  order->has_sales_date = TRUE;
  order->sales_date = FIRST_DAY + (gint64)(random % N_DAYS) * DAY;
  order->currency = tall_arena_strdup (tall_order_get_arena (order), "USD");
  fill_location (self, random, order);
  return order;
}

/**
 * tall_workload_make_orders:
 *
 * Returns: (transfer full) (element-type TallOrder): @n orders from @first on
 */
GPtrArray *
tall_workload_make_orders (const TallWorkload *self, guint64 first, guint n)
{
  GPtrArray *orders = g_ptr_array_new_full (n, (GDestroyNotify)tall_order_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (orders, tall_workload_make_order (self, first + i));
  return orders;
}

/* Orders that are read, by a dry run of a load. */
typedef struct
{
  GPtrArray *orders; /* of TallOrder */
  guint64 n_lines;   /* of all of them */
  guint max_orders;
  guint max_lines; /* that fit in memory */
  guint n_invalid; /* orders that a store would refuse … */
  GError *invalid; /* … and why the first one */
} Reading;

static void
reading_clear (Reading *self)
{
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  g_clear_error (&self->invalid);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reading, reading_clear)

static gboolean
is_full (const Reading *self)
{
  return self->orders->len >= self->max_orders || self->n_lines > self->max_lines;
}

static gboolean
take_item (TallLoadItem *item, gpointer data)
{
  Reading *self = data;
  if (is_full (self))
    return FALSE;
  if (!tall_order_normalize (item->order, self->invalid == NULL ? &self->invalid : NULL))
    {
      self->n_invalid++;
      return TRUE;
    }
  self->n_lines += tall_order_count_lines (item->order);
  g_ptr_array_add (self->orders, g_steal_pointer (&item->order));
  return TRUE;
}

/* What `load` would put aside is not measured, and not hidden. NULL: there is nothing. */
static char *
describe_left_out (const Reading *self, const char *path, TallRejects *rejects)
{
  guint64 n = tall_rejects_get_count (rejects);
  GPtrArray *tally = tall_rejects_get_tally (rejects);
  const TallRejectTally *most = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < tally->len; i++)
    {
      const TallRejectTally *one = g_ptr_array_index (tally, i);
      most = most == NULL || one->n_rows > most->n_rows ? one : most;
    }
  if (n > 0)
    g_string_append_printf (text,
                            "%" G_GUINT64_FORMAT " %s not measured, most often because: %s "
                            "(first: line %" G_GUINT64_FORMAT ")",
                            n, n == 1 ? "row is" : "rows are", most->reason, most->first_line);
  if (self->n_invalid > 0)
    g_string_append_printf (text, "%s%u %s not measured, the first as %s", n > 0 ? "; " : "",
                            self->n_invalid, self->n_invalid == 1 ? "order is" : "orders are",
                            self->invalid->message);
  if (text->len == 0)
    return NULL;
  const char *file = most != NULL ? tall_rejects_get_file_name (rejects, most->first_file) : NULL;
  return g_strdup_printf ("%s: %s", file != NULL ? file : path, text->str);
}

static gboolean
check_read (const Reading *self, const char *path, GError **error)
{
  if (self->n_lines > self->max_lines)
    return tall_error_fail (
        error, TALL_ERROR_TOO_LARGE,
        "%s: all orders are kept in memory, to be compared with what comes back, and these have "
        "more than %u lines together: choose fewer with --count",
        path, self->max_lines);
  if (self->orders->len > 0)
    return TRUE;
  return tall_error_fail_invalid (error, "orders", "%s: there is no order in it to measure with",
                                  path);
}

/* @arguments: all files, of which this is @argument */
static gboolean
open_file (const TallBenchFile *self,
           const GPtrArray *arguments,
           const TallLoadArgument *argument,
           TallLoadFiles *files,
           GError **error)
{
  const char *kind = argument->kind, *path = argument->path;
  g_autoptr (TallMapping) mapping = tall_mapping_load (self->map, error);
  if (mapping == NULL || (mapping->sql != NULL && !tall_mapping_take_kind (mapping, kind, error)))
    return FALSE;
  if (mapping->sql == NULL && kind != NULL)
    return tall_error_fail_invalid (error, "orders",
                                    "mapping %s is of one kind of files, so write %s without %s=; "
                                    "a query joins several",
                                    self->map, path, kind);
  if (mapping->kind != TALL_MAPPING_ORDERS)
    return tall_error_fail_invalid (error, "map",
                                    "--map %s is for customers; choose one for orders", self->map);
  g_autoptr (TallCsvReader) reader =
      tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, error);
  if (reader == NULL)
    return FALSE;
  if (self->begin != NULL)
    tall_csv_reader_set_stop (reader, self->begin ());
  if (arguments->len == 1)
    tall_csv_reader_set_limit (reader, self->max_rows);
  if (mapping->sql == NULL && !tall_mapping_bind_reader (mapping, reader, error))
    {
      g_prefix_error (error, "%s: ", path);
      return FALSE;
    }
  gboolean is_query = mapping->sql != NULL;
  TallLoadFile *file =
      tall_load_files_add (files, g_steal_pointer (&reader), g_steal_pointer (&mapping));
  file->kind_name = is_query ? g_intern_string (kind) : NULL;
  return TRUE;
}

/* How much of a file was read. The last order of a part may go on in the rest. */
static void
leave_out_last (TallBenchFile *self, TallCsvReader *reader, GPtrArray *orders)
{
  guint64 size = tall_csv_reader_get_size (reader);
  self->share = 1;
  if (!tall_csv_reader_is_cut (reader))
    return;
  if (size > 0)
    self->share = (double)tall_csv_reader_get_position (reader) / (double)size;
  if (orders->len > 1)
    g_ptr_array_set_size (orders, (gint)orders->len - 1);
}

static gboolean
read_files (const TallBenchFile *self,
            Reading *reading,
            const TallLoadFiles *files,
            TallRejects *rejects,
            GError **error)
{
  g_autoptr (TallQuery) query = NULL;
  g_autoptr (GError) reason = NULL;
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  TallLoadSummary summary;
  if (tall_load_files_get (files, 0)->mapping->sql != NULL
      && (query = tall_query_new (files, NULL, error)) == NULL)
    return FALSE;
  options.query = query;
  options.allows_bad_rows = TRUE;
  options.show = take_item;
  options.data = reading;
  options.stop = self->begin != NULL ? self->begin () : NULL;
  if (tall_load (NULL, files, rejects, &options, &summary, &reason) || is_full (reading))
    return TRUE;
  if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Reading %s was stopped", self->paths[0]);
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/**
 * tall_bench_file_read:
 *
 * Reads the orders of CSV files by a dry run of a load. What it would reject is left out.
 *
 * Returns: (transfer full) (element-type TallOrder): at least one order
 */
GPtrArray *
tall_bench_file_read (TallBenchFile *self, GError **error)
{
  g_autoptr (TallLoadFiles) files = tall_load_files_new ();
  g_autoptr (GPtrArray) arguments =
      tall_load_arguments_expand (self->paths, g_strv_length ((char **)self->paths), error);
  if (arguments == NULL)
    return NULL;
  for (guint i = 0; i < arguments->len; i++)
    if (!open_file (self, arguments, arguments->pdata[i], files, error))
      return NULL;
  tall_load_files_start (files);
  g_autoptr (TallRejects) rejects = tall_rejects_new (NULL, error);
  if (rejects == NULL)
    return NULL;
  g_auto (Reading) reading = { .max_orders = self->max_orders, .max_lines = self->max_lines };
  reading.orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  if (!read_files (self, &reading, files, rejects, error)
      || !check_read (&reading, self->paths[0], error))
    return NULL;
  leave_out_last (self, tall_load_files_get (files, 0)->reader, reading.orders);
  self->left_out = describe_left_out (&reading, self->paths[0], rejects);
  return g_steal_pointer (&reading.orders);
}

#define MAX_LEVEL 31
#define FEW 4 /* a sample of whole customers has at least so large a part of what is wanted */

typedef struct
{
  guint max_orders;
  guint max_lines;
} Bounds;

static guint64
count_lines (const GPtrArray *orders)
{
  guint64 n = 0;
  for (guint i = 0; i < orders->len; i++)
    n += tall_order_count_lines (g_ptr_array_index (orders, i));
  return n;
}

static gboolean
fits (const GPtrArray *orders, const Bounds *bounds)
{
  return orders->len <= bounds->max_orders && count_lines (orders) <= bounds->max_lines;
}

/* Whether it has a fair part of what fits. */
static gboolean
is_enough (const GPtrArray *orders, const Bounds *bounds)
{
  return orders->len > 0
         && (orders->len * FEW >= bounds->max_orders
             || count_lines (orders) * FEW >= bounds->max_lines);
}

/* Whether a customer is one of the 2^-level that stay. The lowest bits of the hash know little. */
static gboolean
stays (const TallOrder *order, guint level)
{
  guint64 hash = tall_workload_mix (g_str_hash (order->customer_number), 0);
  return (hash & ((G_GUINT64_CONSTANT (1) << level) - 1)) == 0;
}

static GPtrArray *
keep_customers (const GPtrArray *orders, guint level)
{
  GPtrArray *kept = g_ptr_array_new ();
  for (guint i = 0; i < orders->len; i++)
    if (stays (g_ptr_array_index (orders, i), level))
      g_ptr_array_add (kept, g_ptr_array_index (orders, i));
  return kept;
}

/* Every n-th one, from all over the file. At least one. */
static GPtrArray *
keep_some (const GPtrArray *orders, guint step)
{
  GPtrArray *kept = g_ptr_array_new ();
  for (guint i = 0; i < orders->len; i += step)
    g_ptr_array_add (kept, g_ptr_array_index (orders, i));
  return kept;
}

/**
 * tall_bench_sample:
 * @orders: (element-type TallOrder): stay the caller's, and live longer
 * @max_lines: of all orders of the sample together; one order is always in it
 *
 * Chooses orders for a short measurement, always the same of the same orders. They are all orders
 * of some customers, so that a customer has as many as it has; only where that gives too few or too
 * many, because few customers have most of the orders, it is single orders.
 *
 * Returns: (transfer container) (element-type TallOrder): in the order in which they came
 */
GPtrArray *
tall_bench_sample (GPtrArray *orders, guint max_orders, guint max_lines)
{
  const Bounds bounds = { max_orders, max_lines };
  for (guint level = 0; level <= MAX_LEVEL; level++)
    {
      g_autoptr (GPtrArray) kept = keep_customers (orders, level);
      if (!fits (kept, &bounds))
        continue;
      if (level == 0 || is_enough (kept, &bounds))
        return g_steal_pointer (&kept);
      break;
    }
  for (guint step = 1;; step++)
    {
      g_autoptr (GPtrArray) kept = keep_some (orders, step);
      if (kept->len <= 1 || fits (kept, &bounds))
        return g_steal_pointer (&kept);
    }
}

#define MARK "~" /* usually */

static void
customer_free (TallBenchCustomer *self)
{
  g_ptr_array_unref (self->by_date);
  g_hash_table_unref (self->by_number);
  g_free (self);
}

/* The newest first, those without a date last. */
static int
compare_dates (gconstpointer a, gconstpointer b)
{
  const TallOrder *x = *(const TallOrder *const *)a;
  const TallOrder *y = *(const TallOrder *const *)b;
  if (x->has_sales_date != y->has_sales_date)
    return x->has_sales_date ? -1 : 1;
  if (!x->has_sales_date)
    return 0;
  return (x->sales_date < y->sales_date) - (x->sales_date > y->sales_date);
}

/* The customer of an order, made if it is its first. */
static TallBenchCustomer *
find_customer (TallBenchOrders *self, const TallOrder *order)
{
  TallBenchCustomer *customer = g_hash_table_lookup (self->by_customer, order->customer_number);
  if (customer != NULL)
    return customer;
  customer = g_new (TallBenchCustomer, 1);
  customer->number = order->customer_number;
  customer->by_date = g_ptr_array_new ();
  customer->by_number = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (self->by_customer, order->customer_number, customer);
  g_ptr_array_add (self->customers, customer);
  return customer;
}

static gboolean
is_free (const GPtrArray *orders, const char *mark)
{
  for (guint i = 0; i < orders->len; i++)
    if (strstr (((TallOrder *)g_ptr_array_index (orders, i))->order_number, mark) != NULL)
      return FALSE;
  return TRUE;
}

static char *
choose_mark (const GPtrArray *orders)
{
  char *mark = g_strdup (MARK);
  while (!is_free (orders, mark))
    {
      g_free (mark);
      mark = g_strdup_printf (MARK "%08x", g_random_int ());
    }
  return mark;
}

/**
 * tall_bench_orders_new:
 * @orders: (transfer full) (element-type TallOrder): at least one, each another
 */
TallBenchOrders *
tall_bench_orders_new (GPtrArray *orders)
{
  TallBenchOrders *self = g_new (TallBenchOrders, 1);
  self->orders = orders;
  self->mark = choose_mark (orders);
  self->by_customer = g_hash_table_new (g_str_hash, g_str_equal);
  self->customers = g_ptr_array_new_with_free_func ((GDestroyNotify)customer_free);
  for (guint i = 0; i < orders->len; i++)
    {
      TallOrder *order = g_ptr_array_index (orders, i);
      TallBenchCustomer *customer = find_customer (self, order);
      g_ptr_array_add (customer->by_date, order);
      g_hash_table_insert (customer->by_number, order->order_number, order);
    }
  for (guint i = 0; i < self->customers->len; i++)
    {
      const TallBenchCustomer *customer = g_ptr_array_index (self->customers, i);
      g_ptr_array_sort (customer->by_date, compare_dates);
    }
  return self;
}

void
tall_bench_orders_free (TallBenchOrders *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->by_customer);
  g_ptr_array_unref (self->customers);
  g_ptr_array_unref (self->orders);
  g_free (self->mark);
  g_free (self);
}

static TallLineItem *
find_line (const TallOrder *order)
{
  for (guint i = 0; i < order->n_shipping_locations; i++)
    if (order->shipping_locations[i]->n_line_items > 0)
      return order->shipping_locations[i]->line_items[0];
  return NULL;
}

static char first[] = "EUR", second[] = "USD";

/**
 * tall_bench_list_customers:
 * @orders: (element-type TallOrder): live longer
 *
 * Returns: (transfer container): customer numbers, one for each order, and NULL
 */
const char **
tall_bench_list_customers (const GPtrArray *orders)
{
  const char **numbers = g_new0 (const char *, orders->len + 1);
  for (guint i = 0; i < orders->len; i++)
    numbers[i] = ((TallOrder *)g_ptr_array_index (orders, i))->customer_number;
  return numbers;
}

/**
 * tall_bench_is_changed:
 *
 * Returns: which of its two contents an order has, if tall_bench_change_order() has been called for
 *   it, or for none of its kind
 */
gboolean
tall_bench_is_changed (const TallOrder *order)
{
  const TallLineItem *line = find_line (order);
  return line == NULL ? g_strcmp0 (order->currency, first) == 0
                      : line->quantity != NULL && (line->quantity->unscaled & 1) != 0;
}

/**
 * tall_bench_change_order:
 *
 * Makes another content of the same size, or nearly so, to replace what is stored: the quantity of
 * the first line changes, or, without lines, the currency. The dates stay. A second call undoes it.
 */
void
tall_bench_change_order (TallOrder *order)
{
  TallLineItem *line = find_line (order);
  if (line == NULL)
    {
      order->currency = g_strcmp0 (order->currency, first) == 0 ? second : first;
      return;
    }
  if (line->quantity == NULL)
    line->quantity = tall_decimal_new (tall_order_get_arena (order), 0, 0);
  line->quantity->unscaled ^= 1;
}

static gboolean
fail_list (const TallBenchCustomer *customer, guint place, const char *number, GError **error)
{
  return tall_error_fail (
      error, TALL_ERROR_DAMAGED,
      "Entry %u of the orders of %s, order %s, is not what was stored: a defect of this version",
      place + 1, customer->number, number);
}

static gboolean
fail_count (const TallBenchCustomer *customer, guint n, GError **error)
{
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "The orders of %s have %u entries on their first page, but %u were "
                          "stored: a defect of this version",
                          customer->number, n, customer->by_date->len);
}

/* Whether what the entry says of an order is true. */
static gboolean
is_of (const TallOrderEntry *entry, const TallOrder *order)
{
  return entry->has_sales_date == order->has_sales_date
         && (!order->has_sales_date || entry->sales_date == order->sales_date)
         && entry->n_lines == tall_order_count_lines (order);
}

/* The entry at that place, while nobody writes. */
static gboolean
check_entry (const TallBenchCustomer *customer, const TallOrderEntry *entry, guint place)
{
  const TallOrder *order = g_hash_table_lookup (customer->by_number, entry->order_number);
  const TallOrder *placed = g_ptr_array_index (customer->by_date, place);
  TallDecimal total;
  return order != NULL && is_of (entry, order) && compare_dates (&order, &placed) == 0
         && g_strcmp0 (entry->currency, order->currency) == 0
         && entry->has_total == tall_order_compute_total (order, &total)
         && (!entry->has_total || tall_decimal_identical (entry->total, total));
}

/* Newest first, and what is known of it does not change. */
static gboolean
check_entry_meanwhile (const TallBenchCustomer *customer, const TallOrderEntry *entry, guint place)
{
  const TallOrder *order = g_hash_table_lookup (customer->by_number, entry->order_number);
  const TallOrderEntry *before = place > 0 ? entry - 1 : NULL;
  gboolean is_newer = before != NULL && before->has_sales_date && entry->has_sales_date
                      && entry->sales_date > before->sales_date;
  return !is_newer && (order == NULL || is_of (entry, order));
}

/**
 * tall_bench_check_list:
 * @list: the first page, of @limit entries at most
 * @meanwhile: others store new orders and replace these
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if it differs from the stored orders
 */
gboolean
tall_bench_check_list (const TallBenchCustomer *customer,
                       const TallOrderList *list,
                       guint limit,
                       gboolean meanwhile,
                       GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  guint wanted = MIN (limit, customer->by_date->len);
  guint n = meanwhile ? list->n_entries : MIN (list->n_entries, wanted);
  for (guint i = 0; i < n; i++)
    {
      const TallOrderEntry *entry = &list->entries[i];
      gboolean is_right =
          meanwhile ? check_entry_meanwhile (customer, entry, i) : check_entry (customer, entry, i);
      if (!is_right || (!meanwhile && !g_hash_table_add (seen, entry->order_number)))
        return fail_list (customer, i, entry->order_number, error);
    }
  if (meanwhile ? list->n_entries >= wanted : list->n_entries == wanted)
    return TRUE;
  return fail_count (customer, list->n_entries, error);
}

/**
 * tall_bench_check_customer_orders:
 * @found: the first page, of @limit orders at most
 *
 * Large orders make a page end early.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if it differs from the stored orders
 */
gboolean
tall_bench_check_customer_orders (const TallBenchCustomer *customer,
                                  const TallCustomerOrders *found,
                                  guint limit,
                                  GError **error)
{
  for (guint i = 0; i < found->n_orders; i++)
    {
      const TallOrder *order = found->orders[i].order;
      const TallOrder *stored =
          order != NULL ? g_hash_table_lookup (customer->by_number, order->order_number) : NULL;
      if (stored == NULL || !tall_order_equal (order, stored))
        return fail_list (customer, i, order != NULL ? order->order_number : "(none)", error);
    }
  guint wanted = MIN (limit, customer->by_date->len);
  return found->n_orders == wanted || found->next_page != NULL
         || fail_count (customer, found->n_orders, error);
}

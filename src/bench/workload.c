/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/workload.h"

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

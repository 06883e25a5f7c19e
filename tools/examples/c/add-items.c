/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/*
 * Adds items to an order, a line each, while others may do the same, and one more of the first of
 * them; then lists the customer's orders, and says whose orders of that number there are. An item
 * that the order has is not added again.
 *
 *     cc add-items.c -o add-items $(pkg-config --cflags --libs tallorder)
 *     add-items ADDRESS CUSTOMER ORDER ITEM...
 *     add-items --ca CA.CRT --certificate OUR.CRT --key OUR.KEY tls://HOST:PORT CUSTOMER ...
 */
#include <stdio.h>
#include <tallorder.h>

#define MAX_FAILURES 5    /* of one item */
#define FIRST_PAUSE 10000 /* microseconds */
#define LONGEST_PAUSE G_USEC_PER_SEC

static char *ca, *certificate, *key;

static const GOptionEntry options[] = {
  { "ca", 0, 0, G_OPTION_ARG_FILENAME, &ca, "Certificates of whom to trust", "FILE" },
  { "certificate", 0, 0, G_OPTION_ARG_FILENAME, &certificate, "Our certificate", "FILE" },
  { "key", 0, 0, G_OPTION_ARG_FILENAME, &key, "Our key", "FILE" },
  G_OPTION_ENTRY_NULL,
};

/* Returns the number of the line that has the item; 0: there is none. @last: the largest number of
 * a line. */
static gint32
find (const TallOrder *order, const char *item, gint32 *last)
{
  *last = 0;
  for (guint i = 0; i < order->n_shipping_locations; i++)
    for (guint k = 0; k < order->shipping_locations[i]->n_line_items; k++)
      {
        const TallLineItem *line = order->shipping_locations[i]->line_items[k];
        if (g_strcmp0 (line->item_number, item) == 0)
          return line->number;
        *last = MAX (*last, line->number);
      }
  return 0;
}

static void
append (TallOrder *order, const char *item, gint32 number)
{
  TallArena *arena = tall_order_get_arena (order);
  TallShippingLocation *location = order->n_shipping_locations > 0
                                       ? order->shipping_locations[0]
                                       : tall_order_add_location (order, 1);
  TallLineItem *line = tall_location_add_line (location, arena, number);
  line->item_number = tall_arena_strdup (arena, item);
  line->quantity = tall_decimal_new (arena, 1, 0);
  line->price = tall_decimal_new (arena, 1400, 2); /* 14.00 */
}

/* Reads the order, changes it, and writes it if nobody else has meanwhile. */
static gboolean
try_item (
    TallFront *shop, const char *customer, const char *number, const char *item, GError **error)
{
  g_autoptr (GError) failure = NULL;
  TallWriteOptions write = { .condition = TALL_IF_REVISION };
  g_autoptr (TallOrder) order =
      tall_front_get_order (shop, customer, number, &write.revision, &failure);
  if (g_error_matches (failure, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    {
      order = tall_order_new (customer, number);
      write.condition = TALL_IF_ABSENT;
    }
  else if (order == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  gint32 last;
  if (find (order, item, &last) != 0)
    return TRUE; /* perhaps by a write whose answer was lost */
  append (order, item, last + 1);
  return tall_front_put_order (shop, order, &write, NULL, error);
}

/* Tries again, after a pause that grows and is not that of the others, where others were faster,
 * and where the cause may pass. A write whose outcome is unknown is not an exception: the next look
 * shows what is stored. */
static gboolean
add_item (
    TallFront *shop, const char *customer, const char *number, const char *item, GError **error)
{
  gulong pause = FIRST_PAUSE;
  for (guint n_failures = 0; TRUE; pause = MIN (2 * pause, LONGEST_PAUSE))
    {
      g_autoptr (GError) failure = NULL;
      if (try_item (shop, customer, number, item, &failure))
        return TRUE;
      gboolean is_conflict = g_error_matches (failure, TALL_ERROR, TALL_ERROR_CONFLICT);
      if (!is_conflict && (++n_failures > MAX_FAILURES || !tall_error_is_passing (failure)))
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      g_usleep ((gulong)(g_random_double () * (gdouble)pause));
    }
}

/* Changes a part of the order, whatever others change meanwhile. If the answer is lost it is sent
 * again: the token and the base make sure that it is done once. */
static gboolean
add_one_more (
    TallFront *shop, const char *customer, const char *number, const char *item, GError **error)
{
  gint32 last;
  TallWriteOptions write = { .has_token = TRUE };
  tall_token_make (write.token);
  g_autoptr (TallOrder) order = tall_front_get_order (shop, customer, number, &write.base, error);
  if (order == NULL)
    return FALSE;
  g_autofree char *change = g_strdup_printf ("line[%d].quantity+=1", find (order, item, &last));
  const char *const changes[] = { change };
  gboolean is_lost = FALSE; /* a copy of which nobody knows whether it was done */
  for (guint n_failures = 0; TRUE;)
    {
      g_autoptr (GError) failure = NULL;
      if (tall_front_patch_order (shop, customer, number, changes, 1, &write, NULL, &failure))
        return TRUE;
      gint64 passed = tall_error_get_revision (failure);
      if (passed > 0 && !is_lost)
        write.base = passed; /* others were faster: this copy has done nothing, and was the first */
      else if (g_error_matches (failure, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
        is_lost = TRUE;
      if (++n_failures > MAX_FAILURES || !tall_error_is_passing (failure))
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      g_usleep ((gulong)(g_random_double () * FIRST_PAUSE));
    }
}

/* Prints the customer's orders, the newest first, page by page. */
static gboolean
list (TallFront *shop, const char *customer, GError **error)
{
  g_autofree char *page = NULL;
  do
    {
      TallListOptions which = { .page = page };
      g_autoptr (TallOrderList) found = tall_front_list_orders (shop, customer, &which, error);
      if (found == NULL)
        return FALSE;
      for (guint i = 0; i < found->n_entries; i++)
        printf ("%s %u\n", found->entries[i].order_number, found->entries[i].n_lines);
      if (found->n_unreadable > 0)
        {
          g_set_error_literal (error, TALL_ERROR, found->unreadable[0].code,
                               found->unreadable[0].message);
          return FALSE;
        }
      g_free (page);
      page = g_strdup (found->next_page);
    }
  while (page != NULL);
  return TRUE;
}

/* Prints the orders of that number, whosever they are, by the index number=order_number. */
static gboolean
find_namesakes (TallFront *shop, const char *number, GError **error)
{
  g_autofree char *page = NULL;
  g_autofree char *value = g_strconcat ("order_number=", number, NULL);
  const char *values[] = { value };
  do
    {
      TallFindOptions which = { .values = values, .n_values = 1, .page = page };
      which.part.kind = TALL_PART_SUMMARY;
      g_autoptr (TallFound) found = tall_front_find_orders (shop, &which, error);
      if (found == NULL)
        return FALSE;
      for (guint i = 0; i < found->n_orders; i++)
        if (found->orders[i].error != NULL)
          {
            g_propagate_error (error, g_steal_pointer (&found->orders[i].error));
            return FALSE;
          }
        else
          printf ("%s of %s\n", found->orders[i].order->order_number,
                  found->orders[i].order->customer_number);
      g_free (page);
      page = g_strdup (found->next_page);
    }
  while (page != NULL);
  return TRUE;
}

static gboolean
work (char **arguments, GError **error)
{
  g_autoptr (TallFront) shop = tall_client_new (arguments[0], error);
  if (shop == NULL
      || (ca != NULL && !tall_client_use_tls (TALL_CLIENT (shop), ca, certificate, key, error)))
    return FALSE;
  for (guint i = 3; arguments[i] != NULL; i++)
    if (!add_item (shop, arguments[1], arguments[2], arguments[i], error))
      return FALSE;
  return add_one_more (shop, arguments[1], arguments[2], arguments[3], error)
         && list (shop, arguments[1], error) && find_namesakes (shop, arguments[2], error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("ADDRESS CUSTOMER ORDER ITEM...");
  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc < 5)
    {
      fprintf (stderr, "%s\n",
               error != NULL ? error->message : "Say ADDRESS CUSTOMER ORDER ITEM...");
      return 2;
    }
  if (work (argv + 1, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "table/memory-table.h"
#include "tall-error.h"
#include "tall-must.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-test-token.h"

#define HEADER_SIZE 18 /* before the position */
#define N_LISTINGS 4

/**
 * Listing:
 *
 * A listing of a small store. Its first page, and what its tokens begin with.
 */
typedef struct
{
  char *(*list) (TallFront *front, const char *page, GError **error); /* the token of the next */
  GByteArray *token;
} Listing;

static TallFront *front;

static char *
list_orders (TallFront *self, const char *page, GError **error)
{
  const TallListOptions options = { .limit = 1, .page = page };
  g_autoptr (TallOrderList) list = tall_front_list_orders (self, "VINET", &options, error);
  return list != NULL ? g_strdup (list->next_page) : NULL;
}

static char *
list_customers (TallFront *self, const char *page, GError **error)
{
  const TallListOptions options = { .limit = 1, .page = page };
  g_autoptr (TallCustomerList) list = tall_front_list_customers (self, &options, error);
  return list != NULL ? g_strdup (list->next_page) : NULL;
}

static char *
list_customer_orders (TallFront *self, const char *page, GError **error)
{
  const TallListOptions options = { .limit = 1, .page = page };
  g_autoptr (TallCustomerOrders) list =
      tall_front_get_customer_orders (self, "VINET", &options, error);
  return list != NULL ? g_strdup (list->next_page) : NULL;
}

static char *
find_orders (TallFront *self, const char *page, GError **error)
{
  const TallFindOptions options = { .index = "number", .limit = 1, .page = page };
  g_autoptr (TallFound) found = tall_front_find_orders (self, &options, error);
  return found != NULL ? g_strdup (found->next_page) : NULL;
}

static Listing listings[N_LISTINGS] = {
  { .list = list_orders },
  { .list = list_customers },
  { .list = list_customer_orders },
  { .list = find_orders },
};

/* Raw keys, so that positions are texts and can be mistaken for one another. */
static void
open_front (void)
{
  static const char *const numbers[] = { "A", "VINE", "VINET", "VINETS" };
  const TallStoreSettings settings = { .layout = &tall_layout_record_type,
                                       .key_strategy = &tall_key_raw,
                                       .indexes = "number=order_number" };
  g_autoptr (TallTable) table = tall_memory_table_new ();
  g_assert_true (tall_store_create (table, &settings, NULL));
  front = TALL_FRONT (tall_test_open (table, NULL));
  for (guint i = 0; i < 3 * G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *order_number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order =
          tall_test_order_with_lines (numbers[i % G_N_ELEMENTS (numbers)], order_number, 1);
      must (tall_front_put_order (front, order, NULL, NULL, &error));
    }
  for (guint i = 0; i < N_LISTINGS; i++)
    {
      g_autofree char *token = listings[i].list (front, NULL, NULL);
      g_assert_nonnull (token);
      listings[i].token = tall_test_token_open (token);
    }
}

static void
list_from (const Listing *listing, const char *token)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *next = listing->list (front, token, &error);
  if (error == NULL)
    return;
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, "page");
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

/* Any bytes as a position: the listing goes on or ends, and its next token is valid. */
static void
go_on_from (const Listing *listing, const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_append (bytes, listing->token->data, HEADER_SIZE);
  g_byte_array_append (bytes, data, (guint)size);
  g_autofree char *token = tall_test_token_seal (bytes->data, bytes->len);
  g_autofree char *next = listing->list (front, token, &error);
  g_assert_no_error (error);
  if (next == NULL)
    return;
  g_autofree char *last = listing->list (front, next, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (next, !=, token);
}

/* Anybody can send a token. The input is used as a token, as the part before the checksum of one,
 * and as the position in one. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (front == NULL)
    open_front ();

  g_autofree char *text = g_strndup ((const char *)data, size);
  g_autofree char *sealed = tall_test_token_seal (data, size);
  for (guint i = 0; i < N_LISTINGS; i++)
    {
      list_from (&listings[i], text);
      list_from (&listings[i], sealed);
      if (size <= 700) /* longer tokens are refused */
        go_on_from (&listings[i], data, size);
    }
  return 0;
}

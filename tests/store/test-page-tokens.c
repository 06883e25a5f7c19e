/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Page tokens are good for the listing that gave them, and for no other; what else is given for
 * one is refused, and told what it is. */
#include "tall-error.h"
#include "store/read/pager.h"
#include "tall-must.h"
#include "tall-store-fixture.h"
#include "tall-test-orders.h"
#include "tall-test-token.h"

#define DAY G_GINT64_CONSTANT (86400000)

#define GARBAGE "this is not a page token"
#define NEWER "made by a newer version of tallorder"
#define OTHER_KIND "of another kind of listing"
#define OTHER_DEPLOYMENT "of another deployment"
#define OTHER_LISTING "of a listing of another customer or other dates"

/* Where things are in the bytes of a token. */
#define VERSION_AT 0
#define KIND_AT 1
#define DEPLOYMENT_AT 2
#define HEADER_SIZE 18

/**
 * Lister:
 *
 * One of the listings that have pages: fetches one, and returns the token of the next.
 */
typedef char *(*Lister) (TallFront *front,
                         const char *customer,
                         const TallListOptions *options,
                         GError **error);

static char *
list_orders (TallFront *front, const char *customer, const TallListOptions *options, GError **error)
{
  g_autoptr (TallOrderList) list = tall_front_list_orders (front, customer, options, error);
  return list != NULL ? g_strdup (list->next_page) : NULL;
}

static char *
list_customers (TallFront *front,
                const char *customer G_GNUC_UNUSED,
                const TallListOptions *options,
                GError **error)
{
  g_autoptr (TallCustomerList) list = tall_front_list_customers (front, options, error);
  return list != NULL ? g_strdup (list->next_page) : NULL;
}

static char *
list_customer_orders (TallFront *front,
                      const char *customer,
                      const TallListOptions *options,
                      GError **error)
{
  g_autoptr (TallCustomerOrders) page =
      tall_front_get_customer_orders (front, customer, options, error);
  return page != NULL ? g_strdup (page->next_page) : NULL;
}

/* In the order of TallPageKind. */
static const Lister listers[] = { list_orders, list_customers, list_customer_orders };

/* Two pages of each listing. */
static void
put_some (TallStoreFixture *fixture)
{
  static const char *const customers[] = { "VINET", "HANAR" };
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *number = g_strdup_printf ("o%u", i / 2);
      g_autoptr (TallOrder) order = tall_test_order_with_lines (customers[i % 2], number, 1);
      order->has_sales_date = TRUE;
      order->sales_date = i * DAY;
      tall_fixture_put (fixture, order, NULL);
    }
}

static char *
fetch_token (Lister lister, TallFront *front)
{
  g_autoptr (GError) error = NULL;
  const TallListOptions options = { .limit = 1 };
  char *token = lister (front, "VINET", &options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (token);
  return token;
}

static void
assert_accepted (Lister lister, TallFront *front, const TallListOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *next = lister (front, "VINET", options, &error);
  g_assert_no_error (error);
}

static void
assert_refused (Lister lister,
                TallFront *front,
                const char *customer,
                const TallListOptions *options,
                const char *why)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *next = lister (front, customer, options, &error);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, "page");
  g_assert_nonnull (strstr (error->message, why));
  g_assert_null (next);
}

static void
assert_token_refused (Lister lister, TallFront *front, const char *token, const char *why)
{
  const TallListOptions options = { .limit = 1, .page = token };
  assert_refused (lister, front, "VINET", &options, why);
}

static void
test_newer_version (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  put_some (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (listers); i++)
    {
      g_autofree char *token = fetch_token (listers[i], fixture->front);
      for (guint version = 3; version <= 255; version += 11)
        {
          g_autofree char *newer = tall_test_token_forge (token, VERSION_AT, (guint8)version);
          assert_token_refused (listers[i], fixture->front, newer, NEWER);
        }
      /* of which nothing is known but its first byte and the checksum */
      const guint8 three[] = { 3, 0 };
      g_autofree char *shortest = tall_test_token_seal (three, 1);
      g_autofree char *other = tall_test_token_seal (three, 2);
      assert_token_refused (listers[i], fixture->front, shortest, NEWER);
      assert_token_refused (listers[i], fixture->front, other, NEWER);
      g_autofree char *older = tall_test_token_forge (token, VERSION_AT, 0);
      assert_token_refused (listers[i], fixture->front, older, GARBAGE);
    }
}

static void
test_other_kind (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  put_some (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (listers); i++)
    {
      g_autofree char *token = fetch_token (listers[i], fixture->front);
      for (guint j = 0; j < G_N_ELEMENTS (listers); j++)
        if (i != j)
          assert_token_refused (listers[j], fixture->front, token, OTHER_KIND);
      const TallListOptions options = { .limit = 1, .page = token };
      assert_accepted (listers[i], fixture->front, &options);
      g_autofree char *unknown = tall_test_token_forge (token, KIND_AT, 4);
      assert_token_refused (listers[i], fixture->front, unknown, OTHER_KIND);
    }
}

static void
test_other_deployment (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallTable) table = tall_store_fixture_open_table (fixture, kind);
  tall_test_create (table, kind->layout->name, kind->key_strategy->name, 0);
  g_autoptr (TallStore) other = tall_test_open (table, NULL);
  put_some (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (listers); i++)
    {
      g_autofree char *token = fetch_token (listers[i], fixture->front);
      assert_token_refused (listers[i], TALL_FRONT (other), token, OTHER_DEPLOYMENT);
      g_autoptr (GByteArray) bytes = tall_test_token_open (token);
      guint8 another = bytes->data[DEPLOYMENT_AT] ^ 1;
      g_autofree char *forged = tall_test_token_forge (token, DEPLOYMENT_AT, another);
      assert_token_refused (listers[i], fixture->front, forged, OTHER_DEPLOYMENT);
    }
}

/* The list of customers is of nobody, so that only another range would be another listing; it and
 * a customer's whole orders have none. */
static void
test_other_listing (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  put_some (fixture);
  g_autofree char *orders = fetch_token (list_orders, fixture->front);
  g_autofree char *whole = fetch_token (list_customer_orders, fixture->front);
  TallListOptions options = { .limit = 1, .page = whole };
  assert_refused (list_customer_orders, fixture->front, "HANAR", &options, OTHER_LISTING);
  assert_refused (list_customer_orders, fixture->front, "nobody", &options, OTHER_LISTING);

  options.page = orders;
  assert_refused (list_orders, fixture->front, "HANAR", &options, OTHER_LISTING);
  assert_refused (list_orders, fixture->front, "nobody", &options, OTHER_LISTING);
  options.has_from = TRUE;
  assert_refused (list_orders, fixture->front, "VINET", &options, OTHER_LISTING);
  options.has_from = FALSE;
  options.has_to = TRUE;
  options.to = DAY;
  assert_refused (list_orders, fixture->front, "VINET", &options, OTHER_LISTING);

  options.page = NULL;
  options.to = 10 * DAY;
  g_autoptr (GError) error = NULL;
  g_autofree char *ranged = list_orders (fixture->front, "VINET", &options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (ranged);
  options.page = ranged;
  assert_accepted (list_orders, fixture->front, &options);
  options.to++;
  assert_refused (list_orders, fixture->front, "VINET", &options, OTHER_LISTING);
  options.has_to = FALSE;
  assert_refused (list_orders, fixture->front, "VINET", &options, OTHER_LISTING);

  /* another limit is no other listing */
  const TallListOptions more = { .limit = 30, .page = orders };
  assert_accepted (list_orders, fixture->front, &more);
}

/* What no version has written: any character changed, any length cut. */
static void
test_garbage (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const texts[] = {
    "", "A", "AA", "AAAA", "AAAAAAAA", "no token", "AQ==", "\n"
  };
  put_some (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (listers); i++)
    {
      g_autofree char *token = fetch_token (listers[i], fixture->front);
      g_autofree char *longer = g_strconcat (token, "A", NULL);
      g_autofree char *padded = g_strconcat (token, "=", NULL);
      g_autofree char *huge = g_strnfill (100000, 'A');
      const char *const more[] = { longer, padded, huge };
      for (guint j = 0; j < G_N_ELEMENTS (texts); j++)
        assert_token_refused (listers[i], fixture->front, texts[j], GARBAGE);
      for (guint j = 0; j < G_N_ELEMENTS (more); j++)
        assert_token_refused (listers[i], fixture->front, more[j], GARBAGE);
      for (gsize j = 0; token[j] != '\0'; j++)
        {
          g_autofree char *wrong = g_strdup (token);
          wrong[j] = wrong[j] == 'A' ? 'B' : 'A';
          assert_token_refused (listers[i], fixture->front, wrong, GARBAGE);
          wrong[j] = '\0';
          assert_token_refused (listers[i], fixture->front, wrong, GARBAGE);
        }
    }
}

/* Cut short within what every token begins with, though the checksum is right. */
static void
test_short (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  put_some (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (listers); i++)
    {
      g_autofree char *token = fetch_token (listers[i], fixture->front);
      g_autoptr (GByteArray) bytes = tall_test_token_open (token);
      g_assert_cmpuint (bytes->len, >, HEADER_SIZE);
      for (guint len = 1; len < HEADER_SIZE; len++)
        {
          g_autofree char *cut = tall_test_token_seal (bytes->data, len);
          assert_token_refused (listers[i], fixture->front, cut, GARBAGE);
        }
    }
}

/* A position that no listing has given is not looked for: it ends, or goes on where it stands. */
static void
test_any_position (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  static const guint8 patterns[] = { 0, 1, 0x7f, 0x80, 0xff };
  put_some (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (listers); i++)
    {
      g_autofree char *token = fetch_token (listers[i], fixture->front);
      g_autoptr (GByteArray) bytes = tall_test_token_open (token);
      for (guint j = 0; j < G_N_ELEMENTS (patterns); j++)
        for (guint len = 0; len <= 300; len += len < 40 ? 1 : 65)
          {
            g_byte_array_set_size (bytes, HEADER_SIZE + len);
            memset (bytes->data + HEADER_SIZE, patterns[j], len);
            g_autofree char *forged = tall_test_token_seal (bytes->data, bytes->len);
            const TallListOptions options = { .limit = 1, .page = forged };
            assert_accepted (listers[i], fixture->front, &options);
          }
    }
}

/* Tokens stay good while one version of the program takes the place of another. */
static void
test_bytes (void)
{
  const TallListOptions options = { .has_from = TRUE, .from = 1, .has_to = TRUE, .to = 2 };
  const TallPageScope scopes[] = {
    { TALL_PAGE_ORDERS, "a deployment", "VINET", &options },
    { TALL_PAGE_CUSTOMERS, "a deployment", NULL, NULL },
    { TALL_PAGE_CUSTOMER_ORDERS, "a deployment", "VINET", NULL },
  };
  static const char *const tokens[] = {
    "AQG5bME-tz9SJHHEzrZcgnIXcG9zaXRpb27UyJj0",
    "AQK5bME-tz9SJP8DW_8tz5cucG9zaXRpb24raW_h",
    "AQO5bME-tz9SJOJGWjMXQ6hVcG9zaXRpb24HpW57",
  };
  for (guint i = 0; i < G_N_ELEMENTS (scopes); i++)
    {
      g_autoptr (GByteArray) position = g_byte_array_new ();
      g_autofree char *token = tall_page_to_token (&scopes[i], tall_slice_str ("position"));
      g_assert_cmpstr (token, ==, tokens[i]);
      must (tall_page_from_token (&scopes[i], token, position, &error));
      g_assert_cmpmem (position->data, position->len, "position", strlen ("position"));
    }
}

static const TallStoreTest tests[] = {
  { "newer-version", test_newer_version },
  { "other-kind", test_other_kind },
  { "other-deployment", test_other_deployment },
  { "other-listing", test_other_listing },
  { "garbage", test_garbage },
  { "short", test_short },
  { "any-position", test_any_position },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/page-tokens/bytes", test_bytes);
  tall_store_fixture_add ("page-tokens", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}

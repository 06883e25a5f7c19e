/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "model/canonical.h"
#include "tall-error.h"
#include "tall-json.h"

static void
check_error (const GError *error)
{
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static void
try_order (TallSlice bytes, TallArena *arena)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_order_from_canonical (bytes, &error);
  if (order == NULL)
    {
      check_error (error);
      return;
    }

  TallSlice canonical = tall_order_to_canonical (order, arena);
  g_autoptr (TallOrder) again = tall_order_from_canonical (canonical, &error);
  g_assert_no_error (error);
  g_assert_true (tall_order_equal (order, again));
}

/* A digest may be forged: what it proves must still be fit to be shown and sent. */
static void
try_proved (TallSlice bytes, TallArena *arena)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_order_from_proved (bytes, &error);
  if (order == NULL)
    {
      check_error (error);
      return;
    }

  TallDecimal total;
  g_assert_cmpuint (tall_order_to_canonical (order, arena).len, <=, bytes.len);
  (void)!tall_order_compute_total (order, &total);
  g_autofree char *json = tall_order_to_json (order, FALSE);
  g_assert_nonnull (json);
}

static void
try_customer (TallSlice bytes, TallArena *arena)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallCustomer) customer = tall_customer_from_canonical (bytes, &error);
  if (customer == NULL)
    {
      check_error (error);
      return;
    }

  TallSlice canonical = tall_customer_to_canonical (customer, arena);
  g_autoptr (TallCustomer) again = tall_customer_from_canonical (canonical, &error);
  g_assert_no_error (error);
  g_assert_true (tall_customer_equal (customer, again));
}

static void
try_list (const char *name, TallSlice bytes, TallArena *arena)
{
  g_autoptr (GError) error = NULL;
  TallCustomer customer = TALL_PB__CUSTOMER__INIT;
  const TallModelField *field =
      protobuf_c_message_descriptor_get_field_by_name (&tall_model_customer, name);
  if (!tall_list_from_canonical (field, bytes, arena, &customer, &error))
    check_error (error);
}

static void
try_cells (TallSlice bytes, TallArena *arena)
{
  g_autoptr (GError) error = NULL;
  try_list ("attributes", bytes, arena);
  try_list ("phones", bytes, arena);

  TallOrderSummary order;
  if (!tall_order_summary_parse (bytes, arena, &order, &error))
    check_error (error);
  g_clear_error (&error);

  TallCustomerSummary customer;
  if (!tall_customer_summary_parse (bytes, arena, &customer, &error))
    check_error (error);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice bytes = tall_slice (data, size);
  try_order (bytes, arena);
  try_proved (bytes, arena);
  try_customer (bytes, arena);
  try_cells (bytes, arena);
  return 0;
}

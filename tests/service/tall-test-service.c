/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-service.h"

#include "tall-client.h"
#include "service/server/log.h"
#include "tall-test-orders.h"
#include "tall-must.h"

void
tall_test_service_start (TallTestService *self, const TallServerOptions *options)
{
  tall_failure_log_forget ();
  self->front = tall_test_front_new ();
  self->test_front = TALL_TEST_FRONT (self->front);
  self->server = must (tall_server_new (self->front, "127.0.0.1:0", options, &error));
  self->address = tall_server_get_address (self->server);
  self->client = must (tall_client_new (self->address, &error));
}

void
tall_test_service_stop (TallTestService *self)
{
  g_object_unref (self->client);
  g_assert_true (tall_server_stop (self->server));
  /* No thread of the server is left that keeps them. */
  g_assert_finalize_object (self->server);
  g_assert_finalize_object (self->front);
}

void
tall_test_service_assert_works (TallTestService *self)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 3);
  must (tall_front_put_order (self->client, order, NULL, NULL, &error));

  g_autoptr (TallOrder) got =
      must (tall_front_get_order (self->client, "VINET", "10248", NULL, &error));
  tall_test_assert_order_equal (order, got);
}

void
tall_test_service_set_up (TallTestService *self, gconstpointer compact)
{
  TallServerOptions options = { .max_request = TALL_TEST_MAX_REQUEST };
  tall_test_service_start (self, &options);
  self->compact = GPOINTER_TO_INT (compact);
}

void
tall_test_service_tear_down (TallTestService *self, gconstpointer compact G_GNUC_UNUSED)
{
  tall_test_service_assert_works (self);
  tall_test_service_stop (self);
}

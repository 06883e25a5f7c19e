/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/server/server.h"
#include "tall-test-front.h"

G_BEGIN_DECLS

#define TALL_TEST_MAX_REQUEST (4 * 1024 * 1024)

/**
 * TallTestService:
 *
 * A server over a front that keeps everything in memory, and a client of it.
 */
typedef struct
{
  TallFront *front;          /* owned */
  TallTestFront *test_front; /* the same */
  TallServer *server;        /* owned */
  const char *address;       /* of the server */
  TallFront *client;         /* owned */
  gboolean compact;          /* for tests that run in either protocol */
} TallTestService;

void tall_test_service_start (TallTestService *self, const TallServerOptions *options);
void tall_test_service_stop (TallTestService *self);

/* Fails the test if the client finds the server not as it should be. */
void tall_test_service_assert_works (TallTestService *self);

/* The fixture of tests whose data is whether the protocol is compact. At the end of each a client
 * has to find the server as it should be. */
void tall_test_service_set_up (TallTestService *self, gconstpointer compact);
void tall_test_service_tear_down (TallTestService *self, gconstpointer compact);

G_END_DECLS

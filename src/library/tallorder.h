/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

/**
 * The whole library in one header. Begin with tall_open_store() or tall_client_new(): both give a
 * #TallFront, which puts, gets, lists and deletes orders and customers.
 *
 *     cc shop.c $(pkg-config --cflags --libs tallorder)
 */
#include "tall-api.h"
#include "tall-arena.h"
#include "tall-bytes.h"
#include "tall-decimal.h"
#include "tall-error.h"
#include "tall-token.h"

#include "common.pb-c.h"
#include "customer.pb-c.h"
#include "order.pb-c.h"
#include "tall-customer.h"
#include "tall-json.h"
#include "tall-limits.h"
#include "tall-order.h"
#include "tall-parts.h"
#include "tall-patch.h"

#include "tall-bulk.h"
#include "tall-client.h"
#include "tall-erase.h"
#include "tall-front.h"
#include "tall-listing.h"
#include "tall-open.h"
#include "tall-verify.h"

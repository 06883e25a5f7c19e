/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bulk.h"

/**
 * TallFrontBulk:
 *
 * A load by ordinary puts, of many orders at once, on any front: for a client of the service, and
 * for a store where loads can go no other way.
 */
#define TALL_TYPE_FRONT_BULK (tall_front_bulk_get_type ())
G_DECLARE_FINAL_TYPE (TallFrontBulk, tall_front_bulk, TALL, FRONT_BULK, TallBulk)

TallBulk *tall_front_bulk_new (TallFront *front, const TallBulkOptions *options);

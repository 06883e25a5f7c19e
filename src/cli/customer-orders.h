/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"
#include "cli/paging.h"

G_BEGIN_DECLS

/* Prints a customer with its orders, for `customer get --orders`. */
TallExit tall_print_customer_orders (const TallCommand *command,
                                     TallFront *front,
                                     const char *number,
                                     const TallPaging *paging,
                                     TallListOptions *options,
                                     gboolean json);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-order.h"

G_BEGIN_DECLS

GPtrArray *tall_bench_sample (GPtrArray *orders, guint max_orders, guint max_lines);

G_END_DECLS

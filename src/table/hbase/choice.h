/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/pool-private.h"

G_BEGIN_DECLS

TallHbaseLink *tall_hbase_choice_find (TallHbasePool *self, TallHbaseGateway **room);

G_END_DECLS

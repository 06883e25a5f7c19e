/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

char *tall_test_dump (TallTable *table);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-store-fixture.h"

G_BEGIN_DECLS

/* Orders that are found by indexes, beside a plain map of them: after random writes, patches, loads
 * and a move to other tables, an index finds what has the value, each once, and nothing else. */
const TallStoreTest *tall_test_finds (guint *n);

G_END_DECLS

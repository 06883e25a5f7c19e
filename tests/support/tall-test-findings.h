/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"

G_BEGIN_DECLS

GPtrArray *tall_test_find (TallFront *front, TallVerifyOptions options, TallVerifySummary *summary);
void tall_test_assert_same_findings (TallFront *one, TallFront *other, TallVerifyOptions options);

G_END_DECLS

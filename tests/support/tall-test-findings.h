/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"

G_BEGIN_DECLS

gboolean tall_test_find_some (TallFront *front,
                              TallVerifyOptions options,
                              GPtrArray *lines,
                              TallVerifySummary *summary,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *tall_test_find (TallFront *front, TallVerifyOptions options, TallVerifySummary *summary);
void tall_test_assert_same_findings (TallFront *one, TallFront *other, TallVerifyOptions options);

G_END_DECLS

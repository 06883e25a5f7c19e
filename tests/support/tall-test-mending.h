/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-test-damage.h"

G_BEGIN_DECLS

gboolean tall_test_damage_is_stored (const TallTestDamage *damage);
TallVerifySummary tall_test_verify_all (TallFront *front, gboolean repair);
void tall_test_expect_findings (TallFront *front, gboolean repair, guint n_found, guint n_mended);
void tall_test_check_mended (TallStoreFixture *self,
                             const TallStoreKind *kind,
                             const TallTestDamage *damage);
void tall_test_check_left (TallStoreFixture *self, const TallStoreKind *kind);

G_END_DECLS

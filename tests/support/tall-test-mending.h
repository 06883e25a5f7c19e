/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/verify/verify.h"
#include "tall-test-damage.h"

G_BEGIN_DECLS

const TallTestDamage *tall_test_damage_find (const char *name);
void tall_test_damage_all (TallStoreFixture *self, const TallStoreKind *kind);
gboolean tall_test_damage_is_stored (const TallTestDamage *damage);
TallVerifySummary tall_test_verify_all (TallFront *front, gboolean repair);
void tall_test_expect_findings (TallFront *front, gboolean repair, guint n_found, guint n_mended);
void tall_test_check_mended (TallStoreFixture *self,
                             const TallStoreKind *kind,
                             const TallTestDamage *damage);
void tall_test_check_left (TallStoreFixture *self, const TallStoreKind *kind);
void tall_test_append_hint (TallStoreFixture *self,
                            const char *order_number,
                            gint64 date,
                            GByteArray *row);
TallRepairOutcome
tall_test_repair_hint (TallStoreFixture *self, const char *order_number, gint64 date);
void tall_test_put_strays (TallStoreFixture *self,
                           const TallStoreKind *kind,
                           const char *order_number,
                           guint n,
                           gsize size);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-store-fixture.h"
#include "tall-verify.h"

G_BEGIN_DECLS

/**
 * TallTestDamage:
 *
 * Something that can be wrong with what is stored. It is put in by writing rows through the table
 * under the store.
 */
typedef struct
{
  const char *name;
  TallFindingKind kind; /* as which it is to be found */

  /* Damages @order, which is stored with two lines, unless the name of the damage begins with
   * “never”. FALSE: there is no such damage in this layout or key strategy. */
  gboolean (*damage) (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order);
} TallTestDamage;

const TallTestDamage *tall_test_damages (guint *n);
TallOrder *tall_test_damage_order (const TallTestDamage *damage);
gboolean tall_test_damage_do (const TallTestDamage *damage,
                              TallStoreFixture *fixture,
                              const TallStoreKind *kind);

G_END_DECLS

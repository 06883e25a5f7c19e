/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/copy-item.h"

G_BEGIN_DECLS

void tall_copy_claim_equal (const TallCopier *copier, TallCopyItem *items, guint n_items);
void tall_copy_claim_open (const TallCopier *copier, TallCopyItem *items, guint n_items);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/deployment.h"

G_BEGIN_DECLS

TallDescription *tall_describe (TallTable *table, const TallDeployment *deployment);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-mix.h"
#include "tall-target.h"

G_BEGIN_DECLS

/**
 * TallNewcomer:
 *
 * A process that opens the deployment while others work on it.
 */
typedef struct _TallNewcomer TallNewcomer;

TallNewcomer *tall_newcomer_new (const TallMixOptions *mix,
                                 const TallTarget *target,
                                 guint thread,
                                 guint32 seed,
                                 GError **error);
void tall_newcomer_work (TallNewcomer *self);
TallFront *tall_newcomer_get_front (TallNewcomer *self);
void tall_newcomer_free (TallNewcomer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallNewcomer, tall_newcomer_free)

G_END_DECLS

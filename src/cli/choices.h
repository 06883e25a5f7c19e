/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/index-kind.h"

G_BEGIN_DECLS

/* Layouts, key strategies and kinds of stores: what a deployment is chosen from. */
char *tall_choices_describe (void);
void tall_choices_print (void);
void tall_choices_print_json (void);

G_END_DECLS

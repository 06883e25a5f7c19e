/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/explain.h"

G_BEGIN_DECLS

/* For people and for programs, on standard output. */
void tall_explanation_print (const TallExplanation *self, const TallOrder *order);
void
tall_explanations_print (GPtrArray *explanations, const char *layout, const char *key_strategy);
void tall_explanations_print_json (GPtrArray *explanations, const TallOrder *order);

G_END_DECLS

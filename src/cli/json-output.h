/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/json-build.h"
#include "tall-verify.h"

G_BEGIN_DECLS

void tall_json_print (JsonBuilder *builder);
void tall_json_print_line (JsonBuilder *builder);
char *tall_json_round (const char *json);
void tall_json_print_text (const char *json);
char *tall_json_add_revision (const char *json, gint64 revision);

void tall_json_add_load (JsonBuilder *builder, const TallUnfinishedLoad *load);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

/* Members of the object that is being built. A text that is NULL is left out. */
void tall_json_add_text (JsonBuilder *builder, const char *name, const char *text);
void tall_json_add_texts (JsonBuilder *builder, const char *name, const char *const *texts);
void tall_json_add_number (JsonBuilder *builder, const char *name, gint64 number);
void tall_json_add_double (JsonBuilder *builder, const char *name, double number);
void tall_json_add_flag (JsonBuilder *builder, const char *name, gboolean flag);
void tall_json_begin_object (JsonBuilder *builder, const char *name);
void tall_json_begin_array (JsonBuilder *builder, const char *name);

char *tall_json_build (JsonBuilder *builder, gboolean pretty);

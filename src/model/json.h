/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/json-build.h"
#include "tall-json.h"
#include "model/model-type.h"

#define TALL_JSON_MAX_BYTES (16 * 1024 * 1024) /* of one text: sixteen times the largest order */
#define TALL_JSON_MAX_DEPTH 16                 /* objects and lists within each other */
#define TALL_JSON_MAX_CONTAINERS 40000         /* objects and lists; the largest order has 30,003 */
#define TALL_JSON_MAX_VALUES 1200000           /* texts and numbers, member names included */

char *tall_json_shorten (const char *name);
char *tall_json_find_difference (const char *given, const char *stored);
JsonNode *tall_json_parse (const char *text, gsize len, GError **error);
TallOrder *tall_order_from_json_with_revision (const char *text,
                                               gssize len,
                                               gint64 *revision,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomer *tall_customer_from_json_with_revision (const char *text,
                                                     gssize len,
                                                     gint64 *revision,
                                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_json_read_field (const TallModelField *field,
                               const char *path,
                               const char *text,
                               TallArena *arena,
                               gpointer base,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_json_read_part (const TallModelType *type,
                              const char *path,
                              const char *text,
                              TallArena *arena,
                              gpointer base,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

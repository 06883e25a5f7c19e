/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"
#include "tall-order.h"

/* More parts are refused: the longest key fits into a row key. */
#define TALL_TEMPLATE_MOST_PARTS 8

/**
 * TallTemplate:
 *
 * What the row keys of an index consist of: parts, each of which gives bytes, then the numbers of
 * customer and order, so that each order has a row of its own. README.md draws the bytes.
 */
typedef struct _TallTemplate TallTemplate;

TallTemplate *tall_template_parse (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_template_free (TallTemplate *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTemplate, tall_template_free)

const char *tall_template_get_text (const TallTemplate *self);
gboolean tall_template_is_of_numbers (const TallTemplate *self);
gboolean tall_template_is_of_lines (const TallTemplate *self);
void tall_template_append_keys (const TallTemplate *self,
                                const TallOrder *order,
                                guint8 before,
                                GPtrArray *keys);
gboolean tall_template_split_key (TallSlice key,
                                  char **customer_number,
                                  char **order_number) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallTemplateQuery:
 *
 * Which keys are looked for: those whose leading parts have just these values, and whose next part
 * lies in a range. Nothing is owned.
 */
typedef struct
{
  const char *const *values; /* n_values texts, of the leading parts */
  guint n_values;
  const char *from; /* of the next part; NULL: from the least on */
  const char *to;   /* the first one not wanted; NULL: to the end */
} TallTemplateQuery;

GPtrArray *tall_template_choose_values (const TallTemplate *self,
                                        const TallTemplateQuery *query) G_GNUC_WARN_UNUSED_RESULT;
char *tall_template_find_part (const TallTemplate *self,
                               const char *given) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_template_append_range (const TallTemplate *self,
                                     const TallTemplateQuery *query,
                                     GByteArray *start,
                                     GByteArray *stop,
                                     gsize *n_prefix,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

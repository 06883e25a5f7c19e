/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-order.h"

TALL_BEGIN_API

/* Of one patch. */
#define TALL_PATCH_MAX_CHANGES 1000
#define TALL_PATCH_MAX_BYTES (1024 * 1024) /* of all changes together */

/**
 * TallPatchForm:
 *
 * One form of a change. L is the number of a location, N that of a line, and A the kind of an
 * adjustment, if no other has it, or its place in the list, from 1; FIELD is a name of the JSON
 * form, such as `currency`, or one within another, such as `address.city`.
 */
typedef struct
{
  const char *form;
  const char *meaning;
  const char *example;
} TallPatchForm;

/* All forms, the last one with a NULL @form. */
extern const TallPatchForm tall_patch_forms[];

GStrv tall_patch_from_json (const char *text, gssize len, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_patch_check (const char *const *changes, guint n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_order_patch (TallOrder *self, const char *const *changes, guint n, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

TALL_END_API

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "key/template.h"
#include "model/model-type.h"

G_BEGIN_DECLS

typedef enum
{
  TALL_KEY_FORM_CUSTOMER,
  TALL_KEY_FORM_ORDER,
  TALL_KEY_FORM_TEXT,
  TALL_KEY_FORM_MD5,
  TALL_KEY_FORM_FIRST,
  TALL_KEY_FORM_LAST,
  TALL_KEY_FORM_TIME,
  TALL_KEY_FORM_RTIME,
  TALL_KEY_FORM_DAY,
  TALL_KEY_FORM_MONTH,
  TALL_KEY_FORM_YEAR,
  TALL_KEY_N_FORMS,
} TallKeyForm;

typedef struct
{
  const char *name;
  gboolean is_key_part; /* of the deployment's strategy */
  gboolean of_date;     /* FALSE: of a text */
  gboolean has_number;  /* of characters */
  gsize size;           /* bytes; 0: a text and 00 */
} TallKeyFormInfo;

extern const TallKeyFormInfo tall_key_forms[];

/* Which struct of an order a field is in; what comes later is there several times. */
typedef enum
{
  TALL_KEY_IN_ORDER,
  TALL_KEY_IN_ATTRIBUTES,
  TALL_KEY_IN_LOCATION,
  TALL_KEY_IN_ADDRESS,
  TALL_KEY_IN_LINE,
} TallKeyPlace;

typedef struct
{
  TallKeyForm form;
  guint n;                     /* characters of first() and last() */
  TallKeyPlace place;          /* of the field; this and the next two: unless it is a key part */
  const TallModelField *field; /* NULL: an attribute */
  char *name;                  /* owned: of the field, as it is written */
  gboolean optional;           /* an absent field has a key, too */
  char *text;                  /* owned: all of it as it is written */
} TallKeyPart;

struct _TallKeyTemplate
{
  char *text;    /* owned: the parts, with a space between them */
  GArray *parts; /* owned; of TallKeyPart */
};

static inline const TallKeyPart *
tall_key_template_get_part (const TallKeyTemplate *self, guint i)
{
  return &g_array_index (self->parts, TallKeyPart, i);
}

G_END_DECLS

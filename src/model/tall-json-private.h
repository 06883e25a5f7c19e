/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-json.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define TALL_JSON_MAX_BYTES (16 * 1024 * 1024) /* of one text: sixteen times the largest order */
#define TALL_JSON_MAX_DEPTH 16                 /* objects and lists within each other */
#define TALL_JSON_MAX_CONTAINERS 40000         /* objects and lists; the largest order has 30,003 */
#define TALL_JSON_MAX_VALUES 1200000           /* texts and numbers, member names included */

/**
 * TallJsonKind:
 * @TALL_JSON_NUMBER: a text that must be there: customer or order number
 * @TALL_JSON_TEXT: char *, NULL if absent
 * @TALL_JSON_POSITION: gint32 from 1 that must be there: number of a location or line
 * @TALL_JSON_DATE: gint64 with a gboolean
 * @TALL_JSON_DECIMAL: #TallDecimal with a gboolean
 * @TALL_JSON_OBJECT: pointer to a struct, NULL if absent
 * @TALL_JSON_LIST: array of structs with a count
 * @TALL_JSON_TEXTS: array of char * with a count
 * @TALL_JSON_ATTRIBUTES: #TallAttributes
 * @TALL_JSON_REVISION: an integer above 0 about the object, not in it: read over, and not written
 */
typedef enum
{
  TALL_JSON_NUMBER,
  TALL_JSON_TEXT,
  TALL_JSON_POSITION,
  TALL_JSON_DATE,
  TALL_JSON_DECIMAL,
  TALL_JSON_OBJECT,
  TALL_JSON_LIST,
  TALL_JSON_TEXTS,
  TALL_JSON_ATTRIBUTES,
  TALL_JSON_REVISION,
} TallJsonKind;

typedef struct _TallJsonType TallJsonType;

/**
 * TallJsonField:
 *
 * One member of an object, and where its value lies in the struct.
 */
typedef struct
{
  const char *name;
  TallJsonKind kind;
  gsize offset;             /* of the value */
  gsize extra;              /* of the gboolean that says whether it is there, or of the count */
  const TallJsonType *type; /* of an object or of a list's elements */
} TallJsonField;

/**
 * TallJsonType:
 *
 * A struct as a JSON object. Writer and reader both follow it.
 */
struct _TallJsonType
{
  const char *name;            /* for people: `order` */
  gsize size;                  /* bytes of the struct */
  const TallJsonField *fields; /* in the order of the IDL, n_fields of them */
  guint n_fields;
};

extern const TallJsonType tall_json_order;
extern const TallJsonType tall_json_customer;

static inline gpointer
tall_json_load_pointer (gconstpointer base, gsize offset)
{
  gpointer value;
  memcpy (&value, (const char *)base + offset, sizeof value);
  return value;
}

static inline void
tall_json_store_pointer (gpointer base, gsize offset, gconstpointer value)
{
  memcpy ((char *)base + offset, &value, sizeof value);
}

gboolean tall_json_scan (const char *text, gsize len, GError **error);
char *tall_json_shorten (const char *name);
JsonNode *tall_json_parse (const char *text, gsize len, GError **error);

G_END_DECLS

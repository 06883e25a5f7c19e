/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <thrift/c_glib/protocol/thrift_protocol.h>

#include "tall-arena.h"
#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallStructKind:
 *
 * What a field of a Thrift struct is in memory. Everything below a struct lies in an arena.
 */
typedef enum
{
  TALL_KIND_BOOL,    /* gboolean */
  TALL_KIND_I32,     /* gint32 */
  TALL_KIND_I64,     /* gint64 */
  TALL_KIND_TEXT,    /* char *: UTF-8; NULL: absent */
  TALL_KIND_REASON,  /* char *: what the sender tells people, in any bytes; NULL: absent */
  TALL_KIND_BYTES,   /* TallSlice; NULL data: absent */
  TALL_KIND_DECIMAL, /* TallDecimal */
  TALL_KIND_STRUCT,  /* pointer to a struct; NULL: absent */
  TALL_KIND_STRUCTS, /* pointer to an array of structs */
  TALL_KIND_OBJECTS, /* pointer to an array of pointers to structs, counted by a gsize */
  TALL_KIND_TEXTS,   /* char **: an array of texts, counted by a gsize */
  TALL_KIND_SLICES,  /* TallSlice *: an array of bytes; only written */
  TALL_KIND_PAIRS,   /* the same of structs whose two fields are texts: key and value; a map on the
                        wire */
  TALL_KIND_EACH,    /* nothing: a list whose structs are handed on one by one; only read */
  TALL_KIND_ONE,     /* nothing: a single struct that is handed on likewise; only read */
  TALL_KIND_RAW,     /* TallSlice: a struct as its bytes, in the protocol that they came in; NULL
                        data: absent */
  TALL_N_KINDS
} TallStructKind;

/* A field that is always there: no flag in memory says whether it is. */
#define TALL_STRUCT_ALWAYS G_MAXUINT16
/* The same, also if it is a pointer and NULL. */
#define TALL_STRUCT_REQUIRED (G_MAXUINT16 - 1)

typedef struct _TallStructType TallStructType;

/**
 * TallStructField:
 *
 * One field of a Thrift struct, and where it is in memory.
 */
typedef struct
{
  const char *name; /* in errors; NULL: not shown in the path of one */
  gint16 id;        /* as in the IDL */
  guint16 kind;     /* TallStructKind */
  guint16 offset;   /* bytes from the start of the struct in memory */
  guint16 beside;   /* offset of the gboolean that tells whether it is there, or of the guint that
                     * counts the elements; TALL_STRUCT_ALWAYS, TALL_STRUCT_REQUIRED: none */
  const TallStructType *type; /* of the struct, or of the elements; else NULL */
} TallStructField;

/**
 * TallStructType:
 *
 * A Thrift struct. Field numbers are unique and from 0 to 63.
 *
 * Some structs own an arena, in which all below them lies, so that they can be handed on: an order
 * among many. @create makes such a one where the reader finds none; the arena that the reader was
 * given frees it, by @clear, unless the pointer to it is NULL by then.
 *
 * Others are handed on one by one (%TALL_KIND_EACH), so that memory grows with what has arrived,
 * not with what is announced.
 */
struct _TallStructType
{
  const char *name;
  gsize size;         /* bytes in memory */
  gconstpointer head; /* the pointer that it begins with, of a protobuf message; NULL: none */
  guint n_fields;
  const TallStructField *fields; /* n_fields of them, by ascending id */
  guint64 required;              /* bits of ids: without these it is refused … */
  const char *lacking;           /* … for this reason */
  guint max_elements; /* of a list of them, beside the limits of the whole; 0: no other */
  gpointer (*create) (TallArena **arena); /* NULL: it lies in the arena of what is around it */
  GDestroyNotify clear;                   /* of the pointer to it */
};

/* A struct type out of a static array of fields named after it; more of its members may follow. */
#define TALL_STRUCT_TYPE(identifier, shown_name, type, ...)                                        \
  const TallStructType identifier = { .name = shown_name,                                          \
                                      .size = sizeof (type),                                       \
                                      .n_fields = G_N_ELEMENTS (identifier##_fields),              \
                                      .fields = identifier##_fields,                               \
                                      __VA_ARGS__ }

/* The bit of a field's number. */
#define TALL_STRUCT_BIT(id) (G_GUINT64_CONSTANT (1) << (id))

/* What a field of each kind is on the wire. */
extern const guint8 tall_struct_wire_types[TALL_N_KINDS];

/* What a decimal is on the wire. */
enum
{
  TALL_DECIMAL_UNSCALED_ID = 1, /* i64 */
  TALL_DECIMAL_SCALE_ID = 2,    /* i32 */
};

/* The number of elements of a list or map. */
static inline guint
tall_struct_field_count (const TallStructField *self, gconstpointer object)
{
  gboolean is_guint = self->kind == TALL_KIND_STRUCTS || self->kind == TALL_KIND_SLICES;
  return is_guint ? G_STRUCT_MEMBER (guint, object, self->beside)
                  : (guint)G_STRUCT_MEMBER (gsize, object, self->beside);
}

/* Whether @beside is the place of something. */
static inline gboolean
tall_struct_field_has_beside (const TallStructField *self)
{
  return self->beside < TALL_STRUCT_REQUIRED;
}

G_END_DECLS

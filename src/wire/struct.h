/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-arena.h"
#include "tall-bytes.h"
#include "wire/protocol.h"

#include <thrift/c_glib/protocol/thrift_protocol.h>

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
  gboolean optional;          /* of a list or map: it is not sent if it is empty */
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

/* Deepest nesting of described structs. The most is that of the service's: result, outcomes,
 * result, order, location, line, decimal and its field, and two to spare. */
#define TALL_STRUCT_MAX_DEPTH 10

/**
 * TallStructLimits:
 *
 * How much one message may hold, whatever it announces.
 */
typedef struct
{
  guint n_structs;     /* elements of all lists of structs */
  guint shown_structs; /* the same, as the error says it … */
  const char *structs; /* … and what they are */
  guint n_bytes;       /* of all texts */
  const char *bytes;   /* what the error calls them */
  guint text_bytes;    /* counted for each text beside its own bytes */
  guint pair_bytes;    /* at least for each pair, however short its texts */
} TallStructLimits;

/* Takes memory for @bytes that are about to be read. FALSE with @error set, for the sender. */
typedef gboolean (*TallStructSpend) (gpointer memory, gsize bytes, GError **error);

typedef struct _TallStructReader TallStructReader;

/**
 * TallStructHandler:
 * @begin: (nullable): called before each struct that is handed on; may change the reader's arena
 * @end: called with what was read, which is gone afterwards
 *
 * Takes structs of kinds %TALL_KIND_EACH and %TALL_KIND_ONE. They find what they need in the
 * reader's @sink; `seen` says which fields were there.
 */
typedef struct
{
  gboolean (*begin) (TallStructReader *reader, const TallStructType *type, GError **error);
  gboolean (*end) (TallStructReader *reader,
                   const TallStructType *type,
                   gconstpointer element,
                   GError **error);
} TallStructHandler;

typedef struct
{
  const TallStructField *field;
  gint64 index; /* in a list; -1: none */
} TallStructStep;

/**
 * TallStructReader:
 *
 * Reads structs into an arena. What it takes is bounded by its limits, however much the sender
 * announces: its memory is a small multiple of them.
 *
 * A sender that follows no limits of ours, such as HBase, is a strict case: a known field that it
 * sends wrongly, or any field that comes twice, means that its bytes make no sense. Otherwise the
 * value is refused: the error names its path, and is for the sender.
 */
struct _TallStructReader
{
  ThriftProtocol *protocol;
  ThriftProtocol *plain;    /* for heads of fields, and numbers */
  TallTransport *transport; /* of the protocol */
  TallArena *arena;
  const TallStructLimits *limits; /* never NULL */
  gboolean strict;
  const TallStructHandler *handler; /* NULL: nothing may be handed on */
  gpointer sink;                    /* for @handler */
  TallStructSpend spend;            /* NULL: memory is not counted */
  gpointer memory;                  /* for @spend */
  guint n_structs;                  /* elements of lists that may still come */
  gsize text_budget; /* bytes of text that may still come, with those counted for each text */
  gboolean refused;  /* the error is about a value: the bytes were Thrift */
  guint64 seen;      /* bits of the fields that the struct which ended last had */
  guint depth;
  TallStructStep path[TALL_STRUCT_MAX_DEPTH]; /* depth of them: where we are */
};

void tall_struct_reader_init (TallStructReader *self,
                              TallTransport *transport,
                              TallArena *arena,
                              const TallStructLimits *limits);
gboolean tall_struct_reader_read (TallStructReader *self,
                                  const TallStructType *type,
                                  gpointer object,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_struct_reader_finish (TallStructReader *self,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

void tall_struct_write (const TallStructType *type, gconstpointer object, ThriftProtocol *protocol);
gsize tall_struct_measure (const TallStructType *type, gconstpointer object, TallTransport *scale);

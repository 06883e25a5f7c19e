/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-arena.h"
#include "wire/struct-type.h"
#include "wire/protocol.h"

G_BEGIN_DECLS

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

G_END_DECLS

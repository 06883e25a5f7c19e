/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "load/mapping/mapping.h"
#include "load/store/files.h"
#include "tall-limits.h"
#include "tall-customer.h"
#include "load/store/storer.h"

G_BEGIN_DECLS

/* What is wrong with a row, apart from its own values. */
typedef struct
{
  const char *column; /* the bad column's name; NULL: no single column */
  const char *kind;   /* the same without the values of this row */
} TallRowFault;

char *tall_row_find_fault (const TallLoadFile *file, const TallCsvRow *row, TallRowFault *fault);
char *tall_row_find_number_fault (const TallLoadFile *file,
                                  const TallMappingSource *source,
                                  const TallCsvRow *row,
                                  TallRowFault *fault);

typedef enum
{
  TALL_PLACE_SAME,  /* the row goes on with the order whose rows are being read */
  TALL_PLACE_NEW,   /* it begins another order */
  TALL_PLACE_STRAY, /* it is unreadable, and not clearly one of the order whose rows are being read
                     */
  TALL_PLACE_NAMELESS, /* it has no valid order number */
} TallOrderPlace;

/* Decides for one row after another which order it belongs to. Both passes over a file decide by
 * it, so that they agree. A plain value; begin with tall_order_cursor_init(). */
typedef struct
{
  const TallMapping *mapping; /* not owned; bound to the file */
  const TallMappingSource *customer_source;
  const TallMappingSource *order_source;

  const char *row_customer; /* of the last row, in its memory; NULL: it has no valid one */
  const char *row_order;    /* likewise */

  gboolean open;                                   /* an order has begun: */
  gboolean knows_customer;                         /* its first row has a customer number */
  char customer_number[TALL_MAX_NUMBER_BYTES + 1]; /* empty if not */
  char order_number[TALL_MAX_NUMBER_BYTES + 1];
} TallOrderCursor;

void tall_order_cursor_init (TallOrderCursor *self, const TallMapping *mapping);
guint tall_order_cursor_count_fields (const TallOrderCursor *self);
TallOrderPlace tall_order_cursor_step (TallOrderCursor *self, const TallCsvRow *row);

const TallMappingSource *
tall_order_cursor_find_source (const TallMapping *mapping,
                               gboolean (*is_it) (const TallCsvField *field));

TallCustomer *tall_row_make_customer (const TallMapping *mapping,
                                      const char *number,
                                      const TallCsvRow *row,
                                      TallRowFault *fault,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* @item: (transfer full): an order or a customer, ready to be stored. */
typedef void (*TallAssemblerEmit) (TallLoadItem *item, gpointer data);

/* Makes an order of its good rows, which come one after another. Every row ends in exactly one
 * place: in an item emitted, or among the rejects. A bad row rejects the whole order, because the
 * order would lack a line. It keeps one order, and no row of an order that is rejected. Not
 * thread-safe. */
typedef struct _TallAssembler TallAssembler;

TallAssembler *tall_assembler_new (TallRejects *rejects, TallAssemblerEmit emit, gpointer data);
void tall_assembler_free (TallAssembler *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallAssembler, tall_assembler_free)

void tall_assembler_begin (TallAssembler *self,
                           const TallMapping *mapping,
                           const char *customer,
                           const char *order);
void tall_assembler_push (TallAssembler *self, const TallMapping *mapping, const TallCsvRow *row);
void tall_assembler_fail (TallAssembler *self, guint64 line, const char *file_name);
void tall_assembler_finish (TallAssembler *self);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib-object.h>

#include "tall-customer.h"
#include "tall-order.h"

TALL_BEGIN_API

#define TALL_DEFAULT_PAGE 30
#define TALL_MAX_PAGE 1000

/**
 * TallListOptions:
 *
 * Which part of a listing is wanted. All zero, or a NULL pointer to it: the first page of all.
 */
typedef struct
{
  gboolean has_from;
  gboolean has_to;
  gint64 from;      /* first sales date wanted, milliseconds since the epoch */
  gint64 to;        /* first sales date no longer wanted; must be after @from */
  guint limit;      /* entries a page, 1 … TALL_MAX_PAGE; 0 = TALL_DEFAULT_PAGE */
  const char *page; /* token of the page, from the listing before; NULL = the first */
} TallListOptions;

/**
 * TallUnreadable:
 *
 * An order or customer that a listing has met and cannot read, because its rows are damaged or were
 * written by a newer version of tallorder. The listing goes on after it.
 */
typedef struct
{
  char *number;  /* of the order or the customer; NULL: the rows do not say */
  gint code;     /* %TALL_ERROR_DAMAGED or %TALL_ERROR_NEWER_VERSION */
  char *message; /* for people: what is wrong, and where */
} TallUnreadable;

/**
 * TallOrderEntry:
 *
 * A line of a listing: what is known of an order without fetching it whole.
 */
typedef struct
{
  char *order_number;
  gint64 revision;
  gboolean has_sales_date;
  gboolean has_total;
  gint64 sales_date; /* milliseconds since the epoch, UTC */
  guint n_lines;
  TallDecimal total;
  char *currency; /* NULL: absent */
} TallOrderEntry;

/**
 * TallOrderList:
 *
 * One page of a customer's orders, newest sales date first, those without a date last, the same
 * date by order part of the row key. Orders that cannot be read count towards the page's limit like
 * entries. One whose date was changed may be there for each of its dates.
 */
typedef struct
{
  TallArena *arena;        /* owned; of everything below */
  TallOrderEntry *entries; /* n_entries of them */
  guint n_entries;
  TallUnreadable *unreadable; /* n_unreadable of them */
  guint n_unreadable;
  char *next_page; /* token of the page after this; NULL: this is the last */
} TallOrderList;

void tall_order_list_free (TallOrderList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallOrderList, tall_order_list_free)

/**
 * TallCustomerEntry:
 *
 * A line of the list of customers. A customer with orders but no record is listed, too, so that a
 * walk through the list and the orders of each entry reaches everything that is stored.
 */
typedef struct
{
  char *number;
  char *name;      /* NULL: absent */
  gint64 revision; /* 0: only orders are stored, no customer, or one that is unreadable */
} TallCustomerEntry;

/**
 * TallCustomerList:
 *
 * One page of the customers, in the order of their row keys. If a customer cannot be read, but an
 * order shows its number, there are both an entry and an unreadable with that number. If nothing
 * under its row key can be read, there is an unreadable without a number. The other orders of a
 * customer with an entry are not looked at: getting them reports what is wrong with them.
 */
typedef struct
{
  TallArena *arena;           /* owned; of everything below */
  TallCustomerEntry *entries; /* n_entries of them */
  guint n_entries;
  TallUnreadable *unreadable; /* n_unreadable of them, no more than a page may have entries */
  guint n_unreadable;
  char *next_page; /* token of the page after this; NULL: this is the last */
} TallCustomerList;

void tall_customer_list_free (TallCustomerList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCustomerList, tall_customer_list_free)

/* Of getting or putting many orders in one call. */
#define TALL_MAX_MANY 1000
#define TALL_MAX_MANY_BYTES (64 * 1024 * 1024)

/**
 * TallOrderId:
 *
 * Names one order, for getting many at once. Nothing is owned.
 */
typedef struct
{
  const char *customer_number;
  const char *order_number;
} TallOrderId;

/**
 * TallPartKind:
 * @TALL_PART_WHOLE: all of it
 * @TALL_PART_SUMMARY: numbers, sales date and currency; the entry of a listing comes with it
 * @TALL_PART_HEADER: what it has beside locations
 * @TALL_PART_LOCATION: the same, and one location with its lines
 *
 * What is wanted of an order.
 */
typedef enum
{
  TALL_PART_WHOLE,
  TALL_PART_SUMMARY,
  TALL_PART_HEADER,
  TALL_PART_LOCATION,
} TallPartKind;

/**
 * TallOrderPart:
 *
 * A part of an order.
 */
typedef struct
{
  TallPartKind kind;
  gint32 location; /* of %TALL_PART_LOCATION: its number */
} TallOrderPart;

/**
 * TallOutcome:
 *
 * The outcome of one of many: an error, or a revision and, for gets, the order.
 */
typedef struct
{
  TallOrder *order; /* owned; get only: the order, or the part that was wanted of it */
  gint64 revision;
  GError *error;         /* owned; NULL: it went well */
  TallOrderEntry *entry; /* of %TALL_PART_SUMMARY, in the memory of @order; else NULL */
} TallOutcome;

void tall_outcome_clear (TallOutcome *self);

/**
 * TallCustomerOrders:
 *
 * A customer with one page of whole orders, in the order of their row keys.
 */
typedef struct
{
  TallCustomer *customer; /* owned; NULL if only orders are stored, or it cannot be read */
  gint64 revision;        /* of the customer; 0 if there is none */
  GError
      *customer_error; /* owned; why the customer cannot be read; NULL: it can, or is not there */
  TallOutcome *orders; /* owned, n_orders of them; one that is damaged has its error here */
  guint n_orders;
  GStrv others;    /* owned; numbers of others whose row keys begin like this customer's, as far as
                      this page has met their orders; NULL: none */
  char *next_page; /* owned; token of the page after this; NULL: this is the last */
} TallCustomerOrders;

void tall_customer_orders_free (TallCustomerOrders *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCustomerOrders, tall_customer_orders_free)

/**
 * TallFindOptions:
 *
 * Which orders are looked for by an index: those whose leading parts have just these values, and
 * whose next part lies in a range. Nothing is owned.
 */
typedef struct
{
  const char *index; /* its name; NULL: each value is FIELD=VALUE, in any order, and the index is
                      * taken whose leading parts are of these fields */
  const char *const *values; /* n_values texts, of the leading parts, in their order; a date is as
                              * much of ISO 8601 as the part needs: 2026, 2026-11, 2026-11-28 … */
  guint n_values;
  const char *from;   /* of the next part, included, in the manner of @values; NULL: no bound */
  const char *to;     /* of the next part, not included any more; NULL: no bound */
  guint limit;        /* orders a page, 1 … TALL_MAX_PAGE; 0 = TALL_DEFAULT_PAGE */
  const char *page;   /* token of the page, from the one before; NULL = the first */
  TallOrderPart part; /* what is wanted of each order; of a summary the entry of a listing comes */
} TallFindOptions;

/**
 * TallFound:
 *
 * A page of orders that were found, in the order of the index, each once. Those that cannot be read
 * have an error that names them, and count towards the page's limit.
 */
typedef struct
{
  char *index;         /* owned: name of the index that was used */
  TallOutcome *orders; /* owned, n_orders of them */
  guint n_orders;
  char *next_page; /* owned; token of the page after this; NULL: this is the last */
} TallFound;

void tall_found_free (TallFound *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallFound, tall_found_free)

TALL_END_API

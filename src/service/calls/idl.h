/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"
#include "wire/struct.h"

/* Elements of a list in a call on many, and entries of a page. */
#define TALL_IDL_MANY_ITEMS 1000

/* What a call on many may hold: lines and locations with the lists of items around them, and bytes
 * of text. */
#define TALL_IDL_MANY_LINES 200000
#define TALL_IDL_MANY_BYTES (16 * 1024 * 1024)

/* The structs of `idl/tallorder.thrift` as they travel, for tall_struct_reader_read() and
 * tall_struct_write(). */

/* WriteOptions as they travel; tall_idl_options_parse() makes TallWriteOptions of them. */
typedef struct
{
  gint32 condition;
  gboolean has_condition;
  gint64 revision;
  gboolean has_revision;
  TallSlice token; /* NULL data: absent */
  gint32 timeout_ms;
  gboolean has_timeout_ms;
} TallIdlOptions;

/* One order of many to be put. */
typedef struct
{
  TallOrder *order;        /* owned by the arena; NULL: none was sent */
  TallIdlOptions *options; /* NULL: absent */
} TallIdlPut;

/* GetOrdersRequest or PutOrdersRequest. */
typedef struct
{
  TallOrderId *ids;    /* n_ids of them */
  TallOrderPart *part; /* NULL: absent */
  TallIdlPut *puts;    /* n_puts of them */
  guint n_ids;
  guint n_puts;
} TallIdlMany;

/* ListOrdersRequest, ListCustomersRequest, CustomerOrdersRequest or FindRequest;
 * tall_idl_listing_parse() makes TallListOptions of what those for listings have. */
typedef struct
{
  char *customer_number;
  gint64 from_date;
  gint64 to_date;
  gint32 limit;
  gboolean has_from_date;
  gboolean has_to_date;
  gboolean has_limit;
  char *page; /* NULL: absent */

  /* Of a FindRequest; NULL: absent. */
  char *index;
  char **values; /* n_values of them */
  gsize n_values;
  char *from_value;
  char *to_value;
  TallOrderPart *part;
} TallIdlListing;

/* PatchOrderRequest. */
typedef struct
{
  char *customer_number;
  char *order_number;
  char **changes; /* n_changes of them */
  gsize n_changes;
  TallIdlOptions *options; /* NULL: absent */
  gint64 base_revision;
  gboolean has_base_revision;
} TallIdlPatch;

/* The arguments of any call; each call has its own fields of it. */
typedef struct
{
  TallOrder *order;       /* not owned */
  TallCustomer *customer; /* not owned */
  char *customer_number;
  char *order_number;
  TallIdlOptions *options; /* NULL: absent */
  gpointer request;        /* a struct of the call's own: TallIdlMany, TallIdlListing, or another */
} TallIdlArgs;

/* OrderResult, CustomerResult or PutResult; what is read without being provided belongs to the
 * arena, until it is stolen. */
typedef struct
{
  TallOrder *order;
  TallCustomer *customer;
  gint64 revision;
  TallOrderEntry *entry; /* NULL: absent */
} TallIdlSuccess;

/* The exception TallError as it travels. */
typedef struct
{
  gint32 code;
  char *message;
  char *field;
  gint64 revision;
  gboolean has_revision;
} TallIdlFailure;

/* OrderOutcome or PutOutcome: one of both is there. */
typedef struct
{
  TallIdlSuccess *result;
  TallIdlFailure *failure;
} TallIdlOutcome;

/* GetOrdersResult or PutOrdersResult. */
typedef struct
{
  TallIdlOutcome *outcomes; /* n_outcomes of them */
  guint n_outcomes;
} TallIdlOutcomes;

/* CustomerOrders or FindResult. */
typedef struct
{
  TallCustomer *customer; /* NULL: absent */
  gint64 revision;
  TallIdlOutcome *orders; /* n_orders of them */
  guint n_orders;
  char *next_page;         /* NULL: absent */
  TallIdlFailure *failure; /* of the customer; NULL: absent */
  char **others;           /* n_others of them */
  gsize n_others;
  char *index; /* of a FindResult */
} TallIdlPage;

/* VerifyRequest. */
typedef struct
{
  char *customer_number; /* NULL: absent */
  gint32 sample;
  gboolean has_sample;
  gboolean repair;
  gint32 most;
  gboolean has_most;
  TallSlice cursor; /* NULL data: absent */
  gboolean notes;
  gboolean waits;
} TallIdlVerify;

/* What servers of earlier versions sent to be sent back to them. */
typedef struct
{
  TallSlice state;
} TallIdlSuspect;

/* VerifyPart. */
typedef struct
{
  TallVerifyPart part;
  TallIdlSuspect *suspects; /* n_suspects of them: only a server of an earlier version has any */
  guint n_suspects;
  TallIdlFailure *failure; /* the same; NULL: absent */
} TallIdlVerifyPart;

/* ErasePart. */
typedef struct
{
  TallErasePart part;
  char *stage; /* NULL: absent */
} TallIdlErasePart;

typedef struct
{
  gpointer success;        /* of the call's type; NULL: failed, or nothing to tell */
  TallIdlFailure *failure; /* NULL: succeeded */
} TallIdlResult;

extern const TallStructLimits tall_idl_limits;      /* of a call on one order or customer */
extern const TallStructLimits tall_idl_many_limits; /* of a call on many */

/* They have no fields before tall_idl_prepare(), which tall_calls_get() and tall_calls_find() call.
 */
extern TallStructType tall_idl_order_type;
extern TallStructType tall_idl_customer_type;
void tall_idl_prepare (void);

extern const TallStructType tall_idl_options_type;
extern const TallStructType tall_idl_failure_type;

gboolean tall_idl_options_parse (const TallIdlOptions *self,
                                 TallWriteOptions *options,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_idl_options_init (TallIdlOptions *self, const TallWriteOptions *options);

gboolean tall_idl_listing_parse (const TallIdlListing *self,
                                 TallListOptions *options,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_idl_listing_init (TallIdlListing *self,
                            const char *customer_number,
                            const TallListOptions *options);

/* The most that all items of one reply have together, unless there is only one item. Our client
 * keeps to the same in its requests. */
#define TALL_CALL_BYTES (8 * 1024 * 1024)
#define TALL_CALL_LINES 100000

/* Milliseconds after which a call on many begins nothing more. Together with the time of one read
 * of the store this is less than a client waits. */
#define TALL_CALL_TIME 3000

/**
 * TallCallBudget:
 *
 * The room that a message has left, so that no message has a thousand orders of 1 MiB each. The
 * first item always has room. It also counts the memory that the items take.
 */
typedef struct
{
  gsize bytes;          /* left, in the binary protocol */
  guint n_lines;        /* left: lines and locations */
  guint n_items;        /* in the message */
  gsize memory;         /* bytes that the items take, until they are sent */
  gint64 until;         /* microseconds of g_get_monotonic_time() */
  TallTransport *scale; /* measures items */
} TallCallBudget;

void tall_call_budget_init (TallCallBudget *self);
void tall_call_budget_clear (TallCallBudget *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallCallBudget, tall_call_budget_clear)
gboolean tall_call_budget_take (TallCallBudget *self,
                                const TallStructType *type,
                                gconstpointer item,
                                const TallOrder *order);
gboolean tall_call_budget_is_late (const TallCallBudget *self);

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-customer.h"
#include "tall-listing.h"
#include "tall-order.h"

G_BEGIN_DECLS

/* Orders and customers for people, on standard output. */
void tall_show_order (const TallOrder *order, gint64 revision);
char *tall_show_describe_revision (gint64 revision) G_GNUC_WARN_UNUSED_RESULT;
void tall_show_customer (const TallCustomer *customer, gint64 revision);

/**
 * TallListOutput:
 *
 * Prints a listing page by page: as a table for people when all is there, or as one JSON object,
 * whose entries are printed as they come, a line each:
 *
 *     {"orders":[
 *     {"order_number":"10248", …},
 *     …
 *     ],"next_page":"…"}
 */
typedef struct _TallListOutput TallListOutput;

/* A table with these columns, as for tall_grid_new(). */
TallListOutput *tall_list_output_new_table (const char *const *columns);

/* A JSON object with the list @name. @members (nullable) stand before it: `"customer":{…},`. */
TallListOutput *tall_list_output_new_json (const char *members, const char *name);
void tall_list_output_free (TallListOutput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallListOutput, tall_list_output_free)

void tall_list_output_add_orders (TallListOutput *self, const TallOrderList *list);
void tall_list_output_add_customers (TallListOutput *self, const TallCustomerList *list);
void tall_list_output_add_json (TallListOutput *self, const char *entry);

/* @none: what to tell people if the list is empty. */
gboolean tall_list_output_is_complete (const TallListOutput *self);
void tall_list_output_end (TallListOutput *self, const char *next_page, const char *none);

extern const char *const tall_order_columns[];
extern const char *const tall_customer_columns[];

G_END_DECLS

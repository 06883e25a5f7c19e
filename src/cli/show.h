/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"
#include "tall-customer.h"
#include "tall-listing.h"
#include "tall-order.h"

/**
 * TallPaging:
 *
 * Which pages of a listing are printed: the options `--limit`, `--page` and `--all`, and for
 * listings by date `--from` and `--to`.
 */
typedef struct
{
  char *from;
  char *to;
  gint limit;
  char *page;
  gboolean all;
  char **argv; /* of the command, for the command line of the next page; not owned */
} TallPaging;

#define TALL_PAGING_INIT                                                                           \
  {                                                                                                \
    NULL, NULL, G_MININT, NULL, FALSE, NULL                                                        \
  }

/* The options as entries of a command. */
#define TALL_PAGING_ENTRIES(paging)                                                                \
  { "limit", 0, 0, G_OPTION_ARG_INT, &(paging)->limit, "entries of a page (default 30)", "N" },    \
      { "page", 0, 0, G_OPTION_ARG_FILENAME, &(paging)->page, "a later page", "TOKEN" },           \
  {                                                                                                \
    "all", 0, 0, G_OPTION_ARG_NONE, &(paging)->all, "all pages, one after the other", NULL         \
  }
#define TALL_DATE_ENTRIES(paging)                                                                  \
  { "from", 0, 0, G_OPTION_ARG_FILENAME, &(paging)->from, "first date that is listed", "DATE" },   \
  {                                                                                                \
    "to", 0, 0, G_OPTION_ARG_FILENAME, &(paging)->to, "first date that is no longer listed",       \
        "DATE"                                                                                     \
  }

gboolean tall_paging_check (const TallPaging *self,
                            TallListOptions *options,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_paging_turn (const TallPaging *self,
                           TallListOptions *options,
                           char **page,
                           const char *next_page);
void tall_paging_print_next (const TallPaging *self, const char *next_page);
TallExit tall_paging_fail (const TallCommand *command, const GError *error);

void tall_append_word (GString *line, const char *word);
char *tall_show_quote_json (const char *text) G_GNUC_WARN_UNUSED_RESULT;

/* Orders and customers for people, on standard output. */
void tall_show_order (const TallOrder *order,
                      gint64 revision,
                      const char *part,
                      const TallOrderEntry *entry);
void tall_show_warn_of_adjustment (const TallOrder *order, gsize i);
void tall_show_warn_of_adjustments (const TallOrder *order);
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

/* A table with these columns, as for tall_grid_new(); NULL: whole orders, one below the other. */
TallListOutput *tall_list_output_new_table (const char *const *columns);

/* A JSON object with the list @name. @members (nullable) stand before it: `"customer":{…},`. */
TallListOutput *tall_list_output_new_json (const char *members, const char *name);
void tall_list_output_free (TallListOutput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallListOutput, tall_list_output_free)

void tall_list_output_add_orders (TallListOutput *self, const TallOrderList *list);
void tall_list_output_add_outcome (TallListOutput *self, const TallOutcome *outcome);
void tall_list_output_add_failure (TallListOutput *self, const GError *error);
void tall_list_output_add_customers (TallListOutput *self, const TallCustomerList *list);

/* @none: what to tell people if the list is empty. */
gboolean tall_list_output_is_complete (const TallListOutput *self);
void tall_list_output_end (TallListOutput *self, const char *next_page, const char *none);

extern const char *const tall_order_columns[];
extern const char *const tall_found_columns[];
extern const char *const tall_customer_columns[];

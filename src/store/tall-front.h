/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib-object.h>

#include "tall-erase.h"
#include "tall-listing.h"
#include "tall-patch.h"
#include "tall-token.h"
#include "tall-verify.h"

TALL_BEGIN_API

/**
 * TallCondition:
 * @TALL_IF_ANY: store it whatever is there
 * @TALL_IF_ABSENT: only if nothing is there
 * @TALL_IF_REVISION: only if exactly this revision is there
 */
typedef enum
{
  TALL_IF_ANY,
  TALL_IF_ABSENT,
  TALL_IF_REVISION,
} TallCondition;

/* Milliseconds of an operation whose options say nothing else. */
#define TALL_USUAL_TIMEOUT 10000

/* The first revision that anything but a load gives, whatever the clock says: in 2004. It and those
 * above are about the time of the write, in milliseconds since the epoch. Those below belong to
 * loads, which count them: they say no time. */
#define TALL_FIRST_REVISION (G_GINT64_CONSTANT (1) << 40)

/**
 * TallWriteOptions:
 *
 * How something is put or deleted. All zero, or a NULL pointer to it: whatever is there, no token,
 * usual time-out.
 */
typedef struct
{
  TallCondition condition;
  gint64 revision;               /* for TALL_IF_REVISION */
  gboolean has_token;            /* a write sent again with the same token is done once, unless
                                  * others have written since */
  guint8 token[TALL_TOKEN_SIZE]; /* a UUID, as of tall_token_make(), for this one put */
  guint timeout;                 /* milliseconds for the whole operation; 0 = usual */
  gint64 base; /* of a patch with a token and without a revision: the one that was there when the
                * token was made */
} TallWriteOptions;

/**
 * TallDescription:
 *
 * What a deployment is, for `status` and the service's describe call.
 */
typedef struct
{
  TallArena *arena; /* owns everything below; owned */
  char *name;
  char *layout;
  char *key_strategy;
  char *store;  /* `rocksdb`, `hbase`, `memory` */
  guint format; /* of the stored bytes */
  guint schema; /* of orders and customers */
  gboolean read_only;
  char *version; /* of the program that answers */

  gboolean has_details; /* FALSE: a server gave it to a client that is not an administrator, and all
                         * details below are zero */

  /* What the deployment was made with; all zero for a server that does not report it yet. */
  char *index;    /* `date` or `none` */
  char **indexes; /* n_indexes of them, NULL-terminated: the others, as NAME=TEMPLATE */
  gsize n_indexes;
  guint64 ttl;          /* seconds; 0 = orders never expire */
  guint regions;        /* that tables were to begin with; 0: not said; a detail, like the next 3 */
  char *compression;    /* that was asked for; NULL: the store's default */
  char *bloom_filter;   /* the same */
  char *block_encoding; /* the same */

  /* What the program that answers can do. */
  guint newest_format; /* of stored bytes, that it reads; 0: unknown */
  char **calls;        /* n_calls of them, NULL-terminated: names of Thrift calls; NULL: it is no
                        * server, or an older one */
  gsize n_calls;
  char **protocols; /* n_protocols of them, NULL-terminated: in which it can be called */
  gsize n_protocols;

  /* Which tables count, and whether that is being changed: details, too. */
  guint64 generation; /* of the tables that count; 0: a server that does not report it yet */
  char *phase;        /* of a migration: `none`, `copying`, `sealing`, `closing` or `aborting`;
                       * NULL: not reported */
  char *next_layout;  /* after that migration; NULL: there is none; so are the next two */
  char *next_key_strategy;
  char *next_index;
} TallDescription;

void tall_description_free (TallDescription *self);
void tall_description_hide_details (TallDescription *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallDescription, tall_description_free)

/* See tall-bulk.h. */
typedef struct _TallBulk TallBulk;
typedef struct _TallBulkOptions TallBulkOptions;

#define TALL_TYPE_FRONT (tall_front_get_type ())
G_DECLARE_DERIVABLE_TYPE (TallFront, tall_front, TALL, FRONT, GObject)

/**
 * TallFrontClass:
 *
 * The interface to orders. The store implements it, and so does a client of the service; callers
 * need not know which. All slots but the optional ones must be implemented. Any thread may call at
 * any time. Errors are of %TALL_ERROR, their messages begin with the operation and the key.
 */
struct _TallFrontClass
{
  GObjectClass parent_class;

  /* Stores a whole order, or replaces it. The order is checked and its lists are sorted. @revision
   * (optional, out): the revision stored. %TALL_ERROR_CONFLICT if the condition does not hold;
   * %TALL_ERROR_OUTCOME_UNKNOWN if it may have been stored. */
  gboolean (*put_order) (TallFront *self,
                         TallOrder *order,
                         const TallWriteOptions *options,
                         gint64 *revision,
                         GError **error);

  /* Returns (transfer full): a whole order; %TALL_ERROR_NOT_FOUND if there is none. */
  TallOrder *(*get_order) (TallFront *self,
                           const char *customer_number,
                           const char *order_number,
                           gint64 *revision,
                           GError **error);

  /* %TALL_ERROR_NOT_FOUND if there is none; conditions as with put_order, without TALL_IF_ABSENT.
   */
  gboolean (*delete_order) (TallFront *self,
                            const char *customer_number,
                            const char *order_number,
                            const TallWriteOptions *options,
                            GError **error);

  gboolean (*put_customer) (TallFront *self,
                            TallCustomer *customer,
                            const TallWriteOptions *options,
                            gint64 *revision,
                            GError **error);
  TallCustomer *(*get_customer) (TallFront *self,
                                 const char *number,
                                 gint64 *revision,
                                 GError **error);

  /* Deletes a customer who has no orders; %TALL_ERROR_CONFLICT if there are some,
   * %TALL_ERROR_NOT_FOUND if there is no such customer. Conditions as with delete_order. */
  gboolean (*delete_customer) (TallFront *self,
                               const char *number,
                               const TallWriteOptions *options,
                               GError **error);

  /* Fetches @n orders, or @part of each; @outcomes (out, caller-allocates, zeroed): one for each,
   * by position. FALSE only if nothing could be asked at all; otherwise each outcome has its own
   * result. */
  gboolean (*get_orders) (TallFront *self,
                          const TallOrderId *ids,
                          guint n,
                          const TallOrderPart *part,
                          TallOutcome *outcomes,
                          GError **error);

  /* Stores @n orders, each atomically and independently; @options (nullable): @n of them. As with
   * get_orders. Two of one order in one call are stored one after the other. The time of each runs
   * from the beginning of the call: an order that was not tried by then is
   * %TALL_ERROR_TIMED_OUT. */
  gboolean (*put_orders) (TallFront *self,
                          TallOrder *const *orders,
                          const TallWriteOptions *options,
                          guint n,
                          TallOutcome *outcomes,
                          GError **error);

  /* Returns (transfer full): a page of a customer's orders by date. An order whose date changes
   * meanwhile may be missed or come twice. If much was deleted or given other dates, a page may
   * have fewer entries than asked for, even none, and still a next page. %TALL_ERROR_UNSUPPORTED
   * without an index; %TALL_ERROR_INVALID for a page token of another listing, deployment or
   * version. */
  TallOrderList *(*list_orders) (TallFront *self,
                                 const char *customer_number,
                                 const TallListOptions *options,
                                 GError **error);

  /* Returns (transfer full): a page of all customers, in the order of their row keys, each once;
   * also of customers with only orders (revision 0), because export walks this list and must lose
   * nothing. If row keys collide, perhaps not all are listed: see @others of #TallCustomerOrders.
   * If much was deleted, a page may have fewer entries than asked for, even none, and still a next
   * page. Dates in @options are not allowed. */
  TallCustomerList *(*list_customers) (TallFront *self,
                                       const TallListOptions *options,
                                       GError **error);

  /* Returns (transfer full): a customer with a page of whole orders, shorter than asked for if they
   * take more than 8 MiB, or if one after the first could not be fetched now, or where much was
   * deleted, even without any, and yet with a next page; dates in @options are not allowed.
   * %TALL_ERROR_NOT_FOUND if neither the customer nor an order of it is stored. */
  TallCustomerOrders *(*get_customer_orders) (TallFront *self,
                                              const char *number,
                                              const TallListOptions *options,
                                              GError **error);

  TallDescription *(*describe) (TallFront *self, GError **error);

  /* Succeeds if the store of the orders answers. */
  gboolean (*ping) (TallFront *self, GError **error);

  /* Returns (transfer full): what a part of a verification has found. Nothing is kept of it between
   * two calls. %TALL_ERROR_UNSUPPORTED if there is nothing to verify, or if the caller may not;
   * %TALL_ERROR_INVALID for a cursor or suspect of another deployment or version. */
  TallVerifyPart *(*verify_some) (TallFront *self,
                                  const TallVerifyRequest *request,
                                  GError **error);

  /* Reads everything that is stored and reports what is wrong. @summary (out): how far it came,
   * also after an error. Optional: otherwise tall_front_verify() does it by verify_some. */
  gboolean (*verify) (TallFront *self,
                      const TallVerifyOptions *options,
                      TallVerifySummary *summary,
                      GError **error);

  /* Bytes that any call on one order takes at most while it runs, its order included. @indexes
   * (out): how many of them only writes take, for what they replace and for entries. NULL: as much
   * as in most layouts. */
  gsize (*measure_order) (TallFront *self, gsize *indexes);

  /* Begins a load of very many orders; see tall_bulk_begin(). NULL: they are put as any others. */
  TallBulk *(*begin_bulk) (TallFront *self, const TallBulkOptions *options, GError **error);

  /* Changes parts of an order as it is, whatever others write meanwhile. @changes: @n of them, as
   * tall_order_patch() takes them. %TALL_ERROR_NOT_FOUND if there is no such order; conditions as
   * with delete_order. With a token and a base the patch is done once, however often it is asked
   * for: %TALL_ERROR_OUTCOME_UNKNOWN with a revision says that this call has done nothing, but that
   * others have written since the base, so that nobody knows of earlier calls with the token. */
  gboolean (*patch_order) (TallFront *self,
                           const char *customer_number,
                           const char *order_number,
                           const char *const *changes,
                           guint n,
                           const TallWriteOptions *options,
                           gint64 *revision,
                           GError **error);

  /* Returns (transfer full): what a part of an erase has done: see tall_front_erase_customer().
   * Nothing is kept of it between two calls, and to repeat one does no harm. NULL: unsupported. */
  TallErasePart *(*erase_some) (TallFront *self, const TallEraseRequest *request, GError **error);

  /* Returns (transfer full): a page of the orders that an index leads to. A page may be short, and
   * yet have a next one, as with list_orders. %TALL_ERROR_INVALID for an unknown index, a value
   * that a part cannot have, or a page token of another search; %TALL_ERROR_UNSUPPORTED without an
   * index. NULL: unsupported. */
  TallFound *(*find_orders) (TallFront *self, const TallFindOptions *options, GError **error);

  gpointer padding[9];
};

gboolean tall_front_put_order (TallFront *self,
                               TallOrder *order,
                               const TallWriteOptions *options,
                               gint64 *revision,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallOrder *tall_front_get_order (TallFront *self,
                                 const char *customer_number,
                                 const char *order_number,
                                 gint64 *revision,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_front_delete_order (TallFront *self,
                                  const char *customer_number,
                                  const char *order_number,
                                  const TallWriteOptions *options,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_front_patch_order (TallFront *self,
                                 const char *customer_number,
                                 const char *order_number,
                                 const char *const *changes,
                                 guint n,
                                 const TallWriteOptions *options,
                                 gint64 *revision,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_front_put_customer (TallFront *self,
                                  TallCustomer *customer,
                                  const TallWriteOptions *options,
                                  gint64 *revision,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomer *tall_front_get_customer (TallFront *self,
                                       const char *number,
                                       gint64 *revision,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_front_delete_customer (TallFront *self,
                                     const char *number,
                                     const TallWriteOptions *options,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_front_get_orders (TallFront *self,
                                const TallOrderId *ids,
                                guint n,
                                TallOutcome *outcomes,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_front_get_parts (TallFront *self,
                               const TallOrderId *ids,
                               guint n,
                               const TallOrderPart *part,
                               TallOutcome *outcomes,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_front_put_orders (TallFront *self,
                                TallOrder *const *orders,
                                const TallWriteOptions *options,
                                guint n,
                                TallOutcome *outcomes,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallOrderList *tall_front_list_orders (TallFront *self,
                                       const char *customer_number,
                                       const TallListOptions *options,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomerList *tall_front_list_customers (TallFront *self,
                                             const TallListOptions *options,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomerOrders *tall_front_get_customer_orders (TallFront *self,
                                                    const char *number,
                                                    const TallListOptions *options,
                                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallFound *tall_front_find_orders (TallFront *self,
                                   const TallFindOptions *options,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallDescription *tall_front_describe (TallFront *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallVerifyPart *tall_front_verify_some (TallFront *self,
                                        const TallVerifyRequest *request,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_front_verify (TallFront *self,
                            const TallVerifyOptions *options,
                            TallVerifySummary *summary,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallErasePart *tall_front_erase_some (TallFront *self,
                                      const TallEraseRequest *request,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallErasePart *tall_front_erase_customer (TallFront *self,
                                          const char *number,
                                          const TallEraseOptions *options,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gsize tall_front_measure_order (TallFront *self, gsize *indexes);
gboolean tall_front_ping (TallFront *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

TALL_END_API

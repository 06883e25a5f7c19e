/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-calls.h"

#include "tall-idl-backup.h"
#include "tall-idl-migrate.h"
#include "tall-idl-private.h"
#include "tall-request.h"

/* Structs of calls. */

#define Type TallDescription
IDL_STRUCT (description_type,
            "Description",
            ALWAYS (1, TEXT, name),
            ALWAYS (2, TEXT, layout),
            ALWAYS (3, TEXT, key_strategy),
            ALWAYS (4, TEXT, store),
            ALWAYS (5, I32, format),
            ALWAYS (6, I32, schema),
            ALWAYS (7, BOOL, read_only),
            ALWAYS (8, TEXT, version),
            ALWAYS (9, TEXT, index),
            ALWAYS (10, I64, ttl),
            FIELD (11, I32, regions, AT (has_details), NULL),
            ALWAYS (12, TEXT, compression),
            ALWAYS (13, TEXT, bloom_filter),
            ALWAYS (14, TEXT, block_encoding),
            TEXTS (15, calls),
            TEXTS (16, protocols),
            ALWAYS (17, I32, newest_format),
            FIELD (18, I64, generation, AT (has_details), NULL),
            ALWAYS (19, TEXT, phase),
            ALWAYS (20, TEXT, next_layout),
            ALWAYS (21, TEXT, next_key_strategy),
            ALWAYS (22, TEXT, next_index));
#undef Type

#define Type TallIdlSuccess
IDL_STRUCT (put_success_type, "PutResult", ALWAYS (1, I64, revision));
IDL_STRUCT (order_success_type,
            "OrderResult",
            OUTER (1, order, tall_idl_order_type),
            ALWAYS (2, I64, revision));
IDL_STRUCT (customer_success_type,
            "CustomerResult",
            OUTER (1, customer, tall_idl_customer_type),
            ALWAYS (2, I64, revision));
#undef Type

#define Type TallIdlOutcome
IDL_ITEM (order_outcome_type,
          "OrderOutcome",
          STRUCT (1, result, order_success_type),
          STRUCT (2, failure, tall_idl_failure_type));
IDL_ITEM (put_outcome_type,
          "PutOutcome",
          STRUCT (1, result, put_success_type),
          STRUCT (2, failure, tall_idl_failure_type));
#undef Type

#define Type TallIdlOutcomes
IDL_STRUCT (get_orders_success_type, "GetOrdersResult", STRUCTS (1, outcomes, order_outcome_type));
IDL_STRUCT (put_orders_success_type, "PutOrdersResult", STRUCTS (1, outcomes, put_outcome_type));
#undef Type

#define Type TallUnreadable
IDL_ITEM (unreadable_type,
          "Unreadable",
          ALWAYS (1, TEXT, number),
          ALWAYS (2, I32, code),
          ALWAYS (3, TEXT, message));
#undef Type

#define Type TallOrderEntry
IDL_ITEM (order_entry_type,
          "OrderEntry",
          ALWAYS (1, TEXT, order_number),
          ALWAYS (2, I64, revision),
          OPTIONAL (3, I64, sales_date),
          NAMED (4, I32, "lines", n_lines),
          OPTIONAL (5, DECIMAL, total),
          ALWAYS (6, TEXT, currency));
#undef Type

#define Type TallOrderList
IDL_STRUCT (order_list_type,
            "OrderList",
            STRUCTS (1, entries, order_entry_type),
            ALWAYS (2, TEXT, next_page),
            STRUCTS (3, unreadable, unreadable_type));
#undef Type

#define Type TallCustomerEntry
IDL_ITEM (customer_entry_type,
          "CustomerEntry",
          ALWAYS (1, TEXT, number),
          ALWAYS (2, TEXT, name),
          ALWAYS (3, I64, revision));
#undef Type

#define Type TallCustomerList
IDL_STRUCT (customer_list_type,
            "CustomerList",
            STRUCTS (1, entries, customer_entry_type),
            ALWAYS (2, TEXT, next_page),
            STRUCTS (3, unreadable, unreadable_type));
#undef Type

#define Type TallIdlCustomerOrders
IDL_STRUCT (customer_orders_type,
            "CustomerOrders",
            STRUCT (1, customer, tall_idl_customer_type),
            ALWAYS (2, I64, revision),
            STRUCTS (3, orders, order_outcome_type),
            ALWAYS (4, TEXT, next_page),
            STRUCT (5, failure, tall_idl_failure_type),
            TEXTS (6, others));
#undef Type

#define Type TallOrderId
IDL_ITEM (order_id_type,
          "OrderId",
          ALWAYS (1, TEXT, customer_number),
          ALWAYS (2, TEXT, order_number));
#undef Type

#define Type TallIdlPut
IDL_ITEM (order_put_type,
          "OrderPut",
          STRUCT (1, order, tall_idl_order_type),
          STRUCT (2, options, tall_idl_options_type));
#undef Type

#define Type TallIdlMany
IDL_STRUCT (get_orders_request_type, "GetOrdersRequest", STRUCTS (1, ids, order_id_type));
IDL_STRUCT (put_orders_request_type, "PutOrdersRequest", STRUCTS (1, puts, order_put_type));
#undef Type

#define Type TallIdlListing
IDL_STRUCT (list_orders_request_type,
            "ListOrdersRequest",
            ALWAYS (1, TEXT, customer_number),
            OPTIONAL (2, I64, from_date),
            OPTIONAL (3, I64, to_date),
            OPTIONAL (4, I32, limit),
            ALWAYS (5, TEXT, page));
IDL_STRUCT (list_customers_request_type,
            "ListCustomersRequest",
            OPTIONAL (1, I32, limit),
            ALWAYS (2, TEXT, page));
IDL_STRUCT (customer_orders_request_type,
            "CustomerOrdersRequest",
            ALWAYS (1, TEXT, customer_number),
            OPTIONAL (2, I32, limit),
            ALWAYS (3, TEXT, page));
#undef Type

#define Type TallVerifySuspect
IDL_ITEM (suspect_type, "VerifySuspect", ALWAYS (1, BYTES, state), ALWAYS (2, BOOL, at_once));
#undef Type

#define Type TallIdlVerify
IDL_STRUCT (verify_request_type,
            "VerifyRequest",
            ALWAYS (1, TEXT, customer_number),
            OPTIONAL (2, I32, sample),
            ALWAYS (3, BOOL, repair),
            OPTIONAL (4, I32, most),
            ALWAYS (5, BYTES, cursor),
            STRUCTS (6, suspects, suspect_type),
            ALWAYS (7, BOOL, notes));
#undef Type

#define Type TallUnfinishedLoad
IDL_STRUCT (load_type,
            "UnfinishedLoad",
            ALWAYS (1, TEXT, name),
            ALWAYS (2, I64, begun),
            ALWAYS (3, I64, stored));
#undef Type

#define Type TallIdlFinding
IDL_ITEM (finding_type,
          "Finding",
          ALWAYS (1, TEXT, kind),
          ALWAYS (2, TEXT, table),
          ALWAYS (3, BYTES, row),
          ALWAYS (4, I32, rows),
          ALWAYS (5, TEXT, customer_number),
          ALWAYS (6, TEXT, order_number),
          ALWAYS (7, I64, revision),
          ALWAYS (8, TEXT, message),
          ALWAYS (9, BOOL, mended),
          STRUCT (10, load, load_type));
#undef Type

#define Type TallIdlVerifyPart
IDL_STRUCT (verify_part_type,
            "VerifyPart",
            STRUCTS (1, findings, finding_type),
            STRUCTS (2, suspects, suspect_type),
            ALWAYS (3, BYTES, cursor),
            ALWAYS (4, I64, customers),
            ALWAYS (5, I64, orders),
            ALWAYS (6, I64, hints),
            ALWAYS (7, I64, ids),
            ALWAYS (8, I64, busy),
            ALWAYS (9, BOOL, broken),
            STRUCT (10, failure, tall_idl_failure_type));
#undef Type

static TallIdlSuccess *
add_success (TallRequest *self)
{
  TallIdlSuccess *success = tall_arena_new0 (self->arena, TallIdlSuccess);
  self->result.success = success;
  return success;
}

static gboolean
run_put_order (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_put_order (self->front, self->args.order, &options, &success->revision,
                                  error);
}

static gboolean
run_get_order (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);

  success->order = tall_front_get_order (self->front, self->args.customer_number,
                                         self->args.order_number, &success->revision, error);
  return tall_request_own (self, success->order, (GDestroyNotify)tall_order_free);
}

static gboolean
run_delete_order (TallRequest *self, GError **error)
{
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_delete_order (self->front, self->args.customer_number,
                                     self->args.order_number, &options, error);
}

static gboolean
run_put_customer (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_put_customer (self->front, self->args.customer, &options, &success->revision,
                                     error);
}

static gboolean
run_get_customer (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);

  success->customer =
      tall_front_get_customer (self->front, self->args.customer_number, &success->revision, error);
  return tall_request_own (self, success->customer, (GDestroyNotify)tall_customer_free);
}

static gboolean
run_delete_customer (TallRequest *self, GError **error)
{
  TallWriteOptions options;

  return tall_idl_options_parse (self->args.options, &options, error)
         && tall_front_delete_customer (self->front, self->args.customer_number, &options, error);
}

static gboolean
run_describe (TallRequest *self, GError **error)
{
  static const char *const protocols[] = { "binary", "compact", NULL };
  TallDescription *description = tall_front_describe (self->front, error);

  self->result.success = description;
  if (!tall_request_own (self, description, (GDestroyNotify)tall_description_free))
    return FALSE;
  description->calls = tall_calls_list_names ();
  description->n_calls = g_strv_length (description->calls);
  tall_arena_own (description->arena, description->calls, (GDestroyNotify)g_strfreev);
  description->protocols = (char **)protocols;
  description->n_protocols = g_strv_length (description->protocols);
  if (!self->shows_details)
    tall_description_hide_details (description);
  return TRUE;
}

static gboolean
run_ping (TallRequest *self, GError **error)
{
  return tall_front_ping (self->front, error);
}

#define SLOT(member) G_STRUCT_OFFSET (TallFrontClass, member)

#define ARRAY(...)                                                                                 \
  (const TallStructField[])                                                                        \
  {                                                                                                \
    __VA_ARGS__                                                                                    \
  }
#define UNNAMED(shown_name, type, ...)                                                             \
  &(const TallStructType)                                                                          \
  {                                                                                                \
    .name = shown_name, .size = sizeof (type), .fields = ARRAY (__VA_ARGS__),                      \
    .n_fields = sizeof (ARRAY (__VA_ARGS__)) / sizeof (TallStructField)                            \
  }
#define ARGS(...) UNNAMED ("args", TallIdlArgs, __VA_ARGS__)
#define RESULT(...) UNNAMED ("result", TallIdlResult, __VA_ARGS__)
#define RESULT_FIELD(id, member, type)                                                             \
  {                                                                                                \
    NULL, id, TALL_KIND_STRUCT, G_STRUCT_OFFSET (TallIdlResult, member), TALL_STRUCT_ALWAYS, &type \
  }
#define FAILURE RESULT_FIELD (1, failure, tall_idl_failure_type)
#define VOID RESULT (FAILURE)
#define RETURNS(type) RESULT (RESULT_FIELD (0, success, type), FAILURE)

#define FETCHING_ORDER "Fetching order {order_number} of {customer_number}"
#define STORING_ORDER "Storing order {order_number} of {customer_number}"

#define Type TallIdlArgs
static const TallIdlCall calls[] = {
  {
      .name = "putOrder",
      .role = TALL_ROLE_WRITER,
      .operation = STORING_ORDER,
      .slot = SLOT (put_order),
      .args =
          ARGS (OUTER (1, order, tall_idl_order_type), STRUCT (2, options, tall_idl_options_type)),
      .result = RETURNS (put_success_type),
      .run = run_put_order,
  },
  {
      .name = "getOrder",
      .role = TALL_ROLE_READER,
      .operation = FETCHING_ORDER,
      .slot = SLOT (get_order),
      .args = ARGS (ALWAYS (1, TEXT, customer_number), ALWAYS (2, TEXT, order_number)),
      .result = RETURNS (order_success_type),
      .run = run_get_order,
  },
  {
      .name = "deleteOrder",
      .role = TALL_ROLE_WRITER,
      .operation = "Deleting order {order_number} of {customer_number}",
      .slot = SLOT (delete_order),
      .args = ARGS (ALWAYS (1, TEXT, customer_number),
                    ALWAYS (2, TEXT, order_number),
                    STRUCT (3, options, tall_idl_options_type)),
      .result = VOID,
      .run = run_delete_order,
  },
  {
      .name = "putCustomer",
      .role = TALL_ROLE_WRITER,
      .operation = "Storing customer {number}",
      .slot = SLOT (put_customer),
      .args = ARGS (OUTER (1, customer, tall_idl_customer_type),
                    STRUCT (2, options, tall_idl_options_type)),
      .result = RETURNS (put_success_type),
      .run = run_put_customer,
  },
  {
      .name = "getCustomer",
      .role = TALL_ROLE_READER,
      .operation = "Fetching customer {number}",
      .slot = SLOT (get_customer),
      .args = ARGS (NAMED (1, TEXT, "number", customer_number)),
      .result = RETURNS (customer_success_type),
      .run = run_get_customer,
  },
  {
      .name = "deleteCustomer",
      .role = TALL_ROLE_WRITER,
      .operation = "Deleting customer {number}",
      .slot = SLOT (delete_customer),
      .args = ARGS (NAMED (1, TEXT, "number", customer_number),
                    STRUCT (2, options, tall_idl_options_type)),
      .result = VOID,
      .run = run_delete_customer,
  },
  {
      .name = "getOrders",
      .role = TALL_ROLE_READER,
      .operation = "Fetching {ids} orders",
      .slot = SLOT (get_orders),
      .args = ARGS (OUTER (1, request, get_orders_request_type)),
      .result = RETURNS (get_orders_success_type),
      .run = tall_request_get_orders,
      .own_memory = TRUE,
      .item = &order_outcome_type,
      .asked = &order_id_type,
      .item_operation = FETCHING_ORDER,
  },
  {
      .name = "putOrders",
      .role = TALL_ROLE_WRITER,
      .operation = "Storing {puts} orders",
      .slot = SLOT (put_orders),
      .args = ARGS (OUTER (1, request, put_orders_request_type)),
      .result = RETURNS (put_orders_success_type),
      .run = tall_request_put_orders,
      .own_memory = TRUE,
      .item = &put_outcome_type,
      .asked = &order_put_type,
      .item_operation = STORING_ORDER,
  },
  {
      .name = "listOrders",
      .role = TALL_ROLE_READER,
      .operation = "Listing the orders of {customer_number}",
      .slot = SLOT (list_orders),
      .args = ARGS (OUTER (1, request, list_orders_request_type)),
      .result = RETURNS (order_list_type),
      .run = tall_request_list_orders,
      .item = &order_entry_type,
  },
  {
      .name = "listCustomers",
      .role = TALL_ROLE_READER,
      .operation = "Listing the customers",
      .slot = SLOT (list_customers),
      .args = ARGS (OUTER (1, request, list_customers_request_type)),
      .result = RETURNS (customer_list_type),
      .run = tall_request_list_customers,
      .item = &customer_entry_type,
  },
  {
      .name = "getCustomerOrders",
      .role = TALL_ROLE_READER,
      .operation = "Fetching the orders of {customer_number}",
      .slot = SLOT (get_customer_orders),
      .args = ARGS (OUTER (1, request, customer_orders_request_type)),
      .result = RETURNS (customer_orders_type),
      .run = tall_request_get_customer_orders,
      .own_memory = TRUE,
      .item = &order_outcome_type,
  },
  {
      .name = "describe",
      .role = TALL_ROLE_READER,
      .details = TALL_ROLE_ADMIN,
      .operation = "Describing the deployment",
      .slot = SLOT (describe),
      .args = ARGS (),
      .result = RETURNS (description_type),
      .run = run_describe,
      .own_memory = TRUE,
  },
  {
      .name = "ping",
      .role = TALL_ROLE_READER,
      .operation = "Pinging the store",
      .slot = SLOT (ping),
      .args = ARGS (),
      .result = VOID,
      .run = run_ping,
      .own_memory = TRUE,
  },
  {
      .name = "verify",
      .role = TALL_ROLE_ADMIN,
      .operation = "Verifying",
      .slot = SLOT (verify_some),
      .args = ARGS (OUTER (1, request, verify_request_type)),
      .result = RETURNS (verify_part_type),
      .run = tall_request_verify,
      .own_memory = TRUE,
      .item = &finding_type,
  },
  {
      .name = "startMigration",
      .operation = "Migrating",
      .args = ARGS (OUTER (1, request, tall_idl_migration_request_type)),
      .result = RETURNS (tall_idl_migration_state_type),
      .run = tall_request_start_migration,
      .role = TALL_ROLE_ADMIN,
      .own_memory = TRUE,
      .item = &tall_idl_unfit_type,
  },
  {
      .name = "getMigration",
      .operation = "Looking at the migration",
      .args = ARGS (OUTER (1, request, tall_idl_migration_look_type)),
      .result = RETURNS (tall_idl_migration_state_type),
      .run = tall_request_get_migration,
      .role = TALL_ROLE_ADMIN,
      .own_memory = TRUE,
      .item = &tall_idl_unfit_type,
  },
  {
      .name = "startBackup",
      .operation = "Making the backup {name}",
      .args = ARGS (OUTER (1, request, tall_idl_backup_request_type)),
      .result = RETURNS (tall_idl_backup_state_type),
      .run = tall_request_start_backup,
      .role = TALL_ROLE_ADMIN,
      .own_memory = TRUE,
  },
  {
      .name = "getBackup",
      .operation = "Looking at the backup",
      .args = ARGS (OUTER (1, request, tall_idl_backup_look_type)),
      .result = RETURNS (tall_idl_backup_state_type),
      .run = tall_request_get_backup,
      .role = TALL_ROLE_ADMIN,
      .own_memory = TRUE,
  },
};
#undef Type

/**
 * tall_calls_get:
 * @slot: of #TallFrontClass, one that is a call
 */
const TallIdlCall *
tall_calls_get (gsize slot)
{
  tall_idl_prepare ();
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (calls[i].slot == slot)
      return &calls[i];
  g_assert_not_reached ();
}

/**
 * tall_calls_find:
 *
 * Returns: (nullable): the call of that name
 */
const TallIdlCall *
tall_calls_find (const char *name)
{
  tall_idl_prepare ();
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (g_str_equal (calls[i].name, name))
      return &calls[i];
  return NULL;
}

/**
 * tall_calls_count:
 *
 * Returns: how many calls there are
 */
guint
tall_calls_count (void)
{
  return G_N_ELEMENTS (calls);
}

/**
 * tall_calls_get_nth:
 * @index: below tall_calls_count()
 */
const TallIdlCall *
tall_calls_get_nth (guint index)
{
  tall_idl_prepare ();
  g_assert (index < G_N_ELEMENTS (calls));
  return &calls[index];
}

/**
 * tall_calls_get_index:
 * @call: one of tall_calls_get_nth()
 */
guint
tall_calls_get_index (const TallIdlCall *call)
{
  return (guint)(call - calls);
}

/**
 * tall_calls_list_names:
 *
 * Returns: (transfer full): the names of all calls, NULL-terminated
 */
GStrv
tall_calls_list_names (void)
{
  GStrv names = g_new0 (char *, G_N_ELEMENTS (calls) + 1);
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    names[i] = g_strdup (calls[i].name);
  return names;
}

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/calls.h"

#include "service/calls/idl-tasks.h"
#include "service/calls/idl-private.h"
#include "service/server/request.h"

#include <string.h>

/* What calls take and return, beside what idl.h has; in the order of `idl/tallorder.thrift`. */

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
            ALWAYS (22, TEXT, next_index),
            TEXTS (23, indexes));
#undef Type

#define Type TallIdlPatch
IDL_STRUCT (patch_request_type,
            "PatchOrderRequest",
            ALWAYS (1, TEXT, customer_number),
            ALWAYS (2, TEXT, order_number),
            TEXTS (3, changes),
            STRUCT (4, options, tall_idl_options_type),
            OPTIONAL (5, I64, base_revision));
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

#define Type TallIdlSuccess
IDL_STRUCT (put_success_type, "PutResult", ALWAYS (1, I64, revision));
IDL_STRUCT (order_success_type,
            "OrderResult",
            OUTER (1, order, tall_idl_order_type),
            ALWAYS (2, I64, revision),
            STRUCT (3, entry, order_entry_type));
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

#define Type TallIdlPage
IDL_STRUCT (customer_orders_type,
            "CustomerOrders",
            STRUCT (1, customer, tall_idl_customer_type),
            ALWAYS (2, I64, revision),
            STRUCTS (3, orders, order_outcome_type),
            ALWAYS (4, TEXT, next_page),
            STRUCT (5, failure, tall_idl_failure_type),
            TEXTS (6, others));
IDL_STRUCT (find_result_type,
            "FindResult",
            ALWAYS (1, TEXT, index),
            STRUCTS (2, orders, order_outcome_type),
            ALWAYS (3, TEXT, next_page));
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

#define Type TallOrderPart
IDL_STRUCT (part_type, "OrderPart", ALWAYS (1, I32, kind), ALWAYS (2, I32, location));
#undef Type

#define Type TallIdlMany
IDL_STRUCT (get_orders_request_type,
            "GetOrdersRequest",
            STRUCTS (1, ids, order_id_type),
            STRUCT (2, part, part_type));
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
IDL_STRUCT (find_request_type,
            "FindRequest",
            ALWAYS (1, TEXT, index),
            TEXTS (2, values),
            ALWAYS (3, TEXT, from_value),
            ALWAYS (4, TEXT, to_value),
            OPTIONAL (5, I32, limit),
            ALWAYS (6, TEXT, page),
            STRUCT (7, part, part_type));
#undef Type

#define Type TallIdlVerify
IDL_STRUCT (verify_request_type,
            "VerifyRequest",
            ALWAYS (1, TEXT, customer_number),
            OPTIONAL (2, I32, sample),
            ALWAYS (3, BOOL, repair),
            OPTIONAL (4, I32, most),
            ALWAYS (5, BYTES, cursor),
            ALWAYS (7, BOOL, notes),
            ALWAYS (8, BOOL, waits));
#undef Type

#define Type TallUnfinishedLoad
IDL_STRUCT (load_type,
            "UnfinishedLoad",
            ALWAYS (1, TEXT, name),
            ALWAYS (2, I64, begun),
            ALWAYS (3, I64, stored));
#undef Type

#define Type TallFinding
IDL_ITEM (finding_type,
          "Finding",
          NAMED (1, TEXT, "kind", name),
          ALWAYS (2, TEXT, table),
          ALWAYS (3, BYTES, row),
          NAMED (4, I32, "rows", n_rows),
          ALWAYS (5, TEXT, customer_number),
          ALWAYS (6, TEXT, order_number),
          ALWAYS (7, I64, revision),
          ALWAYS (8, TEXT, message),
          ALWAYS (9, BOOL, mended),
          STRUCT (10, load, load_type));
#undef Type

#define Type TallIdlSuspect
IDL_ITEM (suspect_type, "VerifySuspect", ALWAYS (1, BYTES, state));
#undef Type

#define Type TallIdlVerifyPart
IDL_STRUCT (verify_part_type,
            "VerifyPart",
            { "findings", 1, TALL_KIND_STRUCTS, AT (part.findings), AT (part.n_findings),
              &finding_type },
            STRUCTS (2, suspects, suspect_type),
            NAMED (3, BYTES, "cursor", part.cursor),
            NAMED (4, I64, "customers", part.n_customers),
            NAMED (5, I64, "orders", part.n_orders),
            NAMED (6, I64, "hints", part.n_hints),
            NAMED (7, I64, "ids", part.n_ids),
            NAMED (8, I64, "busy", part.n_busy),
            NAMED (9, BOOL, "broken", part.is_broken),
            STRUCT (10, failure, tall_idl_failure_type),
            NAMED (11, I32, "wait_ms", part.wait),
            NAMED (12, I64, "marks", part.n_marks));
#undef Type

#define Type TallEraseRequest
IDL_STRUCT (erase_request_type,
            "EraseRequest",
            ALWAYS (1, TEXT, customer_number),
            ALWAYS (2, BOOL, compact),
            ALWAYS (3, BYTES, cursor));
#undef Type

#define Type TallIdlErasePart
IDL_STRUCT (erase_part_type,
            "ErasePart",
            NAMED (1, BYTES, "cursor", part.cursor),
            NAMED (2, I32, "wait_ms", part.wait),
            ALWAYS (3, TEXT, stage),
            NAMED (4, I64, "orders", part.counts.n_orders),
            NAMED (5, I64, "customers", part.counts.n_customers),
            NAMED (6, I64, "marks", part.counts.n_marks),
            NAMED (7, I64, "rows", part.counts.n_rows),
            { "left", 8, TALL_KIND_TEXTS, AT (part.left), AT (part.n_left), NULL });
#undef Type

/* Finds a field of a struct, or of a struct within it. @object: (inout): where the struct is, then
 * where that with the field is; NULL: absent. */
static const TallStructField *
find_field (const TallStructType *type, const char *name, gsize len, gconstpointer *object)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallStructField *field = &type->fields[i];
      if (field->name != NULL && strlen (field->name) == len
          && memcmp (field->name, name, len) == 0)
        return field;
      if (field->kind != TALL_KIND_STRUCT)
        continue;
      gconstpointer inner =
          *object != NULL ? G_STRUCT_MEMBER (gconstpointer, *object, field->offset) : NULL;
      const TallStructField *found = find_field (field->type, name, len, &inner);
      if (found == NULL)
        continue;
      *object = inner;
      return found;
    }
  return NULL;
}

/* What is absent is shown as what it is taken for: an empty text, a list without elements. */
static void
append_field (GString *text, const TallStructField *field, gconstpointer object)
{
  if (field->kind == TALL_KIND_STRUCTS)
    g_string_append_printf (text, "%u",
                            object != NULL ? G_STRUCT_MEMBER (guint, object, field->beside) : 0);
  else if (object != NULL && G_STRUCT_MEMBER (const char *, object, field->offset) != NULL)
    g_string_append (text, G_STRUCT_MEMBER (const char *, object, field->offset));
}

static char *
fill_in (const char *operation, const TallStructType *type, gconstpointer object)
{
  GString *text = g_string_new (NULL);

  for (const char *brace; (brace = strchr (operation, '{')) != NULL;)
    {
      gsize len = strcspn (brace + 1, "}");
      gconstpointer holder = object;
      const TallStructField *field = find_field (type, brace + 1, len, &holder);
      g_assert (field != NULL);
      g_string_append_len (text, operation, brace - operation);
      append_field (text, field, holder);
      operation = brace + len + 2;
    }
  g_string_append (text, operation);
  return g_string_free (text, FALSE);
}

/**
 * tall_idl_call_describe:
 *
 * Returns: (transfer full): what the call does, as the beginning of messages, such as
 *   `Storing order 10248 of VINET`
 */
char *
tall_idl_call_describe (const TallIdlCall *self, const TallIdlArgs *args)
{
  return fill_in (self->operation, self->args, args);
}

/**
 * tall_idl_call_describe_item:
 * @asked: one of the things that a call on many is about
 *
 * Returns: (transfer full): the same of one of many
 */
char *
tall_idl_call_describe_item (const TallIdlCall *self, gconstpointer asked)
{
  return fill_in (self->item_operation, self->asked, asked);
}

/**
 * tall_idl_call_get_limits:
 *
 * Returns: how much a call of that kind, or its reply, may hold
 */
const TallStructLimits *
tall_idl_call_get_limits (const TallIdlCall *self)
{
  return self->item != NULL ? &tall_idl_many_limits : &tall_idl_limits;
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
      .run = tall_request_put_order,
  },
  {
      .name = "getOrder",
      .role = TALL_ROLE_READER,
      .operation = FETCHING_ORDER,
      .slot = SLOT (get_order),
      .args = ARGS (ALWAYS (1, TEXT, customer_number), ALWAYS (2, TEXT, order_number)),
      .result = RETURNS (order_success_type),
      .run = tall_request_get_order,
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
      .run = tall_request_delete_order,
  },
  {
      .name = "patchOrder",
      .role = TALL_ROLE_WRITER,
      .operation = "Patching order {order_number} of {customer_number}",
      .slot = SLOT (patch_order),
      .args = ARGS (OUTER (1, request, patch_request_type)),
      .result = RETURNS (put_success_type),
      .run = tall_request_patch_order,
  },
  {
      .name = "putCustomer",
      .role = TALL_ROLE_WRITER,
      .operation = "Storing customer {number}",
      .slot = SLOT (put_customer),
      .args = ARGS (OUTER (1, customer, tall_idl_customer_type),
                    STRUCT (2, options, tall_idl_options_type)),
      .result = RETURNS (put_success_type),
      .run = tall_request_put_customer,
  },
  {
      .name = "getCustomer",
      .role = TALL_ROLE_READER,
      .operation = "Fetching customer {number}",
      .slot = SLOT (get_customer),
      .args = ARGS (NAMED (1, TEXT, "number", customer_number)),
      .result = RETURNS (customer_success_type),
      .run = tall_request_get_customer,
  },
  {
      .name = "deleteCustomer",
      .role = TALL_ROLE_WRITER,
      .operation = "Deleting customer {number}",
      .slot = SLOT (delete_customer),
      .args = ARGS (NAMED (1, TEXT, "number", customer_number),
                    STRUCT (2, options, tall_idl_options_type)),
      .result = VOID,
      .run = tall_request_delete_customer,
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
      .name = "findOrders",
      .role = TALL_ROLE_READER,
      .operation = "Finding orders",
      .slot = SLOT (find_orders),
      .args = ARGS (OUTER (1, request, find_request_type)),
      .result = RETURNS (find_result_type),
      .run = tall_request_find_orders,
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
      .name = "eraseCustomer",
      .role = TALL_ROLE_ADMIN,
      .operation = "Erasing customer {customer_number}",
      .slot = SLOT (erase_some),
      .args = ARGS (OUTER (1, request, erase_request_type)),
      .result = RETURNS (erase_part_type),
      .run = tall_request_erase,
      .own_memory = TRUE,
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

const TallIdlCall *
tall_calls_find (const char *name)
{
  tall_idl_prepare ();
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (g_str_equal (calls[i].name, name))
      return &calls[i];
  return NULL;
}

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

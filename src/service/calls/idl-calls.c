/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/idl-calls.h"

#include "service/calls/idl-private.h"

#define Type TallDescription
IDL_SHARED_STRUCT (tall_idl_description_type,
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
IDL_SHARED_STRUCT (tall_idl_patch_request_type,
                   "PatchOrderRequest",
                   ALWAYS (1, TEXT, customer_number),
                   ALWAYS (2, TEXT, order_number),
                   TEXTS (3, changes),
                   STRUCT (4, options, tall_idl_options_type),
                   OPTIONAL (5, I64, base_revision));
#undef Type

#define Type TallOrderEntry
IDL_SHARED_ITEM (tall_idl_order_entry_type,
                 "OrderEntry",
                 ALWAYS (1, TEXT, order_number),
                 ALWAYS (2, I64, revision),
                 OPTIONAL (3, I64, sales_date),
                 NAMED (4, I32, "lines", n_lines),
                 OPTIONAL (5, DECIMAL, total),
                 ALWAYS (6, TEXT, currency));
#undef Type

#define Type TallIdlSuccess
IDL_SHARED_STRUCT (tall_idl_put_success_type, "PutResult", ALWAYS (1, I64, revision));
IDL_SHARED_STRUCT (tall_idl_order_success_type,
                   "OrderResult",
                   OUTER (1, order, tall_idl_order_type),
                   ALWAYS (2, I64, revision),
                   STRUCT (3, entry, tall_idl_order_entry_type));
IDL_SHARED_STRUCT (tall_idl_customer_success_type,
                   "CustomerResult",
                   OUTER (1, customer, tall_idl_customer_type),
                   ALWAYS (2, I64, revision));
#undef Type

#define Type TallIdlOutcome
IDL_SHARED_ITEM (tall_idl_order_outcome_type,
                 "OrderOutcome",
                 STRUCT (1, result, tall_idl_order_success_type),
                 STRUCT (2, failure, tall_idl_failure_type));
IDL_SHARED_ITEM (tall_idl_put_outcome_type,
                 "PutOutcome",
                 STRUCT (1, result, tall_idl_put_success_type),
                 STRUCT (2, failure, tall_idl_failure_type));
#undef Type

#define Type TallIdlOutcomes
IDL_SHARED_STRUCT (tall_idl_get_orders_success_type,
                   "GetOrdersResult",
                   STRUCTS (1, outcomes, tall_idl_order_outcome_type));
IDL_SHARED_STRUCT (tall_idl_put_orders_success_type,
                   "PutOrdersResult",
                   STRUCTS (1, outcomes, tall_idl_put_outcome_type));
#undef Type

#define Type TallUnreadable
IDL_ITEM (unreadable_type,
          "Unreadable",
          ALWAYS (1, TEXT, number),
          ALWAYS (2, I32, code),
          ALWAYS (3, TEXT, message));
#undef Type

#define Type TallOrderList
IDL_SHARED_STRUCT (tall_idl_order_list_type,
                   "OrderList",
                   STRUCTS (1, entries, tall_idl_order_entry_type),
                   ALWAYS (2, TEXT, next_page),
                   STRUCTS (3, unreadable, unreadable_type));
#undef Type

#define Type TallCustomerEntry
IDL_SHARED_ITEM (tall_idl_customer_entry_type,
                 "CustomerEntry",
                 ALWAYS (1, TEXT, number),
                 ALWAYS (2, TEXT, name),
                 ALWAYS (3, I64, revision));
#undef Type

#define Type TallCustomerList
IDL_SHARED_STRUCT (tall_idl_customer_list_type,
                   "CustomerList",
                   STRUCTS (1, entries, tall_idl_customer_entry_type),
                   ALWAYS (2, TEXT, next_page),
                   STRUCTS (3, unreadable, unreadable_type));
#undef Type

#define Type TallIdlPage
IDL_SHARED_STRUCT (tall_idl_customer_orders_type,
                   "CustomerOrders",
                   STRUCT (1, customer, tall_idl_customer_type),
                   ALWAYS (2, I64, revision),
                   STRUCTS (3, orders, tall_idl_order_outcome_type),
                   ALWAYS (4, TEXT, next_page),
                   STRUCT (5, failure, tall_idl_failure_type),
                   TEXTS (6, others));
IDL_SHARED_STRUCT (tall_idl_find_result_type,
                   "FindResult",
                   ALWAYS (1, TEXT, index),
                   STRUCTS (2, orders, tall_idl_order_outcome_type),
                   ALWAYS (3, TEXT, next_page));
#undef Type

#define Type TallOrderId
IDL_SHARED_ITEM (tall_idl_order_id_type,
                 "OrderId",
                 ALWAYS (1, TEXT, customer_number),
                 ALWAYS (2, TEXT, order_number));
#undef Type

#define Type TallIdlPut
IDL_SHARED_ITEM (tall_idl_order_put_type,
                 "OrderPut",
                 STRUCT (1, order, tall_idl_order_type),
                 STRUCT (2, options, tall_idl_options_type));
#undef Type

#define Type TallOrderPart
IDL_STRUCT (part_type, "OrderPart", ALWAYS (1, I32, kind), ALWAYS (2, I32, location));
#undef Type

#define Type TallIdlMany
IDL_SHARED_STRUCT (tall_idl_get_orders_request_type,
                   "GetOrdersRequest",
                   STRUCTS (1, ids, tall_idl_order_id_type),
                   STRUCT (2, part, part_type));
IDL_SHARED_STRUCT (tall_idl_put_orders_request_type,
                   "PutOrdersRequest",
                   STRUCTS (1, puts, tall_idl_order_put_type));
#undef Type

#define Type TallIdlListing
IDL_SHARED_STRUCT (tall_idl_list_orders_request_type,
                   "ListOrdersRequest",
                   ALWAYS (1, TEXT, customer_number),
                   OPTIONAL (2, I64, from_date),
                   OPTIONAL (3, I64, to_date),
                   OPTIONAL (4, I32, limit),
                   ALWAYS (5, TEXT, page));
IDL_SHARED_STRUCT (tall_idl_list_customers_request_type,
                   "ListCustomersRequest",
                   OPTIONAL (1, I32, limit),
                   ALWAYS (2, TEXT, page));
IDL_SHARED_STRUCT (tall_idl_customer_orders_request_type,
                   "CustomerOrdersRequest",
                   ALWAYS (1, TEXT, customer_number),
                   OPTIONAL (2, I32, limit),
                   ALWAYS (3, TEXT, page));
IDL_SHARED_STRUCT (tall_idl_find_request_type,
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
IDL_SHARED_STRUCT (tall_idl_verify_request_type,
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
IDL_SHARED_ITEM (tall_idl_finding_type,
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
IDL_SHARED_STRUCT (tall_idl_verify_part_type,
                   "VerifyPart",
                   { "findings", 1, TALL_KIND_STRUCTS, AT (part.findings), AT (part.n_findings),
                     &tall_idl_finding_type },
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
IDL_SHARED_STRUCT (tall_idl_erase_request_type,
                   "EraseRequest",
                   ALWAYS (1, TEXT, customer_number),
                   ALWAYS (2, BOOL, compact),
                   ALWAYS (3, BYTES, cursor));
#undef Type

#define Type TallIdlErasePart
IDL_SHARED_STRUCT (tall_idl_erase_part_type,
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

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/calls/idl.h"

/* What calls take and return, beside what idl.h has; in the order of `idl/tallorder.thrift`. */
extern const TallStructType tall_idl_description_type;
extern const TallStructType tall_idl_put_success_type;
extern const TallStructType tall_idl_patch_request_type;
extern const TallStructType tall_idl_order_success_type;
extern const TallStructType tall_idl_customer_success_type;
extern const TallStructType tall_idl_order_outcome_type;
extern const TallStructType tall_idl_put_outcome_type;
extern const TallStructType tall_idl_get_orders_success_type;
extern const TallStructType tall_idl_put_orders_success_type;
extern const TallStructType tall_idl_order_entry_type;
extern const TallStructType tall_idl_order_list_type;
extern const TallStructType tall_idl_customer_entry_type;
extern const TallStructType tall_idl_customer_list_type;
extern const TallStructType tall_idl_customer_orders_type;
extern const TallStructType tall_idl_find_result_type;
extern const TallStructType tall_idl_order_id_type;
extern const TallStructType tall_idl_order_put_type;
extern const TallStructType tall_idl_get_orders_request_type;
extern const TallStructType tall_idl_put_orders_request_type;
extern const TallStructType tall_idl_list_orders_request_type;
extern const TallStructType tall_idl_list_customers_request_type;
extern const TallStructType tall_idl_customer_orders_request_type;
extern const TallStructType tall_idl_find_request_type;
extern const TallStructType tall_idl_verify_request_type;
extern const TallStructType tall_idl_finding_type;
extern const TallStructType tall_idl_verify_part_type;
extern const TallStructType tall_idl_erase_request_type;
extern const TallStructType tall_idl_erase_part_type;

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"

/* Set an error and are FALSE, so that a function fails in one statement. */
#define tall_error_fail(error, code, ...)                                                          \
  (g_set_error (error, TALL_ERROR, code, __VA_ARGS__), FALSE)
#define tall_error_fail_invalid(error, field, ...)                                                 \
  (tall_error_set_invalid (error, field, __VA_ARGS__), FALSE)
#define tall_error_fail_conflict(error, revision, ...)                                             \
  (tall_error_set_conflict (error, revision, __VA_ARGS__), FALSE)
#define tall_error_fail_detailed(error, code, detail, ...)                                         \
  (tall_error_set_detailed (error, code, detail, __VA_ARGS__), FALSE)

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"

#include <string.h>

G_BEGIN_DECLS

/* Each takes a call whose last argument is `&error`, which it declares itself. */

#define MUST_DECLARE_ERROR                                                                         \
  _Pragma ("GCC diagnostic push") _Pragma ("GCC diagnostic ignored \"-Wshadow\"")                  \
      g_autoptr (GError) error = NULL;                                                             \
  _Pragma ("GCC diagnostic pop")

/* What @call returns, which is something, and sets no error. */
#define must(call)                                                                                 \
  ({                                                                                               \
    MUST_DECLARE_ERROR                                                                             \
    __auto_type must_result = (call);                                                              \
    g_assert_no_error (error);                                                                     \
    if (!must_result)                                                                              \
      g_error ("%s:%d: nothing comes of %s", __FILE__, __LINE__, #call);                           \
    must_result;                                                                                   \
  })

/* @call returns FALSE or NULL, and an error of @error_code that says each of the texts behind it.
 */
#define must_fail(call, error_code, ...)                                                           \
  G_STMT_START                                                                                     \
  {                                                                                                \
    MUST_DECLARE_ERROR                                                                             \
    const char *const must_say[] = { "", ##__VA_ARGS__ };                                          \
    if (call)                                                                                      \
      g_error ("%s:%d: does not fail: %s", __FILE__, __LINE__, #call);                             \
    g_assert_error (error, TALL_ERROR, (int)(error_code));                                         \
    g_autofree char *must_said = tall_error_describe (error);                                      \
    for (guint must_i = 0; must_i < G_N_ELEMENTS (must_say); must_i++)                             \
      if (strstr (must_said, must_say[must_i]) == NULL)                                            \
        g_error ("%s:%d: \"%s\" lacks \"%s\"", __FILE__, __LINE__, must_said, must_say[must_i]);   \
  }                                                                                                \
  G_STMT_END

/* @error is of @error_code; 0: there is none. */
#define must_be(error, error_code)                                                                 \
  G_STMT_START                                                                                     \
  {                                                                                                \
    const GError *const must_error = (error);                                                      \
    const int must_code = (int)(error_code);                                                       \
    if (must_code == 0)                                                                            \
      g_assert_no_error (must_error);                                                              \
    else                                                                                           \
      g_assert_error (must_error, TALL_ERROR, must_code);                                          \
  }                                                                                                \
  G_STMT_END

G_END_DECLS

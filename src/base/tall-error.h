/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-api.h"

TALL_BEGIN_API

/**
 * TALL_ERROR:
 *
 * The one error domain. Its codes are those of `idl/tallorder.thrift`, so that a caller sees the
 * same error whether it calls the library or the service. Messages are for people: they say what,
 * where, and what to do. Anybody may read them. The error's detail holds the internals of a store
 * (paths, addresses of gateways, texts of libraries); only the log shows it.
 *
 * No code decides anything by a word inside a message: messages contain names of customers and
 * orders, which can be any word.
 */
#define TALL_ERROR (tall_error_quark ())
GQuark tall_error_quark (void);

/**
 * TallError:
 * @TALL_ERROR_NOT_FOUND: the order, customer or deployment does not exist
 * @TALL_ERROR_CONFLICT: a condition does not hold; tall_error_get_revision() returns the stored
 *   revision (0: none)
 * @TALL_ERROR_INVALID: the input is wrong; tall_error_get_field() names the field
 * @TALL_ERROR_TOO_LARGE: a limit is exceeded
 * @TALL_ERROR_KEY_COLLISION: another number has the same row key
 * @TALL_ERROR_UNSUPPORTED: this deployment, store or gateway cannot do that
 * @TALL_ERROR_OVERLOADED: too much is waiting already; nothing was done
 * @TALL_ERROR_UNAVAILABLE: the store, gateway or server cannot be reached; nothing was done
 * @TALL_ERROR_TIMED_OUT: the deadline passed; nothing was done
 * @TALL_ERROR_OUTCOME_UNKNOWN: a write may or may not have happened; read to find out
 * @TALL_ERROR_DAMAGED: stored rows contradict each other
 * @TALL_ERROR_NEWER_VERSION: written by a newer version of tallorder
 * @TALL_ERROR_INTERNAL: a defect of tallorder, or a failure below it that has no better name
 * @TALL_ERROR_FORBIDDEN: the caller may not do that, or one side does not accept the other's
 *   certificate; nothing was done
 * @TALL_ERROR_SHUT: a table was sealed or closed, and refuses the call. Only tables use it: it is
 * not in the IDL, and no caller of a store gets it
 */
typedef enum
{
  TALL_ERROR_NOT_FOUND = 1,
  TALL_ERROR_CONFLICT = 2,
  TALL_ERROR_INVALID = 3,
  TALL_ERROR_TOO_LARGE = 4,
  TALL_ERROR_KEY_COLLISION = 5,
  TALL_ERROR_UNSUPPORTED = 6,
  TALL_ERROR_OVERLOADED = 7,
  TALL_ERROR_UNAVAILABLE = 8,
  TALL_ERROR_TIMED_OUT = 9,
  TALL_ERROR_OUTCOME_UNKNOWN = 10,
  TALL_ERROR_DAMAGED = 11,
  TALL_ERROR_NEWER_VERSION = 12,
  TALL_ERROR_INTERNAL = 13,
  TALL_ERROR_FORBIDDEN = 14,
  TALL_ERROR_SHUT = 15,
} TallError;

void tall_error_set_invalid (GError **error, const char *field, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void tall_error_set_conflict (GError **error, gint64 revision, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void tall_error_set_detailed (GError **error,
                              TallError code,
                              const char *detail,
                              const char *format,
                              ...) G_GNUC_PRINTF (4, 5);

const char *tall_error_get_field (const GError *error);
gint64 tall_error_get_revision (const GError *error);
const char *tall_error_get_detail (const GError *error);
char *tall_error_describe (const GError *error);

/*
 * What each error means to a caller that goes on after it. Only this table decides it:
 *
 *                     of one   not done   passing   unreadable
 *     not found         ×         ×
 *     conflict          ×         ×
 *     invalid           ×         ×
 *     too large         ×         ×
 *     key collision     ×         ×
 *     unsupported                 ×
 *     overloaded                  ×          ×
 *     unavailable                 ×          ×
 *     timed out                   ×          ×
 *     outcome unknown                        ×
 *     damaged           ×         ×                     ×
 *     newer version     ×         ×                     ×
 *     internal
 *     forbidden                   ×
 *     shut                                   ×
 *
 * A write that is shut is not done, but behind a gateway that is as uncertain as "did not match":
 * the answer can be that of a repetition, whose first copy was done. So it has no mark there.
 * An error of another domain, or none, has no mark.
 */
gboolean tall_error_is_of_one (const GError *error);
gboolean tall_error_is_not_done (const GError *error);
gboolean tall_error_is_passing (const GError *error);
gboolean tall_error_is_unreadable (const GError *error);

const char *tall_error_code_name (TallError code);

TALL_END_API

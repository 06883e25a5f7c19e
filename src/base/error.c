/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"

typedef struct
{
  char *field;     /* TALL_ERROR_INVALID: the field's path, NULL if none */
  char *detail;    /* what only the log may show, NULL if nothing */
  gint64 revision; /* TALL_ERROR_CONFLICT, and sometimes TALL_ERROR_OUTCOME_UNKNOWN: what is
                    * stored, 0 if nothing is */
} TallErrorPrivate;

static void
tall_error_private_init (TallErrorPrivate *priv)
{
  priv->field = NULL;
  priv->detail = NULL;
  priv->revision = 0;
}

static void
tall_error_private_copy (const TallErrorPrivate *from, TallErrorPrivate *to)
{
  to->field = g_strdup (from->field);
  to->detail = g_strdup (from->detail);
  to->revision = from->revision;
}

static void
tall_error_private_clear (TallErrorPrivate *priv)
{
  g_free (priv->field);
  g_free (priv->detail);
}

G_DEFINE_EXTENDED_ERROR (TallError, tall_error)

/**
 * tall_error_set_invalid:
 * @field: (nullable): path of the wrong field, such as `shipping_locations[2].line_items[0].price`
 * @format: the message
 *
 * Sets %TALL_ERROR_INVALID.
 */
void
tall_error_set_invalid (GError **error, const char *field, const char *format, ...)
{
  if (error == NULL)
    return;

  va_list args;
  va_start (args, format);
  *error = g_error_new_valist (TALL_ERROR, TALL_ERROR_INVALID, format, args);
  va_end (args);
  tall_error_get_private (*error)->field = g_strdup (field);
}

/**
 * tall_error_set_conflict:
 * @revision: the revision that is stored, 0 if none
 * @format: the message
 *
 * Sets %TALL_ERROR_CONFLICT.
 */
void
tall_error_set_conflict (GError **error, gint64 revision, const char *format, ...)
{
  if (error == NULL)
    return;

  va_list args;
  va_start (args, format);
  *error = g_error_new_valist (TALL_ERROR, TALL_ERROR_CONFLICT, format, args);
  va_end (args);
  tall_error_get_private (*error)->revision = revision;
}

/**
 * tall_error_set_detailed:
 * @detail: (nullable): what only the log and the owner of the store may see: paths, addresses, the
 *   text of a library
 * @format: the message, which anybody may read
 *
 * Sets an error that holds more than its public message.
 */
void
tall_error_set_detailed (
    GError **error, TallError code, const char *detail, const char *format, ...)
{
  if (error == NULL)
    return;

  va_list args;
  va_start (args, format);
  *error = g_error_new_valist (TALL_ERROR, (int)code, format, args);
  va_end (args);
  tall_error_get_private (*error)->detail = g_strdup (detail);
}

/**
 * tall_error_get_detail:
 *
 * Returns: (nullable) (transfer none): what only the log may show of an error, besides its message
 */
const char *
tall_error_get_detail (const GError *error)
{
  if (error->domain != TALL_ERROR)
    return NULL;

  return tall_error_get_private ((GError *)error)->detail;
}

/**
 * tall_error_describe:
 *
 * Returns: (transfer full): the message with the detail behind it in brackets, if there is one; for
 *   the log, and for people who own the store
 */
char *
tall_error_describe (const GError *error)
{
  const char *detail = tall_error_get_detail (error);

  return detail == NULL ? g_strdup (error->message)
                        : g_strdup_printf ("%s (%s)", error->message, detail);
}

/**
 * tall_error_get_field:
 *
 * Returns: (nullable) (transfer none): the field that a %TALL_ERROR_INVALID names
 */
const char *
tall_error_get_field (const GError *error)
{
  if (error->domain != TALL_ERROR)
    return NULL;

  return tall_error_get_private ((GError *)error)->field;
}

/**
 * tall_error_get_revision:
 *
 * Returns: the stored revision that a %TALL_ERROR_CONFLICT carries, or a
 * %TALL_ERROR_OUTCOME_UNKNOWN of a patch that was not done by this call; else 0
 */
gint64
tall_error_get_revision (const GError *error)
{
  if (error->domain != TALL_ERROR)
    return 0;

  return tall_error_get_private ((GError *)error)->revision;
}

typedef enum
{
  OF_ONE = 1 << 0,
  NOT_DONE = 1 << 1,
  PASSING = 1 << 2,
  UNREADABLE = 1 << 3,
} Meaning;

/* Looks @error up in the table of the header. */
static gboolean
has_meaning (const GError *error, Meaning meaning)
{
  static const guint meanings[] = {
    [TALL_ERROR_NOT_FOUND] = OF_ONE | NOT_DONE,
    [TALL_ERROR_CONFLICT] = OF_ONE | NOT_DONE,
    [TALL_ERROR_INVALID] = OF_ONE | NOT_DONE,
    [TALL_ERROR_TOO_LARGE] = OF_ONE | NOT_DONE,
    [TALL_ERROR_KEY_COLLISION] = OF_ONE | NOT_DONE,
    [TALL_ERROR_UNSUPPORTED] = NOT_DONE,
    [TALL_ERROR_OVERLOADED] = NOT_DONE | PASSING,
    [TALL_ERROR_UNAVAILABLE] = NOT_DONE | PASSING,
    [TALL_ERROR_TIMED_OUT] = NOT_DONE | PASSING,
    [TALL_ERROR_OUTCOME_UNKNOWN] = PASSING,
    [TALL_ERROR_DAMAGED] = OF_ONE | NOT_DONE | UNREADABLE,
    [TALL_ERROR_NEWER_VERSION] = OF_ONE | NOT_DONE | UNREADABLE,
    [TALL_ERROR_INTERNAL] = 0,
    [TALL_ERROR_FORBIDDEN] = NOT_DONE,
    [TALL_ERROR_SHUT] = PASSING,
  };

  return error != NULL && error->domain == TALL_ERROR
         && (guint)error->code < G_N_ELEMENTS (meanings) && (meanings[error->code] & meaning) != 0;
}

/**
 * tall_error_is_of_one:
 * @error: (nullable): of one call, on one order or customer
 *
 * Returns: whether the order or customer itself, or the request for it, is the cause, so that the
 *   same call on another one may succeed
 */
gboolean
tall_error_is_of_one (const GError *error)
{
  return has_meaning (error, OF_ONE);
}

/**
 * tall_error_is_not_done:
 * @error: (nullable): of a write
 *
 * Returns: whether the write certainly was not done and will not be done later. Otherwise it may
 *   have been done: %TALL_ERROR_OUTCOME_UNKNOWN says so, and an internal error leaves it open
 */
gboolean
tall_error_is_not_done (const GError *error)
{
  return has_meaning (error, NOT_DONE);
}

/**
 * tall_error_is_passing:
 * @error: (nullable):
 *
 * Returns: whether the cause may go away by itself, so that trying again makes sense. A write whose
 *   outcome is unknown needs care
 */
gboolean
tall_error_is_passing (const GError *error)
{
  return has_meaning (error, PASSING);
}

/**
 * tall_error_is_unreadable:
 * @error: (nullable): of reading
 *
 * Returns: whether the stored data is the cause: it is damaged, or was written by a newer version
 */
gboolean
tall_error_is_unreadable (const GError *error)
{
  return has_meaning (error, UNREADABLE);
}

/**
 * tall_error_code_name:
 *
 * Returns: (transfer none): the code in words, as people and JSON see it, such as `not found`
 */
const char *
tall_error_code_name (TallError code)
{
  static const char *const names[] = {
    [TALL_ERROR_NOT_FOUND] = "not found",
    [TALL_ERROR_CONFLICT] = "conflict",
    [TALL_ERROR_INVALID] = "invalid",
    [TALL_ERROR_TOO_LARGE] = "too large",
    [TALL_ERROR_KEY_COLLISION] = "key collision",
    [TALL_ERROR_UNSUPPORTED] = "unsupported",
    [TALL_ERROR_OVERLOADED] = "overloaded",
    [TALL_ERROR_UNAVAILABLE] = "unavailable",
    [TALL_ERROR_TIMED_OUT] = "timed out",
    [TALL_ERROR_OUTCOME_UNKNOWN] = "outcome unknown",
    [TALL_ERROR_DAMAGED] = "damaged",
    [TALL_ERROR_NEWER_VERSION] = "newer version",
    [TALL_ERROR_INTERNAL] = "internal",
    [TALL_ERROR_FORBIDDEN] = "forbidden",
    [TALL_ERROR_SHUT] = "shut",
  };

  if ((guint)code >= G_N_ELEMENTS (names) || names[code] == NULL)
    return "unknown";
  return names[code];
}

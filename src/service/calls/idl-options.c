/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "service/calls/idl.h"

#define MAX_TIMEOUT_MS 3600000

static gboolean
parse_condition (const TallIdlOptions *self, TallWriteOptions *options, GError **error)
{
  static const TallCondition conditions[] = { TALL_IF_ANY, TALL_IF_ABSENT, TALL_IF_REVISION };

  if (self->has_condition && (guint)self->condition >= G_N_ELEMENTS (conditions))
    {
      tall_error_set_invalid (error, "options.condition",
                              "options.condition: %d is not a WriteCondition", self->condition);
      return FALSE;
    }
  options->condition = self->has_condition ? conditions[self->condition] : TALL_IF_ANY;
  if (self->has_revision != (options->condition == TALL_IF_REVISION))
    {
      tall_error_set_invalid (error, "options.revision",
                              "options.revision: the condition REVISION needs it, and no other "
                              "condition takes it");
      return FALSE;
    }
  options->revision = self->revision;
  return TRUE;
}

/**
 * tall_idl_options_parse:
 * @self: (nullable): what came; NULL: nothing
 * @options: (out):
 */
gboolean
tall_idl_options_parse (const TallIdlOptions *self, TallWriteOptions *options, GError **error)
{
  *options = (TallWriteOptions){ 0 };
  if (self == NULL)
    return TRUE;
  if (!parse_condition (self, options, error))
    return FALSE;

  if (self->token.data != NULL && self->token.len != TALL_TOKEN_SIZE)
    {
      tall_error_set_invalid (error, "options.token",
                              "options.token: it has %d bytes, and not %" G_GSIZE_FORMAT,
                              TALL_TOKEN_SIZE, self->token.len);
      return FALSE;
    }
  options->has_token = self->token.data != NULL;
  if (options->has_token)
    memcpy (options->token, self->token.data, TALL_TOKEN_SIZE);

  if (self->has_timeout_ms && (self->timeout_ms < 1 || self->timeout_ms > MAX_TIMEOUT_MS))
    {
      tall_error_set_invalid (error, "options.timeout_ms",
                              "options.timeout_ms: it is 1 to %d milliseconds, and not %d",
                              MAX_TIMEOUT_MS, self->timeout_ms);
      return FALSE;
    }
  options->timeout = self->has_timeout_ms ? (guint)self->timeout_ms : 0;
  return TRUE;
}

/**
 * tall_idl_options_init:
 *
 * The way back; the token points into @options.
 */
void
tall_idl_options_init (TallIdlOptions *self, const TallWriteOptions *options)
{
  *self = (TallIdlOptions){
    .condition = options->condition,
    .has_condition = options->condition != TALL_IF_ANY,
    .revision = options->revision,
    .has_revision = options->condition == TALL_IF_REVISION,
    .timeout_ms = (gint32)MIN (options->timeout, (guint)MAX_TIMEOUT_MS),
    .has_timeout_ms = options->timeout > 0,
  };
  if (options->has_token)
    self->token = tall_slice (options->token, TALL_TOKEN_SIZE);
}

/**
 * tall_idl_listing_parse:
 * @self: (nullable): what came; NULL: nothing
 * @options: (out): its page token points into @self
 */
gboolean
tall_idl_listing_parse (const TallIdlListing *self, TallListOptions *options, GError **error)
{
  *options = (TallListOptions){ 0 };
  if (self == NULL)
    return TRUE;

  if (self->has_limit && (self->limit < 1 || self->limit > TALL_MAX_PAGE))
    {
      tall_error_set_invalid (error, "limit", "limit: a page has 1 to %d entries, and not %d",
                              TALL_MAX_PAGE, self->limit);
      return FALSE;
    }
  *options = (TallListOptions){
    .has_from = self->has_from_date,
    .has_to = self->has_to_date,
    .from = self->from_date,
    .to = self->to_date,
    .limit = self->has_limit ? (guint)self->limit : TALL_DEFAULT_PAGE,
    .page = self->page,
  };
  return TRUE;
}

/**
 * tall_idl_listing_init:
 * @options: (nullable):
 *
 * The way back; the texts are those of the arguments.
 */
void
tall_idl_listing_init (TallIdlListing *self,
                       const char *customer_number,
                       const TallListOptions *options)
{
  static const TallListOptions none = { 0 };

  if (options == NULL)
    options = &none;
  *self = (TallIdlListing){
    .customer_number = (char *)customer_number,
    .has_from_date = options->has_from,
    .has_to_date = options->has_to,
    .from_date = options->from,
    .to_date = options->to,
    .limit = (gint32)options->limit,
    .has_limit = options->limit > 0,
    .page = (char *)options->page,
  };
}

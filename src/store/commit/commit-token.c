/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/commit.h"

#include "tall-error.h"

/**
 * tall_commit_token_matches:
 * @stored: what is there
 * @wanted: what we wanted to commit
 *
 * Returns: whether @stored is of the put or delete that made @wanted. Only the token tells: two
 *   writers may have chosen one revision.
 */
gboolean
tall_commit_token_matches (const TallState *stored, const TallState *wanted)
{
  return memcmp (stored->token, wanted->token, TALL_TOKEN_SIZE) == 0;
}

/**
 * tall_commit_token_check:
 * @stored: a state whose token is that of @wanted
 * @wanted: with a digest of zeros if it is live and may have any content: a patch
 *
 * Returns: whether @stored is @wanted, whatever its revision; FALSE with %TALL_ERROR_INVALID if the
 *   caller has used one token for two things
 */
gboolean
tall_commit_token_check (const TallState *stored, const TallState *wanted, GError **error)
{
  static const guint8 any[TALL_DIGEST_SIZE];
  gboolean takes_any = wanted->live && memcmp (wanted->digest, any, TALL_DIGEST_SIZE) == 0;
  if (stored->live == wanted->live
      && (takes_any || memcmp (stored->digest, wanted->digest, TALL_DIGEST_SIZE) == 0))
    return TRUE;

  tall_error_set_invalid (error, "token",
                          "the request token has been used for something else, stored as revision "
                          "%" G_GINT64_FORMAT "; make a new one for each write",
                          stored->revision);
  return FALSE;
}

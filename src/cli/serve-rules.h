/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/access/roles.h"
#include "cli/options.h"
#include "wire/tls-context.h"

G_BEGIN_DECLS

/**
 * TallServeRules:
 *
 * The rules of `serve` about who may come in: the files that say so, and what they said when they
 * were read last.
 */
typedef struct
{
  TallTlsSettings files; /* its texts belong to the options */
  const char *roles;     /* file of roles; NULL: none */
  TallTlsContext *tls;   /* NULL: nothing is encrypted */
  TallRoles *access;     /* NULL: no roles */
} TallServeRules;

gboolean tall_serve_rules_set (TallServeRules *self,
                               const TallOptions *options,
                               const char *clients,
                               const char *roles,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_serve_rules_load (TallServeRules *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_serve_rules_log (const TallServeRules *self);

void tall_serve_rules_clear (TallServeRules *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallServeRules, tall_serve_rules_clear)

G_END_DECLS

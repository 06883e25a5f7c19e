/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"
#include "wire/tls-context.h"

/**
 * TallRole:
 * @TALL_ROLE_NONE: may call nothing
 * @TALL_ROLE_READER: may get and list
 * @TALL_ROLE_WRITER: the same, and may put and delete
 * @TALL_ROLE_ADMIN: the same, and may do what administrators do
 */
typedef enum
{
  TALL_ROLE_NONE,
  TALL_ROLE_READER,
  TALL_ROLE_WRITER,
  TALL_ROLE_ADMIN,
} TallRole;

/**
 * TallRoles:
 *
 * Which client has which role, and which certificates are taken back. It does not change; any
 * thread may use it.
 */
typedef struct _TallRoles TallRoles;

TallRoles *tall_roles_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallRoles *tall_roles_ref (TallRoles *self);
void tall_roles_unref (TallRoles *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRoles, tall_roles_unref)

char *tall_roles_describe (TallRoles *self);
GHashTable *tall_roles_get_revoked (TallRoles *self);
gboolean tall_roles_is_revoked (TallRoles *self, const TallTlsIdentity *identity);
TallRole tall_roles_find_role (TallRoles *self, const TallTlsIdentity *identity);

const char *tall_role_name (TallRole role);

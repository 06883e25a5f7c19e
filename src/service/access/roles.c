/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/roles.h"

#include "base/fail.h"

#include "base/file.h"
#include "base/text.h"

#include <glib/gstdio.h>
#include <string.h>

#define ROLES "roles"
#define REVOKED "revoked"
#define FINGERPRINTS "fingerprints"

/* Hex digits of a SHA-256. */
#define FINGERPRINT_SIZE 64

struct _TallRoles
{
  GHashTable *roles;   /* of names with their kind, such as `cn:loader`, to TallRole */
  GHashTable *revoked; /* set of fingerprints */
};

/**
 * tall_role_name:
 *
 * Returns: (transfer none): as the file of roles calls it
 */
const char *
tall_role_name (TallRole role)
{
  static const char *const names[] = {
    [TALL_ROLE_NONE] = "none",
    [TALL_ROLE_READER] = "reader",
    [TALL_ROLE_WRITER] = "writer",
    [TALL_ROLE_ADMIN] = "admin",
  };
  g_return_val_if_fail ((guint)role < G_N_ELEMENTS (names), "none");
  return names[role];
}

TallRoles *
tall_roles_ref (TallRoles *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  TallRoles *self = data;
  g_hash_table_unref (self->roles);
  g_hash_table_unref (self->revoked);
}

void
tall_roles_unref (TallRoles *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

/* Names of hosts are the same in capitals. */
static char *
fold (const char *name)
{
  return g_str_has_prefix (name, "dns:") ? g_ascii_strdown (name, -1) : g_strdup (name);
}

static gboolean
has_kind (const char *name)
{
  for (guint i = 0; tall_tls_name_kinds[i] != NULL; i++)
    if (g_str_has_prefix (name, tall_tls_name_kinds[i])
        && name[strlen (tall_tls_name_kinds[i])] != '\0')
      return TRUE;
  return FALSE;
}

/* Whether another name follows after a comma, which would be a part of the first one. */
static gboolean
has_list (const char *name)
{
  for (const char *comma = strchr (name, ','); comma != NULL; comma = strchr (comma + 1, ','))
    if (has_kind (comma + 1 + strspn (comma + 1, " ")))
      return TRUE;
  return FALSE;
}

static gboolean
check_name (const char *name, GError **error)
{
  if (has_list (name))
    return tall_error_fail_invalid (error, ROLES, "“%s”: write a ; between names, and no comma",
                                    name);
  if (has_kind (name))
    return TRUE;
  return tall_error_fail_invalid (error, ROLES,
                                  "“%s” is not a name of a certificate: write its kind before it: "
                                  "cn:, dns:, email:, uri: or subject:",
                                  name);
}

/* A name that has several roles keeps the highest. */
static gboolean
add_role (TallRoles *self, GKeyFile *file, TallRole role, GError **error)
{
  g_auto (GStrv) names =
      g_key_file_get_string_list (file, ROLES, tall_role_name (role), NULL, NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      const char *name = g_strstrip (names[i]);
      if (!check_name (name, error))
        return FALSE;
      g_hash_table_replace (self->roles, fold (name), GUINT_TO_POINTER (role));
    }
  return TRUE;
}

/* Takes fingerprints as tools print them, with colons and in capitals. */
static gboolean
add_revoked (TallRoles *self, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);
  g_autofree char *joined = g_strjoinv ("", parts);
  g_autofree char *plain = g_ascii_strdown (joined, -1);
  if (strlen (plain) != FINGERPRINT_SIZE || strspn (plain, "0123456789abcdef") != FINGERPRINT_SIZE)
    return tall_error_fail_invalid (error, FINGERPRINTS,
                                    "“%s” is not a fingerprint: write the 64 hex digits that "
                                    "openssl x509 -noout -fingerprint -sha256 prints",
                                    text);
  g_hash_table_add (self->revoked, g_steal_pointer (&plain));
  return TRUE;
}

static gboolean
add_all_revoked (TallRoles *self, GKeyFile *file, GError **error)
{
  g_auto (GStrv) all = g_key_file_get_string_list (file, REVOKED, FINGERPRINTS, NULL, NULL);
  for (guint i = 0; all != NULL && all[i] != NULL; i++)
    if (!add_revoked (self, g_strstrip (all[i]), error))
      return FALSE;
  return TRUE;
}

static gboolean
is_known (const char *group, const char *key)
{
  if (g_str_equal (group, REVOKED))
    return g_str_equal (key, FINGERPRINTS);
  for (guint role = TALL_ROLE_READER; role <= TALL_ROLE_ADMIN; role++)
    if (g_str_equal (group, ROLES) && g_str_equal (key, tall_role_name (role)))
      return TRUE;
  return FALSE;
}

/* A mistyped name must not be ignored: it may be the one that takes a right away. A list that
 * cannot be read is one of these. */
static gboolean
check_keys (GKeyFile *file, const char *group, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autoptr (GError) reason = NULL;
      g_auto (GStrv) list = g_key_file_get_string_list (file, group, keys[i], NULL, &reason);
      if (is_known (group, keys[i]) && reason == NULL)
        continue;
      return tall_error_fail_invalid (error, group, "[%s] %s: %s", group, keys[i],
                                      reason != NULL
                                          ? reason->message
                                          : "there is no such entry; [roles] has reader, writer "
                                            "and admin, [revoked] has fingerprints");
    }
  return TRUE;
}

static gboolean
check_groups (GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    {
      if (!g_str_equal (groups[i], ROLES) && !g_str_equal (groups[i], REVOKED))
        return tall_error_fail_invalid (error, groups[i],
                                        "[%s]: there is no such group, only [roles] and [revoked]",
                                        groups[i]);
      if (!check_keys (file, groups[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
fill (TallRoles *self, const char *text, gsize len, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) reason = NULL;
  /* GLib's message would have a line of the file, which is another one than was meant, perhaps a
   * key. */
  if (!tall_key_file_load (file, text, len, &reason))
    return tall_error_fail_invalid (error, ROLES, "%s",
                                    g_error_matches (reason, G_KEY_FILE_ERROR,
                                                     G_KEY_FILE_ERROR_INVALID_VALUE)
                                        ? reason->message
                                        : "this is not a key file: begin with [roles]");
  if (!check_groups (file, error))
    return FALSE;
  for (guint role = TALL_ROLE_READER; role <= TALL_ROLE_ADMIN; role++)
    if (!add_role (self, file, role, error))
      return FALSE;
  return add_all_revoked (self, file, error);
}

/* To write the file is to be an administrator. */
static gboolean
check_writers (const char *path, GError **error)
{
  GStatBuf status;
  if (g_stat (path, &status) != 0 || (status.st_mode & S_IWOTH) == 0)
    return TRUE; /* what cannot be read is said by what reads it */
  return tall_error_fail_invalid (error, "access",
                                  "Roles %s can be written by everybody (mode %04o), who could "
                                  "make themselves administrators: run chmod o-w on it",
                                  path, (guint)status.st_mode & 07777);
}

/**
 * tall_roles_load:
 * @path: a key file: in the group `[roles]` lists of names for `reader`, `writer` and `admin`, in
 *   the group `[revoked]` a list `fingerprints`
 *
 * Returns: (transfer full): what it says; NULL with %TALL_ERROR_INVALID if it is not understood as
 *   a whole, or everybody can write it, %TALL_ERROR_UNAVAILABLE if it cannot be read
 */
TallRoles *
tall_roles_load (const char *path, GError **error)
{
  gsize len = 0;
  g_autoptr (GError) reason = NULL;
  if (!tall_file_check_regular (path, "Roles", error) || !check_writers (path, error))
    return NULL;
  g_autofree char *text = tall_file_read (path, TALL_FILE_MAX_SETTINGS, &len, error);
  if (text == NULL)
    {
      g_prefix_error (error, "Roles ");
      return NULL;
    }
  g_autoptr (TallRoles) self = g_atomic_rc_box_new0 (TallRoles);
  self->roles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->revoked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (fill (self, text, len, &reason))
    return g_steal_pointer (&self);
  tall_error_set_invalid (error, "access", "Roles %s: %s", path, reason->message);
  return NULL;
}

/**
 * tall_roles_describe:
 *
 * Returns: (transfer full): how many names have each role, and how many certificates are revoked
 */
char *
tall_roles_describe (TallRoles *self)
{
  guint n[TALL_ROLE_ADMIN + 1] = { 0 };
  GHashTableIter iter;
  gpointer role;
  g_hash_table_iter_init (&iter, self->roles);
  while (g_hash_table_iter_next (&iter, NULL, &role))
    n[GPOINTER_TO_UINT (role)]++;
  return g_strdup_printf ("%u reader, %u writer, %u admin, %u revoked", n[TALL_ROLE_READER],
                          n[TALL_ROLE_WRITER], n[TALL_ROLE_ADMIN],
                          g_hash_table_size (self->revoked));
}

/**
 * tall_roles_get_revoked:
 *
 * Returns: (transfer none) (element-type utf8): the set of fingerprints that are taken back
 */
GHashTable *
tall_roles_get_revoked (TallRoles *self)
{
  return self->revoked;
}

/**
 * tall_roles_is_revoked:
 *
 * Returns: whether the certificate is taken back, or that of a CA above it
 */
gboolean
tall_roles_is_revoked (TallRoles *self, const TallTlsIdentity *identity)
{
  for (guint i = 0; identity->issuers != NULL && identity->issuers[i] != NULL; i++)
    if (g_hash_table_contains (self->revoked, identity->issuers[i]))
      return TRUE;
  return g_hash_table_contains (self->revoked, identity->fingerprint);
}

/**
 * tall_roles_find_role:
 * @identity: (nullable): of a verified certificate; NULL: none was shown
 *
 * Returns: the highest role that any of the client's names has
 */
TallRole
tall_roles_find_role (TallRoles *self, const TallTlsIdentity *identity)
{
  TallRole best = TALL_ROLE_NONE;
  if (identity == NULL || tall_roles_is_revoked (self, identity))
    return best;
  for (guint i = 0; identity->names[i] != NULL; i++)
    {
      g_autofree char *name = fold (identity->names[i]);
      TallRole role = GPOINTER_TO_UINT (g_hash_table_lookup (self->roles, name));
      best = MAX (best, role);
    }
  return best;
}

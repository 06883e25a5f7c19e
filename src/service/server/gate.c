/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/gate.h"

#include "base/text.h"

/**
 * tall_gate_init:
 * @tls: (nullable): a reference is taken
 * @access: (nullable): a reference is taken
 */
void
tall_gate_init (TallGate *self, TallTlsContext *tls, TallRoles *access)
{
  *self = (TallGate){ .tls = tls != NULL ? tall_tls_context_ref (tls) : NULL,
                      .access = access != NULL ? tall_roles_ref (access) : NULL,
                      .generation = 1 };
  g_mutex_init (&self->mutex);
}

void
tall_gate_clear (TallGate *self)
{
  g_clear_pointer (&self->tls, tall_tls_context_unref);
  g_clear_pointer (&self->access, tall_roles_unref);
  g_mutex_clear (&self->mutex);
}

/**
 * tall_gate_replace:
 *
 * Sets the rules for connections and calls from now on.
 */
void
tall_gate_replace (TallGate *self, TallTlsContext *tls, TallRoles *access)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_clear_pointer (&self->tls, tall_tls_context_unref);
  g_clear_pointer (&self->access, tall_roles_unref);
  self->tls = tls != NULL ? tall_tls_context_ref (tls) : NULL;
  self->access = access != NULL ? tall_roles_ref (access) : NULL;
  g_atomic_int_inc (&self->generation);
}

static TallTlsContext *
get_tls (TallGate *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->tls != NULL ? tall_tls_context_ref (self->tls) : NULL;
}

/**
 * tall_gate_get_certificate_end:
 *
 * Returns: as tall_tls_context_get_end(); 0 without TLS
 */
gint64
tall_gate_get_certificate_end (TallGate *self)
{
  g_autoptr (TallTlsContext) tls = get_tls (self);
  return tls != NULL ? tall_tls_context_get_end (tls) : 0;
}

/**
 * tall_gate_admit:
 * @visitor: gets who the client is, as long as @transport is open
 * @transport: of a new connection, on the side of the server
 * @deadline: of the TLS handshake, if there is one
 *
 * Returns: FALSE as tall_tls_handshake()
 */
gboolean
tall_gate_admit (
    TallGate *self, TallVisitor *visitor, TallTransport *transport, gint64 deadline, GError **error)
{
  g_autoptr (TallTlsContext) tls = get_tls (self);
  visitor->gate = self;
  if (tls != NULL && !tall_transport_begin_tls (transport, tls, NULL, deadline, error))
    return FALSE;
  visitor->identity = tall_transport_get_identity (transport);
  return TRUE;
}

/* Without roles, where a client comes from has to do. */
static TallRole
find_role (const TallVisitor *self, TallRoles *access)
{
  if (access != NULL)
    return tall_roles_find_role (access, self->identity);
  return self->is_local ? TALL_ROLE_ADMIN : TALL_ROLE_WRITER;
}

/* Looks the role up again if the rules were replaced. */
static void
update_role (TallVisitor *self)
{
  if (self->generation == g_atomic_int_get (&self->gate->generation))
    return;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->gate->mutex);
  self->generation = g_atomic_int_get (&self->gate->generation);
  self->role = find_role (self, self->gate->access);
}

static void
set_forbidden (const TallVisitor *self, const TallIdlCall *call, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->gate->mutex);
  TallRoles *access = self->gate->access;
  if (access == NULL)
    g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN,
                 "the server answers \"%s\" only to clients on its own machine: run it there, with "
                 "a loopback address that is none of its trusted proxies, or give it roles",
                 call->name);
  else if (self->identity == NULL)
    g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN,
                 "\"%s\" needs the role %s, and this client has shown no certificate", call->name,
                 tall_role_name (call->role));
  else if (tall_roles_is_revoked (access, self->identity))
    g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN,
                 "the certificate of this client was revoked");
  else
    {
      g_autofree char *name = tall_text_cut (self->identity->names[0], TALL_TEXT_MAX_NAME);
      g_set_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN,
                   "\"%s\" needs the role %s, and this client has %s (%s); the roles are in the "
                   "file that the server's --access names",
                   call->name, tall_role_name (call->role),
                   self->role == TALL_ROLE_NONE ? "none" : tall_role_name (self->role), name);
    }
}

/**
 * tall_visitor_may_call:
 *
 * The one place where it is decided. A call that the table gives no role is nobody's.
 *
 * Returns: FALSE with %TALL_ERROR_FORBIDDEN
 */
gboolean
tall_visitor_may_call (TallVisitor *self, const TallIdlCall *call, GError **error)
{
  update_role (self);
  if (call->role != TALL_ROLE_NONE && self->role >= call->role)
    return TRUE;
  set_forbidden (self, call, error);
  return FALSE;
}

/**
 * tall_visitor_may_see_details:
 * @call: one that it may make
 *
 * Returns: whether it gets all of the answer, or what the table of calls leaves for others
 */
gboolean
tall_visitor_may_see_details (TallVisitor *self, const TallIdlCall *call)
{
  update_role (self);
  return self->role >= call->details;
}

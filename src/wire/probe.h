/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What HBase's gateway can be asked, which has the call since 2.4. It has no arguments. */
#define TALL_PROBE_GATEWAY_CALL "getThriftServerType"

/**
 * TallStranger:
 *
 * A kind of server that is none of ours.
 */
typedef struct
{
  const char *name;    /* such as `a web server (HTTP)` */
  gboolean is_gateway; /* of HBase, whose connections are … */
  gboolean framed;
  gboolean compact;
} TallStranger;

const TallStranger *tall_probe (const char *address, guint milliseconds);

G_END_DECLS

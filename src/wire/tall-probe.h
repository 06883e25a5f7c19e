/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

#define TALL_MD5_SIZE 16

void tall_md5 (TallSlice bytes, guint8 digest[TALL_MD5_SIZE]);
gboolean tall_md5_is (TallSlice bytes, const guint8 digest[TALL_MD5_SIZE]);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-struct-type.h"

G_BEGIN_DECLS

void tall_binary_write (const TallStructType *type, gconstpointer object, GByteArray *out);

G_END_DECLS

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-api.h"

TALL_BEGIN_API

#define TALL_TOKEN_SIZE 16

void tall_token_make (guint8 token[TALL_TOKEN_SIZE]);

TALL_END_API

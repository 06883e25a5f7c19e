/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * TALL_BEGIN_API:
 *
 * Begins the declarations of an installed header. Everything is compiled as hidden: only functions
 * declared between this and TALL_END_API can be called from outside `libtallorder`.
 */
#define TALL_BEGIN_API _Pragma ("GCC visibility push(default)") G_BEGIN_DECLS
#define TALL_END_API G_END_DECLS _Pragma ("GCC visibility pop")

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

void tall_heap_bound (void);
void tall_heap_look (void);

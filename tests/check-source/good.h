/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A comment may say goto, malloc () and more; a string may too. */
#define GOOD "goto malloc (1)"

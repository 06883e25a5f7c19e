/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The writer finds out when
 * he commits. */
int x;

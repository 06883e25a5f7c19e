/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A row that was read. Who
 * reads it compares the numbers. */
int x;

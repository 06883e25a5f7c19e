/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Rounded up, lest time-outs come early. */
int x;

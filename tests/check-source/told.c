/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
const char *told = "What cannot be read is "
                   "told of on standard error.";

/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

/**
 * that:
 * @row: a row
 *
 * Reads a row. That
 * there is none is no error.
 */
int that (int row);

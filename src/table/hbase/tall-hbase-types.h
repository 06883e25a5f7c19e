/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The generated client of HBase's gateway, with cleanup functions for its objects. */

#include "hb_gateway.h"
#include "tall-thrift.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbGatewayClient, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTColumn, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTColumnFamilyDescriptor, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTDelete, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTGet, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTIOError, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTIncrement, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTPut, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTResult, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTRowMutations, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTScan, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTTableDescriptor, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTTableName, g_object_unref)

G_END_DECLS

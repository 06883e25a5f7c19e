/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/**
 * Flushes or compacts tables, and prints what their files have then: a line "TABLE BYTES" each.
 *
 * Tables flush|compact TABLE...
 */
public final class Tables {
  private static final long PATIENCE = 300_000; // milliseconds
  private static final long POLL = 50;

  private final Configuration settings = HBaseConfiguration.create();
  private long files; // of the store that had most
  private long bytes;

  private static boolean isHidden(FileStatus status) {
    String name = status.getPath().getName();
    return name.startsWith(".") || name.startsWith("recovered");
  }

  private void addStore(FileSystem system, Path store) throws Exception {
    long here = 0;
    for (FileStatus file : system.listStatus(store)) {
      if (file.isFile() && !isHidden(file)) {
        bytes += file.getLen();
        here++;
      }
    }
    files = Math.max(files, here);
  }

  private void measure(TableName table) throws Exception {
    Path folder = CommonFSUtils.getTableDir(CommonFSUtils.getRootDir(settings), table);
    FileSystem system = folder.getFileSystem(settings);
    files = 0;
    bytes = 0;
    for (FileStatus region : system.listStatus(folder)) {
      if (!region.isDirectory() || isHidden(region)) {
        continue;
      }
      for (FileStatus store : system.listStatus(region.getPath())) {
        if (store.isDirectory() && !isHidden(store)) {
          addStore(system, store.getPath());
        }
      }
    }
  }

  /* HBase removes the files that a compaction has read some time after it. */
  private void awaitCompacted(Admin admin, TableName table) throws Exception {
    long end = System.currentTimeMillis() + PATIENCE;
    for (measure(table); files > 1 || admin.getCompactionState(table) != CompactionState.NONE;
        measure(table)) {
      if (System.currentTimeMillis() > end) {
        throw new IllegalStateException(table + " still has several files in a region");
      }
      Thread.sleep(POLL);
    }
  }

  private void settle(Admin admin, TableName table, boolean compact) throws Exception {
    admin.flush(table);
    if (compact) {
      admin.majorCompact(table);
      awaitCompacted(admin, table);
    } else {
      measure(table);
    }
    System.out.println(table.getNameAsString() + " " + bytes);
  }

  public static void main(String[] arguments) throws Exception {
    Tables tables = new Tables();
    boolean compact = arguments[0].equals("compact");
    try (Connection connection = ConnectionFactory.createConnection(tables.settings);
        Admin admin = connection.getAdmin()) {
      for (int i = 1; i < arguments.length; i++) {
        tables.settle(admin, TableName.valueOf(arguments[i]), compact);
      }
    }
  }
}

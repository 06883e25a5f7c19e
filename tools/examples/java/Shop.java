// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

import java.net.URI;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TSSLTransportFactory;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;
import org.apache.thrift.transport.layered.TFramedTransport;
import org.tallorder.thrift.ErrorCode;
import org.tallorder.thrift.FindRequest;
import org.tallorder.thrift.FindResult;
import org.tallorder.thrift.ListOrdersRequest;
import org.tallorder.thrift.Order;
import org.tallorder.thrift.OrderList;
import org.tallorder.thrift.OrderPart;
import org.tallorder.thrift.OrderResult;
import org.tallorder.thrift.OrderService;
import org.tallorder.thrift.PartKind;
import org.tallorder.thrift.PatchOrderRequest;
import org.tallorder.thrift.TallError;
import org.tallorder.thrift.WriteCondition;
import org.tallorder.thrift.WriteOptions;

/**
 * A connection to a server. It sends a call again where that does no harm: reads, what was certainly
 * not done, and replacements and patches whose answer was lost, by their tokens. It is for one
 * thread.
 */
final class Shop implements AutoCloseable {
  private static final int ATTEMPTS = 6;
  private static final int PAGE_SIZE = 100;
  private static final int MILLISECONDS = 15_000;

  private static final Set<ErrorCode> NOT_DONE =
      EnumSet.of(ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.TIMED_OUT);

  private final String host;
  private final int port;
  private final boolean tls;
  private TTransport transport;
  private OrderService.Client client;

  /** Connects with the first call. */
  Shop(String address, boolean tls) {
    URI place = URI.create("tcp://" + address);
    if (place.getHost() == null || place.getPort() <= 0 || place.getPort() > 65_535) {
      throw new IllegalArgumentException(address + " is not HOST:PORT");
    }
    this.host = place.getHost();
    this.port = place.getPort();
    this.tls = tls;
  }

  @Override
  public void close() {
    if (transport != null) {
      transport.close();
    }
    transport = null;
  }

  OrderResult getOrder(String customer, String number) throws TException {
    return attempt(true, () -> client.getOrder(customer, number));
  }

  /**
   * Stores an order if the revision is the one that is stored, 0: if none is. Its token says that a
   * second copy is the same write. If {@link #isLost} of its failure, a new order may be stored or
   * not.
   */
  void putOrder(Order order, long revision) throws TException {
    WriteOptions options = new WriteOptions().setToken(makeToken());
    if (revision == 0) {
      options.setCondition(WriteCondition.ABSENT);
    } else {
      options.setCondition(WriteCondition.REVISION).setRevision(revision);
    }
    attempt(revision != 0, () -> client.putOrder(order, options));
  }

  /**
   * Changes parts of an order, whatever others change meanwhile. Its token and the base, a revision
   * that the caller has seen, make sure that it is done once, however often it is sent.
   */
  void patchOrder(String customer, String number, List<String> changes, long base) throws TException {
    PatchOrderRequest request = new PatchOrderRequest(customer, number, changes);
    request.setOptions(new WriteOptions().setToken(makeToken())).setBase_revision(base);
    boolean[] isLost = {false}; // a copy of which nobody knows whether it was done
    attempt(
        true,
        () -> {
          try {
            return client.patchOrder(request);
          } catch (TException failure) {
            if (failure instanceof TallError && ((TallError) failure).isSetRevision() && !isLost[0]) {
              request.setBase_revision(((TallError) failure).revision); // this copy has done nothing
            } else if (isLost(failure)) {
              isLost[0] = true;
            }
            throw failure;
          }
        });
  }

  private static byte[] makeToken() {
    UUID id = UUID.randomUUID();
    ByteBuffer token = ByteBuffer.allocate(16);
    token.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    return token.array();
  }

  /** A page of orders; the first one, if none is named. */
  OrderList listOrders(String customer, String page) throws TException {
    ListOrdersRequest request = new ListOrdersRequest().setCustomer_number(customer);
    request.setLimit(PAGE_SIZE).setPage(page);
    return attempt(true, () -> client.listOrders(request));
  }

  /**
   * A page of orders of all customers, their summaries, each value being FIELD=VALUE; the first page,
   * if none is named.
   */
  FindResult findOrders(List<String> values, String page) throws TException {
    FindRequest request = new FindRequest().setValues(values).setLimit(PAGE_SIZE).setPage(page);
    request.setPart(new OrderPart().setKind(PartKind.SUMMARY));
    return attempt(true, () -> client.findOrders(request));
  }

  private interface Call<T> {
    T run() throws TException;
  }

  /** Tells whether a write may have been done or not. */
  static boolean isLost(TException failure) {
    return failure instanceof TTransportException
        || failure instanceof TallError && ((TallError) failure).code == ErrorCode.OUTCOME_UNKNOWN;
  }

  private static boolean isNotDone(TException failure) {
    return failure instanceof TallError && NOT_DONE.contains(((TallError) failure).code);
  }

  private <T> T attempt(boolean lostToo, Call<T> call) throws TException {
    for (int attempt = 1; ; attempt++) {
      try {
        open();
        return call.run();
      } catch (TException failure) {
        if (failure instanceof TTransportException) {
          close(); // of no more use
        }
        boolean again = isNotDone(failure) || lostToo && isLost(failure);
        if (!again || attempt == ATTEMPTS) {
          throw failure;
        }
      }
      pause(25L << attempt);
    }
  }

  private void open() throws TTransportException {
    if (transport != null) {
      return;
    }
    TSocket socket =
        tls
            ? TSSLTransportFactory.getClientSocket(host, port, MILLISECONDS)
            : new TSocket(host, port, MILLISECONDS);
    if (socket.getSocket() instanceof SSLSocket) {
      checkHost((SSLSocket) socket.getSocket());
    }
    transport = new TFramedTransport(socket);
    if (!transport.isOpen()) {
      transport.open();
    }
    client = new OrderService.Client(new TBinaryProtocol(transport));
  }

  /** Thrift asks who has signed a certificate, and not whose it is. */
  private static void checkHost(SSLSocket socket) {
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
  }

  static void pause(long milliseconds) throws TException {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new TException(interrupted);
    }
  }
}

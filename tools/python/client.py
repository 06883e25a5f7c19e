# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A client of tallorder: typed, with an exception for each error, and pages as iterators.

    with Client("127.0.0.1:7654") as client:
        revision = client.put_order(order)
        for entry in client.list_orders("VINET"):
            print(entry.order_number)

Orders, customers and entries are the classes that Thrift generates, in `tallorder.ttypes`.
"""

from __future__ import annotations

import random
import ssl
import time
import uuid
from decimal import Decimal as ExactDecimal
from typing import Any, Callable, Iterable, Iterator, Optional, TypeVar

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.Thrift import TApplicationException
from thrift.transport.TSSLSocket import TSSLSocket
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TFramedTransport, TTransportException

from tallorder import OrderService
from tallorder.ttypes import (Customer, CustomerEntry, CustomerOrdersRequest, Decimal, Description,
                              EraseRequest, ErrorCode, FindRequest, GetOrdersRequest, ListCustomersRequest,
                              ListOrdersRequest, Order, OrderEntry, OrderId, OrderOutcome, OrderPart,
                              OrderResult, PatchOrderRequest, TallError, WriteCondition, WriteOptions)

Result = TypeVar("Result")


class Error(Exception):
    """What went wrong. `field` names the wrong place of the input, `revision` what is stored."""

    def __init__(self, message: str, field: Optional[str] = None, revision: Optional[int] = None):
        super().__init__(message)
        self.field = field
        self.revision = revision


class NotFound(Error):
    """The order or customer does not exist."""


class Conflict(Error):
    """The condition does not hold; `revision` is the one stored, 0 if none."""


class Invalid(Error):
    """The input is wrong; `field` names the place."""


class TooLarge(Error):
    """A limit is exceeded."""


class KeyCollision(Error):
    """Another number has the same row key."""


class Unsupported(Error):
    """This deployment or server cannot do that."""


class Overloaded(Error):
    """Too much is waiting already; nothing was done."""


class Unavailable(Error):
    """The store or the server cannot be reached; nothing was done."""


class TimedOut(Error):
    """The time-out passed; nothing was done."""


class OutcomeUnknown(Error):
    """A write may or may not have happened: get the order to find out."""


class Damaged(Error):
    """Stored rows contradict each other: an administrator has to look at them."""


class NewerVersion(Error):
    """Stored by a newer version of tallorder."""


class Forbidden(Error):
    """The server gives this client no role for the call."""


class Internal(Error):
    """A defect; the server's log says more."""


_CLASSES = {code: globals()[name.title().replace("_", "")] for name, code in ErrorCode._NAMES_TO_VALUES.items()}


def to_error(failure: TallError) -> Error:
    """The exception for what a server answers; an unknown code is Internal."""
    return _CLASSES.get(failure.code, Internal)(failure.message, failure.field, failure.revision)


def _take(outcome: OrderOutcome, part: Optional[OrderPart]) -> Order | OrderResult | Error:
    if outcome.result is None:
        return to_error(outcome.failure)
    if part is None:
        return outcome.result.order
    outcome.result.order.is_part = True  # put_order looks at it
    return outcome.result


def decimal(value: str | int | ExactDecimal) -> Decimal:
    """An exact decimal as it is stored: "1.50" is not "1.5"."""
    try:
        sign, digits, exponent = ExactDecimal(value).as_tuple()
    except (ArithmeticError, TypeError, ValueError):
        exponent = "n"
    if not isinstance(exponent, int):
        raise Invalid(f"{value!r} is not a number")
    unscaled = int("".join(map(str, digits[:20]))) * 10 ** min(max(exponent, 0), 19)
    if exponent < -18 or unscaled >= 2 ** 63:
        raise Invalid(f"{value!r} has too many digits")
    return Decimal(-unscaled if sign else unscaled, max(-exponent, 0))


def to_exact(value: Decimal) -> ExactDecimal:
    """A stored decimal as Python's."""
    return ExactDecimal(value.unscaled).scaleb(-value.scale)


class Client:
    """A connection to a server, made with the first call. Not for several threads at once.

    `attempts`: how often a call is sent if nothing was done. A write whose answer is lost is sent
    again with its token if it needs a revision, which makes that harmless; with `only_writer` (nobody
    else writes the same orders) any write is. Otherwise it ends as OutcomeUnknown.

    `tls`: whom to trust and who we are, as of `ssl.create_default_context`; it checks the host, too.
    """

    def __init__(self, address: str, *, tls: Optional[ssl.SSLContext] = None, timeout: float = 15.0,
                 attempts: int = 4, only_writer: bool = False) -> None:
        name, _, port = address.rpartition(":")
        if not name or "/" in name or not port.isdecimal() or len(port) > 5 or not 0 < int(port) < 65536:
            raise Invalid(f"{address!r} is not HOST:PORT; TLS is asked for by tls=")
        host = name.strip("[]")
        self._socket = TSocket(host, int(port)) if tls is None else TSSLSocket(
            host, int(port), ssl_context=tls, validate_callback=lambda *_: None)
        self._socket.setTimeout(timeout * 1000)
        self.close()
        self._attempts, self._only_writer = attempts, only_writer

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the next call opens another one."""
        if self._socket.handle is not None:  # else TSSLSocket would fail
            self._transport.close()
        self._transport = TFramedTransport(self._socket)  # without what was read or written by halves
        self._stub = OrderService.Client(TBinaryProtocolAccelerated(self._transport))

    def put_order(self, order: Order, *, if_absent: bool = False, if_revision: Optional[int] = None) -> int:
        """Stores a whole order (not a part), or replaces it. Returns its revision."""
        if getattr(order, "is_part", False):
            raise ValueError("this is only a part of an order, and storing it would lose the rest; patch it")
        return self._write(lambda options: self._stub.putOrder(order, options), if_absent, if_revision).revision

    def get_order(self, customer: str, order: str) -> tuple[Order, int]:
        """An order and its revision, or NotFound."""
        result = self._read(lambda: self._stub.getOrder(customer, order))
        return result.order, result.revision

    def delete_order(self, customer: str, order: str, *, if_revision: Optional[int] = None) -> None:
        """Deletes an order with its lines, or NotFound."""
        self._write(lambda options: self._stub.deleteOrder(customer, order, options), False, if_revision)

    def patch_order(self, customer: str, order: str, changes: list[str], *, if_revision: Optional[int] = None,
                    base_revision: Optional[int] = None) -> int:
        """Changes parts of an order as it is then: ["line[3].quantity+=1", "-line[4]"]; PatchOrderRequest in
        the interface has all forms. Returns the new revision. With `if_revision`, or with `base_revision`, the
        last one that you have seen, a patch whose answer is lost is sent again, and done once."""
        request = PatchOrderRequest(customer, order, changes, base_revision=base_revision)
        is_once = base_revision is not None or if_revision is not None

        def call(options: WriteOptions) -> Any:
            request.options = options
            options.token = options.token if is_once else None
            return self._stub.patchOrder(request)
        while True:
            try:
                return self._write(call, False, if_revision, again_if_lost=is_once).revision
            except OutcomeUnknown as passed:
                if passed.revision is None or passed.__cause__ is not None:
                    raise
                request.base_revision = passed.revision  # it has done nothing, and was the first copy
                time.sleep(random.uniform(0, 0.01))

    def put_customer(self, customer: Customer, *, if_absent: bool = False, if_revision: Optional[int] = None) -> int:
        """Stores or replaces a customer. Returns its revision."""
        return self._write(lambda options: self._stub.putCustomer(customer, options), if_absent, if_revision).revision

    def get_customer(self, number: str) -> tuple[Customer, int]:
        """A customer and its revision, or NotFound."""
        result = self._read(lambda: self._stub.getCustomer(number))
        return result.customer, result.revision

    def delete_customer(self, number: str, *, if_revision: Optional[int] = None) -> None:
        """Deletes a customer without orders, or NotFound, or Conflict."""
        self._write(lambda options: self._stub.deleteCustomer(number, options), False, if_revision)

    def get_order_part(self, customer: str, order: str, part: OrderPart) -> OrderResult:
        """A part of an order, or NotFound: `order` has it, `entry` what a SUMMARY adds."""
        if isinstance(result := next(self.get_orders([(customer, order)], part)), Error):
            raise result
        return result

    def get_orders(self, ids: Iterable[tuple[str, str]],
                   part: Optional[OrderPart] = None) -> Iterator[Order | OrderResult | Error]:
        """Many orders, in the sequence of their ids (customer, order), or results of parts: each, or why not."""
        rest = [OrderId(customer, order) for customer, order in ids]
        while rest:
            outcomes = self._read(lambda: self._stub.getOrders(GetOrdersRequest(rest[:1000], part))).outcomes
            yield from (_take(outcome, part) for outcome in outcomes)
            rest = rest[len(outcomes):]

    def list_orders(self, customer: str, *, from_date: Optional[int] = None, to_date: Optional[int] = None,
                    limit: int = 100) -> Iterator[OrderEntry]:
        """A customer's orders by date, the newest first, fetched in pages of `limit`. Dates are
        milliseconds since 1970. After the readable ones of a page, an unreadable one is raised."""
        yield from self._pages("listOrders", lambda page: ListOrdersRequest(
            customer_number=customer, from_date=from_date, to_date=to_date, limit=limit, page=page))

    def list_customers(self, *, limit: int = 100) -> Iterator[CustomerEntry]:
        """All customers, each once."""
        yield from self._pages("listCustomers", lambda page: ListCustomersRequest(limit=limit, page=page))

    def get_customer_orders(self, customer: str, *, limit: int = 30) -> Iterator[Order | Error]:
        """A customer's whole orders, in the sequence of their row keys: each, or why not."""
        yield from self._pages("getCustomerOrders", lambda page: CustomerOrdersRequest(customer, limit, page))

    def find_orders(self, *values: str, index: Optional[str] = None, from_value: Optional[str] = None,
                    to_value: Optional[str] = None, limit: int = 30,
                    part: Optional[OrderPart] = None) -> Iterator[Order | OrderResult | Error]:
        """Orders of all customers by an index, in its order, or results of parts: each, or why not. `values` are
        of the first parts of `index`; without that, each is "FIELD=VALUE". A range is of the part after them."""
        yield from self._pages("findOrders", lambda page: FindRequest(
            index, list(values), from_value, to_value, limit, page, part), part)

    def erase_customer(self, number: str, *, compact: bool = False) -> list[str]:
        """Removes everything of a customer for good, or NotFound if there never was one; takes a minute. Returns
        what is left, and where, for people. If it is ended early, begin again. For administrators."""
        cursor: Optional[bytes] = None
        while True:
            part = self._try(lambda: self._stub.eraseCustomer(EraseRequest(number, compact, cursor)),
                             again_if_lost=True, is_write=True)
            cursor = part.cursor
            if cursor is None:
                return part.left
            time.sleep(part.wait_ms / 1000)

    def describe(self) -> Description:
        """The deployment, and what its server knows."""
        return self._read(lambda: self._stub.describe())

    def ping(self) -> None:
        """Succeeds if the store of the orders answers."""
        self._read(lambda: self._stub.ping())

    def _pages(self, call: str, request: Callable[[Any], Any], part: Optional[OrderPart] = None) -> Iterator[Any]:
        page: Optional[str] = None
        while True:
            result = self._read(lambda: getattr(self._stub, call)(request(page)))
            yield from result.entries if hasattr(result, "entries") else (_take(one, part) for one in result.orders)
            for unreadable in getattr(result, "unreadable", ()):
                raise _CLASSES.get(unreadable.code, Internal)(unreadable.message)
            page = result.next_page
            if page is None:
                return

    def _read(self, call: Callable[[], Result]) -> Result:
        return self._try(call, again_if_lost=True, is_write=False)

    def _write(self, call: Callable[[WriteOptions], Any], if_absent: bool, if_revision: Optional[int],
               again_if_lost: Optional[bool] = None) -> Any:
        options = WriteOptions(token=uuid.uuid4().bytes)
        if if_absent and if_revision is not None:
            raise Invalid("Either if_absent or if_revision, not both")
        if if_absent:
            options.condition = WriteCondition.ABSENT
        elif if_revision is not None:
            options.condition, options.revision = WriteCondition.REVISION, if_revision
        if again_if_lost is None:
            again_if_lost = self._only_writer or if_revision is not None
        return self._try(lambda: call(options), is_write=True, again_if_lost=again_if_lost)

    def _try(self, call: Callable[[], Result], again_if_lost: bool, is_write: bool) -> Result:
        lost: Optional[Error] = None  # an earlier copy may have been done
        for attempt in range(1, self._attempts + 1):
            error = self._open()
            if error is None:
                try:
                    return call()
                except TallError as failure:
                    error = to_error(failure)
                except TApplicationException as unknown:
                    error = Unsupported(str(unknown))
                except (TTransportException, OSError, EOFError) as broken:
                    self.close()
                    error = (OutcomeUnknown if is_write else Unavailable)(f"The answer was lost: {broken}")
                except BaseException:  # such as Ctrl-C: its answer would be taken for the next call's
                    self.close()
                    raise
            passed = isinstance(error, OutcomeUnknown) and error.revision is not None  # a patch, not done
            if isinstance(error, OutcomeUnknown) and not passed:
                lost = error
            retried = again_if_lost and not passed if isinstance(error, OutcomeUnknown) \
                else isinstance(error, (Overloaded, Unavailable, TimedOut))
            if not retried or attempt == self._attempts:
                raise error if lost is None or lost is error else self._doubt(error, lost)
            time.sleep(0.05 * 2 ** attempt)
        raise AssertionError("no attempt")

    @staticmethod
    def _doubt(error: Error, lost: Error) -> Error:
        """What is said of the second copy says nothing of the first."""
        doubt = OutcomeUnknown(f"{lost}; sent again: {error}", error.field, error.revision)
        doubt.__cause__ = error
        return doubt

    def _open(self) -> Optional[Error]:
        if self._transport.isOpen():
            return None
        self.close()  # what is left of a connection that the server has closed
        try:
            self._transport.open()
        except (TTransportException, OSError) as error:
            return Unavailable(f"The server cannot be reached: {error}")
        return None

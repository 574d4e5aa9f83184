"""An OpenTelemetry collector on loopback that keeps the spans it gets: OTLP over HTTP, protobuf."""

import gzip
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

_KINDS = {Span.SPAN_KIND_INTERNAL: "internal", Span.SPAN_KIND_CLIENT: "client"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedSpan:
    """One span. Ids are hexadecimal; ``parent`` is "" for the root; times are in Unix ms."""

    name: str
    trace: str
    id: str
    parent: str
    kind: str
    start_ms: int
    end_ms: int
    failed: bool
    attributes: Mapping[str, Any]
    events: Mapping[str, int]
    resource: Mapping[str, Any]


@dataclass(slots=True)
class OtlpReceiver:
    """What has come. ``answer`` is the status of its responses; ``headers`` are those of the last request."""

    url: str = ""
    spans: list[ReceivedSpan] = field(default_factory=list[ReceivedSpan])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    requests: int = 0
    answer: int = 200

    def named(self, name: str) -> ReceivedSpan:
        """The only span with this name."""
        (found,) = (span for span in self.spans if span.name == name)
        return found

    def take(self, body: bytes) -> None:
        """Read one request."""
        request = ExportTraceServiceRequest.FromString(body)
        for of_resource in request.resource_spans:
            resource = _attributes(of_resource.resource.attributes)
            for of_scope in of_resource.scope_spans:
                self.spans += [_span(span, resource) for span in of_scope.spans]


@contextmanager
def otlp_receiver() -> Generator[OtlpReceiver]:
    """Serve on a free port of loopback."""
    received = OtlpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            received.requests += 1
            received.headers = {name.lower(): value for name, value in self.headers.items()}
            fits = self.path == "/v1/traces" and self.headers["Content-Type"] == "application/x-protobuf"
            status = received.answer if fits else 404
            if status == 200:
                received.take(body)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        received.url = f"http://127.0.0.1:{server.server_address[1]}"
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield received
        finally:
            server.shutdown()
            serving.join()


def _span(span: Span, resource: Mapping[str, Any]) -> ReceivedSpan:
    return ReceivedSpan(
        name=span.name,
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        kind=_KINDS[span.kind],
        start_ms=span.start_time_unix_nano // 1_000_000,
        end_ms=span.end_time_unix_nano // 1_000_000,
        failed=span.status.code == Status.STATUS_CODE_ERROR,
        attributes=_attributes(span.attributes),
        events={event.name: event.time_unix_nano // 1_000_000 for event in span.events},
        resource=resource,
    )


def _attributes(found: Any) -> dict[str, Any]:
    pairs: list[KeyValue] = list(found)
    return {one.key: _value(one.value) for one in pairs}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind) if kind is not None else None

"""A server's log output is written to our log, with a limit."""

from structlog.testing import capture_logs

from assistant.mcp.status import ServerLogSink
from assistant.testing.virtual_time import VirtualClock, run_virtually


def test_after_a_minute_it_logs_again_and_counts_the_omitted_lines() -> None:
    async def speak() -> None:
        clock = VirtualClock()
        log_sink = ServerLogSink("crm", [], clock)
        for number in range(25):
            log_sink.note("says", b"%d" % number)
        await clock.sleep(60)
        log_sink.note("says", b"again")
        log_sink.close()

    with capture_logs() as logged:
        run_virtually(speak())

    assert [line["line"] for line in logged[:20]] == [str(number) for number in range(20)]
    assert logged[20:] == [
        {"event": "mcp server said more", "server": "crm", "lines": 5, "log_level": "info"},
        {"event": "says", "server": "crm", "line": "again", "log_level": "info"},
    ]


def test_if_one_secret_contains_another_the_longer_one_is_removed() -> None:
    log_sink = ServerLogSink("crm", ["abc", "abcdef", ""], VirtualClock())
    with capture_logs():
        log_sink.note("says", b"\x1b[31m token=abcdef, abc\xff")

    assert log_sink.last == "[31m token=***, ***\N{REPLACEMENT CHARACTER}"


def test_an_empty_line_is_not_logged() -> None:
    assert ServerLogSink("crm", [], VirtualClock()).last == ""

"""What a server says beside its answers is written to our log, and not much of it."""

from structlog.testing import capture_logs

from assistant.mcp.status import ServerLogSink
from assistant.testing.virtual_time import VirtualClock, run_virtually


def test_after_a_minute_it_logs_again_and_counts_what_it_left_out() -> None:
    async def speak() -> None:
        clock = VirtualClock()
        murmur = ServerLogSink("crm", [], clock)
        for number in range(25):
            murmur.note("says", b"%d" % number)
        await clock.sleep(60)
        murmur.note("says", b"again")
        murmur.close()

    with capture_logs() as logged:
        run_virtually(speak())

    assert [line["line"] for line in logged[:20]] == [str(number) for number in range(20)]
    assert logged[20:] == [
        {"event": "mcp server said more", "server": "crm", "lines": 5, "log_level": "info"},
        {"event": "says", "server": "crm", "line": "again", "log_level": "info"},
    ]


def test_of_two_secrets_the_one_that_holds_the_other_is_taken_out_whole() -> None:
    murmur = ServerLogSink("crm", ["abc", "abcdef", ""], VirtualClock())
    with capture_logs():
        murmur.note("says", b"\x1b[31m token=abcdef, abc\xff")

    assert murmur.last == "[31m token=***, ***\N{REPLACEMENT CHARACTER}"


def test_nothing_said_is_nothing() -> None:
    assert ServerLogSink("crm", [], VirtualClock()).last == ""

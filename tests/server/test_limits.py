"""The limits hold, and the web server knows of them."""

from fastapi import FastAPI

from assistant.server.bucket import Bucket
from assistant.server.limits import Limits
from assistant.server.serving import serving
from tests.server.house import ManualClock


def test_a_bucket_gives_what_a_minute_allows_and_refills_with_time() -> None:
    clock = ManualClock()
    bucket = Bucket(6, clock)
    assert [bucket.take() for _ in range(7)] == [True] * 6 + [False]
    clock.advance(9)
    assert not bucket.take()
    clock.advance(1)
    assert [bucket.take(), bucket.take()] == [True, False]
    clock.advance(3600)
    assert [bucket.take() for _ in range(7)] == [True] * 6 + [False]


def test_the_web_server_takes_no_larger_frames_and_stays_on_this_machine() -> None:
    config = serving(FastAPI(), limits=Limits(frame_bytes=1234))
    assert (config.host, config.ws_max_size, config.ws_per_message_deflate) == ("127.0.0.1", 1234, False)
    assert serving(FastAPI()).ws_max_size == 64 * 1024

"""An S3-compatible object store on loopback."""

import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from moto.server import ThreadedMotoServer  # pyright: ignore[reportMissingTypeStubs]

BUCKET = "media"


@contextmanager
def object_store() -> Generator[Mapping[str, str]]:
    """A store with an empty bucket; gives the environment variables that configure programs for it."""
    stored = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    stored.start()
    host, port = stored.get_host_and_port()
    address = f"http://{host}:{port}"
    urllib.request.urlopen(urllib.request.Request(f"{address}/{BUCKET}", method="PUT")).close()
    told = {"ACCESS_KEY_ID": "a", "SECRET_ACCESS_KEY": "b", "REGION": "us-east-1", "ENDPOINT_URL": address}
    yield {f"AWS_{name}": value for name, value in {**told, "ALLOW_HTTP": "true"}.items()}
    stored.stop()

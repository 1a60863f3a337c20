"""An object store of S3's protocol on this machine, and how clients find it."""

from __future__ import annotations

import sys
import threading
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, Self, final

from tests.support.patience import wait_until
from tests.support.service.processes import Process, free_port

BUCKET: Final = "s3://fudaba-tests"


@final
class ObjectStore(Process):
    """moto's server in a process of its own, with an empty bucket."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "s3")
        self.port = free_port()

    def start(self) -> Self:
        self.launch([sys.executable, "-m", "tests.support.object_store", str(self.port)])
        wait_until(self._has_bucket, "the start of the object store")
        return self

    def _has_bucket(self) -> bool:
        assert self.running, self.log
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{BUCKET.removeprefix('s3://')}", method="PUT")
        try:
            with urllib.request.urlopen(request):
                return True
        except OSError:
            return False


def environment(port: int) -> dict[str, str]:
    """Returns what tells a process where the object store is."""
    return {
        "AWS_ACCESS_KEY_ID": "tests",
        "AWS_SECRET_ACCESS_KEY": "tests",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _serve(port: int) -> None:
    """Serves one request at a time. moto looks for a file and writes it without a lock between, so two could both
    create it; real stores have conditional writes."""
    # here, since only the server's process needs them, and they load slowly
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import run_simple

    moto: Any = DomainDispatcherApplication(create_backend_app)
    one_at_a_time = threading.Lock()

    def application(environment: dict[str, Any], respond: Callable[..., Any]) -> Iterable[bytes]:
        with one_at_a_time:
            answer: Iterable[bytes] = moto(environment, respond)
            return answer

    run_simple("127.0.0.1", port, application, threaded=True, request_handler=MotoRequestHandler)


if __name__ == "__main__":
    _serve(int(sys.argv[1]))

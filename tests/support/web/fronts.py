"""A reverse proxy with TLS before a gateway: nginx, as docs/gateway.md says it is set up."""

from __future__ import annotations

import os
import socket
import ssl
from pathlib import Path
from typing import Final, Self, final

from tests.support.patience import wait_until
from tests.support.service.processes import Process, free_port

__all__ = ["TlsFront"]

_CONFIG: Final = """
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    upstream gateway {{
        server {gateway};
        keepalive 1;  # all requests come over one connection: what is hidden in one would answer another
    }}
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        location / {{
            proxy_pass http://gateway;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_request_buffering {buffering};
        }}
    }}
}}
"""


@final
class TlsFront(Process):
    """A front that speaks TLS as localhost, with the certificate that is in its folder."""

    def __init__(self, folder: Path, nginx: Path, gateway: str, *, buffering: bool = True) -> None:
        """`gateway` is `HOST:PORT`; with `buffering` it has all of a request before it sends any of it on."""
        super().__init__(folder, "front")
        self.port = free_port()
        self.url = f"https://localhost:{self.port}"
        self._nginx = nginx
        values = {"folder": folder, "gateway": gateway, "port": self.port, "buffering": "on" if buffering else "off"}
        user = "user root;" if os.getuid() == 0 else ""  # else root's workers are nobody, and the folder is root's
        (folder / "nginx.conf").write_text(user + _CONFIG.format(**values))

    @property
    def trust(self) -> ssl.SSLContext:
        """Trusts its certificate alone."""
        return ssl.create_default_context(cafile=self.folder / "cert.pem")

    def start(self) -> Self:
        """Starts it, and returns when it listens."""
        self.launch([str(self._nginx), "-c", str(self.folder / "nginx.conf"), "-g", "daemon off;"], {})
        wait_until(lambda: self._listens() or not self.running, "the start of the front")
        assert self.running, self.log
        return self

    def __exit__(self, *_: object) -> None:
        # Not killed, as others are: its worker would go on.
        self.terminate()

    def connect(self) -> ssl.SSLSocket:
        """Returns a connection to it."""
        return self.trust.wrap_socket(socket.create_connection(("127.0.0.1", self.port)), server_hostname="localhost")

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except ConnectionRefusedError:
            return False
        return True

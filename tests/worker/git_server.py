"""A git server over HTTP that wants a token: `git http-backend` behind Python's http.server, on loopback."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


class GitServer:
    """`url` is the web address; repositories are at ROOT/owner/name.git. `requests` are the paths asked for."""

    def __init__(self, url: str, root: Path, token: str) -> None:
        self.url = url
        self.root = root
        self.token = token
        self.requests: list[str] = []
        self.status: int | None = None
        """When set, every request is answered with it."""

    @property
    def fetches(self) -> int:
        """How many packs were asked for."""
        return sum(1 for request in self.requests if request.startswith("POST") and "git-upload-pack" in request)


@contextmanager
def git_server(root: Path, token: str) -> Iterator[GitServer]:
    server: GitServer

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _serve(self) -> None:
            body = self._body()
            server.requests.append(f"{self.command} {self.path}")
            if server.status is not None:
                self._plain(server.status)
                return
            expected = base64.b64encode(f"x-access-token:{server.token}".encode()).decode()
            if self.headers.get("Authorization") != f"Basic {expected}":
                self._plain(401)
                return
            parts = urlsplit(self.path)
            if not (root / parts.path.lstrip("/").split(".git/")[0].__add__(".git")).is_dir():
                self._plain(404)
                return
            environment = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": parts.path,
                "QUERY_STRING": parts.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_USER": "x-access-token",
            }
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
            )
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            status, headers = 200, []
            for line in head.decode().split("\r\n"):
                key, _, value = line.partition(": ")
                if key == "Status":
                    status = int(value.split(" ")[0])
                else:
                    headers.append((key, value))
            self.send_response(status)
            for key, value in headers:
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") == "chunked":
                body = b""
                while size := int(self.rfile.readline().strip() or b"0", 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))

        def _plain(self, status: int) -> None:
            self.send_response(status)
            if status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = GitServer(f"http://127.0.0.1:{http.server_address[1]}", root, token)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()

"""A Board server for the checks: starts and ends it, sends requests, and follows its events."""

import contextlib
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import threading
import time


class Refused(Exception):
    """An answer that is no 200; `status` is 0 if none came at all."""

    def __init__(self, status, sentence):
        super().__init__(f"{status}: {sentence}")
        self.status, self.sentence = status, sentence


def free_port():
    """A port that nothing listens on, so that a server can be started on it again."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, step=0.05):
    """The first value of `condition` that is true, or its last one after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(step)
    return value


class Server:
    """A process of the Board. As a context manager it ends with the block, whatever happens."""

    def __init__(self, binary, folder, name="board", options=()):
        self.port, self.process = free_port(), None
        self.log = pathlib.Path(folder, f"{name}.log")
        self.command = [str(pathlib.Path(binary).resolve()), "--port", str(self.port),
                        "--file", str(pathlib.Path(folder, f"{name}.board")), *options]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def start(self):
        """Starts it, again too, and returns when it has printed its address."""
        with self.log.open("ab") as log:
            begin = log.tell()
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

        def has_started():
            return b"Board: http" in self.log.read_bytes()[begin:] or self.process.poll() is not None

        if not wait_until(has_started, 30) or self.process.poll() is not None:
            raise SystemExit(f"The server did not start:\n{self.log.read_text()[-2000:]}")
        return self

    def end(self, by=signal.SIGTERM):
        """Ends it by a signal, and by SIGKILL if that takes too long."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(by)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.end()


class Connection:
    """A keep-alive connection that sends one request after the other."""

    def __init__(self, port, timeout=15):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def call(self, method, path, body=None):
        """The JSON that is answered. Raises `Refused` otherwise, and connects anew the next time."""
        data = None if body is None else json.dumps(body)
        try:
            self.http.request(method, path, data, {"Content-Type": "application/json"})
            response = self.http.getresponse()
            status, answer = response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            self.http.close()
            raise Refused(0, f"no answer, {error!r}") from error
        try:
            value = json.loads(answer)
        except ValueError:
            value = {"error": answer[:200].decode(errors="replace")}
        if status != 200:
            raise Refused(status, value.get("error"))
        return value

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, **body):
        return self.call("POST", path, body)


class Follower:
    """A client of /events that is only there to have an id: it reads and forgets what it is sent."""

    def __init__(self, port, person):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=15)
        self.socket.sendall(f"GET /events?person={person} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        received = b""
        while b"event: hello" not in received or not received.partition(b"event: hello")[2].count(b"\n\n"):
            more = self.socket.recv(65536)
            if not more:
                raise Refused(0, "the events ended before hello")
            received += more
        hello = received.partition(b"event: hello")[2].partition(b"data:")[2].split(b"\n")[0]
        self.client, self.is_open = json.loads(hello)["client"], True
        self.socket.settimeout(None)
        threading.Thread(target=self.forget, daemon=True).start()

    def forget(self):
        with contextlib.suppress(OSError):
            while self.socket.recv(1 << 16):
                pass
        self.is_open = False

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

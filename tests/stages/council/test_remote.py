"""A seat behind a server: scripted servers for what can go wrong, and real ones where they are installed."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from stages.contract import Message, Seat
from stages.council.config import SeatConfig
from stages.council.remote import RemoteSeat
from stages.errors import Aborted, EnvironmentFault, InputError

ASK = [Message(role="user", content="When do you open?")]
KEY = "secret-of-nobody"


class Server(ThreadingHTTPServer):
    """Answers with ``script``: texts to stream, "hang" to say nothing more, "drop" to cut the connection."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[str] = ["It is ", "nine."]
        self.status = 200
        self.asked: list[tuple[int, dict[str, str], dict]] = []
        self.cut = threading.Event()

    def seat(self, **settings) -> RemoteSeat:
        config = SeatConfig(server=f"http://127.0.0.1:{self.server_port}/v1", **settings)
        return RemoteSeat("model", config)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *args) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.client_address[1], dict(self.headers), body))
        self.send_response(self.server.status)
        if self.server.status != 200:
            said = f"bad key {self.headers['Authorization']}".encode()
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for text in self.server.script:
            if text == "hang":
                self.connection.settimeout(5.0)
                self.server.cut.set() if self.connection.recv(1) == b"" else None
            if text in ("hang", "drop"):
                self.close_connection = True
                return
            self.chunk(json.dumps({"choices": [{"delta": {"content": text}}]}))
        usage = {"prompt_tokens": 12, "prompt_tokens_details": {"cached_tokens": 9}}
        self.chunk(json.dumps({"choices": [], "usage": usage}))
        self.chunk("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def chunk(self, data: str) -> None:
        raw = f"data: {data}\n\n".encode()
        self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
        self.wfile.flush()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def said(seat: Seat, abort: Callable[[], bool] = lambda: False) -> str:
    return "".join(piece.text for piece in seat.reply(ASK, max_tokens=8, abort=abort))


def test_a_reply_is_streamed_and_the_connection_is_kept(server):
    seat = server.seat(seed=3)
    assert [piece.text for piece in seat.reply(ASK, max_tokens=8, temperature=0.5)] == ["It is ", "nine."]
    assert (seat.last_prefill.prompt_tokens, seat.last_prefill.reused_tokens) == (12, 9)
    assert said(seat) == "It is nine."
    assert server.asked[0][0] == server.asked[1][0]  # the same port: one connection
    body = server.asked[0][2]
    assert (body["messages"], body["max_tokens"], body["temperature"], body["seed"]) == (ASK, 8, 0.5, 3)
    seat.close()


def test_an_abort_while_nothing_comes_cuts_the_connection_and_the_next_reply_works(server):
    server.script = ["It ", "hang"]
    seat = server.seat()
    reply = seat.reply(ASK, max_tokens=8, abort=lambda: stopped)
    stopped = False
    assert next(reply).text == "It "
    stopped = True
    with pytest.raises(Aborted):
        next(reply)
    assert server.cut.wait(5.0)
    server.script = ["Nine."]
    assert said(seat) == "Nine."
    seat.close()


def test_a_reply_that_nobody_reads_on_cuts_the_connection(server):
    server.script = ["It ", "hang"]
    seat = server.seat()
    reply = seat.reply(ASK, max_tokens=8)
    next(reply)
    reply.close()
    assert server.cut.wait(5.0)


def test_a_server_that_breaks_off_or_falls_silent_is_a_fault(server):
    server.script = ["It ", "drop"]
    seat = server.seat(server_timeout_s=0.2)
    with pytest.raises(EnvironmentFault, match="broke off"):
        said(seat)
    server.script = ["It ", "hang"]
    with pytest.raises(EnvironmentFault, match="says nothing any more"):
        said(seat)


def test_the_key_is_sent_and_shown_nowhere(server, monkeypatch):
    monkeypatch.setenv("SERVER_KEY", KEY)
    seat = server.seat(server_key_env="SERVER_KEY")
    said(seat)
    assert server.asked[0][1]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(seat) + repr(vars(seat))
    server.status = 401
    with pytest.raises(EnvironmentFault, match="answers 401") as fault:
        said(seat)
    assert KEY not in str(fault.value)
    monkeypatch.delenv("SERVER_KEY")
    with pytest.raises(EnvironmentFault, match="SERVER_KEY is not set"):
        said(seat)


def test_no_server_or_no_address_is_named(server):
    seat = server.seat()
    server.shutdown()
    server.server_close()
    with pytest.raises(EnvironmentFault, match=r"No server answers at 127\.0\.0\.1:\d+"):
        seat.prefill(ASK)
    with pytest.raises(InputError, match="no address"):
        RemoteSeat("model", SeatConfig(server="localhost"))


def test_a_connection_that_the_server_closed_meanwhile_is_opened_again(server):
    seat = server.seat()
    said(seat)
    seat._connection.sock.shutdown(2)
    assert said(seat) == "It is nine."


def test_llama_server_answers_and_is_ready_again_after_an_abort(tiny):
    xllamacpp = pytest.importorskip("xllamacpp", reason="pip install xllamacpp: a real llama-server")
    params = xllamacpp.CommonParams()
    params.model.path, params.n_ctx, params.n_parallel = str(tiny), 512, 1
    real = xllamacpp.Server(params)
    seat = RemoteSeat("tiny", SeatConfig(server=f"{real.listening_address}/v1"))
    assert said(seat)
    assert seat.last_prefill.prompt_tokens > 20
    began = time.monotonic()
    with pytest.raises(Aborted):
        said(seat, abort=lambda: time.monotonic() - began > 0.02)
    assert said(seat)
    seat.close()

"""A seat behind any OpenAI-compatible server: llama-server, vLLM, a cloud service. Streamed, and cut off at once.

The standard library's HTTP is used: it leaves the socket in our hands, so that an abort is seen while nothing comes.
"""

from __future__ import annotations

import http.client
import json
import os
import select
import ssl
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from stages.contract import Abort, Message, Piece, Prefill, never
from stages.council.config import SeatConfig
from stages.errors import Aborted, EnvironmentFault, InputError

_POLL_S = 0.01
_PREFIX = "data:"
_Lost = (http.client.HTTPException, OSError)


class RemoteSeat:
    """One connection, kept open between replies. Not thread safe. The key is read when it is sent, and nowhere kept."""

    def __init__(self, model: Path | str, config: SeatConfig | None = None) -> None:
        """``model`` is its name at the server ``config.server``. Raises InputError for no or an odd address."""
        self._config = config or SeatConfig()
        self._model = str(model)
        address = urlsplit(self._config.server or "")
        if address.scheme not in ("http", "https") or not address.hostname:
            raise InputError(
                "remote.address",
                f"{self._config.server!r} is no address of a server.",
                "Set server: http://...",
            )
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        self._where = f"{address.hostname}:{address.port or kind.default_port}"
        self._path = address.path.rstrip("/") + "/chat/completions"
        self._connection = kind(address.hostname, address.port, timeout=self._config.server_timeout_s)
        self._last = Prefill(0, 0)
        self.last_logprobs: list[float] = []
        """Of the last reply's tokens, from a server that tells them."""

    @property
    def last_prefill(self) -> Prefill:
        """What the server says that the last prompt cost; zeros where it does not say."""
        return self._last

    def prefill(self, messages: Sequence[Message], *, abort: Abort = never) -> Prefill:
        """Open the connection ahead of time. Nothing is sent: a prompt that is not asked about would be paid for."""
        if abort():
            raise Aborted
        self._connect()
        return Prefill(0, 0)

    def reply(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0.0, abort: Abort = never
    ) -> Iterator[Piece]:
        """Ask, and pass the text on as it comes. Raises Aborted (the connection is cut), EnvironmentFault."""
        body = {
            "model": self._model,
            "messages": list(messages),
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": self._config.seed,
            "stream": True,
            "stream_options": {"include_usage": True},
            "logprobs": True,
        }
        self._last, self.last_logprobs, whole = Prefill(0, 0), [], False
        try:
            response = self._ask(json.dumps(body).encode(), abort)
            for event in self._events(response, abort):
                self._note(event)
                text = _text(event)
                if text:
                    yield Piece(text, 1)
            whole = True
        except _Lost as fault:
            raise EnvironmentFault(
                "remote.lost", f"The server at {self._where} broke off: {fault or type(fault).__name__}.", ""
            ) from fault
        finally:
            if not whole:
                self.close()

    def close(self) -> None:
        """Cut the connection; the next reply opens a new one."""
        self._connection.close()

    def _connect(self) -> None:
        if self._connection.sock is None:
            try:
                self._connection.connect()
            except OSError as fault:
                raise EnvironmentFault(
                    "remote.unreachable",
                    f"No server answers at {self._where}: {fault}.",
                    "Start it, or check server.",
                ) from fault

    def _ask(self, body: bytes, abort: Abort) -> http.client.HTTPResponse:
        """Send the question; one that meets a connection closed by the server in the meantime is sent again."""
        fresh = self._connection.sock is None
        try:
            return self._send(body, abort)
        except (http.client.RemoteDisconnected, ConnectionError):
            self.close()
            if fresh:
                raise
            return self._send(body, abort)

    def _send(self, body: bytes, abort: Abort) -> http.client.HTTPResponse:
        self._connect()
        self._connection.request("POST", self._path, body, self._headers())
        self._wait_for_answer(abort)
        response = self._connection.getresponse()
        if response.status != http.client.OK:
            told = response.read(300).decode(errors="replace")
            key = self._key()
            told = told.replace(key, "***") if key else told
            raise EnvironmentFault(
                "remote.refused", f"The server at {self._where} answers {response.status}: {told}", ""
            )
        return response

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        key = self._key()
        return headers | {"Authorization": f"Bearer {key}"} if key else headers

    def _key(self) -> str:
        name = self._config.server_key_env
        if name and name not in os.environ:
            raise EnvironmentFault(
                "remote.key", f"The environment variable {name} is not set.", "Set it to the key."
            )
        return os.environ[name] if name else ""

    def _events(self, response: http.client.HTTPResponse, abort: Abort) -> Iterator[dict[str, Any]]:
        while True:
            self._wait_for_line(response, abort)
            line = response.readline()
            if not line:
                raise http.client.IncompleteRead(b"")
            text = line.decode(errors="replace").strip()
            if not text.startswith(_PREFIX):
                continue
            data = text.removeprefix(_PREFIX).strip()
            if data == "[DONE]":
                response.read()  # the end of the body: the connection can be used again
                return
            event = json.loads(data)
            if "error" in event:
                raise EnvironmentFault(
                    "remote.failed", f"The server at {self._where} failed: {event['error']}", ""
                )
            yield event

    def _wait_for_answer(self, abort: Abort) -> None:
        for _ in self._waits(abort):
            if self._readable():
                return

    def _wait_for_line(self, response: http.client.HTTPResponse, abort: Abort) -> None:
        for _ in self._waits(abort):
            if self._buffered(response).strip() or (
                self._readable() and not self._buffered(response).strip()
            ):
                return

    def _waits(self, abort: Abort) -> Iterator[None]:
        """One round after the other until the server's time is up, or the answer is no longer wanted."""
        for _ in range(int(self._config.server_timeout_s / _POLL_S)):
            if abort():
                raise Aborted
            yield
        raise EnvironmentFault("remote.stalled", f"The server at {self._where} says nothing any more.", "")

    def _readable(self) -> bool:
        return bool(select.select([self._connection.sock], [], [], _POLL_S)[0])

    def _buffered(self, response: http.client.HTTPResponse) -> bytes:
        """What has arrived of the answer; line ends between its parts are nothing yet."""
        sock = self._connection.sock
        if sock is None or response.fp is None:
            return b"closed"  # the server closes behind its answer: reading on does not wait
        sock.setblocking(False)
        try:
            return bytes(response.fp.peek(1))
        except (BlockingIOError, ssl.SSLWantReadError):
            return b""
        finally:
            sock.settimeout(self._config.server_timeout_s)

    def _note(self, event: dict[str, Any]) -> None:
        for choice in event.get("choices") or []:
            told = (choice.get("logprobs") or {}).get("content") or []
            self.last_logprobs += [float(token["logprob"]) for token in told]
        usage = event.get("usage")
        if usage:
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
            self._last = Prefill(usage.get("prompt_tokens", 0), cached)


def _text(event: dict[str, Any]) -> str:
    choices = event.get("choices") or [{}]
    return (choices[0].get("delta") or {}).get("content") or ""

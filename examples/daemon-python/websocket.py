"""A WebSocket client (RFC 6455) for text frames, on the standard library alone.

Owns the handshake, framing and masking, and answers pings. Knows nothing of the hub's protocol.
"""

import base64
import hashlib
import os
import socket
import ssl
import struct
import threading
from urllib.parse import urlsplit

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
HEAD_BYTES_MAX = 65_536
MESSAGE_BYTES_MAX = 4 * 1024 * 1024
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA


class UpgradeRefused(Exception):
    """The server answered the upgrade with a status instead of a socket. `body` is what of its content came."""

    def __init__(self, status, headers, body):
        super().__init__(f"the upgrade was answered {status}")
        self.status = status
        self.headers = headers
        self.body = body


class Closed(Exception):
    """The socket has ended. `code` is 1006 where no close frame came."""

    def __init__(self, code=1006, reason=""):
        super().__init__(f"closed with {code} {reason}".strip())
        self.code = code
        self.reason = reason


class WebSocket:
    """One open socket. `receive` belongs to one thread, `send` may be called by any."""

    def __init__(self, url, headers, timeout=20):
        parts = urlsplit(url)
        secure = parts.scheme in ("wss", "https")
        port = parts.port or (443 if secure else 80)
        self._lock = threading.Lock()
        self._buffer = b""
        self._socket = socket.create_connection((parts.hostname, port), timeout)
        try:
            if secure:
                self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=parts.hostname)
            self._upgrade(parts, headers)
        except BaseException:
            self._socket.close()
            raise

    def _upgrade(self, parts, headers):
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {parts.path or '/'} HTTP/1.1", f"Host: {parts.netloc}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += ["Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > HEAD_BYTES_MAX:
                raise Closed(1006, "the answer's head is too long")
            self._fill()
        head, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
        first, *rest = head.decode("latin-1").split("\r\n")
        answered = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        status = int(first.split(" ")[1])
        if status != 101:
            length = answered.get("content-length", "")
            size = min(HEAD_BYTES_MAX, int(length) if length.isdigit() else 0)
            raise UpgradeRefused(status, answered, self._take(size))
        expected = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if answered.get("sec-websocket-accept") != expected:
            raise Closed(1006, "the answer is not one to this handshake")

    def _fill(self):
        try:
            some = self._socket.recv(65_536)
        except OSError as error:
            raise Closed(1006, str(error)) from error
        if not some:
            raise Closed()
        self._buffer += some

    def _take(self, length):
        while len(self._buffer) < length:
            self._fill()
        taken, self._buffer = self._buffer[:length], self._buffer[length:]
        return taken

    def _frame(self):
        first, second = self._take(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self._take(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self._take(8))
        if length > MESSAGE_BYTES_MAX:
            raise Closed(1009, "the frame is too large")
        return first & 0x80 != 0, first & 0x0F, self._take(length)

    def _write(self, opcode, payload):
        length = len(payload)
        head = bytes([0x80 | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65_536:
            head += bytes([0x80 | 126]) + struct.pack("!H", length)
        else:
            head += bytes([0x80 | 127]) + struct.pack("!Q", length)
        mask = os.urandom(4)
        pattern = (mask * (length // 4 + 1))[:length]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(pattern, "big")).to_bytes(length, "big")
        with self._lock:
            try:
                self._socket.sendall(head + mask + masked)
            except OSError as error:
                raise Closed(1006, str(error)) from error

    def receive(self):
        """The next text message. Raises Closed at the end, and when nothing at all comes within the timeout."""
        parts, size = [], 0
        while True:
            final, opcode, payload = self._frame()
            if opcode == PING:
                self._write(PONG, payload)
            elif opcode == CLOSE:
                code = struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else 1005
                raise Closed(code, payload[2:].decode("utf-8", "replace"))
            elif opcode in (TEXT, BINARY, CONTINUATION):
                parts.append(payload)
                size += len(payload)
                if size > MESSAGE_BYTES_MAX:
                    raise Closed(1009, "the message is too large")
                if final:
                    return b"".join(parts).decode()

    def send(self, text):
        """Sends a text message."""
        self._write(TEXT, text.encode())

    def silence_after(self, seconds):
        """Nothing for so long, pings included, means that the connection is lost."""
        self._socket.settimeout(seconds)

    def close(self, code=1000):
        """Says goodbye and closes; never raises."""
        try:
            self._write(CLOSE, struct.pack("!H", code))
        except Closed:
            pass
        self.drop()

    def drop(self):
        """Closes without a word."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()

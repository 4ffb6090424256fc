#!/usr/bin/env python3
"""A daemon in Python, written from docs/daemon-protocol.md alone, on the standard library.

    HUB_TOKEN=hubd_... python3 daemon.py http://127.0.0.1:8080

It keeps one socket to the hub, reports what runs here, runs terminal commands once each, and comes back as the
protocol says. It has no agents: every other command is refused in words.
"""

import json
import os
import platform
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections import OrderedDict

from websocket import Closed, UpgradeRefused, WebSocket

VERSION = "1.0.0"
NEVER_AGAIN = {4401, 4403, 4409}
STEP_SECONDS_MAX = 60
HELD_SECONDS = 30
SILENCE_SECONDS = 60
SEEN_MAX = 1_000
END_SECONDS = 2
OUTPUT_BYTES_MAX = 256 * 1024
RUNNING_MAX = 16


def log(*words):
    print(*words, file=sys.stderr, flush=True)


def now():
    return int(time.time() * 1000)


class GiveUp(Exception):
    """There is no use in coming back."""


class Commands:
    """The commands of the hub: each id is run once, whichever connection it comes on."""

    def __init__(self):
        self._seen = OrderedDict()
        self.running = set()

    def take(self, command, answer):
        """Runs a command in a thread of its own; `answer` gets its result."""
        if command["id"] in self._seen:
            return
        self._seen[command["id"]] = True
        if len(self._seen) > SEEN_MAX:
            self._seen.popitem(last=False)
        if command.get("type") != "terminal_exec":
            answer(refusal(f"this daemon has no {command.get('type')}", "unsupported_command"))
        elif len(self.running) >= RUNNING_MAX:
            answer(refusal(f"this daemon runs {RUNNING_MAX} commands already", "busy"))
        else:
            self.running.add(command["id"])
            threading.Thread(target=self._run, args=(command, answer), daemon=True).start()

    def _run(self, command, answer):
        try:
            answer(run_terminal(command.get("payload") or {}, seconds_of(command)))
        except Exception as error:  # the caller is told, whatever it was
            answer(refusal(f"the command could not be run: {error}", "failed"))
        finally:
            self.running.discard(command["id"])


def refusal(error, code):
    return {"success": False, "error": error, "code": code}


def seconds_of(command):
    """How long it may take: what its caller allows, as far as the answer arrives while the hub waits."""
    allowed = command.get("deadlineMs", 60_000) / 1000
    if command.get("durable"):
        return allowed
    return min(allowed, max(1.0, command.get("waitMs", allowed * 1000) / 1000 - END_SECONDS - 1))


def end_group(process):
    """Asks all of it to end, and kills what is left after a while."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        for _ in range(END_SECONDS * 50):
            time.sleep(0.02)
            process.poll()  # until it is asked after, a shell that has ended counts as left
            os.killpg(process.pid, 0)
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # none is left; the second on macOS
        pass
    process.wait()


def run_terminal(payload, seconds):
    """Runs a shell command; its children end with it when its time is over."""
    text = payload.get("command")
    if not isinstance(text, str) or text == "":
        return refusal("there is no command", "invalid_payload")
    began = time.monotonic()
    process = subprocess.Popen(
        ["/bin/sh", "-c", text],
        cwd=payload.get("cwd") or os.path.expanduser("~"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    outputs = [Output(process.stdout), Output(process.stderr)]
    late = False
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        late = True
        end_group(process)
    stdout, stderr = (output.text() for output in outputs)
    truncated = any(output.truncated for output in outputs)
    millis = int((time.monotonic() - began) * 1000)
    result = {"exitCode": process.returncode, "stdout": stdout, "stderr": stderr, "durationMs": millis}
    result["truncated"] = truncated
    if late:  # with what it had printed
        return {**refusal(f"the command did not end within {seconds:.0f} s", "timed_out"), "result": result}
    return {"success": True, "result": result}


class Output:
    """What a process writes to one pipe, read to its end; the beginning is kept."""

    def __init__(self, pipe):
        self.truncated = False
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def _read(self, pipe):
        with pipe:
            while some := pipe.read1(65_536):
                room = OUTPUT_BYTES_MAX - len(self._kept)
                self._kept += some[:room]
                self.truncated = self.truncated or len(some) > room

    def text(self):
        # a child that was left behind may hold the pipe
        self._thread.join(1)
        return self._kept.decode("utf-8", "replace")


class Daemon:
    def __init__(self, url, token):
        self._url = url.rstrip("/").replace("http", "ws", 1) + "/api/v1/daemons/connect"
        self._token = token
        self._instance = str(uuid.uuid4())
        self._commands = Commands()
        self._stopped = threading.Event()
        self._socket = None
        self._slot = None

    def stop(self):
        """Leaves: with 1000 the hub knows at once."""
        self._stopped.set()
        socket_ = self._socket
        if socket_ is not None:
            socket_.close(1000)

    def run(self):
        """Stays connected until `stop`, or until the hub says never."""
        step = 1.0
        while not self._stopped.is_set():
            began, at_least = time.monotonic(), 0.0
            try:
                self._connection()
            except UpgradeRefused as refused:
                at_least = self._after_refusal(refused)
            except Closed as closed:
                if self._stopped.is_set():
                    return
                if closed.code in NEVER_AGAIN:
                    raise GiveUp(f"the hub closed the socket with {closed.code}: it will not take this daemon again")
                at_least = after_ms(closed.reason)
                log(f"disconnected: {closed}")
            except OSError as error:
                log(f"the hub cannot be reached: {error}")
            if time.monotonic() - began > HELD_SECONDS:
                step = 1.0
            pause = random.uniform(0, step)
            if self._slot is not None:  # a hub that shuts down said when
                pause, self._slot = self._slot - time.monotonic(), None
            pause = max(at_least, pause)
            log(f"trying again in {pause:.1f} s")
            step = min(STEP_SECONDS_MAX, step * 2)
            self._stopped.wait(pause)

    def _after_refusal(self, refused):
        # by the hub's own word alone: a proxy before it answers 401 and 403 too
        reason = reason_of(refused.body)
        if reason == "AUTH_INVALID":
            raise GiveUp("the hub does not know this token")
        if reason == "TOKEN_REVOKED":
            raise GiveUp("the token is revoked: enrol this machine again")
        log(f"not admitted: {refused.status} {reason or refused.headers.get('location', '')}")
        millis = refused.headers.get("retry-after-ms", "")
        return int(millis) / 1000 if millis.isdigit() else 0.0

    def _connection(self):
        headers = {"Authorization": f"Bearer {self._token}"}
        socket_ = self._socket = WebSocket(self._url, headers)
        ended = threading.Event()
        try:
            if self._stopped.is_set():  # it was told to while this socket was opened
                return
            self._send(
                "auth",
                protocol=1,
                instanceId=self._instance,
                version=VERSION,
                hostname=socket.gethostname(),
                platform=platform.system().lower(),
            )
            socket_.silence_after(SILENCE_SECONDS)
            while True:
                frame = json.loads(socket_.receive())
                self._frame(frame.get("type"), frame.get("data") or {}, ended)
        finally:
            ended.set()
            self._socket = None
            socket_.drop()

    def _frame(self, kind, data, ended):
        if kind == "auth_ok":
            log(f"connected as {data['daemonId']}")
            every = data.get("reportMs", 30_000) / 1000
            threading.Thread(target=self._report, args=(ended, every), daemon=True).start()
        elif kind == "auth_error":
            log(f"refused: {data.get('reason')}")
        elif kind == "command":
            self._commands.take(data, lambda result: self._answer(data["id"], result))
        elif kind == "reconnect":
            self._slot = time.monotonic() + data["afterMs"] / 1000
            threading.Thread(target=self._leave_for_restart, args=(self._socket, self._slot, ended), daemon=True).start()

    def _leave_for_restart(self, socket_, slot, ended):
        # with a command to answer it stays: the hub closes the socket once there is none
        if not ended.wait(slot - time.monotonic()) and not self._commands.running:
            socket_.close(1012)

    def _report(self, ended, every):
        """Reports 2 s after the hub let this daemon in, then regularly."""
        pause = 2.0
        while not ended.wait(pause):
            pause = every
            try:
                self._send("status_report", timestamp=now(), sessions=[])
            except Closed:
                return

    def _answer(self, command_id, result):
        try:
            self._send("command_result", id=command_id, **result)
        except Closed:
            log(f"the result of {command_id} found no connection: its caller was told")

    def _send(self, kind, **data):
        socket_ = self._socket
        if socket_ is None:
            raise Closed()
        socket_.send(json.dumps({"type": kind, "data": data}))


def after_ms(reason):
    """Some closes say how long to stay away."""
    try:
        return max(0.0, json.loads(reason)["afterMs"] / 1000)
    except (ValueError, KeyError, TypeError):
        return 0.0


def reason_of(body):
    try:
        return json.loads(body).get("reason")
    except (ValueError, AttributeError):
        return None


def call_on_signals(stop, *numbers):
    """Calls `stop` in a thread: a handler interrupts the main thread, which may hold the lock that `stop` waits for."""
    heard, told = socket.socketpair()
    told.setblocking(False)
    signal.set_wakeup_fd(told.fileno())
    for number in numbers:
        signal.signal(number, lambda *_: None)

    def listen():
        with told:  # which has to stay open
            heard.recv(1)
            stop()

    threading.Thread(target=listen, daemon=True).start()


def main():
    token = os.environ.get("HUB_TOKEN", "").strip()
    if len(sys.argv) != 2 or not token:
        log("usage: HUB_TOKEN=hubd_... daemon.py URL")
        return 2
    if not all("!" <= letter <= "~" for letter in token):
        log("HUB_TOKEN has a space, a line break or another character inside that no token has")
        return 2
    daemon = Daemon(sys.argv[1], token)
    call_on_signals(daemon.stop, signal.SIGINT, signal.SIGTERM)
    try:
        daemon.run()
    except GiveUp as why:
        log(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

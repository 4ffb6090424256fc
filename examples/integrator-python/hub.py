"""A small client of the hub's REST API, on the standard library alone.

Owns one rule: what is tried again. 429 and 503 are, after `Retry-After`; a lost connection only where the call changes
nothing or carries an Idempotency-Key, under which the hub runs it once.
"""

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

TRIES = 4
PAUSE_SECONDS_MAX = 30
# one that breaks off within a body is no OSError
LOST = (OSError, http.client.HTTPException)


class Refused(Exception):
    """The hub answered with an error. `reason` is a word for programs."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body.get('reason', '')}: {body.get('error', '')}")
        self.status = status
        self.reason = body.get("reason")
        self.body = body


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another than was named: it is an error."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


class Hub:
    def __init__(self, url, key):
        self._url = url.rstrip("/")
        self._key = key.strip()
        if not all("!" <= letter <= "~" for letter in self._key):
            raise ValueError("the key has a space, a line break or another character inside that no key has")

    def call(self, method, path, body=None, query=None, timeout=90):
        """One call; its answer as a value. Raises Refused."""
        headers = {}
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        for left in reversed(range(TRIES)):
            try:
                with self.open(method, path, body, query, headers, timeout) as answer:
                    text = answer.read()
                    return json.loads(text) if text else None
            except urllib.error.HTTPError as error:
                refused = Refused(error.code, read_json(error))
                if left == 0 or error.code not in (429, 503):
                    raise refused from None
                pause = pause_of(error)
            except LOST:
                if left == 0 or (method != "GET" and not headers):
                    raise
                pause = 1
            time.sleep(pause)

    def open(self, method, path, body=None, query=None, headers=None, timeout=90):
        """One request, once; its answer as it is, for streams."""
        url = self._url + path + ("?" + urllib.parse.urlencode(query, doseq=True) if query else "")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Authorization": f"Bearer {self._key}", **(headers or {})}, method=method)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        return OPENER.open(request, timeout=timeout)

    def daemons(self):
        """Every daemon of the account, those that are offline too, page by page."""
        query = {"limit": 100, "include": "offline"}
        while True:
            page = self.call("GET", "/api/v1/daemons", query=query)
            yield from page["daemons"]
            if not page.get("nextCursor"):
                return
            query["cursor"] = page["nextCursor"]

    def events(self, names=()):
        """The account's events as they happen. After a lost connection it goes on behind the last one."""
        last, opened = None, False
        while True:
            headers = {"Accept": "text/event-stream"}
            if last is not None:
                headers["Last-Event-ID"] = last
            pause = 1
            try:
                # a comment comes every 15 s: twice without one the connection is lost
                with self.open("GET", "/api/v1/events", None, {"event": list(names)}, headers, 30) as stream:
                    opened = True
                    for block in blocks(stream):
                        last = block.get("id", last)
                        if "data" in block:
                            yield block.get("event", "message"), json.loads(block["data"])
            except urllib.error.HTTPError as error:
                refused = Refused(error.code, read_json(error))
                # once it was open, what has no reason of the hub's is a proxy's: the hub comes back
                if error.code not in (429, 503) and not (opened and refused.reason is None):
                    raise refused from None
                pause = pause_of(error)
            except LOST:
                pass
            time.sleep(pause)


def blocks(stream):
    """The blocks of Server-Sent Events."""
    block = {}
    for line in stream:
        text = line.decode().rstrip("\r\n")
        if text == "":
            if block:
                yield block
            block = {}
        elif not text.startswith(":"):
            name, _, value = text.partition(":")
            value = value.removeprefix(" ")
            block[name] = block[name] + "\n" + value if name == "data" and name in block else value


def pause_of(error):
    """Seconds to wait; a proxy may say a date instead."""
    told = error.headers.get("Retry-After", "")
    return min(PAUSE_SECONDS_MAX, int(told) if told.isdecimal() else 1)


def read_json(error):
    try:
        found = json.loads(error.read())
        return found if isinstance(found, dict) else {}
    except (ValueError, *LOST):
        return {}

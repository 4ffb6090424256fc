#!/usr/bin/env python3
"""An integrator in Python: runs a command on every machine that is online, then follows what happens.

    HUB_KEY=hub_... python3 integrator.py http://127.0.0.1:8080 "uname -s" [--follow]
"""

import os
import sys

from hub import LOST, Hub, Refused


def main(arguments):
    if len(arguments) < 2 or not os.environ.get("HUB_KEY"):
        print("usage: HUB_KEY=hub_... integrator.py URL COMMAND [--follow]", file=sys.stderr)
        return 2
    url, command = arguments[:2]
    try:
        hub = Hub(url, os.environ["HUB_KEY"])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for daemon in hub.daemons():
        if not daemon["online"]:
            print(f"{daemon['hostname']}: offline")
            continue
        try:
            answer = hub.call("POST", f"/api/v1/daemons/{daemon['id']}/terminal", {"command": command})
        except Refused as refused:
            # it left since the list was read; the status is 500, as of a fault: the reason tells
            offline = refused.reason == "DAEMON_OFFLINE"
            print(f"{daemon['hostname']}: {'offline' if offline else refused}")
            continue
        if answer["success"]:
            print(f"{daemon['hostname']}: {answer['result']['stdout'].strip()}")
        else:
            print(f"{daemon['hostname']}: refused by the daemon: {answer['error']}")
    if "--follow" in arguments:
        for name, event in hub.events():
            # after a gap the state is read anew
            print(name, event.get("payload", {}).get("hostname", ""), flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refused as refused:
        sys.exit(str(refused))
    except LOST as error:  # with http where https is spoken, too
        sys.exit(f"{sys.argv[1]} cannot be reached: {getattr(error, 'reason', error)}")
    except KeyboardInterrupt:
        sys.exit(130)

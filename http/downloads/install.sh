#!/bin/sh
# Installs the daemon of a hub on this machine: finds Node, downloads one file, compares its checksum, and has it install
# itself (`hub-daemon install --help` shows the options). --dry-run only says what would be done; --uninstall takes it away.
#   curl -fsSL {{hub}}/install.sh | HUB_JOIN_KEY=hubj_... sh
set -eu
hub='{{hub}}'
version='{{version}}'
sha256='{{sha256}}'

say() { printf 'hub-daemon: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

fits() {
  "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 12) ? 0 : 1)' 2>/dev/null
}

# The Node of the caller, or one that stands where installers put it and sudo does not look.
find_node() {
  old=
  for node in "${HUB_NODE:-}" "$(command -v node || true)" /usr/local/bin/node /usr/bin/node /opt/homebrew/bin/node; do
    [ -n "$node" ] && [ -x "$node" ] || continue
    if fits "$node"; then return 0; fi
    old=$("$node" --version 2>/dev/null || true)
  done
  fail "needs Node {{minNode}} or later${old:+, found $old}: install it (Debian 13, Ubuntu 25.04: apt-get install nodejs; all: https://nodejs.org), or name it by HUB_NODE"
}

fetch() {
  if command -v curl >/dev/null; then curl -fsSL -o "$2" "$1"
  elif command -v wget >/dev/null; then wget -q -O "$2" "$1"
  else fail "needs curl or wget"; fi
}

# All of it is a function: of a script that was cut off on its way nothing runs.
main() {
  command=install
  for word in "$@"; do
    shift
    case $word in
      --uninstall) command=uninstall ;;
      --help) command=help ;;
      *) set -- "$@" "$word" ;;
    esac
  done
  find_node
  draft=$(mktemp -d) || fail "there is no room for a temporary file"
  trap 'rm -rf "$draft"' EXIT
  trap 'exit 130' INT TERM HUP
  # Where this hub is behind a proxy and does not know its own address, the caller does.
  named='' next=''
  for word in "$@"; do
    if [ "$next" = url ]; then named=$word; fi
    next=
    case $word in --url) next=url ;; --url=*) named=${word#--url=} ;; esac
  done
  if [ -n "$named" ]; then hub=${named%/}; fi
  fetch "$hub/daemon/$sha256/hub-daemon.mjs" "$draft/hub-daemon.mjs" || fail "$hub did not give the program of version $version; try again"
  found=$("$node" -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$draft/hub-daemon.mjs")
  [ "$found" = "$sha256" ] || fail "the program that came is not the one of this script (SHA-256 $found instead of $sha256); nothing was installed"
  if [ "$command" = install ] && [ -z "$named" ]; then set -- --url "$hub" "$@"; fi
  "$node" "$draft/hub-daemon.mjs" "$command" "$@"
}

main "$@"

#!/bin/sh
# Builds the image with buildah and runs it with podman as docs/deploying.md says: no capability, a root that cannot be
# written, 512 MiB, process 1; with a Postgres that DATABASE_URL names (none: embedded, in 1 GiB). Owns the checks and
# takes away what it started; IMAGE=name checks one that is built already, KEEP=name leaves what it builds under that
# name. Wants root or a working rootless podman.
set -eu
cd "$(dirname -- "$0")/../.."

say() { printf '%s\n' "$*"; }
fail() { say "FAILED: $*"; exit 1; }
for tool in podman curl; do command -v "$tool" >/dev/null || fail "$tool is wanted"; done

name=hub-check-$$
image=${IMAGE:-${KEEP:-$name}}
port=${PORT:-18080}
memory=1g
[ -z "${DATABASE_URL:-}" ] || memory=512m
# Further words, where the machine wants some: ENGINE_FLAGS for both tools (--root, --storage-driver), PODMAN_FLAGS
# (--runtime), BUILD_FLAGS (--isolation chroot) and RUN_FLAGS (--ulimit).
# shellcheck disable=SC2086 # several words
engine() { podman ${ENGINE_FLAGS:-} ${PODMAN_FLAGS:-} "$@"; }

end() {
  engine rm --force --volumes "$name" "$name-second" >/dev/null 2>&1 || true
  engine volume rm --force "$name" >/dev/null 2>&1 || true
  [ -n "${IMAGE:-}${KEEP:-}" ] || engine rmi --force "$image" >/dev/null 2>&1 || true
}
trap end EXIT
trap 'exit 130' INT TERM

if [ -z "${IMAGE:-}" ]; then
  command -v buildah >/dev/null || fail "buildah is wanted, or IMAGE"
  # The OCI format has no HEALTHCHECK.
  # shellcheck disable=SC2086 # several words
  buildah ${ENGINE_FLAGS:-} build ${BUILD_FLAGS:-} --format docker --tag "$image" . || fail "the image does not build"
  say "ok  the image builds"
fi

# shellcheck disable=SC2086 # several words
contained() {
  engine run ${RUN_FLAGS:-} --network host --read-only --read-only-tmpfs=false --cap-drop all \
    --security-opt no-new-privileges --memory "$memory" --volume "$name:/var/lib/hub" \
    --env HUB_HOST=127.0.0.1 --env "HUB_PORT=$port" ${DATABASE_URL:+--env DATABASE_URL --env HUB_SECRET_KEY} "$@"
}

engine volume create "$name" >/dev/null
contained --detach --name "$name" "$image" >/dev/null || fail "the container does not start"
waited=0
until curl --fail --silent "http://127.0.0.1:$port/readyz" >/dev/null; do
  waited=$((waited + 1))
  [ "$waited" -le 120 ] && [ "$(engine inspect --format '{{.State.Running}}' "$name")" = true ] ||
    { engine logs "$name"; fail "the hub does not serve"; }
  sleep 1
done
say "ok  it serves in $memory with no capability and a root that cannot be written"

inside() { engine exec "$name" "$@"; }
[ "$(inside id -u)" = 1000 ] || fail "it does not run as user 1000"
inside grep -q '^CapBnd:[[:space:]]*0*$' /proc/1/status || fail "it has capabilities"
inside sh -c 'tr "\0" " " </proc/1/cmdline | grep -q "^node /hub/build/dist/hub.mjs start"' || fail "process 1 is not the hub"
for path in / /hub /tmp; do
  if inside test -w "$path"; then fail "it may write $path"; fi
done
say "ok  process 1 is the hub, as user 1000, and writes nothing but /var/lib/hub"

engine healthcheck run "$name" >/dev/null || fail "the health check says no"
say "ok  its health check says yes"
inside node /hub/build/dist/hub.mjs account list >/dev/null || fail "the command line does not reach it"
say "ok  the command line reaches it"

if [ -z "${DATABASE_URL:-}" ]; then
  if contained --rm --name "$name-second" "$image" >/dev/null 2>&1; then fail "a second one runs on the same volume"; fi
  say "ok  a second container on the same volume is refused"
fi

engine stop --time 40 "$name" >/dev/null
code=$(engine inspect --format '{{.State.ExitCode}}' "$name")
[ "$code" = 0 ] || { engine logs --tail 20 "$name"; fail "SIGTERM ends it with $code"; }
engine logs "$name" 2>&1 | grep -q '"message":"draining"' || fail "it ends without a drain"
say "ok  SIGTERM drains it to an end with 0"

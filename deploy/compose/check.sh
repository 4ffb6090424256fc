#!/bin/sh
# Runs every role of compose.yaml with podman and uses them as a person would: test/compose says how, and what is checked.
# Owns the images: the hub's is built and checked by deploy/image/check.sh, or IMAGE=name; the others are those that
# compose.yaml names, or, with STAND_INS=1 where no registry is to be had, made of Debian packages (kept for the next
# run: localhost/hub-stand-in). PORT takes the place of the published port. Wants root, and the project installed.
set -eu
cd "$(dirname -- "$0")/../.."

fail() { printf '%s\n' "FAILED: $*"; exit 1; }
for tool in podman node; do command -v "$tool" >/dev/null || fail "$tool is wanted"; done

# Further words, as for deploy/image/check.sh: ENGINE_FLAGS, PODMAN_FLAGS, BUILD_FLAGS and RUN_FLAGS.
# shellcheck disable=SC2086 # several words
engine() { podman ${ENGINE_FLAGS:-} ${PODMAN_FLAGS:-} "$@"; }

context=$(mktemp -d)
hub=
end() {
  rm -rf "$context"
  [ -z "$hub" ] || engine rmi --force "$hub" >/dev/null 2>&1 || true
}
trap end EXIT
trap 'exit 130' INT TERM

stand_in=localhost/hub-stand-in
# A stand-in by its name; what is there already stays.
make() {
  if engine image exists "$stand_in/$1"; then return; fi
  # shellcheck disable=SC2086 # several words
  buildah ${ENGINE_FLAGS:-} build ${BUILD_FLAGS:-} --format docker --tag "$stand_in/$1" \
    --file "deploy/compose/stand-ins/$1.Containerfile" "$context" >"$context/log" 2>&1 ||
    { tail -n 20 "$context/log"; fail "the stand-in of $1 cannot be made"; }
}

if [ -n "${STAND_INS:-}" ]; then
  for tool in buildah debootstrap npm; do command -v "$tool" >/dev/null || fail "$tool is wanted"; done
  if ! engine image exists "$stand_in/debian"; then
    debootstrap --variant=minbase trixie "$context/debian" >"$context/log" 2>&1 ||
      { tail -n 20 "$context/log"; fail "debootstrap makes no Debian"; }
    tar -C "$context/debian" -c . | engine import - "$stand_in/debian" >/dev/null
    rm -rf "$context/debian"
  fi
  if ! engine image exists "$stand_in/node"; then
    npm install --prefix "$context/npm10" --ignore-scripts --no-audit --no-fund --loglevel=error npm@10 >/dev/null
    mv "$context/npm10/node_modules/npm" "$context/npm"
    cp "$(node --print process.execPath)" "$context/node"
    cp /etc/ssl/certs/ca-certificates.crt "$context/certificates.crt"
  fi
  cp deploy/compose/stand-ins/postgres-entrypoint.sh "$context"
  for role in node nginx redis coturn postgres; do make "$role"; done
  STAND_INS=$stand_in
  export STAND_INS
  base=$(sed -n 's/^FROM \(node:[^ ]*\) AS packages$/\1/p' Dockerfile)
  BUILD_FLAGS="${BUILD_FLAGS:-} --build-context $base=container-image://$stand_in/node"
  export BUILD_FLAGS
fi

if [ -z "${IMAGE:-}" ]; then
  hub=localhost/hub-compose-check:$$
  KEEP=$hub deploy/image/check.sh || fail "the image of the hub does not pass"
  IMAGE=$hub
fi
export IMAGE
node test/compose/check.ts

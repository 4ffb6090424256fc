/**
 * The program that the service runs: it starts the daemon, and where an updated one fails it puts the one before back.
 * A part of the installation, so that no update changes it. Owns its text; updates.ts puts later programs in place.
 */
import { finalExit, updateExit } from "../limits.ts"

/** Its file. */
export const launcherFile = "launch.sh"

/** How it is called: `sh launch.sh NODE INSTALLED UPDATES WORD…`, with the daemon's words behind. */
export const launcherText = `#!/bin/sh
# Starts the daemon of a hub, and puts the program before back where an updated one fails.
#   sh launch.sh NODE INSTALLED UPDATES WORD...
# INSTALLED: the folder of the installed program. UPDATES: a folder where the daemon puts later ones, with
#   current    the folder of the one to start; absent: the installed one
#   trial      what current was before, until the new program says that it is good
#   admitted   the program on trial has been let in by the hub
#   failed     which one was put back, and why
node=$1 installed=$2 updates=$3
shift 3
seconds=\${HUB_DAEMON_TRIAL_SECONDS:-600}
child='' timer='' stopped=''

stop() {
  stopped=1
  if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null; fi
}
trap stop TERM INT HUP

now() { cat "$updates/current" 2>/dev/null; }

put_back() {
  printf '%s\\n%s\\n' "$release" "$1" > "$updates/failed.new" && mv -f "$updates/failed.new" "$updates/failed"
  # needs no room on a disk that is full
  if [ -s "$updates/trial" ]; then mv -f "$updates/trial" "$updates/current"; else rm -f "$updates/current" "$updates/trial"; fi
  echo "hub-daemon: the updated program $1: the one before is put back" >&2
}

# Ends a program on trial that the hub has not let in when its time is over. Its own end leaves no sleep behind: $! is
# known as soon as one runs, and one that has just begun is deaf to any signal but KILL.
watch() {
  : & wait "$!"
  trap 'kill -KILL "$!" 2>/dev/null; exit 0' TERM
  sleep "$seconds" & wait "$!"
  if [ -e "$updates/admitted" ]; then exit 0; fi
  true > "$updates/late" # unlike with ":", a shell goes on where that fails
  kill -TERM "$1" 2>/dev/null
  sleep 10 & wait "$!"
  kill -KILL "$1" 2>/dev/null
}

while [ -z "$stopped" ]; do
  release=$(now)
  program=$installed/hub-daemon.mjs
  if [ -n "$release" ] && [ -f "$updates/$release/hub-daemon.mjs" ]; then program=$updates/$release/hub-daemon.mjs; fi
  rm -f "$updates/admitted" "$updates/late"
  HUB_DAEMON_UPDATES=$updates "$node" "$program" run "$@" &
  child=$!
  if [ -n "$stopped" ]; then kill -TERM "$child" 2>/dev/null; fi
  if [ -f "$updates/trial" ]; then
    watch "$child" & timer=$!
  fi
  while :; do
    wait "$child"
    code=$?
    kill -0 "$child" 2>/dev/null || break
  done
  if [ -n "$timer" ]; then
    kill -TERM "$timer" 2>/dev/null
    wait "$timer" 2>/dev/null
    timer=''
  fi
  if [ -n "$stopped" ]; then exit "$code"; fi
  if [ "$code" = ${updateExit} ] && [ "$(now)" != "$release" ]; then continue; fi
  if [ ! -f "$updates/trial" ]; then
    if [ "$code" = ${finalExit} ]; then exit "\${HUB_DAEMON_FINAL_EXIT:-$code}"; fi
    exit "$code"
  fi
  if [ -e "$updates/late" ]; then put_back "was not let in by the hub within $seconds s"; else put_back "ended with code $code"; fi
done
`

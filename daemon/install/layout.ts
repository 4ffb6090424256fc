/**
 * Where an installed daemon has its files. Owns the paths of both ways, for the whole machine (root) and for one user;
 * touches none of them.
 */
import { join } from "node:path"
import { launcherFile } from "./launcher.ts"

/** Where everything is. */
export interface Layout {
  /** For the whole machine. */
  readonly isSystem: boolean
  /** The programs: `releases/<digest>/hub-daemon.mjs`, and `current`, a link to one of these folders. */
  readonly prefix: string
  readonly current: string
  /** The program as it is called in a shell. */
  readonly command: string
  /** What the service runs. */
  readonly launcher: string
  /** Where the service's user puts the programs that the hub sends it. */
  readonly updates: string
  /** The machine's own token. */
  readonly stateFile: string
  /** Settings of the service's environment. */
  readonly environmentFile: string
  readonly unitFile: string
  readonly plistFile: string
  readonly logFile: string
}

/** The name of the service. */
export const serviceName = "hub-daemon"
/** The name of the service for launchd. */
export const launchdLabel = "dev.hub.daemon"
/** The name of the program's file. */
export const programFile = "hub-daemon.mjs"

/** The paths for a user with this home; `isSystem`: for root, below `root` (`/`). */
export const layoutOf = (isSystem: boolean, home: string, root = "/"): Layout => {
  const prefix = isSystem ? join(root, "opt/hub-daemon") : join(home, ".local/share/hub-daemon")
  const state = isSystem ? join(root, "var/lib/hub-daemon") : join(prefix, "state")
  return {
    isSystem,
    prefix,
    current: join(prefix, "current"),
    command: isSystem ? join(root, "usr/local/bin/hub-daemon") : join(home, ".local/bin/hub-daemon"),
    launcher: join(prefix, launcherFile),
    updates: join(state, "program"),
    stateFile: join(state, "daemon.json"),
    environmentFile: isSystem ? join(root, "etc/hub-daemon.env") : join(home, ".config/hub-daemon.env"),
    unitFile: isSystem
      ? join(root, "etc/systemd/system/hub-daemon.service")
      : join(home, ".config/systemd/user/hub-daemon.service"),
    plistFile: join(
      isSystem ? root : home,
      isSystem ? "Library/LaunchDaemons" : "Library/LaunchAgents",
      `${launchdLabel}.plist`
    ),
    logFile: isSystem ? join(root, "var/log/hub-daemon.log") : join(home, "Library/Logs/hub-daemon.log")
  }
}

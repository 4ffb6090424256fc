/**
 * The service manager of this machine: systemd, launchd, or none (a container). Owns which one there is and the calls
 * to it; service-files.ts has the files that it reads.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { bootstrapsMax } from "../limits.ts"
import { type Layout, launchdLabel, serviceName } from "./layout.ts"
import { launchdPlist, type Service, systemdUnit } from "./service-files.ts"

/** What a call of another program gave. */
export interface Called {
  readonly code: number
  readonly text: string
}

/** Calls a program and waits for it. */
export type Call = (program: string, ...words: ReadonlyArray<string>) => Called

/** The real one. A program that is not there has the code 127. */
export const call: Call = (program, ...words) => {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8", maxBuffer: 1_048_576 })
  return { code: status ?? 127, text: `${stdout ?? ""}${stderr ?? ""}`.trim() }
}

/** What a service manager does for the daemon. */
export interface ServiceManager {
  readonly name: string
  /** The file that describes the service. */
  readonly file: string
  readonly text: (service: Service) => string
  /** Starts it now and at each start of the machine, anew where it runs. */
  readonly start: () => Called
  /** Ends it, now and for later starts; a service that is not there is no fault. */
  readonly stop: () => void
  /** Forgets it, once its file is gone. */
  readonly forget: () => void
  /** `running`, or what it is instead, in a word of the manager's own. */
  readonly state: () => string
  /** The program that shows its log, and goes on as more comes where it is to follow. */
  readonly logs: (follows: boolean) => ReadonlyArray<string>
}

const systemd = ({ isSystem, unitFile }: Layout, run: Call): ServiceManager => {
  const scope = isSystem ? [] : ["--user"]
  const systemctl = (...words: ReadonlyArray<string>): Called => run("systemctl", ...scope, ...words)
  return {
    name: "systemd",
    file: unitFile,
    text: systemdUnit,
    start: () => {
      systemctl("daemon-reload")
      const enabled = systemctl("enable", "--quiet", serviceName)
      return enabled.code === 0 ? systemctl("restart", serviceName) : enabled
    },
    stop: () => void systemctl("disable", "--quiet", "--now", serviceName),
    forget: () => {
      systemctl("daemon-reload")
      systemctl("reset-failed", serviceName)
    },
    state: () => {
      const { text } = systemctl("is-active", serviceName)
      return text === "active" ? "running" : text
    },
    logs: (follows) => ["journalctl", ...scope, "--unit", serviceName, ...(follows ? ["--follow"] : [])]
  }
}

/** What launchctl ends with while the service of before, which was told to end, has not: EIO, EALREADY. */
const stillEnding: ReadonlySet<number> = new Set([5, 37])

const launchd = ({ isSystem, plistFile, logFile }: Layout, run: Call): ServiceManager => {
  const domain = isSystem ? "system" : `gui/${process.getuid?.() ?? 0}`
  return {
    name: "launchd",
    file: plistFile,
    text: launchdPlist,
    start: () => {
      run("launchctl", "bootout", `${domain}/${launchdLabel}`)
      let started = run("launchctl", "bootstrap", domain, plistFile)
      for (let tries = 1; tries < bootstrapsMax && stillEnding.has(started.code); tries++) {
        run("sleep", "1")
        started = run("launchctl", "bootstrap", domain, plistFile)
      }
      return started
    },
    stop: () => void run("launchctl", "bootout", `${domain}/${launchdLabel}`),
    forget: () => undefined,
    state: () =>
      /^\s*state = (.+)$/mu.exec(run("launchctl", "print", `${domain}/${launchdLabel}`).text)?.[1] ?? "absent",
    // its options stand before the file, and there are no long ones
    logs: (follows) => ["tail", "-n", "200", ...(follows ? ["-F"] : []), logFile]
  }
}

const isInit = (): boolean => {
  try {
    return readFileSync("/proc/1/comm", "utf8").trim() === "systemd"
  } catch {
    return false
  }
}

/** The one of this machine; undefined where none runs. */
export const serviceManagerOf = (
  layout: Layout,
  run: Call = call,
  platform: string = process.platform
): ServiceManager | undefined => {
  if (platform === "darwin") return launchd(layout, run)
  if (!existsSync(join("/", "run/systemd/system")) && !isInit()) return undefined
  // a user's manager is not there in a session without one, such as `su`
  if (!layout.isSystem && run("systemctl", "--user", "show-environment").code !== 0) return undefined
  return systemd(layout, run)
}

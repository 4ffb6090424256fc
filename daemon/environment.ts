/**
 * Keeps the daemon's token out of its surroundings. Owns the environment of the programs it runs, without the hub's own
 * variables, and the warnings at start; reads no setting.
 */
import { statSync } from "node:fs"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Every name that the hub and its tools read for themselves begins so: HUB_TOKEN, HUB_KEY, HUB_SECRET_KEY and all
 * others.
 */
const own = /^HUB_/iu

/** The environment of a program that the hub's owner has us run. */
export const programEnvironment = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !own.test(name)))

const isLoopback = (hostname: string): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?$/u.test(hostname)

/** Whether the token and all that is said go over a network in the clear. */
export const inTheClear = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === "ws:" && !isLoopback(hostname)
}

const groupAndOthers = 0o077

/** Whether others on this computer may read a file; what is no regular file (a pipe) cannot be read by others. */
const othersRead = (file: string): boolean => {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.isFile() === true && (found.mode & groupAndOthers) !== 0
}

/** What a person should know before anything is sent; said once, at the start. */
export const warningsOf = (
  url: string,
  tokenFile: string | undefined,
  platform: string = process.platform
): ReadonlyArray<string> => [
  ...(platform === "win32"
    ? [
        "WARNING: this daemon is for Linux and macOS; on Windows it connects and runs agents, but terminal commands need a /bin/sh, and what a program leaves behind is not ended with it; use WSL"
      ]
    : []),
  ...(inTheClear(url)
    ? [
        "WARNING: ws:// is not encrypted: anyone on the network path to the hub reads the token and may run commands on this machine; use https or wss"
      ]
    : []),
  ...(tokenFile !== undefined && othersRead(tokenFile)
    ? [`WARNING: others on this computer may read the token file; chmod 600 ${tokenFile}`]
    : [])
]

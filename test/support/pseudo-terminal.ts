/**
 * A program on a terminal of its own, by `script` of util-linux. Owns the terminal and the process; asserts nothing.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"

/** A program that runs on a terminal. */
export interface OnTerminal {
  /** All that it has written, escape sequences included. */
  readonly screen: () => string
  /** What a person types; Ctrl-C is "\x03". */
  readonly type: (keys: string) => void
  /** Its processes, children of children included. */
  readonly processes: () => ReadonlyArray<number>
  /** Its exit code. */
  readonly ended: Promise<number | null>
  readonly kill: () => void
}

const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    const own = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number)
    )
    return own.flatMap((child) => [child, ...childrenOf(child)])
  } catch {
    return []
  }
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Starts one. */
export const onTerminal = (
  words: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): OnTerminal => {
  const child = spawn("script", ["-qec", words.map(quoted).join(" "), "/dev/null"], { env })
  let screen = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text
  })
  return {
    screen: () => screen,
    type: (keys) => void child.stdin.write(keys),
    processes: () => childrenOf(child.pid!),
    ended: once(child, "close").then(([code]) => code as number | null),
    kill: () => {
      for (const pid of childrenOf(child.pid!)) process.kill(pid, "SIGKILL")
      child.kill("SIGKILL")
    }
  }
}

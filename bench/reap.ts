/**
 * Children of a bench end with it, also when it is interrupted or fails. Owns the list of who is alive; starts nobody.
 */
import type { ChildProcess } from "node:child_process"

const alive = new Set<ChildProcess>()
let watching = false

const watch = (): void => {
  watching = true
  process.once("exit", () => {
    for (const child of alive) child.kill("SIGKILL")
  })
}

/** Notes a child; gives the moment it has ended. A child that could not be started has ended too. */
export const reaped = (child: ChildProcess): Promise<void> => {
  if (!watching) watch()
  alive.add(child)
  return new Promise((resolve) => {
    const gone = (): void => {
      alive.delete(child)
      resolve()
    }
    child.once("exit", gone).once("error", gone)
  })
}

/** Ends a child: asked first, killed once patience is over. */
export const endChild = async (
  child: ChildProcess,
  ended: Promise<void>,
  signal: "SIGTERM" | "SIGINT",
  patienceMillis: number
): Promise<void> => {
  child.kill(signal)
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceMillis)
  await ended
  clearTimeout(timer)
}

/** Has the event loop go first where a thread shares its core. Owns the priority of the threads that ask for it. */
import { constants, getPriority, setPriority } from "node:os"

/** Of the calling thread, on Linux; elsewhere it would be that of the whole process, and nothing is done. */
export const yieldCore = (): void => {
  if (process.platform !== "linux") return
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + constants.priority.PRIORITY_BELOW_NORMAL))
}

/**
 * One start of a hub on a data folder, timed from the process to a green `/readyz`, as `./hub start` or by Node alone.
 * Owns the process until it has ended; what becomes of the folder is its caller's.
 */
import { spawn } from "node:child_process"
import { setTimeout as pause } from "node:timers/promises"
import { endChild, whenEnded } from "./child-process.ts"
import { freePort } from "./free-port.ts"
import { cleanEnvironment, cpuSeconds, hubRoot, programOf } from "./hub.ts"

const lookMillis = 10
const startMillisMax = 120_000
const stopMillisMax = 40_000

/** What a start took. */
export interface Started {
  readonly millis: number
  /** CPU seconds of the process, all its threads. */
  readonly cpuSeconds: number
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false
  )

/** Starts a hub in this folder, waits until it is ready, and ends it. `script`: by `./hub`, which finds Node. */
export const startOnce = async (dataFolder: string, script: boolean): Promise<Started> => {
  const port = await freePort()
  const [file, ...words] = script ? ["./hub", "start"] : [process.execPath, programOf(), "start"]
  const began = performance.now()
  const child = spawn(file!, words, {
    cwd: hubRoot,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...cleanEnvironment(),
      HUB_HOST: "127.0.0.1",
      HUB_PORT: String(port),
      HUB_DATA_DIR: dataFolder,
      HUB_LOG_LEVEL: "warn",
      HUB_DRAIN: "100ms"
    }
  })
  const ended = whenEnded(child)
  try {
    while (!(await isReady(`http://127.0.0.1:${port}`))) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() - began > startMillisMax)
        throw new Error(`the hub did not become ready (exit ${child.exitCode ?? child.signalCode ?? "not ended"})`)
      await pause(lookMillis)
    }
    return { millis: performance.now() - began, cpuSeconds: await cpuSeconds(child.pid!) }
  } finally {
    await endChild(child, ended, "SIGTERM", stopMillisMax)
  }
}

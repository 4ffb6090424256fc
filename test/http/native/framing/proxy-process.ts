/**
 * Starts a proxy in front of a hub and sends it raw requests. Owns the processes, their folders and the parsing of
 * their answers; the test has the expectations.
 */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../../../bench/servers/free-port.ts"
import { until } from "../../../support/until.ts"
import type { Proxy } from "./proxies.ts"

/** Whether a proxy is on this machine. In the gate each must be, and one that is not fails its test. */
export const isHere = ({ name, version: [program, ...flags] }: Proxy): boolean => {
  try {
    execFileSync(program, flags, { stdio: "ignore" })
    return true
  } catch {
    process.stderr.write(`No ${name} on this machine: its rows are left out.\n`)
    return process.env["CI"] === "true"
  }
}

/** What came back over one connection. */
export interface Seen {
  /** The statuses of the final answers. */
  readonly statuses: ReadonlyArray<number>
  readonly text: string
}

/** A running proxy. */
export interface RunningProxy {
  readonly port: number
  readonly close: () => Promise<void>
}

/** A guard: each of the configurations closes a connection within seconds. */
const patienceMillis = 60_000
const statusLine = /HTTP\/1\.[01] ([2-5]\d\d) [^\r\n]*\r\n[A-Za-z0-9-]+:/gu

/** Sends bytes over a connection of their own and reads until the other side closes it, or nothing more can come. */
export const exchange = (port: number, bytes: Buffer, enough?: RegExp): Promise<Seen> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    socket.setTimeout(patienceMillis, () => socket.destroy())
    socket.on("error", () => {})
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      if (enough?.test(text) === true) socket.destroy()
    })
    socket.on("end", () => socket.destroy())
    socket.on("close", () => {
      resolve({ statuses: [...text.matchAll(statusLine)].map(([, status]) => Number(status)), text })
    })
    socket.write(bytes)
  })

/** Starts one before the hub at this port. */
export const startProxy = async (proxy: Proxy, hub: number): Promise<RunningProxy> => {
  const folder = mkdtempSync(join(tmpdir(), `hub-${proxy.name}-`))
  chmodSync(folder, 0o777) // some of them leave root behind before they write
  const place = { folder, port: await freePort(), hub }
  for (const [name, text] of Object.entries(proxy.files(place))) writeFileSync(join(folder, name), text)
  const [program, ...flags] = proxy.command(place)
  const child = spawn(program, flags, { stdio: ["ignore", "ignore", "pipe"], cwd: folder })
  let said = ""
  child.stderr.on("data", (chunk) => {
    said = (said + String(chunk)).slice(-2_000)
  })
  let ended = false
  const end = new Promise<void>((resolve) => {
    const over = (): void => {
      ended = true
      resolve()
    }
    child.once("exit", over)
    child.once("error", (error) => {
      said += String(error)
      over()
    })
  })
  const stop = (): boolean => child.kill("SIGKILL")
  process.once("exit", stop)
  const hello = Buffer.from("GET /mark/hello HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
  await until(`${proxy.name} answers`, async () => {
    if (ended) throw new Error(`${proxy.name} ended: ${said}`)
    return (await exchange(place.port, hello)).statuses[0] === 200
  })
  return {
    port: place.port,
    close: async () => {
      process.off("exit", stop)
      child.kill("SIGTERM")
      await end
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

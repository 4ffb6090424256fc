/**
 * A proxy in front of a hub, with the configuration that deploy/ has for operators: only its ports, folders and nodes
 * are others. Owns its process and its folder.
 */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { UsageError } from "../usage-error.ts"
import type { Certificate } from "./certificate.ts"
import { endChild, removeFolder, scratchFolder, whenEnded } from "./child-process.ts"
import { freePort } from "./free-port.ts"

const patienceMillis = 15_000
const lookMillis = 50

/** The kinds of proxies. */
export const frontKinds = ["nginx", "haproxy"] as const

/** One of them. */
export type FrontKind = (typeof frontKinds)[number]

/** Where a proxy stands. */
export interface FrontOptions {
  /** `host:port` of each node. */
  readonly nodes: ReadonlyArray<string>
  /** It speaks TLS with its callers. */
  readonly certificate?: Certificate
  readonly core?: number
}

/** A running proxy. */
export interface Front {
  readonly url: string
  readonly stop: () => Promise<void>
}

interface Place extends FrontOptions {
  readonly folder: string
  readonly port: number
}

/** A configuration for operators. */
const shipped = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url)), "utf8")

/** Has a line for each of these nodes in the place of those for the nodes of the file. */
const withNodes = (text: string, line: RegExp, nodes: ReadonlyArray<string>): string => {
  const [first] = text.match(line) ?? []
  if (first === undefined) throw new Error("the configuration of the proxy names no node")
  const lines = nodes.map((node, at) => first.replace("172.30.83.11:8080", node).replace("hub1", `hub${at + 1}`))
  let seen = 0
  return text.replace(line, () => (seen++ === 0 ? lines.join("") : ""))
}

const nginxFile = ({ folder, port, nodes, certificate }: Place): string => {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${join(folder, name)};`)
    .join("\n")
  const tls =
    certificate === undefined
      ? ""
      : `\n    ssl_certificate ${certificate.certFile};\n    ssl_certificate_key ${certificate.keyFile};`
  return withNodes(shipped("compose/nginx.conf"), /^ +server \S+:\d+ .*\n/gmu, nodes)
    .replace("pid /tmp/nginx.pid;", `pid ${join(folder, "nginx.pid")};`)
    .replace(/^worker_processes .*$/mu, "worker_processes 1;\ndaemon off;")
    .replace(/^worker_rlimit_nofile .*$/mu, "")
    .replace("error_log /dev/stderr warn;", `error_log ${join(folder, "error.log")} error;`)
    .replace("http {\n", `http {\n${paths}\n`)
    .replace("listen 80;", `listen 127.0.0.1:${port}${certificate === undefined ? "" : " ssl"};${tls}`)
}

const haproxyFile = ({ folder, port, nodes, certificate }: Place): string => {
  const both = join(folder, "front.pem")
  if (certificate !== undefined)
    writeFileSync(both, readFileSync(certificate.certFile, "utf8") + readFileSync(certificate.keyFile, "utf8"))
  return withNodes(shipped("haproxy/haproxy.cfg"), /^ +server \S+ \S+:\d+\n/gmu, nodes)
    .replace(/^ +maxconn .*\n/mu, "")
    .replace("bind :80", `bind 127.0.0.1:${port}${certificate === undefined ? "" : ` ssl crt ${both}`}`)
}

const programs: Readonly<
  Record<
    FrontKind,
    {
      readonly version: string
      readonly file: (place: Place) => string
      readonly words: (file: string, folder: string) => ReadonlyArray<string>
    }
  >
> = {
  nginx: {
    version: "-v",
    file: nginxFile,
    words: (file, folder) => ["-e", join(folder, "error.log"), "-c", file, "-p", folder]
  },
  haproxy: { version: "-v", file: haproxyFile, words: (file) => ["-db", "-q", "-f", file] }
}

/** Whether a proxy is on this machine. */
export const hasFront = (kind: FrontKind): boolean => {
  try {
    execFileSync(kind, [programs[kind].version], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Starts a proxy and waits until a node answers through it. */
export const startFront = async (kind: FrontKind, options: FrontOptions): Promise<Front> => {
  if (!hasFront(kind)) throw new UsageError(`${kind} is not on this machine: apt-get install ${kind}`)
  const folder = scratchFolder(`hub-${kind}-`)
  // its worker is another user, and puts bodies there
  chmodSync(folder, 0o755)
  const place = { ...options, folder, port: await freePort() }
  const file = join(folder, "front.cfg")
  writeFileSync(file, programs[kind].file(place), { mode: 0o600 })
  const words = [kind, ...programs[kind].words(file, folder)]
  const [program, ...rest] = options.core === undefined ? words : ["taskset", "-c", String(options.core), ...words]
  const child = spawn(program!, rest, { stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.on("data", (chunk) => {
    said = (said + String(chunk)).slice(-2_000)
  })
  const ended = whenEnded(child)
  const stop = async (): Promise<void> => {
    await endChild(child, ended, "SIGTERM", patienceMillis)
    removeFolder(folder)
  }
  const url = `${options.certificate === undefined ? "http" : "https"}://127.0.0.1:${place.port}`
  const patience = performance.now() + patienceMillis
  for (;;) {
    const ready = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false
    )
    if (ready) return { url, stop }
    if (child.exitCode !== null || performance.now() > patience) {
      await stop()
      throw new Error(`${kind} did not bring the hub's answer: ${said}`)
    }
    await pause(lookMillis)
  }
}

/**
 * The settings of the system's TCP that bound a hub: the backlogs of a port, and the local ports of outgoing
 * connections. Owns the reading of them (Linux) and the judgement; changes none.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { listenBacklog, localPortsEnough } from "../limits/doctor.ts"
import { type Finding, grouped, ok, skipped, warning } from "./finding.ts"

/** Each setting as its file says it; undefined: the system has none. */
export interface KernelSettings {
  readonly somaxconn: string | undefined
  readonly synBacklog: string | undefined
  readonly portRange: string | undefined
  readonly reservedPorts: string | undefined
}

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    return undefined // another system, or hidden by a container
  }
}

/** The settings below this folder. */
export const kernelSettings = (folder = "/proc/sys/net"): KernelSettings => ({
  somaxconn: read(join(folder, "core/somaxconn")),
  synBacklog: read(join(folder, "ipv4/tcp_max_syn_backlog")),
  portRange: read(join(folder, "ipv4/ip_local_port_range")),
  reservedPorts: read(join(folder, "ipv4/ip_local_reserved_ports"))
})

const judgeBacklog = (check: string, setting: string, text: string | undefined): Finding => {
  if (text === undefined) return skipped(check, `this system does not show ${setting}`)
  const value = Number(text)
  const found = `${setting} is ${text}`
  if (value >= listenBacklog) return ok(check, found)
  return warning(
    check,
    `${found}, and a hub lets ${listenBacklog} connections wait: a crowd of daemons that comes at once is refused`,
    `sysctl -w ${setting}=4096, and in /etc/sysctl.d to keep it (docker: --sysctl)`
  )
}

const isReserved = (port: number, reserved: string): boolean =>
  reserved.split(",").some((part) => {
    const [first, last = first] = part.split("-").map(Number)
    return first !== undefined && port >= first && port <= last!
  })

const judgePorts = ({ portRange, reservedPorts }: KernelSettings, port: number): Finding => {
  const check = "local ports"
  if (portRange === undefined) return skipped(check, "this system does not show net.ipv4.ip_local_port_range")
  const [first = 0, last = 0] = portRange.split(/\s+/u).map(Number)
  const count = last - first + 1
  const found = `outgoing connections have ${grouped(count)} ports, ${first} to ${last}`
  if (count < localPortsEnough)
    return warning(
      check,
      `${found}: webhooks fail where many go to one receiver`,
      'sysctl -w net.ipv4.ip_local_port_range="10240 65000", and in /etc/sysctl.d to keep it'
    )
  if (port < first || port > last || isReserved(port, reservedPorts ?? "")) return ok(check, found)
  return warning(
    check,
    `${found}, and HUB_PORT ${port} is one of them: where another connection has it the hub does not start`,
    `sysctl -w net.ipv4.ip_local_reserved_ports=${port}, or another HUB_PORT`
  )
}

/** `port`: of the settings. */
export const judgeKernel = (settings: KernelSettings, port: number): ReadonlyArray<Finding> => [
  judgeBacklog("listen backlog", "net.core.somaxconn", settings.somaxconn),
  judgeBacklog("handshake backlog", "net.ipv4.tcp_max_syn_backlog", settings.synBacklog),
  judgePorts(settings, port)
]

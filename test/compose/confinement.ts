/**
 * Whether a container is confined as compose.yaml says: asked inside it, of the kernel, not of the engine. Owns these
 * checks; each follows from a member of the role.
 */
import { type CheckList, same } from "./check-list.ts"
import type { Containers } from "./containers.ts"
import type { Role } from "./podman-options.ts"

const kibibytes: Readonly<Record<string, number>> = { kb: 1, mb: 1_024, gb: 1_048_576 }

/** Checks every member of the role that confines it. */
export const checkConfinement = async (role: Role, containers: Containers, list: CheckList): Promise<void> => {
  const { name, definition } = role
  const status = async (member: string): Promise<string> => {
    const text = await containers.inside(name, "cat", "/proc/1/status")
    return new RegExp(`^${member}:\\s*(.*)$`, "mu").exec(text)![1]!
  }
  const writes = (path: string): Promise<boolean> =>
    containers.inside(name, "sh", "-c", `test -w ${path}`).then(
      () => true,
      () => false
    )
  const checks: Array<readonly [member: string, what: string, check: () => Promise<void>]> = [
    [
      "read_only",
      "its root cannot be written",
      async () => {
        const root = (await containers.inside(name, "grep", " / ", "/proc/mounts")).split("\n").at(-1)!
        if (!/^\S+ \/ \S+ (?:\S+,)?ro(?:,|\s)/u.test(root)) throw new Error(`the root is mounted: ${root}`)
      }
    ],
    [
      "tmpfs",
      "what it may write besides is in memory",
      async () => {
        for (const path of definition["tmpfs"]) {
          const mounts = await containers.inside(name, "cat", "/proc/mounts")
          if (!mounts.includes(` ${path} tmpfs `)) throw new Error(`${path} is no tmpfs`)
          same(`${path} may be written`, String(await writes(path)), "true")
        }
      }
    ],
    [
      "cap_drop",
      "it has no capability",
      async () => {
        for (const set of ["CapPrm", "CapEff", "CapBnd", "CapAmb"])
          same(set, (await status(set)).replace(/0+/u, "0"), "0")
      }
    ],
    ["security_opt", "it gains no privilege", async () => same("NoNewPrivs", await status("NoNewPrivs"), "1")],
    [
      "user",
      `it runs as ${definition["user"]}`,
      async () => {
        const wanted = await containers.inside(name, "id", "-u", definition["user"])
        same("its user", (await status("Uid")).split("\t")[0]!, wanted)
      }
    ],
    [
      "shm_size",
      `/dev/shm has ${definition["shm_size"]}`,
      async () => {
        const [, amount, unit] = /^(\d+)(\w+)$/u.exec(definition["shm_size"])!
        const size = await containers.inside(name, "sh", "-c", "df -k /dev/shm | tail -1 | awk '{print $2}'")
        same("/dev/shm in KiB", size, String(Number(amount) * kibibytes[unit!]!))
      }
    ],
    [
      "networks",
      "it has its address",
      async () => {
        const wanted = Object.values<{ ipv4_address?: string } | null>(definition["networks"])[0]?.ipv4_address
        const hosts = await containers.inside(name, "cat", "/etc/hosts")
        if (wanted !== undefined && !hosts.includes(wanted)) throw new Error(`${wanted} is not its address:\n${hosts}`)
      }
    ],
    ["healthcheck", "its health check says yes", async () => containers.becomesHealthy(name)],
    [
      "restart",
      "it would be started again",
      async () =>
        same("the policy", await containers.inspect(name, "{{.HostConfig.RestartPolicy.Name}}"), definition["restart"])
    ]
  ]
  for (const [member, what, check] of checks) {
    if (definition[member] !== undefined) await list.check(name, what, check)
  }
}

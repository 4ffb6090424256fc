/**
 * A network that does not behave: a process has a namespace of its own, which ends with it. Owns its set-up; each
 * oddity is a word. Needs root, util-linux, iproute2 and nftables (test/support/machine.ts).
 */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../root.ts"
import { testFolder } from "../temporary-folder.ts"

/** A name of this network: an address that answers, and an IPv6 address to which no route leads. */
export const foreignName = "receiver.test"
const hosts = `127.0.0.1 localhost\n127.0.0.1 ${foreignName}\nfd00::5 ${foreignName}\n`

/** `slow`: the first packet of each connection is lost, so that connecting takes a second. */
export type NetworkOddity = "slow"

const rules: Readonly<Record<NetworkOddity, string>> = {
  slow: `table inet odd {
    set met { type inet_service; flags dynamic; }
    chain in {
      type filter hook input priority 0;
      tcp flags & (syn|ack) == syn tcp sport != @met add @met { tcp sport } drop
    }
  }`
}

/** Runs a program of this project there, with these arguments, to its end; what it printed. */
export const runInNetwork = async (
  oddities: ReadonlyArray<NetworkOddity>,
  program: string,
  words: ReadonlyArray<string> = []
): Promise<string> => {
  const folder = testFolder("network")
  writeFileSync(join(folder, "hosts"), hosts)
  writeFileSync(join(folder, "rules"), oddities.map((oddity) => rules[oddity]).join("\n"))
  const begin = `mount --bind ${folder}/hosts /etc/hosts && ip link set lo up && nft -f ${folder}/rules && exec "$0" "$@"`
  const apart = [
    "--net",
    "--mount",
    "sh",
    "-c",
    begin,
    process.execPath,
    "--no-warnings",
    join(root, program),
    ...words
  ]
  const child = spawn("unshare", apart, { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
  let [said, complained] = ["", ""]
  child.stdout.on("data", (some: Buffer) => (said += some.toString()))
  child.stderr.on("data", (some: Buffer) => (complained += some.toString()))
  const code = await new Promise<number | null>((ended) => child.on("close", ended))
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${complained}`)
  return said
}

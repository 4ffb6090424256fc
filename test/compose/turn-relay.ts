/**
 * The relay of compose.yaml with what the hub hands out: to a peer of the open network and back, to none inside. Owns
 * the peer, a container in a network of documentation addresses, which stands for the open network.
 */
import { until } from "../support/until.ts"
import { type CheckList, same } from "./check-list.ts"
import type { Person, Signed } from "./client-calls.ts"
import { type Containers, podman } from "./containers.ts"

const outside = { subnet: "203.0.113.0/24", address: "203.0.113.10", port: "3480" }

interface Relay {
  readonly host: string
  readonly port: string
  readonly username: string
  readonly credential: string
}

/** What coturn's own client says of a relay to a peer, up to its end or its first refusal. */
const client = async (containers: Containers, relay: Relay, peer: string): Promise<string> => {
  const words = ["-v", "-c", "-n", "1", "-m", "1", "-u", relay.username, "-w", relay.credential, "-p", relay.port]
  // it tries a refused one again and again
  const all = ["turnutils_uclient", ...words, "-e", peer, "-r", outside.port, relay.host]
  return containers.inside("coturn", "sh", "-c", 'timeout 20 "$@" 2>&1 || true', "sh", ...all)
}

/** Checks the relay. */
export const checkRelay = async (
  image: string,
  name: string,
  inner: string,
  { session }: Signed,
  containers: Containers,
  person: Person,
  checks: CheckList
): Promise<void> => {
  const relay = await checks.check(
    "coturn",
    "the hub hands out its address and credentials",
    async (): Promise<Relay> => {
      const { urls, username, credential } = await person.relay(session)
      const [, host, port] = /^turn:(.+):(\d+)\?transport=udp$/u.exec(urls[0]!)!
      return { host: host!, port: port!, username, credential }
    }
  )
  if (relay === undefined) return
  await checks.check("coturn", "with them a packet goes to a peer of the open network and back", async () => {
    await podman(["network", "create", "--subnet", outside.subnet, `${name}-outside`])
    const flags = (process.env["RUN_FLAGS"] ?? "").split(" ").filter(Boolean)
    const at = ["--network", `${name}-outside:ip=${outside.address}`, "--entrypoint", "turnutils_peer"]
    await podman(["run", "--detach", "--name", `${name}-peer`, ...flags, ...at, image, "-p", outside.port])
    // a packet of UDP that finds no peer is lost
    const said = await until("a packet comes back", async () => {
      const text = await client(containers, relay, outside.address)
      if (!/tot_recv_msgs=1$/mu.test(text)) throw new Error(text.slice(-1_000))
      return text
    }).catch((error) => {
      throw new Error(`${error.message}: ${error.cause?.message}`)
    })
    if (!/Received relay addr/u.test(said)) throw new Error("no relay was allocated")
  })
  for (const peer of [inner, "127.0.0.1", "0.0.0.0"]) {
    await checks.check("coturn", `it relays nothing to ${peer}`, async () => {
      const said = await client(containers, relay, peer)
      if (!/Received relay addr/u.test(said)) throw new Error(`no relay was allocated: ${said.slice(-1_000)}`)
      same("the refusal", /error (\d+ \(.*\))/u.exec(said)?.[1] ?? "none", "403 (Forbidden IP)")
    })
  }
  await checks.check("coturn", "altered credentials allocate nothing", async () => {
    const altered = relay.credential.startsWith("A") ? "B" : "A"
    const said = await client(
      containers,
      { ...relay, credential: altered + relay.credential.slice(1) },
      outside.address
    )
    if (/Received relay addr/u.test(said)) throw new Error("they do")
  })
}

/** compose.yaml, its proxy and the image fit the hub: settings, ports, addresses, paths and times. */
import { existsSync } from "node:fs"
import { BlockList } from "node:net"
import { join } from "node:path"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { defaultSettings, loadSettings } from "../../src/config.ts"
import {
  closeMillisMax,
  pingMillis,
  publishBodyBytesMax,
  silenceMillisMax,
  streamHeartbeatMillis
} from "../../src/limits.ts"
import { houseFiles, imports, target } from "../house/project-files.ts"
import { fileText, type Manifest, manifests, operatorPaths, spanMillis } from "../support/deployment-files.ts"
import { root } from "../support/root.ts"

const compose = manifests("compose.yaml")[0]!
const services = compose["services"] as Record<string, Manifest>
const nodes = Object.values(services).filter((service) => service["build"] !== undefined)
const nginx = fileText("deploy/compose/nginx.conf")
const dockerfile = fileText("Dockerfile")
const inner = (service: Manifest): string => service["networks"].inside.ipv4_address

/** First and last of each range that is for a purpose of its own (RFC 6890), but multicast and what coturn refuses. */
const specialAddresses = [
  ["0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1"],
  ["127.255.255.255", "169.254.0.0", "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255"],
  ["192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "240.0.0.0", "255.255.255.255"],
  ["::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "2001::1", "2002:a00:1::1", "fc00::1"],
  ["fdff:ffff::1", "fe80::1", "febf::1", "fec0::1"]
].flat()

/** What a person would have put into .env. */
const given: Record<string, string> = {
  HUB_SECRET_KEY: Buffer.alloc(32, 9).toString("base64"),
  POSTGRES_PASSWORD: "0123456789abcdef",
  REDIS_PASSWORD: "0123456789abcdef",
  TURN_SECRET: "0123456789abcdef",
  TURN_HOST: "turn.example.com"
}
const interpolated = (text: string): string =>
  text.replace(/\$\{(\w+)(?:(:[-?])([^}]*))?\}/gu, (_, name: string, how: string | undefined, rest: string) => {
    if (given[name] !== undefined) return given[name]
    if (how === ":-") return rest
    throw new Error(`${name} is wanted, and nothing says so`)
  })
const environment = (service: Manifest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(service["environment"] as Record<string, unknown>).map(([name, value]) => [
      name,
      interpolated(String(value))
    ])
  )

describe("compose.yaml", () => {
  it("gives two nodes the same settings, and the hub takes all of them", () => {
    expect(nodes).toHaveLength(2)
    expect(environment(nodes[0]!)).toEqual(environment(nodes[1]!))
    const loaded = loadSettings(environment(nodes[0]!))
    if (Result.isFailure(loaded)) throw loaded.failure
    expect(loaded.success.redisUrl).toBe("redis://:0123456789abcdef@redis:6379/0")
    expect(loaded.success.drainMillis).toBe(defaultSettings.drainMillis)
  })

  it("asks for every secret it needs and holds none", () => {
    const wanted = [...fileText("compose.yaml").matchAll(/\$\{(\w+):\?/gu)].map((match) => match[1]!)
    expect([...new Set(wanted)].sort()).toEqual(Object.keys(given).sort())
    expect(fileText("compose.yaml")).not.toMatch(/(?:PASSWORD|SECRET|SECRET_KEY): (?!\$\{)\S/u)
  })

  it("puts no secret into a list of processes", () => {
    const words = Object.entries(services).flatMap(([name, { command = [], entrypoint = [], healthcheck }]) =>
      [command, entrypoint, healthcheck?.test ?? []].flat().map((word) => `${name}: ${word}`)
    )
    expect(words.length).toBeGreaterThan(20)
    // `$$` is the shell's, in the container
    expect(words.filter((word) => /(?<!\$)\$\{?\w*(?:PASSWORD|SECRET)/u.test(word))).toEqual([])
    const lines = words.filter((word) => word.includes("\n")).flatMap((word) => word.split("\n"))
    // what the shell itself does with it is seen by nobody: a program's words are
    expect(lines.filter((line) => /^\s*exec .*(?:PASSWORD|SECRET|AUTH)/u.test(line))).toEqual([])
  })

  it("names every image with its version", () => {
    const images = Object.values(services).map((service) => String(service["image"]))
    expect(images.filter((image) => !/:\d+\.\d+(?:\.\d+)?(?:-\w+)?$/u.test(image))).toEqual([])
  })

  it("waits longer for a node's end than the node takes at most", () => {
    for (const node of nodes) {
      const drain = defaultSettings.drainMillis + closeMillisMax
      expect(spanMillis(node["stop_grace_period"])).toBeGreaterThan(drain)
    }
  })

  it("lets the nodes believe the proxy alone, and the proxy reach the nodes where they listen", () => {
    const proxy = services["proxy"]!
    expect(environment(nodes[0]!)["HUB_TRUSTED_PROXIES"]).toBe(`${inner(proxy)}/32`)
    const upstreams = [...nginx.matchAll(/^\s+server (\S+:\d+) /gmu)].map((match) => match[1])
    expect(upstreams).toEqual(nodes.map((node) => `${inner(node)}:${defaultSettings.port}`))
    const [published, listened] = proxy["ports"][0].split(":")
    expect(nginx).toContain(`listen ${listened};`)
    expect(environment(nodes[0]!)["HUB_PUBLIC_URL"]).toBe(`http://localhost:${published}`)
    const mounted = String(proxy["volumes"][0]).split(":")[0]!
    expect(existsSync(join(root, mounted))).toBe(true)
  })

  it("gives Redis the password that the nodes use", () => {
    const redis = services["redis"]!
    expect(environment(redis)["REDISCLI_AUTH"]).toBe(given["REDIS_PASSWORD"])
    expect(redis["command"].at(-1)).toMatch(/^requirepass \$\$REDISCLI_AUTH$/mu)
  })

  it("lets the relay of coturn reach no address of a special purpose, of IPv4 or IPv6", () => {
    const command: ReadonlyArray<string> = services["coturn"]!["command"]
    const denied = new BlockList()
    for (const word of command) {
      const [, from, to] = /^--denied-peer-ip=([^-]+)-(.+)$/u.exec(word) ?? []
      if (from !== undefined && to !== undefined) denied.addRange(from, to, from.includes(":") ? "ipv6" : "ipv4")
    }
    // for coturn a range from :: has no beginning, and holds all of IPv4
    expect(command.filter((word) => word.startsWith("--denied-peer-ip=::-"))).toEqual([])
    const reached = specialAddresses.filter((one) => !denied.check(one, one.includes(":") ? "ipv6" : "ipv4"))
    expect(reached).toEqual([])
    for (const one of ["8.8.8.8", "172.32.0.1"]) expect(denied.check(one, "ipv4")).toBe(false)
    for (const one of ["2606:4700::1111", "2a00::1", "2001:4860:4860::8888"])
      expect(denied.check(one, "ipv6")).toBe(false)
    expect(command).toContain("--no-multicast-peers")
    expect(command.some((word) => word.startsWith("--allow"))).toBe(false)
  })

  it("takes Postgres for healthy only when it listens where the nodes reach it", () =>
    expect(services["postgres"]!["healthcheck"].test).toContain("127.0.0.1"))

  it("keeps what must survive on a volume, and publishes neither store", () => {
    expect(Object.keys(compose["volumes"])).toEqual(["postgres"])
    for (const store of ["postgres", "redis"]) expect(services[store]!["ports"]).toBeUndefined()
  })
})

describe("its proxy", () => {
  const seconds = (name: string): number => Number(new RegExp(`${name} (\\d+)s;`, "u").exec(nginx)![1]) * 1_000

  it("waits longer than a command, a quiet daemon and a quiet live stream", () => {
    const longest = Math.max(defaultSettings.commandTimeoutMillis, silenceMillisMax, pingMillis, streamHeartbeatMillis)
    expect(seconds("proxy_read_timeout")).toBeGreaterThan(longest)
    expect(seconds("proxy_send_timeout")).toBeGreaterThan(longest)
  })

  it("takes the largest body the hub takes", () => {
    const mebibytes = Number(/client_max_body_size (\d+)m;/u.exec(nginx)![1])
    expect(mebibytes * 1_048_576).toBeGreaterThanOrEqual(publishBodyBytesMax)
  })

  it("never sends again what is not idempotent, and keeps no connection to a node", () => {
    expect(nginx).toMatch(/proxy_next_upstream error timeout;/u)
    expect(nginx).not.toMatch(/non_idempotent|^\s*keepalive\s/mu)
  })
})

/** A file and all that it imports, directly or not. */
const loadedBy = (first: string): ReadonlySet<string> => {
  const files = new Map(houseFiles.map((file) => [file.path, file]))
  const seen = new Set<string>()
  const visit = (path: string): void => {
    const file = files.get(path)
    if (file === undefined || seen.has(path) || path.startsWith("bench/")) return
    seen.add(path)
    for (const { from } of imports(file)) visit(target(file, from) ?? "")
  }
  visit(first)
  return seen
}

describe("the image", () => {
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "))
  const copied = [...lastStage.matchAll(/^COPY (\w+) \.\/\1$/gmu)].map((match) => match[1]!)

  it("holds every folder the hub loads, and no test or bench", () => {
    const folders = new Set([...loadedBy("src/main.ts")].map((path) => path.split("/")[0]!))
    // docs/ is read, not imported: its guides are served
    expect([...folders, "docs"].sort()).toEqual([...copied].sort())
    const ignored = fileText(".dockerignore").split("\n")
    expect(["test", "bench", ".git", ".hub", "node_modules"].filter((one) => !ignored.includes(one))).toEqual([])
  })

  it("holds what was built in a stage of its own, which has what it is built of", () => {
    expect(dockerfile).toContain("\nRUN node build/all.ts\n")
    const stage = dockerfile.slice(dockerfile.indexOf("AS built"), dockerfile.lastIndexOf("\nFROM "))
    const there = [...stage.matchAll(/^COPY (\S+) /gmu)].map((match) => match[1]!)
    const begins = ["build/all.ts", "daemon/program.ts", "integrator/program.ts", "src/main.ts"]
    const needed = begins.flatMap((path) => [...loadedBy(path)])
    expect(needed.filter((path) => !there.some((copied) => path.startsWith(copied)))).toEqual([])
    for (const one of ["build", "console", "daemon"])
      expect(lastStage).toContain(`\nCOPY --from=built /hub/${one}/dist ./${one}/dist\n`)
  })

  it("listens where it is exposed, is asked for its health on a route there is, and runs without rights", () => {
    expect(dockerfile).toContain(`EXPOSE ${defaultSettings.port}\n`)
    expect(dockerfile).toContain(`process.env.HUB_PORT || ${defaultSettings.port}`)
    const path = /HEALTHCHECK[^\n]*\}(\/\w+)`/u.exec(dockerfile)![1]!
    expect(operatorPaths).toContain(path)
    expect(dockerfile).toMatch(/^USER (?:node|1000)$/mu)
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node", "\/hub\/build\/dist\/hub\.mjs"\]\nCMD \["start"\]$/mu)
  })
})

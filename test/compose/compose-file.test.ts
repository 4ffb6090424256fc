/** How compose.yaml becomes words for podman: nothing of it is left out, and no secret is among them. */
import { describe, expect, it } from "vitest"
import type { Manifest } from "../support/deployment-files.ts"
import { composeProject, interpolated } from "./podman-options.ts"

const given = {
  HUB_SECRET_KEY: "first-secret",
  POSTGRES_PASSWORD: "second-secret",
  REDIS_PASSWORD: "third-secret",
  TURN_SECRET: "fourth-secret",
  TURN_HOST: "turn.example.com"
}
const of = (services: Record<string, Manifest>) => composeProject({}, "p", { services }).roles

describe("compose.yaml as words for podman", () => {
  const { roles, networks, volumes } = composeProject(given, "p")
  const options = (name: string) => roles.find((role) => role.name === name)!.options

  it("has each role, and each after what it waits for", () => {
    const names = roles.map(({ name }) => name)
    expect([...names].sort()).toEqual(["coturn", "hub1", "hub2", "postgres", "proxy", "redis"])
    for (const { name, after } of roles)
      for (const one of after) expect(names.indexOf(one)).toBeLessThan(names.indexOf(name))
    expect(roles.find(({ name }) => name === "hub1")!.after).toEqual(["postgres", "redis"])
  })

  it("confines a node as it says", () => {
    const text = options("hub1").join(" ")
    expect(text).toContain(
      "--read-only --read-only-tmpfs=false --cap-drop ALL --security-opt no-new-privileges --tmpfs /tmp"
    )
    expect(text).toContain("--network p-inside:alias=hub1,ip=172.30.83.11")
    expect(roles.find(({ name }) => name === "hub1")!.stopSeconds).toBe(40)
  })

  it("makes its network and its volume, and mounts what it names", () => {
    expect(networks).toEqual([{ name: "p-inside", options: ["--subnet", "172.30.83.0/24"] }])
    expect(volumes).toEqual(["p-postgres"])
    expect(options("postgres")).toContain("p-postgres:/var/lib/postgresql/data")
    expect(options("proxy").join(" ")).toMatch(
      /--volume \/\S+\/deploy\/compose\/nginx\.conf:\/etc\/nginx\/nginx\.conf:ro/u
    )
  })

  it("holds no secret: settings come from the environment", () => {
    const words = roles.flatMap((role) => [...role.options, ...role.words]).join("\n")
    for (const secret of Object.values(given).filter((one) => one.endsWith("-secret")))
      expect(words).not.toContain(secret)
    expect(roles.find(({ name }) => name === "coturn")!.settings).toEqual({ TURN_SECRET: "fourth-secret" })
  })
})

describe("the translation", () => {
  it("refuses what it does not know", () => {
    expect(() => of({ one: { image: "a", privileged: true } })).toThrow("one: privileged is not known here")
    expect(() => of({ one: { image: "a", healthcheck: { test: [], start_period: "1s" } } })).toThrow("start_period")
    expect(() => of({ one: { networks: { inside: { aliases: [] } } } })).toThrow("aliases")
    expect(() => of({ one: { depends_on: { two: { condition: "service_started" } } }, two: {} })).toThrow(
      "service_started"
    )
    expect(() => composeProject({}, "p", { services: {}, secrets: {} })).toThrow("secrets is not known here")
  })

  it("refuses roles that wait for each other", () => {
    const waits = (name: string) => ({ depends_on: { [name]: { condition: "service_healthy" } } })
    expect(() => of({ one: waits("two"), two: waits("one") })).toThrow("wait for each other")
  })

  it("puts settings in as compose does", () => {
    expect(interpolated(`a$$b \${A:-c} \${B:?why}`, { B: "d" })).toBe("a$b c d")
    expect(interpolated(`\${A:-c}`, { A: "" })).toBe("c")
    expect(() => interpolated(`\${B:?why}`, {})).toThrow("B is wanted: why")
  })
})

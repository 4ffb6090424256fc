/**
 * No secret stands where it may not: a hub of real processes is planted with secrets in every input that takes one,
 * driven well and badly, and all that it leaves behind is searched. The environment of a process is not: it is where
 * settings come from, and who may read it is the hub's own user.
 */
import { randomBytes } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { settings } from "../../../src/config.ts"
import { databaseKind } from "../../support/database.ts"
import { requester } from "../../support/hub-requests.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"
import { people, peopleAgain, run } from "./account-calls.ts"
import { machines } from "./daemon-calls.ts"
import { type Place, type SecretsWorld, startSecretsWorld } from "./planted-hub.ts"
import { mistakes } from "./refused-calls.ts"
import { allPlaces } from "./written-places.ts"

const requestList = "/api/v1/requests?limit=1000"

/**
 * Waits until the request log was written, which it is once a second: until a call of this wait is found in it. Reads
 * of the list are not in it.
 */
const requestsLogged = (world: SecretsWorld, session: string) => {
  const ask = requester(() => world.nodes.at(-1)!.url)
  const id = `wait-${randomBytes(12).toString("hex")}`
  return until("the request log is written", async () => {
    await ask("GET", "/api/v1/me", { session, headers: { "x-request-id": id } })
    return (await ask("GET", requestList, { session })).text.includes(id)
  })
}

describe.skipIf(databaseKind === "postgres" && !hasRedis)("a planted secret", () => {
  const world = useStarted(() => startSecretsWorld())
  let places: ReadonlyArray<Place>
  /** No secret: it goes with a call and must be found wherever the hub writes of calls. */
  const mark = `mark-${randomBytes(12).toString("hex")}`

  beforeAll(async () => {
    const person = await people(world)
    const daemon = await machines(world, person)
    const terminal = `/api/v1/daemons/${person.daemonId}/terminal`
    const headers = { "x-request-id": mark }
    // of a second's calls only so many are kept: these are the first after a write
    await requestsLogged(world, person.session)
    await world.call("POST", terminal, {
      key: person.key,
      headers,
      body: { command: "x" },
      shows: ["what a command prints"]
    })
    await world.call("POST", "/api/v1/join-keys", { session: person.session, headers, body: { name: "marked" } })
    await run(world, ["key", "list", mark])
    await mistakes(world, person, () => peopleAgain(world, person))
    await requestsLogged(world, person.session)
    for (const path of ["/api/v1/audit", requestList]) await world.call("GET", path, { session: person.session })
    await world.call("GET", "/metrics", { token: world.environment["HUB_METRICS_TOKEN"]! })
    for (const words of [
      ["audit", "--json"],
      ["doctor", "--json"],
      ["secret", "rotate", "--json"]
    ]) {
      await run(world, words)
    }
    await daemon.leave()
    places = await allPlaces(world)
  })

  const textsOf = (name: string) => places.filter((place) => place.name.startsWith(name)).map(({ text }) => text)

  it("is in every setting that is marked as secret", () => {
    const marked = Object.values(settings).flatMap(({ env, secret }) => (secret === true ? [env] : []))
    const elsewhere = databaseKind === "embedded" ? ["DATABASE_URL", "REDIS_URL"] : []
    const unplanted = marked.filter(
      (env) => !elsewhere.includes(env) && world.secrets.in(world.environment[env] ?? "").length === 0
    )
    expect(unplanted).toEqual([])
  })

  it("is in no place but that which is there to show it", () => {
    const found = places.flatMap(({ name, text, shows }) =>
      world.secrets
        .in(text)
        .filter((secret) => !shows.includes(secret))
        .map((secret) => `${secret}: in ${name}`)
    )
    expect([...new Set(found)]).toEqual([])
  })

  it.each([
    "what node",
    "the traces",
    "the audit sink",
    "the table audit_events",
    "the table logged_requests",
    "the list of processes",
    "the answer of GET /api/v1/audit",
    "the answer of GET /api/v1/requests",
    "what hub audit --json prints"
  ])("would be found if it were there: the mark of a call is found in %s", (name) =>
    expect(textsOf(name).some((text) => text.includes(mark))).toBe(true)
  )

  it.runIf(databaseKind === "postgres")("was in what the database refused, and in what passed through Redis", () => {
    expect(textsOf("what node").some((text) => text.includes("violates check constraint"))).toBe(true)
    expect(textsOf("what passed").flatMap(world.secrets.in)).toContain("what a command asks")
  })

  it("would be found in a line of the log, in the metrics and in a table", () => {
    const secret = world.secrets.plant("one more")
    for (const name of ["what node", "the answer of GET /metrics", "the table accounts"]) {
      const [text = ""] = textsOf(name)
      expect(text).not.toBe("")
      expect(world.secrets.in(`${text}${JSON.stringify({ level: "info", message: secret })}`)).toContain("one more")
    }
  })
})

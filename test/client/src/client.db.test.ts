/** The client against a real hub and a real daemon's socket: calls, refusals, streams, and the flavour for Effect. */
import { Effect, Exit, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { createClient } from "../../../client/src/client.ts"
import { makeClient } from "../../../client/src/effect.ts"
import { operations } from "../../../client/src/generated/operations.ts"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { useStarted } from "../../support/use-started.ts"

const hub = useHub()
const owned = useStarted(() => ownedDaemon(hub))

const clientOf = (credential: string | undefined = owned.key) =>
  createClient({ url: hub.url, ...(credential === undefined ? {} : { credential }) })

describe("a client of a hub", () => {
  it("has every operation of the table as a method", () => {
    const client = clientOf() as unknown as Record<string, Record<string, unknown>>
    const names = Object.keys(operations)
    expect(names.length).toBeGreaterThan(50)
    for (const name of names) {
      const [group, method] = name.split(".") as [string, string]
      expect(client[group]?.[method], name).toBeTypeOf("function")
    }
  })

  it("says who the key is, and lists daemons by pages as one list", async () => {
    const { account, key } = await hub.withKey(["ide:read"])
    for (let serial = 0; serial < 5; serial++) await account.daemonToken()
    const client = clientOf(key)
    expect((await client.account.me()).scopes).toEqual(["ide:read"])
    const ids: Array<string> = []
    for await (const { id } of client.daemons.list({ include: "offline", limit: 2 })) ids.push(id)
    expect(new Set(ids).size).toBe(5)
  })

  it("sends a command to a daemon and gives its answer", async () => {
    const peer = await owned.connect()
    const asked = clientOf().daemons.terminal({ daemonId: owned.daemonId, command: "uname" })
    const command = await peer.nextCommand()
    command.succeed({ exitCode: 0, stdout: "Linux\n", stderr: "", durationMs: 3, truncated: false })
    expect(await asked).toMatchObject({ success: true, result: { stdout: "Linux\n" } })
    await peer.leave()
  })

  it("is refused with a reason where the key may not, and where there is none", async () => {
    const reader = clientOf(await owned.account.key(["agent:read"]))
    const refused = reader.daemons.terminal({ daemonId: owned.daemonId, command: "uname" })
    await expect(refused).rejects.toMatchObject({ status: 403, reason: "AUTH_FORBIDDEN" })
    await expect(clientOf("hub_nonsense").account.me()).rejects.toMatchObject({ reason: "AUTH_INVALID" })
    await expect(createClient({ url: hub.url }).account.me()).rejects.toMatchObject({ reason: "AUTH_REQUIRED" })
  })

  it("follows the account's events while daemons come", async () => {
    const controller = new AbortController()
    const seen: Array<string> = []
    let visit: Promise<void> | undefined
    const options = {
      signal: controller.signal,
      onState: (state: string) => {
        if (state === "open") visit ??= owned.connect().then((peer) => peer.leave())
      }
    }
    for await (const item of clientOf().events.stream({ event: ["daemon:connect"] }, options)) {
      if (item.type !== "event") continue
      seen.push(item.data.event)
      controller.abort()
    }
    expect(seen).toEqual(["daemon:connect"])
    await visit
  })

  it("reads text where the hub answers text", async () => expect(await clientOf().system.metrics()).toContain("# TYPE"))
})

it("the flavour for Effect has answers as values and refusals as typed failures", async () => {
  const client = makeClient({ url: hub.url, credential: owned.key })
  const { daemons } = await Effect.runPromise(client.call("daemons.list", { include: "offline" }))
  expect(daemons.map(({ id }) => id)).toContain(owned.daemonId)
  const exit = await Effect.runPromiseExit(client.call("daemons.status", { daemonId: "dmn_unknown" }))
  expect(Exit.isFailure(exit) && String(exit.cause)).toContain("NOT_FOUND")
})

it("the flavour for Effect has a stream that ends with its first events", async () => {
  const client = makeClient({ url: hub.url, credential: owned.key })
  let visit: Promise<void> | undefined
  const connectOnce = () => {
    visit ??= owned.connect().then((peer) => peer.leave())
  }
  const first = Stream.runHead(client.stream("events.stream", {}, { onState: connectOnce }))
  expect(await Effect.runPromise(first)).toMatchObject({ value: { type: "event" } })
  await visit
})

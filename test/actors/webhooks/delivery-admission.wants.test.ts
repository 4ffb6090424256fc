/** Which webhooks want an event of a daemon, by the tags that it has at that time. */
import { Exit, Result } from "effect"
import { describe, expect, it } from "vitest"
import { daemonWithUnknownTags, wants } from "../../../actors/webhooks/delivery-admission.ts"
import { readSelector } from "../../../src/domain/daemon/selector.ts"
import { allNew, dispatcherWorld as world } from "../events/dispatcher-fixture.ts"

const prod = { id: "prod", events: ["*"], selector: Result.getOrThrow(readSelector("env=prod")) }
const every = { id: "every", events: ["*"] }
const happened = { accountId: "a", event: "agent:stopped", payload: {}, timestamp: 5 } as const
const of = { ...happened, daemonId: "d" }

describe("a webhook with a selector", () => {
  it("wants what happens on the daemons that match, and nothing that names no daemon", () => {
    expect(wants(prod, { ...of, tags: { env: "prod" } })).toBe(true)
    expect(wants(prod, { ...of, tags: { env: "test" } })).toBe(false)
    expect(wants({ ...prod, events: ["daemon:connect"] }, { ...of, tags: { env: "prod" } })).toBe(false)
    const job = { ...happened, event: "job:completed" } as const
    expect(wants({ ...prod, events: ["job:completed"], selector: [] }, job)).toBe(false)
    expect(wants({ ...every, events: ["job:completed"] }, job)).toBe(true)
  })

  it("needs the tags of a daemon only where it wants the event's name and the event does not say them", () => {
    expect(daemonWithUnknownTags([every, prod], of)).toBe("d")
    expect(daemonWithUnknownTags([every], of)).toBeUndefined()
    expect(daemonWithUnknownTags([{ ...prod, events: ["daemon:connect"] }], of)).toBeUndefined()
    expect(daemonWithUnknownTags([prod], { ...of, tags: {} })).toBeUndefined()
    expect(daemonWithUnknownTags([prod], happened)).toBeUndefined()
  })

  it("gets one delivery of a matching daemon of this node, and reads no tags from the store for it", async () => {
    const { send, insert, tagsRead } = await world([prod, every], false, { here: { env: "prod" } })
    const sent = send({ daemonId: "d" })
    const { batch, end } = await insert(0)
    end(Exit.succeed(allNew(batch)))
    await sent
    expect([batch.map(({ webhookId }) => webhookId), tagsRead]).toEqual([["prod", "every"], []])
  })

  it("costs no write for a daemon of this node that does not match, which is known at once", async () => {
    const { send, passes, inserts, streamed, tagsRead } = await world([prod], true, { here: { env: "test" } })
    expect(passes({ daemonId: "d" })).toBe(true)
    expect(await send({ daemonId: "d" })).toEqual(Exit.succeed(true))
    expect([inserts, tagsRead]).toEqual([[], []])
    expect(streamed.map(({ tags }) => tags)).toEqual([{ env: "test" }, { env: "test" }])
  })

  it("has the tags of a daemon that is not here read from the store", async () => {
    const { send, passes, insert, streamed, tagsRead } = await world([prod], true, { stored: { env: "prod" } })
    expect(passes({ daemonId: "d" })).toBe(false)
    const sent = send({ daemonId: "d" })
    const { batch, end } = await insert(0)
    end(Exit.succeed(allNew(batch)))
    await sent
    expect([batch.length, tagsRead, streamed[0]?.tags]).toEqual([1, ["d"], { env: "prod" }])
  })

  it("has nothing read where no webhook of the account has one", async () => {
    const { send, insert, tagsRead } = await world([every])
    const sent = send({ daemonId: "d" })
    const { batch, end } = await insert(0)
    end(Exit.succeed(allNew(batch)))
    await sent
    expect(tagsRead).toEqual([])
  })
})

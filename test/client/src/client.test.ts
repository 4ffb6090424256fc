/** How the client makes a request of its input, and which failures it tries again. */
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createClient } from "../../../client/src/client.ts"
import { ConnectionFailed, problemOf, Refused, TimedOut } from "../../../client/src/failures.ts"
import { json, problem, type Scripted, scripted } from "../scripted-fetch.ts"

const lost = new TypeError("fetch failed")
const taken = json(200, { success: true, result: {}, commandId: "cmd_1", durationMs: 1 })
const world = (...script: ReadonlyArray<Scripted>) => {
  const all = scripted(script)
  return { ...all, client: createClient(all.options) }
}
const failureOf = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.fail("it did not fail"),
    (error: unknown) => error
  )

const endless = async (_: string, { signal }: RequestInit) =>
  new Response(
    new ReadableStream({ start: (body) => signal!.addEventListener("abort", () => body.error(signal!.reason)) })
  )

it("a refusal says in its message what of the call did not fit", async () => {
  const issues = [{ path: "selector", message: "term 1 is none" }]
  const { client } = world(
    json(400, { error: "It does not fit.", reason: "VALIDATION_FAILED", requestId: "req_1", issues })
  )
  expect(String(await failureOf(client.daemons.list({ selector: "=" })))).toBe(
    "Refused: daemons.list: 400 VALIDATION_FAILED It does not fit. (selector: term 1 is none)"
  )
})

describe("a request", () => {
  it("has the members of its input in path, query and body", async () => {
    const { client, asked } = world(taken)
    await client.shortcuts.send({ ideId: "dmn_1:cli:a/b", message: "hi", wait: "idle", timeoutSeconds: 5 })
    expect(asked).toMatchObject([
      {
        url: "http://hub.test/api/v1/shortcuts/dmn_1:cli:a%2Fb/chat?wait=idle&timeoutSeconds=5",
        method: "POST",
        body: { message: "hi" }
      }
    ])
  })

  it("gives a list in the query once for each value", async () => {
    const { client, asked } = world(json(200, { daemons: [] }))
    await client.daemons.list({ include: "offline", limit: 2 })
    expect(asked[0]?.url).toBe("http://hub.test/api/v1/daemons?include=offline&limit=2")
  })

  it("takes no options as its input, also where it has none", async () => {
    const { client } = world(json(200, { connectedApps: [] }), json(200, { daemons: [] }))
    const { signal } = new AbortController()
    // @ts-expect-error: the signal would be left out unseen
    await client.connectedApps.list({ signal })
    // @ts-expect-error: the same beside members that may be left out
    await client.daemons.list({ signal })
  })

  it("carries the credential, asked for anew each time", async () => {
    const { options, asked } = scripted([json(200, {}), json(200, {})])
    let serial = 0
    const client = createClient({ ...options, credential: async () => `token-${++serial}` })
    await client.account.me()
    await client.account.me()
    expect(asked.map(({ headers }) => headers["authorization"])).toEqual(["Bearer token-1", "Bearer token-2"])
  })

  it.each([
    ["that is named and not there", undefined, "is not set"],
    ["that is empty", " \n", "is empty"],
    ["of two lines", "hub_AAA\n  BBB", "has a line break inside"],
    ["with a letter that no header carries", "hub_AAAé", "has a space or another character inside"]
  ])("is not made with a credential %s, and no part of it is told", async (_, credential, words) => {
    const { options, asked } = scripted([])
    expect(() => createClient({ ...options, credential })).toThrow(`the credential ${words}`)
    const given = { ...options, credential: () => credential as string }
    const failure = credential === undefined ? undefined : await failureOf(createClient(given).account.me())
    if (failure !== undefined) expect(String(failure)).toContain(`TypeError: the credential ${words}`)
    expect([String(failure).includes("AAA"), asked.length]).toEqual([false, 0])
  })

  it("carries a credential without what surrounds it, and none where none is named", async () => {
    const { options, asked } = scripted([json(200, {}), json(200, {})])
    await createClient({ ...options, credential: "hub_key\n" }).account.me()
    const { credential: _, ...bare } = options
    await createClient(bare).account.me()
    expect(asked.map(({ headers }) => headers["authorization"])).toEqual(["Bearer hub_key", undefined])
  })

  it("keeps the path of a hub behind a prefix", async () => {
    const { options, asked } = scripted([json(200, {})])
    await createClient({ ...options, url: "https://example.org/hub/" }).account.me()
    expect(asked[0]?.url).toBe("https://example.org/hub/api/v1/me")
  })

  it.each(["", ".", ".."])("refuses %j as a part of the path, which would mean another", async (daemonId) => {
    const { client, asked } = world()
    expect(await failureOf(client.daemons.status({ daemonId }))).toBeInstanceOf(TypeError)
    expect(asked).toEqual([])
  })

  it("has an idempotency key of its own where the operation takes one, unless it is declined", async () => {
    const { client, asked } = world(taken, taken, taken, json(200, {}))
    await client.daemons.command({ daemonId: "d", type: "read_chat" }, { idempotencyKey: "mine" })
    await client.daemons.disconnect({ daemonId: "d" }).catch(() => undefined)
    await client.daemons.command({ daemonId: "d", type: "read_chat" }, { idempotencyKey: false })
    await client.auth.refresh()
    expect(asked.map(({ headers }) => headers["idempotency-key"])).toEqual([
      "mine",
      expect.stringMatching(/^[0-9a-f]{32}$/u),
      undefined,
      undefined
    ])
  })

  it("is made where a page came by http, of which browsers keep `crypto.randomUUID` away", async () => {
    onTestFinished(() => void vi.unstubAllGlobals())
    vi.stubGlobal("crypto", { getRandomValues: (bytes: Uint8Array) => bytes.fill(255) })
    const { client, asked } = world(json(200, {}), taken)
    await client.account.me()
    await client.daemons.command({ daemonId: "d", type: "read_chat" })
    expect(asked.map(({ headers }) => headers["idempotency-key"])).toEqual([undefined, "f".repeat(32)])
  })

  it("prefers not to wait where it is told so", async () => {
    const { client, asked } = world(json(202, { commandId: "cmd_1", state: "pending" }))
    const started = await client.daemons.terminal({ daemonId: "d", command: "sleep 1" }, { respondAsync: true })
    expect(started.state).toBe("pending")
    expect(asked[0]?.headers["prefer"]).toBe("respond-async")
  })
})

describe("a refused call", () => {
  it("is waited for as long as the hub says, with the same idempotency key", async () => {
    const { client, asked, waited } = world(problem(429, "RATE_LIMITED", 2), problem(503, "OVERLOADED", 1), taken)
    await client.daemons.command({ daemonId: "d", type: "read_chat" })
    expect(waited).toEqual([2_000, 1_000])
    expect(new Set(asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
  })

  it("comes back later than it was told by up to a quarter of that, and by more with each try", async () => {
    const { options, waited } = scripted([
      problem(429, "RATE_LIMITED", 20),
      json(200, {}),
      problem(503, "OVERLOADED", 1),
      problem(503, "OVERLOADED", 1),
      problem(503, "OVERLOADED", 1),
      json(200, {})
    ])
    const client = createClient({ ...options, random: () => 1 })
    await client.account.me()
    await client.account.me()
    expect(waited).toEqual([25_000, 1_250, 1_500, 2_000])
  })

  it("is tried again within the minute that it may wait, however wide the others are spread", async () => {
    const { options, waited } = scripted([problem(429, "RATE_LIMITED", 58), json(200, {})])
    await createClient({ ...options, random: () => 1 }).account.me()
    expect(waited).toEqual([60_000])
  })

  it("fails at once when the wait is longer than a minute", async () => {
    const { client, waited } = world(problem(429, "API_LIMIT_EXCEEDED", 86_400))
    expect(await failureOf(client.account.me())).toMatchObject({ reason: "API_LIMIT_EXCEEDED", retryAfter: 86_400 })
    expect(waited).toEqual([])
  })

  it("fails after three retries, or as many as it is given", async () => {
    const busy = () => problem(503, "OVERLOADED", 1)
    const { client, asked } = world(...Array.from({ length: 6 }, busy))
    expect(await failureOf(client.account.me())).toBeInstanceOf(Refused)
    expect(asked.length).toBe(4)
    expect(await failureOf(client.account.me({}, { retries: 1 }))).toBeInstanceOf(Refused)
    expect(asked.length).toBe(6)
  })

  it("is not tried again when its outcome is kept under its key", async () => {
    const { client, asked } = world(problem(503, "DAEMON_SOCKET_LOST", 1))
    expect(await failureOf(client.daemons.command({ daemonId: "d", type: "read_chat" }))).toMatchObject({
      reason: "DAEMON_SOCKET_LOST"
    })
    expect(asked.length).toBe(1)
  })

  it("tells its reason, its request and the operation's own problem", async () => {
    const { client } = world(problem(409, "PROMPT_CHANGED"))
    const error = await failureOf(client.shortcuts.approve({ ideId: "d", action: "approve", promptId: "p" }))
    expect(error).toMatchObject({ status: 409, reason: "PROMPT_CHANGED", requestId: "req_1" })
    expect(problemOf("shortcuts.approve", error)?.reason).toBe("PROMPT_CHANGED")
    expect(problemOf("account.me", error)).toBeUndefined()
  })

  it("has no problem where a proxy answered in its own words", async () => {
    const { client } = world(new Response("<h1>Bad Gateway</h1>", { status: 502 }))
    expect(await failureOf(client.account.me())).toMatchObject({ status: 502, problem: undefined })
  })
})

describe("a lost connection", () => {
  it("is tried again where nothing is changed, and where the hub recognises the call", async () => {
    const { client, waited } = world(lost, json(200, {}), lost, problem(409, "IDEMPOTENCY_CONFLICT"), taken)
    await client.account.me()
    await client.daemons.command({ daemonId: "d", type: "read_chat" })
    expect(waited).toEqual([125, 125, 250])
  })

  it("is the failure of a call that may have run and that the hub would run again", async () => {
    const { client, asked } = world(lost, lost)
    expect(await failureOf(client.auth.login({ email: "a@b.c", password: "x" }))).toBeInstanceOf(ConnectionFailed)
    const unkeyed = client.daemons.command({ daemonId: "d", type: "read_chat" }, { idempotencyKey: false })
    expect(await failureOf(unkeyed)).toBeInstanceOf(ConnectionFailed)
    expect(asked.length).toBe(2)
  })

  it("of a call that removes is its failure: the next would find nothing to remove", async () => {
    const { client, asked } = world(lost, problem(404, "NOT_FOUND"))
    expect(await failureOf(client.webhooks.remove({ webhookId: "whk_1" }))).toBeInstanceOf(ConnectionFailed)
    expect(asked.length).toBe(1)
  })

  it.each([200, 500])("is one that breaks off in the body of a %i", async (status) => {
    const broken = () => new Response(new ReadableStream({ pull: (body) => body.error(lost) }), { status })
    const { client, asked } = world(broken(), json(200, {}), broken(), taken)
    await client.account.me()
    await client.daemons.command({ daemonId: "d", type: "read_chat" })
    expect(asked.length).toBe(4)
  })

  it("is said to be late where the body of an answer does not end", async () => {
    const client = createClient({ ...scripted([]).options, fetch: endless, timeoutMillis: 1, retries: 0 })
    expect(await failureOf(client.account.me())).toBeInstanceOf(TimedOut)
  })

  it("is said to be late no sooner than its body has gone out at 16 KiB a second", async () => {
    const client = createClient({ ...scripted([]).options, fetch: endless, timeoutMillis: 1, retries: 0 })
    const body = { type: "x", version: "1.0.0", artifact: "A".repeat(1_640), manifest: {}, channel: "preview" } as const
    const millis = 1 + Math.ceil(JSON.stringify(body).length / 16)
    expect(String(await failureOf(client.registry.publish(body)))).toContain(`no answer within ${millis} ms`)
    const told = client.registry.publish(body, { timeoutMillis: 1 })
    expect(String(await failureOf(told))).toContain("no answer within 1 ms")
  })

  it("ends with the reason of its signal, in the wait as well", async () => {
    const { options } = scripted([lost])
    const reason = new Error("enough")
    const controller = new AbortController()
    const wait = async () => {
      controller.abort(reason)
      throw reason
    }
    const client = createClient({ ...options, wait })
    expect(await failureOf(client.account.me({}, { signal: controller.signal }))).toBe(reason)
  })
})

describe("a list", () => {
  const page = (id: string, nextCursor?: string) =>
    json(200, { daemons: [{ id }], ...(nextCursor === undefined ? {} : { nextCursor }) })

  it("is its first page when awaited", async () => {
    const { client, asked } = world(page("a", "c1"))
    expect((await client.daemons.list({ limit: 1 })).daemons.map(({ id }) => id)).toEqual(["a"])
    expect(asked.length).toBe(1)
  })

  it("is every item of every page when iterated, and asks for no page before its time", async () => {
    const { client, asked } = world(page("a", "c1"), page("b", "c2"), page("c"))
    const seen: Array<string> = []
    for await (const { id } of client.daemons.list({ limit: 1 })) seen.push(`${id} of ${asked.length}`)
    expect(seen).toEqual(["a of 1", "b of 2", "c of 3"])
    expect(asked[2]?.url).toContain("cursor=c2")
  })

  it("ends when a cursor comes back", async () => {
    const { client } = world(page("a", "c1"), page("b", "c1"))
    const seen: Array<string> = []
    for await (const { id } of client.daemons.list()) seen.push(id)
    expect(seen).toEqual(["a", "b"])
  })
})

it("a command that outlives its call is looked at with growing pauses until it has ended", async () => {
  const command = (state: string) => json(200, { commandId: "cmd_1", state })
  const { client, waited } = world(command("pending"), command("pending"), command("failed"))
  expect((await client.commands.wait({ commandId: "cmd_1" })).state).toBe("failed")
  expect(waited).toEqual([250, 375])
})

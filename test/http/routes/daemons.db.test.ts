/** The routes of daemons over HTTP, over a scripted directory. */
import { beforeEach, describe, expect, it } from "vitest"
import { hashCredential } from "../../../src/auth/api-key.ts"
import { isDaemonToken } from "../../../src/auth/daemon-token.ts"
import { useEdge } from "../../support/edge.ts"
import { keyOf, personOf, script, scriptedRoutes } from "../../support/scripted-directory.ts"
import { ide, session, snapshot } from "../../support/snapshots.ts"

const snapshots = [
  snapshot([session("s1"), ide("w", { cdpConnected: true })], { daemonId: "d" }),
  snapshot([], { daemonId: "off", online: false }),
  snapshot([session("s9")], { daemonId: "theirs", accountId: "b" })
]
const told = script(snapshots)
const edge = useEdge({ credentials: { key: keyOf("a"), person: personOf("a") } }, await scriptedRoutes(told))
beforeEach(() => {
  told.says = () => ({ result: { fine: true } })
  told.sent.length = 0
  told.orders.length = 0
  told.enrolments.length = 0
})

const call = async (method: string, path: string, body?: unknown, bearer = "key") => {
  const answer = await fetch(`${edge.url}/api/v1/daemons${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> }
}
const command = (type: string, payload?: unknown) => call("POST", "/d/command", { type, payload })
const done = { commandId: "cmd_1", durationMs: 7 }

describe("the list of daemons", () => {
  it("holds the account's daemons that are connected", async () => {
    const { status, body } = await call("GET", "")
    expect(status).toBe(200)
    expect(body).toMatchObject({
      daemons: [{ id: "d", online: true, cdpConnected: true, acps: [], ides: [{ id: "d:ide:cursor", type: "cursor" }] }]
    })
    expect(body["daemons"]).toHaveLength(1)
  })
  it("holds the offline ones too when asked", async () => {
    const { body } = await call("GET", "?include=offline")
    expect((body["daemons"] as ReadonlyArray<{ id: string }>).map(({ id }) => id)).toEqual(["d", "off"])
  })
})

describe("the status of a daemon", () => {
  it("is answered online and offline without asking the daemon", async () => {
    expect((await call("GET", "/d/status")).body).toMatchObject({ id: "d", online: true, sessions: [{ id: "s1" }, {}] })
    expect((await call("GET", "/off/status")).body).toMatchObject({ id: "off", online: false })
    expect(told.sent).toEqual([])
  })
})

describe("a raw command", () => {
  it("reaches the daemon as it is and gives what the daemon sent", async () => {
    const { status, body } = await command("screenshot", { width: 800, more: 1 })
    expect({ status, body }).toEqual({ status: 200, body: { success: true, result: { fine: true }, ...done } })
    expect(told.sent).toEqual([{ accountId: "a", daemonId: "d", type: "screenshot", payload: { width: 800, more: 1 } }])
  })
  it("addresses a session by its id or any target id that means it", async () => {
    const ids = ["s1", "d:session:s1", "d:cli:codex-cli", "d"]
    for (const targetSessionId of ids) await command("read_chat", { targetSessionId })
    await command("resolve_action", { action: "approve", targetSessionId: "d:cli:codex-cli" })
    expect(told.sent.map((sent) => sent.targetSessionId)).toEqual(["s1", "s1", "s1", "w", "s1"])
    for (const targetSessionId of ["other:session:s1", "d:ide:none", "d:acp:codex-cli"])
      expect((await command("read_chat", { targetSessionId })).status).toBe(404)
  })
  it.each(["terminal_exec", "stop_ide", "chat_debug_bundle", "reboot", ""])("answers 400 to type %j", async (type) => {
    expect(await command(type, {})).toMatchObject({ status: 400, body: { reason: "VALIDATION_FAILED" } })
    expect(told.sent).toEqual([])
  })
})

describe("a terminal command", () => {
  it("is sent as terminal_exec and gives the daemon's output", async () => {
    told.says = () => ({ result: { exitCode: 3, stdout: "out", stderr: "err", durationMs: 4 } })
    const { body } = await call("POST", "/d/terminal", { command: "ls", name: "look", cwd: "/tmp" })
    const result = { exitCode: 3, stdout: "out", stderr: "err", durationMs: 4, truncated: false }
    expect(body).toEqual({ success: true, result, ...done })
    expect(told.sent[0]).toMatchObject({
      type: "terminal_exec",
      payload: { command: "ls", name: "look", cwd: "/tmp" }
    })
  })
})

describe("disconnect, revoke and enrol", () => {
  it("are done by a person with a recent login, and by no key", async () => {
    expect((await call("POST", "/d/disconnect", undefined, "person")).body).toEqual({
      success: true,
      wasConnected: true
    })
    expect((await call("POST", "/off/revoke", undefined, "person")).body).toEqual({
      success: true,
      wasConnected: false
    })
    for (const path of ["/d/disconnect", "/d/revoke", "/enroll"]) {
      expect(await call("POST", path)).toMatchObject({ status: 403, body: { code: "RECENT_LOGIN_REQUIRED" } })
    }
    expect(told.orders).toEqual(["disconnect d", "revoke off"])
    expect(told.enrolments).toEqual([])
  })
  it("enrol gives a token once and stores only its hash", async () => {
    const { status, body, headers } = await call("POST", "/enroll", { name: "laptop" }, "person")
    expect(status).toBe(201)
    expect(headers.get("cache-control")).toBe("no-store")
    expect(body).toEqual({ daemonId: "dmn_new", token: expect.toSatisfy(isDaemonToken) })
    const tokenHash = hashCredential(body["token"] as string)
    expect(told.enrolments.at(-1)).toMatchObject({ accountId: "a", name: "laptop", daemonId: undefined, tokenHash })
  })
  it("enrol brings a daemon back under its id, and answers 404 to another account's", async () => {
    expect((await call("POST", "/enroll", { daemonId: "dmn_mine" }, "person")).body["daemonId"]).toBe("dmn_mine")
    expect((await call("POST", "/enroll", { daemonId: "dmn_other" }, "person")).status).toBe(404)
  })
})

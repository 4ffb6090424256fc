/** docs/daemon-protocol.md: policies. What daemons are told of those that their owner wrote. */
import { describe, expect, it } from "vitest"
import { resourceCharsMax } from "../../../src/limits/policies.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const auth = { capabilities: ["policies"] }
const deny = { action: "execute", resource: "git push *", effect: "deny" }
const allow = { action: "read", resource: "*", effect: "allow" }

const told = ({ frames }: Peer) => frames.filter(({ type }) => type === "policy").map(({ data }) => data)
const last = (peer: Peer, what: string, is: (data: { rules: ReadonlyArray<{ rule: string }> }) => boolean) =>
  until(what, () => told(peer).slice(-1).find(is))

describe("policies", () => {
  const hub = useHub()
  const owner = async () => {
    const { account, session } = await hub.signedIn({ plan: "pro" })
    const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      hub.request(method, `/api/v1${path}`, {
        session,
        ...(body !== undefined && { body }),
        ...(headers && { headers })
      })
    const machine = async (more: Readonly<Record<string, unknown>> = auth) => {
      const { daemonId, token } = await account.daemonToken()
      return { daemonId, peer: await connectDaemon(hub, token, { auth: more, report: [] }) }
    }
    return { ask, machine }
  }

  it("P126: reach daemons that name `policies` with their connection and at each change, and no other", async () => {
    const { ask, machine } = await owner()
    const [one, mute] = [await machine(), await machine({})]
    const first = await last(one.peer, "the first", () => true)
    expect(first).toMatchObject({ rules: [], default: "ask", onTimeout: "reject" })
    await ask("PUT", "/policies/all", { rules: [allow, deny], default: "deny", timeoutSeconds: 60, onTimeout: "leave" })
    const set = await last(one.peer, "the change", ({ rules }) => rules.length === 2)
    expect(set).toMatchObject({
      rules: [
        { rule: "all/1", ...allow },
        { rule: "all/2", ...deny }
      ],
      default: "deny",
      timeoutSeconds: 60,
      onTimeout: "leave"
    })
    // of several policies the union, and the stricter of what holds besides
    await ask("PUT", "/policies/more", { rules: [deny], timeoutSeconds: 30 })
    const both = await last(one.peer, "both", ({ rules }) => rules.length === 3)
    expect(both).toMatchObject({ default: "deny", timeoutSeconds: 30, onTimeout: "reject" })
    const later = await machine()
    expect(await last(later.peer, "the later one", () => true)).toEqual(both)
    await ask("DELETE", "/policies/more")
    await ask("DELETE", "/policies/all")
    expect(await last(one.peer, "none", ({ rules }) => rules.length === 0)).toEqual(first)
    expect(told(mute.peer)).toEqual([])
    await Promise.all([one, mute, later].map(({ peer }) => peer.leave()))
  })

  it("P127: go to the daemons that their selector means, also when tags change, and come once in a version", async () => {
    const { ask, machine } = await owner()
    const [one, other] = [await machine({ ...auth, tags: { env: "prod" } }), await machine()]
    // the first are read once it is let in: later, the change below would be among them
    await last(one.peer, "none", ({ rules }) => rules.length === 0)
    await ask("PUT", "/policies/prod", { selector: "env=prod", rules: [deny] })
    await last(one.peer, "its policy", ({ rules }) => rules.length === 1)
    await ask("PUT", `/daemons/${other.daemonId}/tags`, { tags: { env: "prod" } })
    await last(other.peer, "the policy of its new tags", ({ rules }) => rules.length === 1)
    // the same content in a new version of the policy is no news
    await ask("PUT", "/policies/prod", { selector: "env=prod", rules: [deny] })
    await ask("PUT", "/policies/prod", { selector: "env=prod", rules: [deny, allow] })
    await last(one.peer, "the change", ({ rules }) => rules.length === 2)
    expect(told(one.peer)).toHaveLength(3)
    await Promise.all([one, other].map(({ peer }) => peer.leave()))
  })

  it("are tried on a case, and not where its folder is too long to be one", async () => {
    const { ask } = await owner()
    const tried = (cwd: string) =>
      ask("POST", "/policies/draft/evaluate", { action: "execute", resource: "git push -f", cwd, rules: [allow, deny] })
    expect(await tried("/home")).toMatchObject({ status: 200, body: { effect: "deny", rule: { index: 1, ...deny } } })
    expect(await tried(`/${"a".repeat(resourceCharsMax)}`)).toMatchObject({
      status: 400,
      body: { issues: [{ path: "cwd" }] }
    })
  })

  it("are those of one account only, and are changed in the version that was read", async () => {
    const [one, other] = [await owner(), await owner()]
    await one.ask("PUT", "/policies/mine", { rules: [deny] })
    expect(await other.ask("GET", "/policies/mine")).toMatchObject({ status: 404 })
    expect((await other.ask("GET", "/policies")).body).toMatchObject({ policies: [] })
    const read = await one.ask("GET", "/policies/mine")
    expect(read.headers.get("etag")).toBe('"1"')
    const change = (tag: string, id = "mine") => one.ask("PUT", `/policies/${id}`, { rules: [] }, { "if-match": tag })
    expect(await change('"1"')).toMatchObject({ status: 200, body: { version: 2 } })
    expect(await change('"1"')).toMatchObject({ status: 412, body: { reason: "PRECONDITION_FAILED" } })
    expect(await change("*")).toMatchObject({ status: 200 })
    expect(await change("*", "none")).toMatchObject({ status: 412, body: { reason: "PRECONDITION_FAILED" } })
  })
})

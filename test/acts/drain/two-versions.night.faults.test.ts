/**
 * An upgrade without a stop: nodes of the version that was released last and of this one beside each other, on one
 * database and one Redis, forward and back again, under load. Real processes; the released one comes from git.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { onNodes } from "../../support/own-node-processes.ts"
import { root } from "../../support/root.ts"
import { sizeOf } from "../../support/run-sizes.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { rollingRestart } from "./rolling-restart.ts"

const revision = readFileSync(join(root, ".ci/released"), "utf8").trim()

const git = (...words: ReadonlyArray<string>): Buffer =>
  execFileSync("git", words, { cwd: root, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] })

/** The tree of the released version, on the packages of this one. */
const released = (): string => {
  const tree = testFolder("released")
  execFileSync("tar", ["-x", "-C", tree], { input: git("archive", revision) })
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"))
  return tree
}

const isThere = (): boolean => {
  try {
    git("cat-file", "-e", revision)
    return true
  } catch {
    return false
  }
}

const node = { HUB_RECONNECT_SPREAD: "1s", HUB_DISCONNECT_GRACE: "10m" }

// a clone of the newest commit alone has no earlier version
if (!isThere()) throw new Error(`this clone lacks revision ${revision}, which was released last: git fetch --unshallow`)
const tree = released()

onNodes("two versions", { nodes: [node, node], tree }, (hub) => {
  it("run beside each other: each node is brought forward and back, and no command and no event is lost", async () => {
    const { calls, codes, arrived, falselyGone, falselyBack } = await rollingRestart(hub, {
      daemons: sizeOf("DAEMONS", 50),
      perSecond: sizeOf("PER_SECOND", 200),
      kept: false,
      trees: [root, tree]
    })
    expect([falselyGone, falselyBack]).toEqual([0, 0])
    expect(codes).toEqual([0, 0, 0, 0])
    expect(Object.keys(calls.failures).filter((one) => !one.includes("DAEMON_SOCKET_LOST"))).toEqual([])
    const lost = Object.values(calls.failures).reduce((sum, times) => sum + times, 0)
    expect(arrived).toBeGreaterThanOrEqual(calls.succeeded)
    expect(arrived).toBeLessThanOrEqual(calls.succeeded + lost)
  })

  it("answer the key of a member who signed in at the new node, at the old one too, until they are removed", async () => {
    await hub.nodes[0]!.stop()
    await hub.nodes[0]!.start(root)
    const ask = (path: string, body: object, bearer?: string) =>
      hub.ask(0, "POST", `/api/v1${path}`, { body, ...(bearer !== undefined && { bearer }) })
    const [email, password] = ["member@example.org", "correct horse battery staple"]
    const { token: invited } = (await ask("/invitations", { email, role: "operator" }, hub.session)).body
    const { personId } = (await ask("/auth/invitations/accept", { token: invited, password })).body
    const { token } = (await ask("/auth/login", { email, password })).body
    const { key } = (await ask("/api-keys", { name: "theirs", scopes: ["ide:read"] }, token)).body
    const statuses = () =>
      Promise.all([0, 1].map(async (node) => (await hub.ask(node, "GET", "/api/v1/daemons", { bearer: key })).status))
    expect(await statuses()).toEqual([200, 200])
    const removed = await hub.ask(0, "DELETE", `/api/v1/members/${personId}`, { bearer: hub.session })
    expect(removed.status).toBe(200)
    await until("both refuse the key", async () => (await statuses()).every((status) => status === 401))
  })
})

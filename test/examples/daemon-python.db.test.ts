/** The sample of a daemon in Python, against a real hub: what docs/daemon-protocol.md asks of a daemon. */
import { describe, expect, it } from "vitest"
import { type Owned, ownedDaemon } from "../support/connected-daemon.ts"
import { given } from "../support/given.ts"
import { useHub } from "../support/hub.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { type Program, pythonMissing, startProgram } from "./program.ts"

const hub = useHub()

const start = (token: string): Program =>
  startProgram("python3", "daemon-python/daemon.py", [hub.url], { HUB_TOKEN: token })
const online = (owned: Owned) =>
  until("the daemon is online", async () => ((await owned.listed())?.["online"] === true ? true : undefined))
const terminal = async (owned: Owned, payload: Readonly<Record<string, unknown>>) =>
  (await owned.post(`/api/v1/daemons/${owned.daemonId}/terminal`, payload)).body
const connected = async () => {
  const owned = await ownedDaemon(hub)
  const program = start(owned.token)
  await online(owned)
  return { owned, program }
}

describe.skipIf(pythonMissing)("the daemon in Python", () => {
  given(connected)("connects, runs commands, and refuses what it lacks in words", async ({ owned, program }) => {
    expect(await terminal(owned, { command: "echo é; echo no >&2; exit 3", cwd: "/" })).toMatchObject({
      success: true,
      result: { exitCode: 3, stdout: "é\n", stderr: "no\n", truncated: false }
    })
    const large = await terminal(owned, { command: "head -c 400000 /dev/zero | tr '\\0' x" })
    expect([large.result.stdout.length, large.result.truncated]).toEqual([262_144, true])
    expect(await terminal(owned, { command: "echo", cwd: "/nowhere" })).toMatchObject({
      success: false,
      daemonCode: "failed"
    })
    expect((await owned.command("launch_ide", { ideType: "vscode" })).body).toMatchObject({
      success: false,
      daemonCode: "unsupported_command"
    })
    await program.kill()
    expect(await program.ended).toBe(0)
  })

  it("says with its refusal what a command had printed when its time was over", async () => {
    const { owned, program } = await connected()
    const refused = await until("it prints in time", async () => {
      const answer = await terminal(owned, { command: "echo one; exec sleep 600", timeoutSeconds: 1 })
      return answer.result.stdout === "" ? undefined : answer
    })
    expect(refused).toMatchObject({ success: false, daemonCode: "timed_out", result: { stdout: "one\n" } })
    await program.kill()
  })

  given(connected)("runs commands beside each other", async ({ owned, program }) => {
    const folder = testFolder("beside")
    // each ends once the next one has begun
    const commandOf = (at: number) =>
      `cd ${folder}; touch ${at}; until test -e ${(at % 4) + 1}; do sleep 0.01; done; echo ${at}`
    const all = await Promise.all([1, 2, 3, 4].map((at) => terminal(owned, { command: commandOf(at) })))
    expect(all.map(({ result }) => result.stdout)).toEqual(["1\n", "2\n", "3\n", "4\n"])
    await program.kill()
  })

  given(connected)("says goodbye when it is ended, so that it is offline at once", async ({ owned, program }) => {
    await program.kill()
    await until("it is offline", async () => ((await owned.listed())?.["online"] !== true ? true : undefined))
  })

  given(connected)("comes back when its owner disconnects it", async ({ owned, program }) => {
    const greetings = () => program.said().match(/connected as/gu)?.length ?? 0
    await owned.account
      .session()
      .then((session) => hub.request("POST", `/api/v1/daemons/${owned.daemonId}/disconnect`, { session }))
    await until("it is back", () => greetings() === 2)
    expect(await terminal(owned, { command: "echo back" })).toMatchObject({ result: { stdout: "back\n" } })
    await program.kill()
  })

  it("gives up for good when its token is unknown, revoked, or used by a newer connection", async () => {
    const unknown = start("hubd_unknown")
    expect(await unknown.ended).toBe(1)
    const { owned, program } = await connected()
    const peer = await owned.connect()
    expect(await program.ended).toBe(1)
    expect(program.said()).toContain("4409")
    const session = await owned.account.session()
    await hub.request("POST", `/api/v1/daemons/${owned.daemonId}/revoke`, { session })
    await peer.closed
    expect(await start(owned.token).ended).toBe(1)
  })
})

/** A node that is killed between the answer to a question and its event: what docs/approvals.md promises of it. */
import pg from "pg"
import { expect, it, onTestFinished } from "vitest"
import { reported } from "../../support/connected-daemon.ts"
import { openEvents } from "../../support/event-stream.ts"
import { onNodes } from "../../support/own-node-processes.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const asks = (session: string, promptId: string) =>
  reported(session, { status: "waiting_approval", activeModal: { promptId, message: "Push?", buttons: [] } })

onNodes("a node that is killed between an answer and its event", { nodes: [{}, {}] }, (hub) => {
  const [doomed, heir] = [0, 1]

  it("loses no answer that the daemon took, tells its end once at most, and keeps what still waits", async () => {
    const bearer = hub.key
    const { token } = await hub.nodes[heir]!.operate({ op: "token create", account: "nodes@example.org" })
    const connect = (node: number, report: ReadonlyArray<unknown>): Promise<Peer> =>
      connectDaemon(hub.nodes[node]!, String(token), { report })
    const listed = async (): Promise<ReadonlyArray<{ approvalId: string; promptId: string }>> =>
      (await hub.ask(heir, "GET", "/api/v1/approvals", { bearer })).body.approvals
    const client = new pg.Client({ connectionString: hub.databaseUrl })
    await client.connect()
    onTestFinished(() => client.end())
    const stored = async () =>
      JSON.stringify((await client.query("select picture from daemons where picture is not null")).rows)
    const answer = (approvalId: string) =>
      hub.ask(heir, "POST", `/api/v1/approvals/${approvalId}`, { bearer, body: { decision: "approve" } })
    const stream = await openEvents(hub.nodes[heir]!, bearer, "?event=approval:requested,approval:resolved")
    onTestFinished(stream.close)
    const events = (event: string, promptId: string) =>
      [...stream.text().matchAll(/^data: (\{"event":"approval.*)$/gmu)]
        .map((found) => JSON.parse(found[1]!))
        .filter((one) => one.event === event && one.payload.promptId === promptId)

    const before = await connect(doomed, [asks("s1", "p1"), asks("s2", "p2")])
    await until("the heir lists both", async () => (await listed()).length === 2)
    // a second at most on a machine that is not busy
    await until("its node has stored the report", async () => (await stored()).includes("p2"))
    const idOf = async (prompt: string) => (await listed()).find(({ promptId }) => promptId === prompt)!.approvalId
    const [taken, waiting] = [await idOf("p1"), await idOf("p2")]
    const answered = answer(taken)
    await before.nextCommand()
    // the daemon has it, and nothing of that has come back
    await hub.nodes[doomed]!.kill()
    expect((await answered).status).toBeGreaterThanOrEqual(503)

    const after = await connect(heir, [reported("s1"), asks("s2", "p2")])
    await until(
      "the answered one is gone",
      async () => (await listed()).map(({ promptId }) => promptId).join() === "p2"
    )
    const { status, body } = await answer(taken)
    expect([status, body.reason]).toEqual([409, "ALREADY_RESOLVED"])
    // who it was is gone with the node
    expect([undefined, "daemon"]).toContain(body.by?.kind)
    after.answerWith(() => ({}))
    expect(await answer(waiting)).toMatchObject({ status: 200 })
    after.report([reported("s1"), reported("s2")])
    await until("its end is told", () => events("approval:resolved", "p2").length === 1)
    expect(events("approval:resolved", "p1").length).toBeLessThanOrEqual(1)
    expect(events("approval:requested", "p2").length).toBeLessThanOrEqual(1)
  })
})

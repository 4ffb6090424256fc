/** Selectors at a node that the daemons are not connected to: what a live stream and a webhook hear of them. */
import { describe, expect, it } from "vitest"
import { openEvents } from "../../support/event-stream.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

describe("a stream and a webhook by a selector, of one node of two", () => {
  const hubs = useTwoHubs()
  const receiver = useReceiver()

  /** Two daemons at the other node, and who listens at this one. */
  const fleet = async (path: string) => {
    const { one, other } = hubs
    const { account, session } = await one.signedIn()
    const ask = (method: string, to: string, body: unknown) => one.request(method, `/api/v1${to}`, { session, body })
    const tag = async (daemonId: string, env: string): Promise<void> => {
      expect((await ask("PUT", `/daemons/${daemonId}/tags`, { tags: { env } })).status).toBe(200)
    }
    const selector = "env=prod"
    const hook = await ask("POST", "/webhooks", { url: receiver.url(path), events: ["*"], selector })
    expect(hook).toMatchObject({ status: 201, body: { selector } })
    const stream = await openEvents(one, session, `?selector=${encodeURIComponent(selector)}`)
    const enrol = async (env: string) => {
      const { daemonId, token } = await account.daemonToken()
      await tag(daemonId, env)
      return { daemonId, token }
    }
    let numbered = 0
    /** Has a daemon report, and waits until its node took it. */
    const happen = async (peer: Peer): Promise<void> => {
      peer.send("status_event", {
        id: `e${++numbered}`,
        event: "agent:stopped",
        targetSessionId: "s",
        timestamp: numbered
      })
      await peer.nextFrame("event_ack")
    }
    const streamed = (): ReadonlyArray<string> =>
      [...stream.text().matchAll(/^data: (.*)$/gmu)].map(([, text]) => {
        const { event, payload } = JSON.parse(text!)
        return `${event} ${payload.daemonId}`
      })
    const sent = () => receiver.at(path).map(({ body }) => `${body.event} ${body.payload.daemonId}`)
    const untilHeard = async (of: string): Promise<void> => {
      await until(`the stream tells of ${of}`, () => streamed().includes(of))
      await until(`the webhook hears of ${of}`, () => sent().includes(of))
    }
    const connect = (token: string) => connectDaemon(other, token, { report: [] })
    /** A daemon's tag as the other node has it. */
    const envThere = async (daemonId: string) =>
      (await other.request("GET", `/api/v1/daemons/${daemonId}/status`, { session })).body.tags.env
    return { ask, tag, envThere, hook, stream, enrol, happen, streamed, sent, untilHeard, connect }
  }

  it("hear of a daemon of the other node that matches, and not of one that does not, also once tags changed", async () => {
    const { tag, envThere, stream, enrol, happen, streamed, sent, untilHeard, connect } = await fleet("/tags")
    const [test, prod] = [await enrol("test"), await enrol("prod")]
    const [ofTest, ofProd] = [await connect(test.token), await connect(prod.token)]
    await untilHeard(`daemon:connect ${prod.daemonId}`)
    await happen(ofTest)
    await happen(ofProd)
    await untilHeard(`agent:stopped ${prod.daemonId}`)
    await tag(prod.daemonId, "test")
    await tag(test.daemonId, "prod")
    await until("the other node has both", async () => {
      return (await envThere(prod.daemonId)) === "test" && (await envThere(test.daemonId)) === "prod"
    })
    await happen(ofProd)
    await happen(ofTest)
    await untilHeard(`agent:stopped ${test.daemonId}`)
    const heard = [
      `daemon:connect ${prod.daemonId}`,
      `agent:stopped ${prod.daemonId}`,
      `agent:stopped ${test.daemonId}`
    ]
    expect(streamed()).toEqual(heard)
    expect(sent().toSorted()).toEqual(heard.toSorted())
    stream.close()
    await ofTest.leave()
    await ofProd.leave()
  })

  it("hear of all once the webhook's selector is taken away, at whichever node the event comes", async () => {
    const { ask, hook, stream, enrol, happen, streamed, sent, connect } = await fleet("/cleared")
    const test = await enrol("test")
    const peer = await connect(test.token)
    expect((await ask("PATCH", `/webhooks/${hook.body.id}`, { selector: "" })).body.selector).toBeNull()
    await until("the other node sends it all", async () => {
      await happen(peer)
      return sent().length > 0
    })
    expect(new Set(sent())).toEqual(new Set([`agent:stopped ${test.daemonId}`]))
    expect(streamed()).toEqual([])
    stream.close()
    await peer.leave()
  })
})

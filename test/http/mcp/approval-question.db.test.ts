/** An agent that waits for an approval, as a caller of its chat sees it: as a question, or as an answer to act on. */
import { describe, expect, it } from "vitest"
import { waitSecondsUsual } from "../../../src/limits/agent-waits.ts"
import { looksAfterApprovalMax, questionMillisMax } from "../../../src/limits/mcp.ts"
import { knownDaemon, type Mine, pending, prompt, said, show, take, user, watched } from "../../support/agent-waits.ts"
import { given } from "../../support/given.ts"
import { type HubAnswer, useHub } from "../../support/hub.ts"
import { callTool, connectMcp } from "../../support/mcp-client.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

const forms = { capabilities: { elicitation: { form: {} } } }
const going = ({ daemonId }: Mine) => ({ ideId: `${daemonId}:session:s1`, message: "go", wait: "approval" })

/** The daemon takes the message, and its agent asks. */
const asking = async (mine: Mine): Promise<void> => {
  ;(await take(mine.peer, "send_chat")).succeed({ messageId: "m1" })
  await show(mine, "generating")
  await show(mine, "waiting_approval", { activeModal: prompt })
  const read = await take(mine.peer, "read_chat")
  read.succeed({ messages: [user, said], status: "waiting_approval", activeModal: prompt })
}

const question = async (mine: Mine): Promise<HubAnswer["body"]> => {
  const sent = callTool(hub, mine.key, "send_chat_message", going(mine), forms)
  await asking(mine)
  const { result } = (await sent).body
  expect(result.resultType).toBe("input_required")
  return result
}

/** A call looks at the agent, until that is another or its time is over. */
const looks = (mine: Mine) => until("it looks", async () => (await watched(hub, mine.daemonId)) === 1)

const reply = (mine: Mine, requestState: string, response: object, more: object = {}): Promise<HubAnswer> =>
  callTool(hub, mine.key, "send_chat_message", going(mine), {
    ...forms,
    params: { requestState, inputResponses: { approval: response }, ...more }
  })

describe("a chat message whose agent waits for an approval", () => {
  it("says so, with the prompt's id, to a client that takes no questions; the tool `approve` answers", async () => {
    const mine = await knownDaemon(hub)
    const sent = callTool(hub, mine.key, "send_chat_message", going(mine))
    await asking(mine)
    const { structuredContent } = (await sent).body.result
    expect(structuredContent).toMatchObject({ status: "waiting_approval", activeModal: prompt, messages: [said] })
    const { ideId } = going(mine)
    const approved = callTool(hub, mine.key, "approve", { ideId, action: "approve", promptId: "p1" })
    const command = await take(mine.peer, "resolve_action")
    expect(command.payload).toMatchObject({ promptId: "p1" })
    command.succeed({})
    expect((await approved).body.result.structuredContent.success).toBe(true)
  })

  it("is a question to a client that takes them, with what the agent asks and offers", async () => {
    const { inputRequests, requestState, content } = await question(await knownDaemon(hub))
    expect(content).toBeUndefined()
    expect(typeof requestState).toBe("string")
    expect(inputRequests).toEqual({
      approval: {
        method: "elicitation/create",
        params: {
          mode: "form",
          message: "Run it?\n\nThe agent offers: Yes.",
          requestedSchema: {
            type: "object",
            properties: { choice: { type: "string", title: "What to do", enum: ["approve", "reject", "always"] } },
            required: ["choice"]
          }
        }
      }
    })
  })

  given(() => knownDaemon(hub))("goes on as the caller chose, and answers when the turn is over", async (mine) => {
    const { requestState } = await question(mine)
    const replied = reply(mine, requestState, { action: "accept", content: { choice: "always" } })
    const command = await take(mine.peer, "resolve_action")
    expect(command.payload).toMatchObject({ action: "always", promptId: "p1" })
    command.succeed({})
    await show(mine, "generating")
    expect(await pending(replied)).toBe(true)
    await show(mine, "idle")
    const { result } = (await replied).body
    expect(result.structuredContent).toMatchObject({ success: true, status: "idle", commandId: command.id })
    expect(result.isError).toBeUndefined()
  })

  given(() => knownDaemon(hub))("asks again where the agent does", async (mine) => {
    const { requestState } = await question(mine)
    const replied = reply(mine, requestState, { action: "accept", content: { choice: "approve" } })
    ;(await take(mine.peer, "resolve_action")).succeed({})
    await show(mine, "waiting_approval", { activeModal: { ...prompt, promptId: "p2", message: "And this?" } })
    const { result } = (await replied).body
    expect(result.resultType).toBe("input_required")
    expect(result.inputRequests.approval.params.message).toMatch(/^And this\?/u)
    expect(result.requestState).not.toBe(requestState)
  })

  given(() => knownDaemon(hub))("is asked by the SDK's client of its user, in one call", async (mine) => {
    const client = await connectMcp(hub, mine.key, {
      versionNegotiation: { mode: "auto" },
      capabilities: { elicitation: { form: {} } }
    })
    const asked: Array<unknown> = []
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message)
      return { action: "accept", content: { choice: "reject" } }
    })
    const called = client.callTool({ name: "send_chat_message", arguments: going(mine) })
    await asking(mine)
    const command = await take(mine.peer, "resolve_action")
    expect(command.payload).toMatchObject({ action: "reject" })
    command.succeed({})
    await show(mine, "idle")
    expect((await called).structuredContent).toMatchObject({ success: true, status: "idle" })
    expect(asked).toEqual(["Run it?\n\nThe agent offers: Yes."])
    await client.close()
  })

  it("is answered as unfinished when the time is over, or after so many looks at an agent that goes on", async () => {
    const mine = await knownDaemon(hub)
    const accept = { action: "accept", content: { choice: "approve" } }
    const late = reply(mine, (await question(mine)).requestState, accept)
    ;(await take(mine.peer, "resolve_action")).succeed({})
    await show(mine, "generating")
    await looks(mine)
    await hub.advance(waitSecondsUsual * 1_000)
    const unfinished = { success: true, status: "generating", timedOut: true }
    expect((await late).body.result.structuredContent).toMatchObject(unfinished)
    await show(mine, "idle")
    const busy = reply(mine, (await question(mine)).requestState, accept)
    ;(await take(mine.peer, "resolve_action")).succeed({})
    for (let n = 0; n < looksAfterApprovalMax; n++) {
      await looks(mine)
      expect(await pending(busy)).toBe(true)
      await show(mine, "generating", { title: `step ${n}`, controlValues: { step: n } })
    }
    expect((await busy).body.result.structuredContent).toMatchObject(unfinished)
  })

  it("is refused like the REST call where the key has lost a scope, and where another prompt waits by now", async () => {
    const mine = await knownDaemon(hub)
    const { requestState } = await question(mine)
    await show(mine, "waiting_approval", { activeModal: { ...prompt, promptId: "p9" } })
    const { result } = (await reply(mine, requestState, { action: "accept", content: { choice: "approve" } })).body
    expect(JSON.parse(result.content[0].text)).toMatchObject({ status: 409, reason: "PROMPT_CHANGED" })
    const key = await mine.account.key(["agent:read"])
    const lacking = await reply({ ...mine, key }, requestState, { action: "accept", content: { choice: "approve" } })
    expect(JSON.parse(lacking.body.result.content[0].text)).toMatchObject({ requiredScope: "agent:control" })
  })

  it.each([
    ["stays unanswered where the user declines", { action: "decline" }, undefined],
    ["is asked again where the reply has no choice", { action: "accept", content: {} }, "input_required"],
    ["is asked again of one that was not offered", { action: "accept", content: { choice: "burn" } }, "input_required"]
  ])("%s", async (_, response, resultType) => {
    const mine = await knownDaemon(hub)
    const { requestState } = await question(mine)
    const { result } = (await reply(mine, requestState, response)).body
    if (resultType === undefined)
      expect(result.structuredContent).toMatchObject({ status: "waiting_approval", activeModal: prompt })
    else expect(result.resultType).toBe(resultType)
  })

  it("takes no state that it has not sealed for this caller and this agent, and none that is old", async () => {
    const mine = await knownDaemon(hub)
    const other = await knownDaemon(hub)
    const { requestState } = await question(mine)
    const accept = { action: "accept", content: { choice: "approve" } }
    const error = async (one: Mine, state: string) => (await reply(one, state, accept)).body.error
    const refused = { code: -32602, message: "Invalid or expired requestState" }
    expect(await error(mine, `${requestState}x`)).toMatchObject(refused)
    expect(await error(mine, "nonsense")).toMatchObject(refused)
    expect(await error(other, requestState)).toMatchObject(refused)
    await hub.advance(questionMillisMax)
    expect(await error(mine, requestState)).toMatchObject(refused)
  })
})

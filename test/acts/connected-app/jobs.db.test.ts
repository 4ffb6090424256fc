/** The jobs that a connected program has started, when it is disconnected. */
import { describe, expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import { addClient, connectApp, refreshForm, sendForm, type Tokens, withOAuth } from "../../support/connecting-app.ts"
import { useHub } from "../../support/hub.ts"
import { callTool } from "../../support/mcp-client.ts"
import { until } from "../../support/until.ts"

describe("a connected app", () => {
  const hub = useHub({ settings: withOAuth })

  it("takes its jobs with it, however it ends", async () => {
    const { account, session } = await hub.signedIn()
    const { daemonId } = await account.daemonToken()
    const client = await addClient(hub)
    const ends = {
      person: async () => {
        const { body } = await hub.request("GET", "/api/v1/connected-apps", { session })
        await hub.request("DELETE", `/api/v1/connected-apps/${body.connectedApps[0].id}`, { session })
      },
      itself: (tokens: Tokens) => sendForm(hub, "/oauth/revoke", { token: tokens.access_token }),
      thief: async (tokens: Tokens) => {
        const form = refreshForm(client, tokens.refresh_token)
        await sendForm(hub, "/oauth/token", form)
        expect((await sendForm(hub, "/oauth/token", form)).body.error).toBe("invalid_grant")
      },
      administrator: () => hub.inside(perform({ op: "oauth client remove", client }))
    }
    for (const [by, end] of Object.entries(ends)) {
      const tokens = await connectApp(hub, session, client, ["ide:control"])
      const { body } = await callTool(hub, tokens.access_token, "start_job", {
        daemonIds: [daemonId],
        type: "screenshot"
      })
      const job = async () =>
        (await hub.request("GET", `/api/v1/jobs/${body.result.structuredContent.jobId}`, { session })).body.state
      expect(await job()).toBe("running")
      await end(tokens)
      await until(`the job is cancelled: ${by}`, async () => (await job()) === "cancelled")
    }
  })
})

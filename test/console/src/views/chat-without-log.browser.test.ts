/** A daemon that keeps no log, in the console: what is not live there is read, and can be used all the same. */
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { reported } from "../../../support/connected-daemon.ts"
import { connectDaemon, type Peer } from "../../../support/scripted-daemon.ts"
import { testFolder } from "../../../support/temporary-folder.ts"
import { until } from "../../../support/until.ts"
import { useStarted } from "../../../support/use-started.ts"
import { startConsoleWorld } from "../../console-hub.ts"

describe("a daemon without a log, in the console", () => {
  const world = useStarted(() => startConsoleWorld(testFolder("plain")))
  let page: Page
  let peer: Peer
  let id: string
  const chat: Array<unknown> = [{ role: "user", content: "hello" }, 7]
  const asks = { promptId: "p1", message: "Shall I?", buttons: ["Yes", "No"] }
  beforeAll(async () => {
    const { daemonId, token } = await world.owner.daemonToken()
    id = daemonId
    peer = await connectDaemon(world.hub, token, {
      auth: { capabilities: [] },
      report: [reported("s1", { status: "waiting_approval", activeModal: asks })]
    })
    peer.answerWith(({ type, payload }) => {
      if (type === "read_chat") return { success: true, messages: chat }
      if (type === "terminal_exec")
        return { exitCode: 0, stdout: "done\n", stderr: "", durationMs: 1, truncated: false }
      if (type === "send_chat") chat.push({ role: "user", content: payload.input?.parts?.[0]?.text ?? payload.message })
      return {}
    })
    page = (await world.openSignedIn(`#/daemons/${id}`)).page
  })

  it("runs a command and shows its output when it has ended", async () => {
    await page.getByRole("textbox", { name: "Command" }).fill("make")
    await page.getByRole("button", { name: "Run" }).click()
    await page.getByText(/^Exit code 0/u).waitFor()
    expect(await page.getByRole("region", { name: "Output of make" }).textContent()).toBe("done\n")
  })

  it("shows the chat as it was read, says that it is not live, and reads it again after a message", async () => {
    await page.getByRole("list", { name: "Sessions" }).getByRole("link").click()
    await page.getByText("This daemon keeps no log, so the chat is not live.").waitFor()
    await page.getByRole("list", { name: "Chat" }).getByText("hello").waitFor()
    await page.getByLabel("Message").fill("and more")
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByRole("list", { name: "Chat" }).getByText("and more").waitFor()
  })

  it("shows the question that waits, and answers it", async () => {
    const question = page.getByRole("region", { name: "The agent asks" })
    await question.getByText("Shall I?").waitFor()
    await question.getByRole("button", { name: "Approve" }).click()
    await until("it is answered", () => question.getByRole("button", { name: "Approve" }).isEnabled())
    expect(await question.getByRole("alert").count()).toBe(0)
  })
})

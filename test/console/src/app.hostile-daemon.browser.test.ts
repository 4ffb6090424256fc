/** What a daemon and a caller made up, in the console: text, never markup, and no script runs. */
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { reported } from "../../support/connected-daemon.ts"
import { DaemonLogs } from "../../support/daemon-logs.ts"
import { connectLogged } from "../../support/logged-session.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { useStarted } from "../../support/use-started.ts"
import { startConsoleWorld } from "../console-hub.ts"

const markup = `<img src="/console/none.png" onerror="window.ran = 1"><script>window.ran = 1</script>`

describe("what a hostile daemon says, in the console", () => {
  const world = useStarted(() => startConsoleWorld(testFolder("hostile")))
  let page: Page
  let daemonId: string
  beforeAll(async () => {
    const made = await world.owner.daemonToken()
    daemonId = made.daemonId
    const peer = await connectDaemon(world.hub, made.token, {
      auth: {
        capabilities: [],
        hostname: markup,
        platform: markup,
        version: markup,
        tags: { note: markup.slice(0, 60) }
      },
      report: [
        reported("s1", {
          title: markup,
          workspaceName: markup,
          status: "waiting_approval",
          activeModal: { promptId: "p1", message: markup, buttons: [markup, "No"] }
        })
      ]
    })
    peer.answerWith(({ type }) => {
      if (type === "read_chat") return { success: true, messages: [{ role: "assistant", content: markup }] }
      if (type !== "terminal_exec") return {}
      return { exitCode: 0, stdout: markup, stderr: "", durationMs: 1, truncated: false }
    })
    page = (await world.openSignedIn("#/daemons")).page
  })

  const isHarmless = async (): Promise<void> => {
    expect(await page.locator("img, script:not([src])").count()).toBe(0)
    expect(await page.evaluate("window.ran")).toBeUndefined()
  }

  it("is text in the list of daemons", async () => {
    await page.getByText(markup).first().waitFor()
    await isHarmless()
  })

  it("is text where the daemon, its sessions and the output of a command are shown", async () => {
    await page.goto(`${world.hub.url}/console#/daemons/${daemonId}`)
    await page.getByRole("textbox", { name: "Command" }).fill(markup)
    await page.getByRole("button", { name: "Run" }).click()
    await page.getByText(/^Exit code 0/u).waitFor()
    expect(await page.getByRole("region", { name: "Output of" }).textContent()).toBe(markup)
    await isHarmless()
  })

  it("is text in a chat and in the question of an agent", async () => {
    await page.getByRole("list", { name: "Sessions" }).getByRole("link").click()
    await page.getByRole("list", { name: "Chat" }).getByText(markup).waitFor()
    await page.getByRole("region", { name: "The agent asks" }).getByText(markup).first().waitFor()
    await isHarmless()
  })

  it("is drawn as Markdown and as a change without markup or anything remote, in the log of a session", async () => {
    const { token, daemonId: id } = await world.owner.daemonToken()
    const logs = new DaemonLogs(() => undefined)
    await connectLogged(world.hub, token, logs)
    logs.begin("s1", "log-1")
    const remote = "![pixel](https://tracker.example/p.png) [go](javascript:window.ran=1) **bold**"
    logs.happen("s1", "message", {
      messageId: "m1",
      role: "assistant",
      text: `${remote}\n\n${markup}\n\n${"**a*b ".repeat(2_000)}`
    })
    logs.happen("s1", "message", { messageId: "m2", role: "assistant", text: `deep\n${">".repeat(15_000)}` })
    const diff = { type: "diff", path: markup, oldText: "x\n".repeat(15_000), newText: markup }
    logs.happen("s1", "tool_call", { toolCallId: "t1", title: "Edit", status: "completed", content: [diff] })
    const asked: Array<string> = []
    page.on("request", (request) => void asked.push(request.url()))
    await page.goto(`${world.hub.url}/console#/daemons/${id}/sessions/s1`)
    await page.locator("strong", { hasText: "bold" }).waitFor()
    await page.getByText("[image: pixel]").waitFor()
    await page.getByText(/^deep/u).waitFor()
    await page.getByText("Edit").click()
    await page.getByRole("region", { name: "Change of" }).getByText("characters more").waitFor()
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    expect(asked.filter((url) => url.includes("tracker"))).toEqual([])
    await isHarmless()
  })
})

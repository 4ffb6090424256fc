/** The console of an owner whose agents ask: the inbox on a phone, its keys, and rules that are tried first. */
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { reported } from "../../support/connected-daemon.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"
import { onPage, startConsoleWorld } from "../console-hub.ts"

const asks = (id: string, resource: string) =>
  reported(id, {
    status: "waiting_approval",
    activeModal: {
      promptId: `p-${id}`,
      message: `Run ${resource}?`,
      buttons: ["Yes", "No"],
      askedAt: Number(id.slice(1)),
      subject: { action: "execute", resource }
    }
  })

describe("the owner whose agents ask", () => {
  const world = useStarted(() => startConsoleWorld(testFolder("asking")))
  let page: Page
  let peer: Peer
  let { shown, click, drawn, rows, row } = {} as ReturnType<typeof onPage>
  beforeAll(async () => {
    const { token } = await world.owner.daemonToken()
    peer = await connectDaemon(world.hub, token, { auth: { capabilities: ["policies"] }, report: [asks("s1", "make")] })
    page = (await world.openSignedIn("#/approvals", { viewport: { width: 390, height: 844 } })).page
    ;({ shown, click, drawn, rows, row } = onPage(page))
  })

  const answers = async (action: string, ...left: ReadonlyArray<unknown>): Promise<void> => {
    const command = await peer.nextCommand()
    expect(command.payload).toMatchObject({ action, by: "person" })
    command.succeed({})
    peer.report(left)
    await until("it has gone", async () => (await rows("Approvals").count()) === left.length)
  }

  it("sees what waits, how much in the title, and answers by a button and by the keys, none by those meant for another", async () => {
    await row("Approvals", "Run make?").waitFor()
    await until("the title counts", async () => (await page.title()).startsWith("(1) Approvals"))
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(390)
    await page.evaluate(`new MutationObserver(() => {
      const next = [...document.querySelectorAll("li.question")].find((one) => one.textContent.includes("git pull"))
      window.wasDisabled ??= next?.querySelector("button").disabled
    }).observe(document.body, { childList: true, subtree: true })`)
    await click("Approve")
    await answers("approve", asks("s2", "git pull"), asks("s3", "git push"))
    const button = row("Approvals", "git pull").getByRole("button", { name: "Reject" })
    await until("it may be answered", () => button.isEnabled())
    // it stood where another one had: a click or a key that was meant for that is none for it
    expect(await page.evaluate("window.wasDisabled")).toBe(true)
    await drawn()
    await page.keyboard.press("r")
    await answers("reject", asks("s3", "git push"))
  })

  it("offers the agent's own answers in its session, also by their numbers, and always a rejection", async () => {
    const options = ["Postgres", "SQLite"].map((name) => ({ optionId: name, name, kind: "allow_once" }))
    const activeModal = { promptId: "p", message: "Which?", buttons: [], options }
    const answered: Array<unknown> = []
    peer.answerWith(({ type, payload }) => {
      if (type === "resolve_action") answered.push(payload)
      return type === "read_chat" ? { success: true, messages: [] } : {}
    })
    peer.report([reported("s9", { status: "waiting_approval", activeModal })])
    await row("Approvals", "Which?").getByRole("link").first().click()
    const question = page.getByRole("region", { name: "The agent asks" })
    await question.getByRole("button", { name: "Postgres" }).waitFor()
    expect(await question.getByRole("button").allTextContents()).toEqual(["Postgres", "SQLite", "Reject"])
    await until("they may be chosen", () => question.getByRole("button", { name: "SQLite" }).isEnabled())
    await drawn()
    await page.keyboard.press("2")
    await until("it is answered", () => answered.length > 0)
    expect(answered).toMatchObject([{ optionId: "SQLite", promptId: "p" }])
    peer.report([asks("s3", "git push")])
    await page.goto(`${world.hub.url}/console#/approvals`)
    await row("Approvals", "git push").waitFor()
  })

  it("shows what waits to a viewer too, who may answer nothing and choose no machine", async () => {
    const bearer = await (await world.owner.member("viewer")).session()
    const { page: theirs } = await world.open()
    const keep = `fetch("/console/session", { method: "POST", headers: { authorization: "Bearer ${bearer}" } })`
    expect(await theirs.evaluate(`${keep}.then(({ ok }) => ok)`)).toBe(true)
    await theirs.goto(`${world.hub.url}/console#/approvals`)
    await theirs.reload()
    await onPage(theirs).shown("answer none")
    await onPage(theirs).row("Approvals", "git push").waitFor()
    expect(await theirs.getByRole("button", { name: /Approve|Reject/u }).count()).toBe(0)
    await onPage(theirs).menu("Daemons")
    await onPage(theirs).rows("Daemons").first().waitFor()
    expect(await theirs.getByRole("checkbox").count()).toBe(0)
  })

  it("reads beyond the first hundred on demand", async () => {
    peer.report(Array.from({ length: 102 }, (_, at) => asks(`s${at + 3}`, at === 0 ? "git push" : `task ${at}`)))
    await until("the first page", async () => (await rows("Approvals").count()) === 100)
    await click("Show more")
    await until("all", async () => (await rows("Approvals").count()) === 102)
    expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0)
    peer.report([asks("s3", "git push")])
    await until("they have gone", async () => (await rows("Approvals").count()) === 1)
  })

  it("makes one rule of a question, whatever its agent wrote into the command", async () => {
    peer.report([asks("s3", "git push"), asks("s4", "npm test\nallow execute *")])
    await row("Approvals", "npm test").getByRole("link", { name: "Make a rule…" }).click()
    const rules = page.getByLabel("Rules")
    expect(await rules.inputValue()).toBe("allow execute npm test?allow execute *")
    peer.report([asks("s3", "git push")])
    await page.goto(`${world.hub.url}/console#/approvals`)
    await until("the other one has gone", async () => (await rows("Approvals").count()) === 1)
  })

  it("makes a rule of a question, tries it, and saves it only then", async () => {
    await page.getByRole("link", { name: "Make a rule…" }).click()
    const rules = page.getByLabel("Rules")
    expect(await rules.inputValue()).toBe("allow execute git push")
    await rules.fill("allow read *\ndeny execute git push *")
    await page.getByLabel("Command, path or address").fill("ls && git push")
    await click("Try these rules")
    await shown("deny: deny execute git push *")
    const told = () => peer.frames.filter(({ type }) => type === "policy").at(-1)?.data.rules.length
    expect(told()).toBe(0)
    await click("Save the policy")
    await until("the machine has it", () => told() === 2)
    await page.getByRole("heading", { name: "everyday" }).waitFor()
  })
})

/** The console of an owner with a fleet: what it shows of tags, and what is for a part of the daemons only. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { Rollouts } from "../../../actors/daemon-versions/rollouts.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"
import { onPage, startConsoleWorld } from "../console-hub.ts"

const release = { version: "9.0.0", sha256: "ab".repeat(32), minNode: "20.12", program: new Uint8Array() }

describe("the owner of a fleet", () => {
  const world = useStarted(() => startConsoleWorld(testFolder("fleet"), {}, { release }))
  let page: Page
  let { shown, click, menu, drawn, rows, row } = {} as ReturnType<typeof onPage>
  beforeAll(async () => {
    for (const [name, tags] of [
      ["build-1", { env: "prod", gpu: "" }],
      ["build-2", { env: "test" }]
    ] as const) {
      await enrol(name, tags)
    }
    page = (await world.openSignedIn("#/daemons")).page
    ;({ shown, click, menu, drawn, rows, row } = onPage(page))
  })

  const ask = async (method: string, path: string, body: unknown) => {
    const session = await world.owner.session()
    const answer = await world.hub.request(method, `/api/v1${path}`, { session, body })
    expect(answer.status, path).toBeLessThan(300)
    return answer.body
  }
  const enrol = async (name: string, tags: object) => {
    const { daemonId, token } = await ask("POST", "/daemons/enroll", { name })
    await ask("PUT", `/daemons/${daemonId}/tags`, { tags })
    return { daemonId, token }
  }
  const filter = async (selector: string): Promise<void> => {
    await page.getByLabel("Filter by tags").fill(selector)
    await page.keyboard.press("Enter")
  }

  it("sees the tags of each daemon, and finds those that a selector means", async () => {
    await row("Daemons", "build-1").getByText("env=prod, gpu").waitFor()
    await row("Daemons", "build-2").getByText("env=test").waitFor()
    await filter("env=prod")
    await row("Daemons", "build-2").waitFor({ state: "detached" })
    await row("Daemons", "build-1").waitFor()
    expect(await rows("Daemons").count()).toBe(1)
    await filter("env=nowhere")
    await shown("No machine is like this.")
  })

  it("is told which term of a selector is wrong, and sees all again without one", async () => {
    await filter("env=prod,,gpu")
    await shown("selector term 2 is none of")
    await filter("")
    await row("Daemons", "build-2").waitFor()
    await row("Daemons", "build-1").waitFor()
  })

  it("sees a new daemon come while it looks at a part of the fleet, where it belongs there", async () => {
    await filter("env=prod")
    await row("Daemons", "build-2").waitFor({ state: "detached" })
    const [test, prod] = [await enrol("build-3", { env: "test" }), await enrol("build-4", { env: "prod" })]
    const peers = [await connectDaemon(world.hub, test.token), await connectDaemon(world.hub, prod.token)]
    await row("Daemons", "online").getByText("env=prod").waitFor()
    expect(await rows("Daemons").count()).toBe(2)
    for (const peer of peers) await peer.leave()
  })

  it("finds machines by words and by their state, which stay in the address: Back brings them as they were", async () => {
    await menu("Daemons")
    await row("Daemons", "build-3").waitFor()
    await page.getByLabel("Search machines").fill("build-2")
    await page.keyboard.press("Enter")
    await row("Daemons", "build-1").waitFor({ state: "detached" })
    await shown("0 of 1 online")
    await row("Daemons", "build-2").getByRole("link").click()
    await page.getByRole("heading", { name: "build-2", level: 1 }).waitFor()
    await page.goBack()
    await row("Daemons", "build-2").waitFor()
    expect(await page.getByLabel("Search machines").inputValue()).toBe("build-2")
    expect(await rows("Daemons").count()).toBe(1)
    await page.getByLabel("State").selectOption("online")
    await shown("No machine is like this.")
    await page.goto(page.url().replace(/\?.*$/u, ""))
  })

  it("sees which machine did not get its update, and why", async () => {
    const { daemonId, token } = await enrol("build-5", { env: "late" })
    const auth = { version: "1.0.0", capabilities: ["self_update"] }
    const peer = await connectDaemon(world.hub, token, { auth })
    await ask("PUT", "/daemon-versions/late", { selector: "env=late", version: "hub" })
    const session = await world.owner.session()
    const error = "the new program ended with code 3"
    await until("its update has failed", async () => {
      await world.hub.inside(Effect.flatMap(Rollouts, ({ round }) => round))
      if (peer.frames.some(({ type }) => type === "update"))
        peer.send("update_result", { sha256: release.sha256, success: false, error })
      const { body } = await world.hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { session })
      return body.update?.state === "failed"
    })
    await menu("Daemons")
    await page.getByLabel("Update", { exact: true }).selectOption("failed")
    await row("Daemons", "build-1").waitFor({ state: "detached" })
    await row("Daemons", "build-5").getByText("update failed").waitFor()
    expect(await rows("Daemons").count()).toBe(1)
    await row("Daemons", "build-5").getByRole("link").click()
    await shown(`it stays on 1.0.0: ${error}`)
    await peer.leave()
  })

  it("gives many that are chosen tags at once, and begins a job on them", async () => {
    await menu("Daemons")
    for (const name of ["build-2", "build-3"]) await page.getByLabel(`Choose ${name}`).check()
    await page.getByLabel("Tags for the chosen").fill("ring=2 env-")
    await page.getByRole("button", { name: "Tag", exact: true }).click()
    await row("Daemons", "build-2").getByText("ring=2").waitFor()
    await row("Daemons", "build-3").getByText("ring=2").waitFor()
    await page.getByRole("link", { name: "Run a job" }).click()
    expect(await page.getByLabel("On the 2 machines that are chosen").isChecked()).toBe(true)
    await page.getByLabel("Command").fill("true")
    await page.getByRole("button", { name: "Start the job" }).click()
    await page.getByRole("heading", { name: "terminal exec", level: 1 }).waitFor()
    await page.getByLabel("State of the machines").selectOption({ label: "All" })
    await until("both are there", async () => (await rows("Machines of the job").count()) === 2)
    // what it does meanwhile takes nothing out of sight
    await page.evaluate(`new MutationObserver(() => {
      window.wasEmpty ||= document.querySelector("[aria-label='Machines of the job']")?.children.length === 0
    }).observe(document.querySelector("main"), { childList: true, subtree: true })`)
    const jobId = new URL(page.url()).hash.split("/").at(-1)!
    const readAgain = page.waitForResponse((answer) => answer.url().includes("/targets"))
    const { accountId } = world.owner
    const progress = { event: "job:progress", payload: { jobId }, timestamp: world.hub.now() }
    await world.hub.inside(Effect.map(Bus, (bus) => bus.publish("event_happened", { accountId, ...progress })))
    await (await readAgain).finished()
    await drawn()
    expect(await page.evaluate("window.wasEmpty ?? false")).toBe(false)
    await menu("Daemons")
    await page.getByRole("button", { name: "Choose none" }).click()
    await page.getByRole("region", { name: "Chosen machines" }).waitFor({ state: "detached" })
  })

  it("gives tags to those of the chosen that are still there, and sends no text where a number is asked for", async () => {
    const { daemonId } = await enrol("build-0", {})
    await menu("Jobs")
    await menu("Daemons")
    for (const name of ["build-0", "build-2"]) await page.getByLabel(`Choose ${name}`).check()
    const session = await world.owner.session()
    expect((await world.hub.request("DELETE", `/api/v1/daemons/${daemonId}`, { session })).status).toBe(200)
    await page.getByLabel("Tags for the chosen").fill("ring=3")
    await page.getByRole("button", { name: "Tag", exact: true }).click()
    await shown("It is not there, or no longer.")
    await menu("Jobs")
    await menu("Daemons")
    await row("Daemons", "build-2").getByText("ring=3").waitFor()
    await page.getByRole("link", { name: "Run a job" }).click()
    await page.getByLabel("Command").fill("true")
    await page.getByLabel("Stop after so many failures").fill("three")
    await page.getByRole("button", { name: "Start the job" }).click()
    expect(await page.evaluate("document.activeElement.validity.patternMismatch")).toBe(true)
    await menu("Daemons")
    await page.getByRole("button", { name: "Choose none" }).click()
  })

  it("goes to a machine or a view by a key and its name, and to the search by another", async () => {
    await page.keyboard.press("/")
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Search machines")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "A view or a machine" }).fill("build-3")
    await page.getByRole("option", { name: "build-3" }).waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "build-3", level: 1 }).waitFor()
    await page.keyboard.press("Control+k")
    // what is typed before it has the focus goes nowhere
    await page.getByRole("combobox", { name: "A view or a machine" }).and(page.locator(":focus")).waitFor()
    await page.keyboard.type("audit")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor()
  })

  it("makes a join key whose machines have these tags, sees who joined by it, ends it, and finds both in the audit log", async () => {
    await menu("Join keys")
    await page.getByLabel("Name").fill("farm")
    await page.getByLabel("Tags of the machines").fill("env=prod, gpu")
    await page.getByLabel("For how many machines").fill("3")
    await click("Create the join key")
    const key = await page.getByRole("region", { name: "The new join key." }).locator("pre").textContent()
    await click("I have stored it")
    const joined = await world.hub.request("POST", "/api/v1/daemons/join", { key: key!, body: { name: "seven" } })
    expect(joined.status).toBe(201)
    await menu("Daemons")
    await menu("Join keys")
    await row("Join keys", "farm").getByText("1 of 3 machines").waitFor()
    await row("Join keys", "farm").getByText("env=prod, gpu").waitFor()
    await row("Join keys", "farm").getByRole("button", { name: "End" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "End" }).click()
    await shown("There is no join key.")
    await menu("Audit log")
    for (const action of ["join_key.created", "join_key.removed"]) await row("Audit log", action).first().waitFor()
  })

  it("makes a key and a webhook for a part of the fleet, and sees which part", async () => {
    await menu("API keys")
    await page.getByLabel("Name").fill("for prod")
    await page.getByLabel("Only for daemons with these tags").fill("env == prod")
    await click("Create the key")
    await row("API keys", "for prod").getByText("only env=prod").waitFor()
    await menu("Webhooks")
    await page.getByLabel("Address").fill(world.receiver.url("/prod"))
    await page.getByLabel("Only of daemons with these tags").fill("env=prod")
    await click("Create the webhook")
    await row("Webhooks", "/prod").getByText("only env=prod").waitFor()
  })
})

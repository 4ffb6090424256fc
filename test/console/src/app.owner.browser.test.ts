/** The owner's way through the console, in a real browser before a real hub with a real daemon and agent. */
import type { Page, Route } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import type { Daemon } from "../../../daemon/daemon.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"
import { onPage, signIn, startConsoleWorld } from "../console-hub.ts"

describe("the owner", () => {
  const world = useStarted(() => startConsoleWorld(testFolder("console")))
  let page: Page
  let { shown, click, menu, row } = {} as ReturnType<typeof onPage>
  let daemon: Daemon
  let token: string
  beforeAll(async () => {
    page = (await world.open()).page
    ;({ shown, click, menu, row } = onPage(page))
  })

  /** The next call of this method says more; others of the page, which may come first, are left alone. */
  const asking = async (method: string, more: object): Promise<void> => {
    let isDone = false
    await page.route("**/api/v1/webhooks**", (route) => {
      const request = route.request()
      if (isDone || request.method() !== method) return route.fallback()
      isDone = true
      return route.continue({ postData: JSON.stringify({ ...(request.postDataJSON() as object), ...more }) })
    })
  }

  it("is told that this hub has no provider", async () => {
    await click("Sign in at your provider")
    expect(await page.getByRole("alert").textContent()).toBe("This hub has no provider to sign in at.")
    await page.reload()
  })

  it("is told when the password is wrong, and signs in with the right one", async () => {
    const field = page.getByLabel("Password")
    // hidden, and open to a password manager
    expect(await field.getAttribute("type")).toBe("password")
    expect(await field.getAttribute("autocomplete")).toBe("current-password")
    await signIn(page, world.owner.email, "a wrong one")
    expect(await page.getByRole("alert").textContent()).toBe("E-mail address or password is wrong.")
    await signIn(page, world.owner.email)
    await shown("No machine is enrolled yet.")
    await shown("Live")
  })

  it("enrols a machine by the command to paste, and sees it connect", async () => {
    await menu("Enrol a machine")
    await page.getByLabel("Name").fill("Build 7")
    await click("Make a key")
    const command = await page.getByRole("region", { name: "Command for the machine" }).textContent()
    const origin = new URL(page.url()).origin
    const [, key] = /HUB_JOIN_KEY=(hubj_\w+) /u.exec(command ?? "")!
    expect(command).toBe(
      `curl -fsSL ${origin}/install.sh | HUB_JOIN_KEY=${key} sh -s -- --url ${origin} --name 'Build 7'`
    )
    const joined = await world.hub.request("POST", "/api/v1/daemons/join", { key, body: { name: "Build 7" } })
    token = joined.body.token
    daemon = world.connect(token, "Build 7")
    await page.getByRole("link", { name: "Go to the daemon" }).click()
    await page.getByRole("heading", { name: "Build 7", level: 1 }).waitFor()
  })

  it("sees a machine go and come back without a reload", async () => {
    await menu("Daemons")
    await row("Daemons", "online").waitFor()
    // the list is read again a while after each event: what the events say is shown before that is answered
    const [readings, held] = [/\/api\/v1\/daemons\?/u, [] as Array<Route>]
    await page.route(readings, (route) => void held.push(route))
    await daemon.stop()
    await row("Daemons", "offline").waitFor()
    daemon = world.connect(token, "Build 7")
    await row("Daemons", "online").waitFor()
    await Promise.all(held.map((route) => route.continue()))
    await page.unroute(readings)
  })

  it("follows no stream in a tab that is hidden, and misses nothing when it is seen again", async () => {
    const turn = (state: string) =>
      page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true })
        document.dispatchEvent(new Event("visibilitychange"))`)
    const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/api/v1/events?"))
    await turn("hidden")
    await ended
    await daemon.stop()
    await turn("visible")
    await row("Daemons", "offline").waitFor()
    daemon = world.connect(token, "Build 7")
    await row("Daemons", "online").waitFor()
  })

  it("runs a command, and sees its output and its exit code", async () => {
    await page.getByRole("link", { name: /Build 7/u }).click()
    await page.getByRole("textbox", { name: "Command" }).fill("printf 'one\\ntwo\\n'; exit 3")
    await click("Run")
    await shown(/Exit code 3 after/u)
    await row("Kept commands", "exit 3").first().waitFor()
    expect(await page.getByRole("region", { name: /^Output of/u }).textContent()).toBe("one\ntwo\n")
    await row("Kept commands", "terminal").getByRole("button").click()
    await page.getByRole("region", { name: /^Result of/u }).waitFor()
  })

  it("brings back by the arrow what was run, and runs a command on the machines that are chosen", async () => {
    const box = page.getByRole("textbox", { name: "Command" })
    const outputs = page.getByRole("region", { name: "Output of" })
    await box.press("ArrowUp")
    await click("Run")
    await until("another run is shown", async () => (await outputs.count()) > 1)
    await menu("Daemons")
    await page.getByRole("checkbox").first().check()
    await page.getByRole("link", { name: "Terminals" }).click()
    await box.fill("echo of several")
    await click("Run")
    await page.getByRole("region", { name: /^Output of echo of several on dmn_/u }).waitFor()
    for (let back = 0; back < 2; back++) await page.goBack()
  })

  it("cancels a command that goes on", async () => {
    await page.getByRole("textbox", { name: "Command" }).fill("echo begun; sleep 600")
    await click("Run")
    await shown("begun")
    await click("Cancel")
    await page.locator(".run .badge", { hasText: "cancelled" }).waitFor()
  })

  it("launches an agent, writes to it, and answers what it asks", async () => {
    await click("Launch")
    await page.getByRole("list", { name: "Sessions" }).getByRole("link").click()
    await page.getByLabel("Message").fill("ask")
    await page.getByLabel("Message").press("Enter")
    const question = page.getByRole("region", { name: "The agent asks" })
    await question.getByText("Remove the build folder").waitFor()
    await question.getByRole("button", { name: "Once" }).click()
    await question.waitFor({ state: "detached" })
    await shown("answered once")
    await shown("approved")
  })

  it("answers only the question that was read: another one is said, and nothing is answered", async () => {
    await page.getByLabel("Message").fill("ask")
    await click("Send")
    const question = page.getByRole("region", { name: "The agent asks" })
    await question.waitFor()
    await page.route("**/approvals/*", async (route) => {
      const body = { ...(route.request().postDataJSON() as object), promptId: "another" }
      await route.continue({ postData: JSON.stringify(body) })
    })
    await question.getByRole("button", { name: "Once" }).click()
    expect(await question.getByRole("alert").textContent()).toContain("The agent asks something else by now.")
    await page.unroute("**/approvals/*")
    await question.getByRole("button", { name: "Always" }).click()
    await shown("answered always")
  })

  it("is told that a stream was lost, and that it is open again", async () => {
    await menu("Daemons")
    await Promise.all([shown("Live"), row("Daemons", "online").waitFor()])
    const lost = Promise.all([shown("Reconnecting…"), row("Daemons", "not known").waitFor()])
    // a hub that is back at once is not seen to be away
    await world.hub.restart({}, lost)
    await shown("Live")
    await row("Daemons", "online").waitFor()
  })

  it("sees a view that failed while the hub was away come back by itself", async () => {
    await page.route("**/api/v1/webhooks*", (route) => route.abort())
    await menu("Webhooks")
    await shown("The hub was not reached.")
    await page.unroute("**/api/v1/webhooks*")
    await world.hub.restart()
    await shown("There is no webhook yet.")
    await shown("Live")
  })

  it("stays signed in when a proxy before the hub answers 401", async () => {
    await page.route("**/api/v1/webhooks*", (route) => route.fulfill({ status: 401, body: "<h1>Who are you?</h1>" }))
    await menu("Daemons")
    await menu("Webhooks")
    await shown("Something before the hub answered 401.")
    await page.unroute("**/api/v1/webhooks*")
    await click("Try again")
    await shown("There is no webhook yet.")
  })

  it("creates a webhook, stores its secret, tests it and sees the delivery", async () => {
    await menu("Webhooks")
    await page.getByLabel("Address").fill(world.receiver.url("/hooks"))
    await asking("POST", { events: ["*", "daemon:conect"] })
    await click("Create the webhook")
    await shown('"daemon:conect" is no event; did you mean daemon:connect.')
    await page
      .getByRole("region", { name: "The webhook's secret." })
      .first()
      .getByText(/^whsec_/u)
      .waitFor()
    await click("I have stored it")
    await row("Webhooks", "/hooks").getByRole("link").click()
    await click("Send a test")
    await shown("The test arrived: answered 200.")
    // events of the machine may come at any time beside it
    const tests = () => world.receiver.at("/hooks").filter(({ body }) => body["event"] === "webhook:test")
    expect(tests()).toHaveLength(1)
    await row("Deliveries", "webhook:test").getByRole("button").click()
    await click("Show the request")
    await page.getByRole("region", { name: "The same with curl" }).getByText("x-service-signature: t=").waitFor()
    await click("Send again")
    await until("it is sent again", () => tests().length === 2)
  })

  it("pauses, resumes, rotates, recovers and deletes a webhook", async () => {
    await asking("PATCH", { actve: false })
    await click("Pause")
    await shown("actve")
    await click("Resume")
    await click("Rotate the secret")
    await page.getByRole("dialog").getByRole("button", { name: "Rotate the secret" }).click()
    await page
      .getByRole("region", { name: "The new secret." })
      .first()
      .getByText(/^whsec_/u)
      .waitFor()
    await click("I have stored it")
    await click("Recover")
    await shown("0 deliveries are sent again.")
    await click("Delete")
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await shown("There is no webhook yet.")
  })

  it("sees the latest calls of the API, and finds those that were refused", async () => {
    const session = await world.owner.session()
    const ask = (path: string) => world.hub.request("GET", `/api/v1${path}`, { session })
    await ask("/daemons/dmn_00000000000000000000/status")
    // asked of the hub: a refresh of the page ends the one before, and is itself one of the latest calls
    await until("it is in the log", async () => (await ask("/requests?status=4xx&pathContains=dmn_0")).body.requests[0])
    await menu("Requests")
    await page.getByLabel("Callers").selectOption("all")
    await page.getByLabel("Answers").selectOption("4xx")
    await row("Requests", "dmn_00000000000000000000").waitFor()
    await row("Requests", "404 NOT_FOUND").waitFor()
    await page.getByLabel("Path contains").fill("nothing-like-this")
    await page.keyboard.press("Enter")
    await shown("There is no such request.")
  })

  it("creates a key that works, and revokes it", async () => {
    await menu("API keys")
    await page.getByLabel("Name").fill("reader")
    await click("Create the key")
    const key = (await page.getByRole("region", { name: "The new key." }).getByText(/^hub_/u).textContent())!
    const ask = async () => (await world.hub.request("GET", "/api/v1/daemons", { key })).status
    expect(await ask()).toBe(200)
    await click("I have stored it")
    await row("API keys", "reader").getByRole("button", { name: "Revoke" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
    await shown("There is no key.")
    expect(await ask()).toBe(401)
  })

  it("allows a program the key that it asks for, less what was taken away, and refuses another", async () => {
    const anyone = (path: string, body: unknown) => world.hub.request("POST", `/api/v1/auth/device${path}`, { body })
    const begin = async (name: string) => (await anyone("", { name, scopes: ["ide:read", "terminal:exec"] })).body
    const allowed = await begin("a container")
    await page.getByRole("link", { name: "Give it a key of its own" }).click()
    await page.getByLabel("Code").fill("WWWW-WWWW")
    await click("Look it up")
    await shown("It is not there, or no longer.")
    await page.getByLabel("Code").fill(allowed.userCode.toLowerCase())
    await click("Look it up")
    await shown(allowed.userCode)
    await page.getByRole("checkbox", { name: /terminal:exec/u }).uncheck()
    await click("Allow")
    await shown("a container gets its key within seconds.")
    const { status, body } = await anyone("/token", { deviceCode: allowed.deviceCode })
    expect([status, body.scopes]).toEqual([201, ["ide:read"]])
    const refused = await begin("another")
    await page.goto(`${world.hub.url}${refused.verificationUriComplete}`)
    await click("Refuse")
    await shown("another was refused.")
    expect((await anyone("/token", { deviceCode: refused.deviceCode })).body.reason).toBe("ACCESS_DENIED")
    await page.getByRole("link", { name: "All keys" }).click()
    await row("API keys", "a container").waitFor()
  })

  it("sees what the plan allows and what of it is used", async () => {
    await menu("Usage")
    await page.getByRole("img", { name: /^Daemons: \d+ % used$/u }).waitFor()
    await page.getByRole("img", { name: /^Calls in \d{4}-\d{2}/u }).waitFor()
  })

  it("chooses a theme that stays", async () => {
    await page.getByLabel("Theme").selectOption("dark")
    await page.reload()
    await page.getByRole("heading", { name: "Usage" }).waitFor()
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark")
  })
})

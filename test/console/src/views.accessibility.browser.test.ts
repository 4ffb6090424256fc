/** Every view of the console: accessible in both themes, no wider than a phone, reached and used by key alone. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { sideways, violations } from "../../support/browser.ts"
import { addClient, connectApp, queryOf, withOAuth } from "../../support/connecting-app.ts"
import { root } from "../../support/root.ts"
import { atNight } from "../../support/run-sizes.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"
import { type ConsoleWorld, password, signIn, startConsoleWorld } from "../console-hub.ts"

const api = "/api/v1"
/** Set, the screenshots of the documents are made again: `HUB_SCREENSHOTS=1 ./hub test test/console/views`. */
const makesScreenshots = process.env["HUB_SCREENSHOTS"] !== undefined
const screenshots = join(root, "docs/images")
const shown = ["question-light", "question-phone", "daemon-dark"]

interface Inhabited {
  readonly daemonId: string
  /** A session in which something of each kind happened, and one whose agent asks. */
  readonly sessionId: string
  readonly askingId: string
  readonly webhookId: string
  /** The code of a program that waits for a key. */
  readonly userCode: string
  /** The query of an app that asks to be let in. */
  readonly appQuery: string
  readonly invitation: string
  /** It failed on its only machine. */
  readonly jobId: string
}

/** Gives every view something to show. */
const inhabit = async (world: ConsoleWorld): Promise<Inhabited> => {
  const { hub, owner, receiver } = world
  const session = await owner.session()
  const post = async (path: string, body: unknown = {}, headers: Record<string, string> = {}) => {
    const answer = await hub.request("POST", `${api}${path}`, { session, body, headers })
    expect(answer.status, path).toBeLessThan(300)
    return answer.body
  }
  const { daemonId, token } = await post("/daemons/enroll", { name: "build-7" })
  const { daemonId: laptopId } = await post("/daemons/enroll", { name: "laptop" })
  for (const [id, tags] of [
    [daemonId, { env: "prod", gpu: "" }],
    [laptopId, { owner: "x".repeat(63), [`team/${"y".repeat(50)}`]: "z".repeat(63) }]
  ] as const) {
    await hub.request("PUT", `${api}/daemons/${id}/tags`, { session, body: { tags } })
  }
  world.connect(token, "build-7")
  const status = async () => (await hub.request("GET", `${api}/daemons/${daemonId}/status`, { session })).body
  await until("the daemon is online", async () => (await status()).online && (await status()).availableProviders[0])
  await post(`/daemons/${daemonId}/terminal`, { command: "git status" }, { prefer: "respond-async" })
  const launch = async (type: string): Promise<string> => {
    const { result } = await post(`/shortcuts/${daemonId}/launch`, { type })
    await until("it is reported", async () => (await status()).sessions.length > 0)
    return result.sessionId
  }
  const say = (id: string, message: string) =>
    post(`/shortcuts/${daemonId}:session:${id}/chat?wait=approval`, { message })
  const sessionId = await launch("tester")
  await say(sessionId, "show")
  const askingId = await launch("sample")
  await say(askingId, "Which of the tests fail?")
  await say(askingId, "Please delete the build folder, then run them again")
  const { id: webhookId } = await post("/webhooks", { url: receiver.url("/hooks"), events: ["*"], selector: "gpu" })
  await post(`/webhooks/${webhookId}/test`)
  const reader = await post("/api-keys", { name: "reader", scopes: ["ide:read", "agent:read"], expiresAt: null })
  await hub.request("GET", `${api}/daemons`, { key: reader.key })
  const { token: invitation } = await post("/invitations", {
    email: "invited@example.org",
    role: "viewer",
    selector: "env=ci"
  })
  const { id: serviceId } = await post("/service-accounts", { name: "deploy", role: "operator" })
  await post(`/service-accounts/${serviceId}/keys`)
  const { userCode } = await post("/auth/device", { name: "hub login on laptop", scopes: ["ide:read", "agent:read"] })
  const appQuery = queryOf(await addClient(hub, { redirectUris: ["http://localhost/callback"] }), {
    redirect_uri: "http://localhost:4242/callback"
  })
  await connectApp(hub, session, await addClient(hub, { name: "An app that is let in" }))
  const { jobId } = await post("/jobs", {
    type: "terminal_exec",
    payload: { command: "exit 3" },
    daemonIds: [daemonId]
  })
  const jobOf = async () => (await hub.request("GET", `${api}/jobs/${jobId}`, { session })).body
  await until("the job has ended", async () => (await jobOf()).state === "completed")
  return { daemonId, sessionId, askingId, webhookId, userCode, appQuery, invitation, jobId }
}

describe("every view of the console", () => {
  const world = useStarted(() => startConsoleWorld(testFolder("views"), withOAuth))
  let at: Inhabited
  beforeAll(async () => {
    at = await inhabit(world)
    if (makesScreenshots) mkdirSync(screenshots, { recursive: true })
  })

  /** Each view by its route, and what is there once it has been read. */
  const views = (): ReadonlyArray<readonly [name: string, route: string, ready: string]> => [
    ["daemons", "#/daemons", "laptop"],
    ["daemon", `#/daemons/${at.daemonId}`, "terminal exec"],
    ["session", `#/daemons/${at.daemonId}/sessions/${at.sessionId}`, "first part"],
    ["question", `#/daemons/${at.daemonId}/sessions/${at.askingId}`, "Its answers are also at the keys from 1 on."],
    ["jobs", "#/jobs", "Start the job"],
    ["job", `#/jobs/${at.jobId}`, "exit 3"],
    ["webhooks", "#/webhooks", "/hooks"],
    ["webhook", `#/webhooks/${at.webhookId}`, "webhook:test"],
    ["keys", "#/keys", "reader"],
    ["device", `#/device/${at.userCode}`, "hub login on laptop"],
    ["apps", "#/apps", "An app that is let in"],
    ["authorize", `#/authorize?${at.appQuery}`, "That is a program on this computer."],
    ["refused app", `#/authorize?${at.appQuery}&scope=x`, "It gives scope twice."],
    ["connect agent", "#/connect-agent", "opencode"],
    ["join keys", "#/join-keys", "Create the join key"],
    ["people", "#/people", "invited@example.org"],
    ["invitation", `#/invitation/${at.invitation}`, "invited@example.org"],
    ["service accounts", "#/service-accounts", "New key of deploy"],
    ["requests", "#/requests", "key reader"],
    ["audit", "#/audit", "daemon.enrolled"],
    ["usage", "#/usage", "Kept commands"],
    ["settings", "#/settings", "New password"],
    ["enrol", "#/enrol", "Make a key"],
    ["unknown", "#/nowhere", "Nothing is at this address."]
  ]
  const go = async (page: Page, route: string, ready: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(route)}`)
    await page.getByText(ready).first().waitFor()
  }

  it.each([
    ["light", 1_280, "all"],
    // the themes differ in their colours alone, the widths in all but them
    ["dark", 1_280, "colours"],
    ["light", 390, "other than colours"]
  ] as const)(
    "is accessible in the %s theme, %i pixels wide, and nothing scrolls sideways",
    async (scheme, width, inGate) => {
      const options = { colorScheme: scheme, viewport: { width, height: 800 } }
      const rules = atNight ? "all" : inGate
      const { page } = await world.open("", options)
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor()
      expect(await violations(page, rules)).toEqual([])
      await signIn(page, world.owner.email)
      await page.getByRole("navigation", { name: "Main" }).waitFor()
      for (const [name, route, ready] of views()) {
        await go(page, route, ready)
        expect(await violations(page, rules), name).toEqual([])
        expect(await sideways(page), name).toBe(0)
        const kind = width === 390 ? "phone" : scheme
        const file = `${name}-${kind}`
        if (makesScreenshots && shown.includes(file))
          await page.screenshot({ path: join(screenshots, `console-${file}.png`) })
      }
    }
  )

  it("has a header of one row on a phone, and lets nothing stick where a low screen would be covered", async () => {
    const { page } = await world.openSignedIn()
    await go(page, `#/daemons/${at.daemonId}/sessions/${at.askingId}`, "Its answers are also at the keys from 1 on.")
    const lookOf = async (width: number, height: number) => {
      await page.setViewportSize({ width, height })
      return page.evaluate<[string, string, number]>(`[
        getComputedStyle(document.querySelector(".top")).position,
        getComputedStyle(document.querySelector(".say")).position,
        new Set([...document.querySelectorAll(".top > *")].filter((one) => one.offsetHeight > 0)
          .map((one) => Math.round((one.offsetTop + one.offsetHeight / 2) / 8))).size
      ]`)
    }
    expect(await lookOf(1_280, 800)).toEqual(["sticky", "sticky", 1])
    expect(await lookOf(390, 800)).toEqual(["sticky", "sticky", 1])
    expect(await lookOf(320, 256)).toEqual(["static", "static", 1])
    expect(await sideways(page)).toBe(0)
  })

  it("would be found out if it were not accessible", async () => {
    const { page } = await world.open()
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor()
    await page.evaluate(`document.querySelector("label").remove()`)
    expect((await violations(page)).map((one) => one.split(":")[0])).toEqual(["label"])
  })

  it("has a palette that is accessible, and closes without going anywhere", async () => {
    const { page } = await world.openSignedIn()
    await page.getByText("laptop").waitFor()
    await page.keyboard.press("Control+k")
    await page.getByRole("option", { name: "Audit log" }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await page.getByRole("heading", { name: "Daemons", level: 1 }).isVisible()).toBe(true)
  })

  it("opens at its own address", async () => {
    const { page } = await world.openSignedIn(`#/webhooks/${at.webhookId}`)
    await page.getByRole("heading", { name: "Webhook", level: 1 }).waitFor()
    await page.reload()
    await page.getByText("webhook:test").first().waitFor()
  })

  it("is left and reached by key alone, with the focus seen", async () => {
    const { page } = await world.openSignedIn()
    await page.getByText("laptop").waitFor()
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    for (const label of ["Search machines", "State", "Update", "Filter by tags", "Order", "Choose build-7"]) {
      expect(await page.evaluate("document.activeElement.ariaLabel")).toBe(label)
      await page.keyboard.press("Tab")
    }
    expect(await page.evaluate("document.activeElement.textContent")).toContain("build-7")
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "build-7", level: 1 }).waitFor()
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1")
  })

  it("asks for the password where the hub wants a recent login, and goes on; or leaves it", async () => {
    const token = await world.owner.session({ ageSeconds: 86_400 })
    const { page } = await world.open()
    const place = { domain: "127.0.0.1", path: "/", secure: true }
    await page.context().addCookies([{ name: "__Host-hub_console", value: token, ...place }])
    await page.evaluate(`location.hash = "#/keys"`)
    await page.reload()
    await page.getByLabel("Name").fill("later")
    const create = () => page.getByRole("button", { name: "Create the key" }).click()
    const dialog = page.getByRole("dialog", { name: "Is it you?" })
    await create()
    await dialog.waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    await create()
    await dialog.getByLabel("Password").fill("a wrong one")
    await dialog.getByRole("button", { name: "Go on" }).click()
    await dialog.getByText("E-mail address or password is wrong.").waitFor()
    await dialog.getByLabel("Password").fill(password)
    await dialog.getByRole("button", { name: "Go on" }).click()
    await page.getByRole("region", { name: "The new key." }).first().waitFor()
    expect((await world.hub.request("GET", `${api}/me`, { session: token })).status).toBe(401)
  })

  it("goes back to the sign-in, and says why, when the session has ended elsewhere", async () => {
    const { page } = await world.openSignedIn("#/usage")
    await page.getByRole("img").first().waitFor()
    const session = await world.owner.session()
    await world.hub.request("POST", `${api}/auth/logout-others`, { session })
    await page.getByText("Your session has ended. Please sign in again.").waitFor()
  })
})

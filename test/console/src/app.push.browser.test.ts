/**
 * The console of a person who is told of questions by their browser, on a phone. Chromium without a head has no push
 * service: here the page's subscription is one of the push service of the tests, which checks the sender and decrypts;
 * the text goes to the page's own worker, and a press of a button too, as an event that the test makes there.
 */
import type { CDPSession, Page, Worker } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sideways, violations } from "../../support/browser.ts"
import { reported } from "../../support/connected-daemon.ts"
import { startPushService } from "../../support/push/push-service.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"
import { onPage, password, signIn, startConsoleWorld } from "../console-hub.ts"

const asks = (promptId: string) =>
  reported("s1", {
    status: "waiting_approval",
    activeModal: {
      promptId,
      message: `Run ${promptId}?`,
      buttons: ["Yes", "No"],
      subject: { action: "execute", resource: "git push" }
    }
  })

/** In the page: its browser subscribes at the push service of the tests. */
const subscribesAt = `(given) => {
  let now = null
  PushManager.prototype.getSubscription = async () => now
  PushManager.prototype.subscribe = async ({ applicationServerKey }) =>
    (now = {
      toJSON: () => ({ ...given, expirationTime: null }),
      unsubscribe: async () => ((now = null), true),
      applicationServerKey
    })
}`

/** In the worker: its push service sends this. (A message that DevTools delivers is dropped now and then.) */
const arrives = `async (data) => {
  const event = new PushEvent("push", { data })
  let shown
  // only a browser's own event keeps a worker alive
  Object.defineProperty(event, "waitUntil", { value: (work) => (shown = work) })
  dispatchEvent(event)
  await shown
}`

/** In the worker: a person presses a button of its notification, or the notification itself. */
const press = `async (action) => {
  const [notification] = await registration.getNotifications()
  const event = new NotificationEvent("notificationclick", { notification, action })
  // only a browser's own event keeps a worker alive
  Object.defineProperty(event, "waitUntil", { value: (work) => void work.catch(() => undefined) })
  dispatchEvent(event)
}`

describe("the person whose browser is told", () => {
  const world = useStarted(() => startConsoleWorld(testFolder("told")))
  let service: Awaited<ReturnType<typeof startPushService>>
  let browser: ReturnType<typeof service.browser>
  let page: Page
  let peer: Peer
  let tools: CDPSession
  let { shown, click, menu } = {} as ReturnType<typeof onPage>
  beforeAll(async () => {
    service = await startPushService()
    browser = service.browser("/phone")
    peer = await connectDaemon(world.hub, (await world.owner.daemonToken()).token, { report: [] })
    const phone = { viewport: { width: 390, height: 844 }, permissions: ["notifications"] }
    page = (await world.openSignedIn("#/settings", phone)).page
    ;({ shown, click, menu } = onPage(page))
    await page.evaluate(`(${subscribesAt})(${JSON.stringify(browser.body)})`)
    tools = await page.context().newCDPSession(page)
  })
  afterAll(async () => {
    await service?.close()
  })

  /** What the page's worker shows. */
  const notifications = () =>
    page.evaluate(`navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) =>
      all.map(({ title, body, actions }) => ({ title, body, actions: actions.map(({ action }) => action) })))`)
  const worker = (): Worker => page.context().serviceWorkers()[0]!
  const pressed = (action: string) => worker().evaluate(`(${press})(${JSON.stringify(action)})`)
  /** Has the agent ask, and the browser take what its push service was sent of it. */
  const asked = async (promptId: string) => {
    const before = service.sent(browser).length
    peer.report([asks(promptId)])
    const { said } = await until("the message", () => service.sent(browser)[before])
    await until("the worker is active", () =>
      page.context().serviceWorkers()[0]?.evaluate("registration.active !== null")
    )
    await worker().evaluate(`(${arrives})(${JSON.stringify(JSON.stringify(said))})`)
    return until("it is shown", async () => {
      const all = (await notifications()) as ReadonlyArray<{ readonly title: string; readonly body: string }>
      return all.find(({ title }) => title === `Run ${promptId}?`)
    })
  }

  it("is an app that can be installed, and turns it on in the settings", async () => {
    const { errors, data } = await tools.send("Page.getAppManifest")
    expect([errors, JSON.parse(data ?? "").start_url]).toEqual([[], "/console"])
    await click("Tell this browser")
    await shown("This browser is told of questions.")
    expect(await violations(page)).toEqual([])
    expect(await sideways(page)).toBe(0)
  })

  it("is shown the title of a question, and rejects it by its button", async () => {
    expect(await asked("p1")).toEqual({ title: "Run p1?", body: "", actions: ["approve", "reject"] })
    await pressed("reject")
    const command = await peer.nextCommand()
    expect(command.payload).toMatchObject({ action: "reject", promptId: "p1", by: "person" })
    command.succeed({})
    peer.report([])
    await until("it is gone", async () => ((await notifications()) as ReadonlyArray<unknown>).length === 0)
  })

  it("is shown what a question is about where they wish it, and told why an answer came too late", async () => {
    await page.getByLabel("Show what a question is about").check()
    await until("it is so at the hub", async () => {
      const { body } = await world.hub.request("GET", "/api/v1/push-subscriptions", {
        session: await world.owner.session()
      })
      return body.subscriptions.length === 1 && body.subscriptions[0].showsSubject
    })
    expect(await asked("p2")).toMatchObject({ body: "execute: git push" })
    peer.report([])
    await until("nothing waits", async () => {
      const { body } = await world.hub.request("GET", "/api/v1/approvals", { session: await world.owner.session() })
      return body.total === 0
    })
    await pressed("approve")
    await until("it says so", async () =>
      JSON.stringify(await notifications()).includes("Not answered. The question is answered already.")
    )
    await pressed("")
    await page.waitForFunction("location.hash === '#/approvals'")
  })

  const path = "/api/v1/push-subscriptions"
  const subscriptions = async (): Promise<ReadonlyArray<{ readonly origin: string; readonly showsSubject: boolean }>> =>
    (await world.hub.request("GET", path, { session: await world.owner.session() })).body.subscriptions
  const told = async () => (await subscriptions()).length
  const subscribed = () =>
    page.evaluate("navigator.serviceWorker.ready.then((w) => w.pushManager.getSubscription()).then((one) => !!one)")

  it("is told as before once they have signed out everywhere else, and no other browser is", async () => {
    const lost = service.browser("/lost").body
    await world.hub.request("POST", path, { session: await world.owner.session(), body: lost })
    expect(await told()).toBe(2)
    await menu("Settings")
    await click("Sign out everywhere else")
    await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere else" }).click()
    await shown("other sessions have ended.")
    await shown("This browser is told of questions.")
    expect(await subscriptions()).toMatchObject([{ showsSubject: true }])
    expect(await asked("p3")).toMatchObject({ body: "execute: git push" })
    peer.report([])
  })

  it("is told nothing more once they have signed out", async () => {
    await click("Sign out")
    await until("the hub knows of no browser", async () => (await told()) === 0)
    expect(await subscribed()).toBe(false)
  })

  it("is told nothing more once another person signs in there", async () => {
    await signIn(page, world.owner.email)
    await menu("Settings")
    await click("Tell this browser")
    await until("the hub knows of it", async () => (await told()) === 1 && (await subscribed()))
    // their session ends without a sign-out
    await world.hub.request("POST", "/api/v1/auth/logout-others", { session: await world.owner.session() })
    await page.reload()
    await page.evaluate(`(${subscribesAt})(${JSON.stringify(browser.body)})`)
    await page.evaluate("navigator.serviceWorker.ready.then((w) => w.pushManager.subscribe({}))")
    await signIn(page, (await world.hub.account({ password })).email)
    await until("the browser has no subscription", async () => !(await subscribed()))
  })
})

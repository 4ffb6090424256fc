/** The reference in a real browser: accessible, searched, and calling a real hub with the reader's own key. */
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { type SeenPage, sideways, startBrowser, type TestBrowser, violations } from "../../support/browser.ts"
import { given } from "../../support/given.ts"
import { useHub } from "../../support/hub.ts"
import { atNight } from "../../support/run-sizes.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"

describe("the reference in a browser", () => {
  const hub = useHub()
  const browser = useStarted(() => startBrowser())
  /** Of a reader who goes on from test to test. */
  let reader: SeenPage
  beforeAll(async () => {
    reader = await opened()
  })

  const opened = async (options?: Parameters<TestBrowser["open"]>[0], hash = ""): Promise<SeenPage> => {
    const seen = await browser.open(options)
    await seen.page.goto(`${hub.url}/docs${hash}`)
    await seen.page.locator("#search").waitFor()
    return seen
  }
  const tried = async (page: Page, operation: string) => {
    const article = page.locator(`article[id="${operation}"]`)
    await article.getByText("Try it").click()
    const send = async () => {
      await article.getByRole("button", { name: "Send" }).click()
      await article.locator("[role=status]", { hasText: /^\d{3}/u }).waitFor()
      return (await article.locator("[role=status]").textContent())!
    }
    /** The JSON of the answer, whose body comes behind its status. */
    const shown = () => until("it is shown", async () => JSON.parse((await article.locator("output").textContent())!))
    return { article, send, shown }
  }

  for (const colorScheme of ["light", "dark"] as const) {
    it(`is accessible in the ${colorScheme} theme, and no wider than a phone`, async () => {
      const { page, faults } = await opened({ colorScheme, viewport: { width: 390, height: 800 } })
      await tried(page, "webhooks.create")
      if (colorScheme === "light") expect(await violations(page, "other than colours")).toEqual([])
      expect(await sideways(page)).toBe(0)
      // the themes differ in their colours alone, and all of a kind look alike: this leaves some of each
      if (!atNight) {
        await page.locator("#search").fill("webhook")
        await page.getByText(/^\d+ calls, \d+ guides?, \d+ errors?, \d+ shapes?$/u).waitFor()
      }
      expect(await violations(page, atNight ? "all" : "colours")).toEqual([])
      expect(faults).toEqual([])
    })
  }

  it("is searched by words of the title, the path or the operation's name", async () => {
    const { page } = reader
    const shown = () => page.locator("article[data-words]:visible").count()
    const all = await shown()
    await page.keyboard.press("/")
    await page.keyboard.type("terminal daemons post")
    expect(await page.locator("article[id='daemons.terminal']").isVisible()).toBe(true)
    expect(await shown()).toBeLessThan(all / 10)
    expect(await page.locator("#count").textContent()).toMatch(/^\d calls?$/u)
    await page.locator("#search").fill("nothing like this")
    expect(await page.locator("#count").textContent()).toBe("0 calls")
    await page.locator("#search").fill("")
    expect(await shown()).toBe(all)
  })

  it.each([
    ["DAEMON_OFFLINE", "#error-DAEMON_OFFLINE"],
    ["rate limit", "[id='error-RATE_LIMITED']"],
    ["abortAfterFailures", "[id='shape-JobRollout'], #long-commands"],
    ["pagination", "#pagination"],
    ["webhook signature", "#events"]
  ])("finds errors, shapes and guides: %s", async (words, at) => {
    const { page } = reader
    await page.locator("#search").fill(words)
    await page.locator(at).first().waitFor()
    expect(await page.locator("#count").textContent()).toMatch(/[1-9]\d* (?:guide|error|shape)/u)
    await page.locator("#search").fill("")
  })

  it("begins with a quick start, and names the method of each call in its menu", async () => {
    const { page } = reader
    expect(await page.locator("main article").first().getAttribute("id")).toBe("quick-start")
    expect(await page.locator("nav a[href='#daemons.terminal'] small").textContent()).toBe("POST")
  })

  it("shows all samples in the language that was chosen, also when it is opened again", async () => {
    const { page } = reader
    await page.locator("button[data-choose=Python]").first().click()
    expect(await page.locator("pre[data-language=curl]:visible").count()).toBe(0)
    await page.reload()
    await page.locator("button[data-choose=Python][aria-pressed=true]").first().waitFor()
    expect(await page.locator("pre[data-language=Python]:visible").count()).toBeGreaterThan(50)
  })

  given(() => opened({}, "#webhooks.rotateSecret"))("opens at an operation by its address", async ({ page }) => {
    const top = await page
      .locator("article[id='webhooks.rotateSecret']")
      .evaluate((one) => one.getBoundingClientRect().top)
    expect(Math.abs(top)).toBeLessThan(100)
  })

  given(() => hub.account())("calls the hub with the reader's own key, and shows what is answered", async (account) => {
    const { page, faults } = reader
    await page.locator("#credential").fill(await account.key(["ide:read"]))
    const me = await tried(page, "account.me")
    expect(await me.send()).toMatch(/^200 .*x-request-id: req_/u)
    expect((await me.shown()).account.id).toBe(account.accountId)
    const unknown = await tried(page, "daemons.status")
    await unknown.article.locator("input[name=daemonId]").fill("dmn_00000000000000000000")
    expect(await unknown.send()).toMatch(/^404/u)
    expect(faults).toEqual([])
  })

  given(() => hub.account())("shows a stream while it goes on, until it is stopped", async (account) => {
    const { page } = reader
    await page.locator("#credential").fill(await account.key(["ide:read"]))
    const { article, send } = await tried(page, "events.stream")
    expect(await send()).toContain("text/event-stream")
    await article.locator("output", { hasText: "id:" }).waitFor()
    await article.getByRole("button", { name: "Stop" }).click()
    expect((await hub.request("GET", "/healthz")).status).toBe(200)
  })

  given(() => browser.open({ javaScriptEnabled: false }))("is whole without a script", async ({ page }) => {
    await page.goto(`${hub.url}/docs`)
    expect(await page.locator("pre[data-language=curl]:visible").count()).toBeGreaterThan(50)
    expect(await page.locator("#search:visible").count()).toBe(0)
  })
})

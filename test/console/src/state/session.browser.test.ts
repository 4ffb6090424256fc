/** One sign-in for all tabs of a browser, and what keeps it. */
import type { Page, Route } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { testFolder } from "../../../support/temporary-folder.ts"
import { until } from "../../../support/until.ts"
import { useStarted } from "../../../support/use-started.ts"
import { password, signIn, startConsoleWorld } from "../../console-hub.ts"

describe("a person who has signed in", () => {
  const world = useStarted(() => startConsoleWorld(testFolder("session")))
  let page: Page
  beforeAll(async () => {
    page = (await world.openSignedIn()).page
  })

  it("is signed in in every tab of the browser, by a cookie that no script reads and no call of the API takes", async () => {
    const other = await page.context().newPage()
    await other.goto(`${world.hub.url}/console#/keys`)
    await other.getByRole("heading", { name: "API keys", level: 1 }).waitFor()
    expect(await page.evaluate("[document.cookie, sessionStorage.length]")).toEqual(["", 0])
    const [cookie] = await page.context().cookies(`${world.hub.url}/console/session`)
    expect(cookie).toMatchObject({ name: "hub_console", httpOnly: true, sameSite: "Strict", path: "/console/session" })
    const forged = (path: string, headers: Readonly<Record<string, string>>) =>
      fetch(world.hub.url + path, { headers: { cookie: `hub_console=${cookie!.value}`, ...headers } })
    expect((await forged("/api/v1/me", {})).status).toBe(401)
    expect((await forged("/console/session", { "sec-fetch-site": "cross-site" })).status).toBe(401)
    expect((await forged("/console/session", { "sec-fetch-site": "same-origin" })).status).toBe(200)
    await other.close()
  })

  it("does nothing in the account that another tab went to of what was meant for the one before", async () => {
    const second = await world.hub.account({ password })
    const session = await second.session()
    const { page: own } = await world.openSignedIn("#/keys", {})
    await own.route("**/api/v1/events*", () => undefined)
    await own.reload()
    await own.getByLabel("Name").fill("for the first account")
    const keep = `fetch("/console/session", { method: "POST", headers: { authorization: "Bearer ${session}" } })`
    const goElsewhere = async (route: Route) => {
      const [cookie] = await own.context().cookies(`${world.hub.url}/console/session`)
      await own.evaluate(keep)
      await world.hub.request("POST", "/api/v1/auth/logout", { session: cookie!.value })
      await route.continue()
    }
    await own.route("**/api/v1/api-keys", goElsewhere, { times: 1 })
    const made: Array<string | undefined> = []
    own.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/api-keys"))
        made.push(request.headers()["authorization"])
    })
    await own.getByRole("button", { name: "Create the key" }).click()
    await own.getByText(second.email).first().waitFor()
    await own.getByText("There is no key.").waitFor()
    expect(made).toEqual([expect.not.stringContaining(session)])
    await own.context().close()
  })

  it("changes the password, which ends every other session, and signs out elsewhere", async () => {
    const elsewhere = await world.owner.session()
    await page.goto(`${world.hub.url}/console#/settings`)
    const set = async (first: string, second: string) => {
      await page.getByLabel("New password").fill(first)
      await page.getByLabel("Again").fill(second)
      await page.getByRole("button", { name: "Change the password" }).click()
    }
    await set("a longer battery horse", "another battery horse")
    await page.getByText("Both must be the same.").waitFor()
    await set("a longer battery horse", "a longer battery horse")
    await page.getByText(/^The password is changed\. \d+ other/u).waitFor()
    expect((await world.hub.request("GET", "/api/v1/me", { session: elsewhere })).status).toBe(401)
    await page.getByRole("button", { name: "Sign out everywhere else" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere else" }).click()
    await page.getByText("No other session was open.").waitFor()
  })

  it("signs out in every tab, and the token is void", async () => {
    const other = await page.context().newPage()
    await other.goto(`${world.hub.url}/console#/usage`)
    await other.getByRole("img").first().waitFor()
    const [cookie] = await page.context().cookies(`${world.hub.url}/console/session`)
    const me = async () => (await world.hub.request("GET", "/api/v1/me", { session: cookie!.value })).status
    expect(await me()).toBe(200)
    await page.getByRole("button", { name: "Sign out", exact: true }).click()
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor()
    await until("the token is void", async () => (await me()) === 401)
    await other.getByText("Your session has ended. Please sign in again.").waitFor()
    const cookies = () => page.context().cookies(`${world.hub.url}/console/session`)
    await until("the browser keeps nothing", async () => (await cookies()).length === 0)
  })

  it("in two tabs, one after the other, signs out in both at once", async () => {
    const { page: one } = await world.open("#/usage")
    const other = await one.context().newPage()
    await other.goto(`${world.hub.url}/console#/usage`)
    const email = other.getByLabel("E-mail")
    await email.waitFor()
    const account = await world.hub.account({ password })
    for (const tab of [one, other]) {
      await signIn(tab, account.email)
      await tab.getByRole("img").first().waitFor()
    }
    await other.getByRole("button", { name: "Sign out", exact: true }).click()
    await email.waitFor()
    await one.getByText("Your session has ended. Please sign in again.").waitFor()
    await one.context().close()
  })
})

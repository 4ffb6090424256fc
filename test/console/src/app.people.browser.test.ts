/** The console of an account of several people: they are invited, join, switch, are given roles and leave. */
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { reported } from "../../support/connected-daemon.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"
import { onPage, password, signIn, startConsoleWorld } from "../console-hub.ts"

describe("the people of an account", () => {
  const world = useStarted(() => startConsoleWorld(testFolder("people")))
  let page: Page
  let { shown, click, menu, drawn, row, rows } = {} as ReturnType<typeof onPage>
  beforeAll(async () => {
    await world.owner.daemonToken()
    page = (await world.openSignedIn("#/daemons")).page
    ;({ shown, click, menu, drawn, row, rows } = onPage(page))
  })

  const confirmed = (name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true }).click()
  const invite = async (email: string, role: string): Promise<string> => {
    await page.getByLabel("E-mail").fill(email)
    await page.getByLabel("Role", { exact: true }).selectOption(role)
    await click("Make the link")
    const note = page.getByRole("region", { name: "The link." })
    const url = (await note.locator("pre").textContent())!
    await note.getByRole("button", { name: "I have stored it" }).click()
    return url.trim()
  }
  /** Opens a link as a person who is new here, and joins; gives what they do on their page. */
  const joinAs = async (url: string) => {
    const { page: theirs } = await world.open(`#/invitation/${url.split("/").at(-1)}`)
    await onPage(theirs).shown(`${world.owner.email} invites grace@people.example to their account, as operator.`)
    await theirs.getByLabel("New password").fill(password)
    await theirs.getByLabel("Again").fill(password)
    await theirs.getByRole("button", { name: "Join the account" }).click()
    await theirs.getByRole("navigation", { name: "Main" }).waitFor()
    return theirs
  }

  it("are invited by a link, by which a new person joins with a password of their own, once", async () => {
    await menu("People")
    await row("Members", "owner, you").waitFor()
    const url = await invite("grace@people.example", "operator")
    await row("Invitations", "grace@people.example").waitFor()
    const theirs = await joinAs(url)
    const menuOfTheirs = theirs.getByRole("navigation", { name: "Main" })
    // the role is read behind the page
    await menuOfTheirs.getByRole("link", { name: "Webhooks" }).waitFor({ state: "detached" })
    const links = await menuOfTheirs.getByRole("link").allTextContents()
    for (const hidden of ["Webhooks", "Audit log", "Service accounts"]) expect(links).not.toContain(hidden)
    expect(await theirs.getByRole("link", { name: "Enrol a machine" }).count()).toBe(0)
    // an operator runs jobs on what is chosen, and gives no tags
    await theirs.getByRole("checkbox", { name: /^Choose/u }).check()
    await theirs.getByRole("link", { name: "Run a job" }).waitFor()
    expect(await theirs.getByRole("button", { name: "Tag", exact: true }).count()).toBe(0)
    await onPage(theirs).menu("People")
    await onPage(theirs).row("Members", "operator, you").waitFor()
    expect(await theirs.getByRole("button", { name: "Make the link" }).count()).toBe(0)
    const { page: late } = await world.open(`#/invitation/${url.split("/").at(-1)}`)
    await onPage(late).shown("This invitation was used")
  })

  it("are named in the audit log, where it tells them by a session", async () => {
    await menu("Audit log")
    await row("Audit log", "invitation.created").getByText(`by ${world.owner.email}`).waitFor()
    await menu("People")
  })

  it("are given another role by key alone, and removed", async () => {
    await page.reload()
    const grace = row("Members", "grace@people.example")
    await grace.getByText("Change").focus()
    await page.keyboard.press("Enter")
    await grace.getByLabel("Role of grace@people.example").focus()
    await page.keyboard.press("v")
    await grace.getByRole("button", { name: "Save" }).focus()
    await page.keyboard.press("Enter")
    await row("Members", "viewer, since").waitFor()
    await row("Members", "grace@people.example").getByRole("button", { name: "Remove" }).click()
    await confirmed("Remove")
    await row("Members", "grace@people.example").waitFor({ state: "detached" })
    expect(await rows("Members").count()).toBe(1)
    await row("Members", "owner, you").getByRole("button", { name: "Leave" }).click()
    await confirmed("Leave")
    await shown("needs an owner")
  })

  /** Has another account invite the owner, who opens the link; gives whose account it is. */
  const openInvitation = async (): Promise<string> => {
    const other = await world.hub.account({ password })
    const { page: second } = await world.open("#/people")
    await signIn(second, other.email)
    const on = onPage(second)
    await on.row("Members", "owner, you").waitFor()
    await second.getByLabel("E-mail").fill(world.owner.email)
    await on.click("Make the link")
    const url = (await second.getByRole("region", { name: "The link." }).locator("pre").textContent())!.trim()
    await page.goto(`${world.hub.url}/console#/invitation/${url.split("/").at(-1)}`)
    await shown(`${other.email} invites ${world.owner.email} to their account, as viewer.`)
    return other.email
  }
  const me = "**/api/v1/me"

  it("join another account with the session that they have, and switch between both", async () => {
    const other = await openInvitation()
    await click("Join the account")
    const account = page.getByLabel("Account")
    await account.waitFor()
    expect(await account.locator("option:checked").textContent()).toBe(`${other} (viewer)`)
    // where joining leads to in the end
    await page.getByRole("heading", { name: "Daemons", level: 1 }).waitFor()
    const kept = page.waitForResponse((answer) => answer.url().endsWith("/console/session"))
    await account.selectOption({ label: `${world.owner.email} (owner)` })
    await menu("People")
    await row("Members", "owner, you").waitFor()
    await kept
    await page.reload()
    await page.getByLabel("Account").waitFor()
    expect(await page.getByLabel("Account").locator("option:checked").textContent()).toContain(world.owner.email)
  })

  it("see nothing in one account of what waits and was chosen in another", async () => {
    const { token } = await world.owner.daemonToken()
    const activeModal = { promptId: "p", message: "Run make?", buttons: ["Yes", "No"] }
    const waiting = { report: [reported("s1", { status: "waiting_approval", activeModal })] }
    const peer = await connectDaemon(world.hub, token, waiting)
    await page.reload()
    const approvals = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Approvals/u })
    await until("one waits", async () => (await approvals.textContent()) === "Approvals1")
    await menu("Daemons")
    await page
      .getByRole("checkbox", { name: /^Choose/u })
      .first()
      .check()
    const chosen = page.getByRole("region", { name: "Chosen machines" })
    await chosen.waitFor()
    // what waits in the other account is not known for a while
    await page.route("**/api/v1/approvals*", () => undefined)
    const account = page.getByLabel("Account")
    const [own, other] = await Promise.all(
      [":checked", ":not(:checked)"].map((one) => account.locator(`option${one}`).getAttribute("value"))
    )
    await account.selectOption(other!)
    await chosen.waitFor({ state: "detached" })
    await until("none waits", async () => (await approvals.textContent()) === "Approvals")
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await account.selectOption(own!)
    await until("one waits again", async () => (await approvals.textContent()) === "Approvals1")
    await peer.leave()
  })

  it("have programs that are no person's act by keys of their own", async () => {
    await menu("Service accounts")
    await page.getByLabel("Name").fill("deploy")
    await click("Create the service account")
    const deploy = page.getByRole("list", { name: "Service accounts" })
    await click("New key of deploy")
    const note = page.getByRole("region", { name: "The new key." })
    const key = (await note.locator("pre").textContent())!.trim()
    const me = async () => (await world.hub.request("GET", "/api/v1/me", { key })).status
    expect(await me()).toBe(200)
    await note.getByRole("button", { name: "I have stored it" }).click()
    await click("Disable deploy")
    await deploy.getByText("viewer, disabled").waitFor()
    expect(await me()).toBe(401)
    await deploy.getByRole("button", { name: "Remove", exact: true }).click()
    await confirmed("Remove")
    await shown("There is no service account.")
  })

  it("see what they may do where they are, though an earlier reading of another account ends later", async () => {
    const held = Promise.withResolvers<void>()
    await page.route(
      me,
      async (route) => {
        const response = await route.fetch()
        await held.promise
        await route.fulfill({ response })
      },
      { times: 1 }
    )
    const asked = page.waitForRequest(me)
    const account = page.getByRole("combobox", { name: "Account" })
    await account.selectOption(await account.locator("option:not(:checked)").getAttribute("value"))
    await asked
    await click("Sign out")
    await signIn(page, world.owner.email)
    await account.waitFor()
    const late = page.waitForResponse(me)
    held.resolve()
    await (await late).finished()
    await drawn()
    expect(await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Webhooks" }).count()).toBe(1)
  })

  it("stay where they went while they join", async () => {
    await openInvitation()
    const held = Promise.withResolvers<void>()
    const change = "**/api/v1/auth/switch"
    await page.route(change, async (route) => {
      await held.promise
      await route.continue()
    })
    const asked = page.waitForRequest(change)
    await click("Join the account")
    await asked
    await menu("API keys")
    let readings = 0
    page.on("response", (answer) => {
      if (answer.url().endsWith("/api/v1/me")) readings += 1
    })
    held.resolve()
    // the page's own, and the one behind the joining
    await until("both are read", () => readings === 2)
    await drawn()
    expect(await page.getByRole("heading", { name: "API keys", level: 1 }).count()).toBe(1)
  })
})

/** A hub, an owner with a password, a real daemon with a real agent, and the console in a browser. Asserts nothing. */
import { fileURLToPath } from "node:url"
import type { BrowserContextOptions, Page } from "playwright-core"
import { freePort } from "../../bench/servers/free-port.ts"
import { realClock } from "../../daemon/clock.ts"
import { Daemon } from "../../daemon/daemon.ts"
import { socketUrl } from "../../daemon/hub-address.ts"
import type { Provider } from "../../daemon/providers.ts"
import type { Settings } from "../../src/config.ts"
import type { TestAccountOptions } from "../support/accounts.ts"
import { buildConsole, type SeenPage, startBrowser } from "../support/browser.ts"
import { type HubOptions, startHub, type TestAccount, type TestHub } from "../support/hub.ts"
import { testProvider } from "../support/reference-daemon.ts"
import { type Receiver, startReceiver } from "../support/webhook-receiver.ts"

/** What a test has. */
export interface ConsoleWorld {
  readonly hub: TestHub
  readonly receiver: Receiver
  readonly owner: TestAccount
  /** Connects a machine with this token. */
  readonly connect: (token: string, name: string) => Daemon
  /** Opens the console, signed out. */
  readonly open: (route?: string, options?: BrowserContextOptions) => Promise<SeenPage>
  /** Opens it as the owner signs in. */
  readonly openSignedIn: (route?: string, options?: BrowserContextOptions) => Promise<SeenPage>
  /** Fails where a page met an error of its script, or had something refused by its policy. */
  readonly close: () => Promise<void>
}

/** What a person does on a page, by the words that it shows. */
export const onPage = (page: Page) => {
  const rows = (list: string) => page.getByRole("list", { name: list }).getByRole("listitem")
  return {
    shown: (text: string | RegExp) => page.getByText(text).first().waitFor(),
    click: (name: string | RegExp) => page.getByRole("button", { name, exact: true }).first().click(),
    menu: (name: string) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click(),
    /** Once it has done what it does after what is shown was drawn, such as to listen to keys. */
    drawn: () => page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"),
    rows,
    row: (list: string, text: string | RegExp) => rows(list).filter({ hasText: text }).first()
  }
}

/** The owner's password. */
export const password = "correct horse battery"

const sampleProvider: Provider = {
  ...testProvider("sample"),
  args: [fileURLToPath(new URL("../../daemon/sample/agent.ts", import.meta.url))],
  displayName: "Sample agent"
}

/** Types e-mail and password, and waits for the page behind. */
export const signIn = async (page: Page, email: string, typed = password): Promise<void> => {
  await page.getByLabel("E-mail").fill(email)
  await page.getByLabel("Password").fill(typed)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
}

/** Starts all of it; `base`: the folder in which commands and agents run. */
export const startConsoleWorld = async (
  base: string,
  settings: Partial<Settings> = {},
  { plan, ...also }: Pick<HubOptions, "documents" | "release"> & Pick<TestAccountOptions, "plan"> = {}
): Promise<ConsoleWorld> => {
  buildConsole()
  // a browser comes back to the same address after a restart
  const hub = await startHub({ ...also, settings: { port: await freePort(), ...settings } })
  const receiver = await startReceiver()
  const browser = await startBrowser()
  const owner = await hub.account({ password, ...(plan !== undefined && { plan }) })
  const daemons: Array<Daemon> = []
  const pages: Array<SeenPage> = []
  const open: ConsoleWorld["open"] = async (route = "", options = {}) => {
    const seen = await browser.open(options)
    pages.push(seen)
    await seen.page.goto(`${hub.url}/console${route}`)
    return seen
  }
  return {
    hub,
    receiver,
    owner,
    connect: (token, name) => {
      const daemon = new Daemon({
        url: socketUrl(hub.url),
        token,
        name,
        providers: [testProvider(), sampleProvider],
        base,
        clock: realClock,
        log: () => undefined,
        refused: () => undefined
      })
      daemons.push(daemon)
      daemon.start()
      return daemon
    },
    open,
    openSignedIn: async (route, options) => {
      const seen = await open(route, options)
      // the page is shown before the browser keeps the session, without which a reload signs out
      const kept = seen.page.waitForResponse(
        (answer) => answer.url().endsWith("/console/session") && answer.request().method() === "POST"
      )
      await signIn(seen.page, owner.email)
      await seen.page.getByRole("navigation", { name: "Main" }).waitFor()
      await kept
      return seen
    },
    close: async () => {
      const faults = pages.flatMap((seen) => seen.faults)
      await browser.close()
      await Promise.all(daemons.map((daemon) => daemon.stop()))
      await hub.close()
      await receiver.close()
      if (faults.length > 0) throw new Error(`pages met errors of scripts or of their policy: ${faults.join("; ")}`)
    }
  }
}

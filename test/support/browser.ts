/**
 * A real browser for tests: the Chromium of this machine. Owns its start and end, what it complains of, and the check
 * of accessibility.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import axe from "axe-core"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { browserProgram } from "./machine.ts"
import { root } from "./root.ts"

/** A page and what went wrong in it. */
export interface SeenPage {
  readonly page: Page
  /** Errors of the script, and what the page's policy refused. An answer with an error status is no fault of a page. */
  readonly faults: ReadonlyArray<string>
}

/** A browser. */
export interface TestBrowser {
  readonly open: (options?: BrowserContextOptions) => Promise<SeenPage>
  readonly close: () => Promise<void>
}

/** As long as `until` has for a condition. */
const patienceMillis = 60_000
const refused = `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("policy " + violatedDirective + " " + blockedURI))`

let started: Promise<Browser> | undefined

/** A browser that calls nobody by itself. A worker starts it once for all of its files, and it ends with the worker. */
const theBrowser = async (): Promise<Browser> => {
  if ((await started)?.isConnected() === false) started = undefined
  started ??= chromium.launch({
    executablePath: browserProgram!,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    timeout: patienceMillis
  })
  return started
}

/** A browser for one file, which shares no cookie and no cache with another. */
export const startBrowser = async (): Promise<TestBrowser> => {
  const browser = await theBrowser()
  const contexts: Array<BrowserContext> = []
  return {
    open: async (options = {}) => {
      const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-GB", ...options })
      contexts.push(context)
      context.setDefaultTimeout(patienceMillis)
      await context.addInitScript(refused)
      const page = await context.newPage()
      const faults: Array<string> = []
      page.on("pageerror", (error) => faults.push(String(error)))
      page.on("console", (message) => {
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
          faults.push(message.text())
      })
      return { page, faults }
    },
    close: async () => void (await Promise.all(contexts.map((context) => context.close())))
  }
}

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

const colourRules = ["color-contrast", "link-in-text-block"]

/** Those that judge colours, which take the longest, alone, for what was judged by all in another theme; or no such. */
export type Rules = "all" | "colours" | "other than colours"

/** What is not accessible in a page as it stands, by the rules of axe-core. */
export const violations = async (page: Page, rules: Rules = "all"): Promise<ReadonlyArray<string>> => {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source)
  const without = Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }]))
  const options = {
    resultTypes: ["violations"],
    ...(rules === "colours" && { runOnly: colourRules }),
    ...(rules === "other than colours" && { rules: without })
  }
  const found = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  )) as ReadonlyArray<Violation>
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

/** How far a page scrolls sideways, in pixels. */
export const sideways = async (page: Page): Promise<number> =>
  Number(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

/** Builds the console as a start of the hub does, where `./hub test` has not. */
export const buildConsole = (): void => {
  if (process.env["HUB_TEST_PROGRAM"] !== undefined) return
  execFileSync(process.execPath, [join(root, "build/all.ts")], { stdio: "inherit" })
}

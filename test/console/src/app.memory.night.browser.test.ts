/**
 * A console that stays open: thousands of machines, twenty changes a second, and a person who looks around now and
 * then. What the page keeps is counted every 1,200 changes, a minute's worth. Longer: HUB_TEST_CONSOLE_MINUTES.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { Fleet } from "../../../bench/fleet/light-fleet.ts"
import { sizeOf } from "../../support/run-sizes.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { longPatienceMillis, until } from "../../support/until.ts"
import { type ConsoleWorld, startConsoleWorld } from "../console-hub.ts"
import { type PageObjects, pageObjects } from "../page-objects.ts"

const machines = sizeOf("DAEMONS", 5_000)
const minutes = sizeOf("CONSOLE_MINUTES", 3)
const perMinute = 1_200
/** Each comes and goes every 11 s, which is two changes. */
const flapping = 110
const atOnce = 50
/** Rows come and go with the scroll position, strings are cached: of what each change left there would be more. */
const slack = perMinute / 2

const counting = `const decode = TextDecoder.prototype.decode
  window.told = 0
  TextDecoder.prototype.decode = function (...given) {
    const text = decode.apply(this, given)
    window.told += text.split(/"event":"daemon:(?:dis)?connect"/).length - 1
    return text
  }`

let world: ConsoleWorld
let fleet: Fleet
beforeAll(async () => {
  const settings = { disconnectGraceMillis: 0, connectsPerSecond: 5_000 }
  world = await startConsoleWorld(testFolder("hour"), settings, { plan: "ultra" })
  const tokens: Array<string> = []
  while (tokens.length < machines) {
    const some = Array.from({ length: Math.min(atOnce, machines - tokens.length) }, () => world.owner.daemonToken())
    tokens.push(...(await Promise.all(some)).map(({ token }) => token))
  }
  fleet = new Fleet({ url: world.hub.url, reportMillis: 0 })
  await fleet.join(tokens.slice(flapping), "idle", atOnce)
  await fleet.join(tokens.slice(0, flapping), "flapping", atOnce)
})
afterAll(async () => {
  fleet?.close()
  await world?.close()
})

it(`a console with ${machines} machines and twenty changes a second, for ${minutes} minutes keeps as many nodes, listeners and objects as after its first minute`, async () => {
  const { page } = await world.openSignedIn("#/daemons")
  await page.addInitScript(counting)
  await page.reload()
  await page.getByText(`of ${machines} online`).first().waitFor()
  const objects = await pageObjects(page)
  const told = async () => Number(await page.evaluate("window.told"))
  const all = page.getByRole("button", { name: `Choose all ${machines} shown` })
  /** Through the other views, back, and down to the last machine. */
  const lookAround = async (): Promise<void> => {
    for (const view of ["inbox", "jobs", "webhooks", "audit"]) await page.goto(`${world.hub.url}/console#/${view}`)
    await page.goto(`${world.hub.url}/console#/daemons`)
    const reading = async () => {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
      return (await all.count()) === 1
    }
    await until("all machines are read", reading, longPatienceMillis)
  }
  await lookAround()
  const series: Array<PageObjects> = []
  for (let minute = 0; minute <= minutes; minute++) {
    for (let due = minute * perMinute; due < (minute + 1) * perMinute; due += perMinute / 20)
      await until("the next changes come", async () => (await told()) >= due)
    const heap = await objects.heap()
    const counts = await objects.count()
    series.push(counts)
    process.stderr.write(
      `console: minute ${minute}: heap ${(heap / 1e6).toFixed(2)} MB, ${await told()} changes, ${JSON.stringify(counts)}\n`
    )
    await lookAround()
  }
  const [, first] = series
  const more = Object.keys(first!).filter((kind) => series.at(-1)![kind]! > first![kind]! + slack)
  expect(more.map((kind) => `${kind}: ${series.map((counts) => counts[kind]).join(", ")}`)).toEqual([])
})

/** What a page keeps of the changes that it is told of: the newest of each machine, however many there were. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { beforeAll, it } from "vitest"
import { Bus } from "../../../../src/bus/bus.ts"
import { testFolder } from "../../../support/temporary-folder.ts"
import { until } from "../../../support/until.ts"
import { useStarted } from "../../../support/use-started.ts"
import { startConsoleWorld } from "../../console-hub.ts"
import { pageObjects } from "../../page-objects.ts"

const machines = 20
const batch = 250
const [few, many] = [500, 5_000]
/** What comes and goes by itself; of what is kept of each change there would be thousands. */
const slack = 200

/** Each change has one, by which a page counts what has come to it. */
const mark = "†"
const counting = `const decode = TextDecoder.prototype.decode
  window.told = 0
  TextDecoder.prototype.decode = function (...given) {
    const text = decode.apply(this, given)
    window.told += text.split("${mark}").length - 1
    return text
  }`

const world = useStarted(() => startConsoleWorld(testFolder("changes")))
let page: Page
const ids: Array<string> = []
beforeAll(async () => {
  for (let at = 0; at < machines; at++) ids.push((await world.owner.daemonToken()).daemonId)
  page = (await world.openSignedIn("#/daemons")).page
  await page.addInitScript(counting)
  await page.reload()
  await page.getByText("Live").first().waitFor()
})

let told = 0
/** Tells of so many in all: each machine comes under a new name, and goes. */
const tell = async (all: number): Promise<void> => {
  while (told < all) {
    await world.hub.inside(
      Effect.map(Bus, (bus) => {
        for (let end = told + batch; told < end; told++) {
          const [daemonId, timestamp] = [ids[told % machines]!, world.hub.now()]
          const event = Math.floor(told / machines) % 2 === 0 ? "daemon:connect" : "daemon:disconnect"
          const about = { hostname: `host-${told}`, nickname: "", platform: "linux", version: "1" }
          const payload = { event, daemonId, timestamp, mark, ...(event === "daemon:connect" && about) }
          bus.publish("event_happened", { accountId: world.owner.accountId, event, tags: {}, payload, timestamp })
        }
      })
    )
    await until("all have come", async () => (await page.evaluate("window.told")) === told)
  }
}

it(`a page that is told of changes has no more nodes, listeners and objects after ${many} of them than after ${few}`, async () => {
  const { count } = await pageObjects(page)
  await tell(few)
  const before = await count()
  await tell(many)
  await until("no more are kept", async () => {
    const after = await count()
    const more = Object.keys(after).filter((kind) => after[kind]! > before[kind]! + slack)
    if (more.length > 0) throw new Error(more.map((kind) => `${kind}: ${before[kind]} → ${after[kind]}`).join())
    return true
  })
  const shown = () => page.getByRole("list", { name: "Daemons" }).getByRole("listitem").count()
  await until("each machine is there once", async () => (await shown()) === machines)
})

/** A list of more machines than a page of it has: each comes into sight by scrolling, and few rows are in the page. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { beforeAll, expect, it } from "vitest"
import { testFolder } from "../../../support/temporary-folder.ts"
import { until } from "../../../support/until.ts"
import { useStarted } from "../../../support/use-started.ts"
import { startConsoleWorld } from "../../console-hub.ts"

const machines = 250

const world = useStarted(() => startConsoleWorld(testFolder("many")))
beforeAll(async () => {
  const added = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into daemons (id, account_id, hostname, platform, created_at)
        select 'dmn_' || lpad(n::text, 20, '0'), ${world.owner.accountId}, 'build-' || lpad(n::text, 4, '0'), 'linux', 1
        from generate_series(1, ${machines}) n`
  )
  await world.hub.inside(added)
})

it("the list of many machines is as high as all of it, has the rows in sight alone, and reads on before its end is reached", async () => {
  const { page } = await world.openSignedIn()
  await page.getByText("build-0001").first().waitFor()
  const rows = page.getByRole("list", { name: "Daemons" }).getByRole("listitem")
  const last = page.getByText(`build-${String(machines).padStart(4, "0")}`).first()
  await until("the last one is in sight", async () => {
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    return await last.isVisible()
  })
  expect(await rows.count()).toBeLessThan(machines / 2)
  const heights =
    'document.querySelector("ul.virtual").offsetHeight / document.querySelector("ul.virtual li").offsetHeight'
  expect(Math.round(Number(await page.evaluate(heights)))).toBe(machines)
  // a machine that comes is in its place, and those behind the first page stay
  const { daemonId, token } = await world.owner.daemonToken()
  world.connect(token, "build-new")
  await page.getByText(`1 of ${machines + 1} online`).waitFor()
  expect(Math.round(Number(await page.evaluate(heights)))).toBe(machines + 1)
  expect(await last.isVisible()).toBe(true)
  await page.evaluate("scrollTo(0, 0)")
  await rows.first().locator(`a[href$="${daemonId}"]`).waitFor()
  await page.getByText("build-0001").first().waitFor()
})

/** Builds of a folder beside each other, and such as were killed. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { buildWhereChanged } from "../../build/where-changed.ts"
import { testFolder } from "../support/temporary-folder.ts"

it("a build takes away what one that was killed left behind, and nothing of one that runs", async () => {
  const folder = testFolder("built")
  const { pid } = spawnSync("true")
  const others = [`dist.${process.ppid}`, "dist.map", `dist.${pid}-kept`, "distant"]
  for (const name of [`dist.${pid}`, `dist.${pid}.before`, ...others]) mkdirSync(join(folder, name))
  writeFileSync(join(folder, "source"), "")
  const make = async (draft: string) => writeFileSync(join(draft, "made"), "")
  await buildWhereChanged({ name: "it", into: join(folder, "dist"), sources: [join(folder, "source")], make })
  expect(readdirSync(folder).sort()).toEqual(["dist", ...others, "source"].sort())
})

/** docs/asvs.md judges each requirement once, names tests that exist, and counts right. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../support/root.ts"
import { asvsRequirements } from "./asvs-requirements.ts"
import { houseFiles } from "./project-files.ts"

const verdicts = ["holds", "does not apply", "open"] as const

interface Row {
  readonly id: string
  readonly level: number
  readonly verdict: string
  readonly shownBy: string
}

const rows: ReadonlyArray<Row> = readdirSync(join(root, "docs/asvs")).flatMap((name) =>
  [
    ...readFileSync(join(root, "docs/asvs", name), "utf8").matchAll(
      /^\| (V[\d.]+) \| (\d) \| [^|]+ \| ([^|]+) \| (.+) \|$/gmu
    )
  ].map(([, id = "", level, verdict = "", shownBy = ""]) => ({ id, level: Number(level), verdict, shownBy }))
)
const summary = readFileSync(join(root, "docs/asvs.md"), "utf8")
const tests = new Set(houseFiles.map(({ path }) => path).filter((path) => /^test\/.*\.test\.ts$/u.test(path)))
const testsOf = ({ shownBy }: Row) => [...shownBy.matchAll(/`([\w./-]+\.test\.ts)`/gu)].map((match) => match[1]!)

/** How many of these rows have each verdict, as a row of the tables ends. */
const counted = (of: ReadonlyArray<Row>): string =>
  `| ${[...verdicts.map((one) => of.filter(({ verdict }) => verdict === one).length), of.length].join(" | ")} |`

describe("docs/asvs.md", () => {
  it("has each requirement of levels 1 and 2 once, with its level, and no other", () => {
    expect(asvsRequirements.size).toBe(253)
    const level = ([one]: readonly [string, number], [other]: readonly [string, number]) => (one < other ? -1 : 1)
    expect(rows.map(({ id, level }) => [id, level] as const).sort(level)).toEqual([...asvsRequirements].sort(level))
  })

  it("says of each that it holds by a test that exists, or why it does not", () => {
    const wrong = rows.filter((row) => {
      const named = testsOf(row)
      if (named.some((name) => !tests.has(`test/${name}`))) return true
      if (row.verdict === "holds") return named.length === 0
      return !verdicts.includes(row.verdict as "open") || row.shownBy.length < 5
    })
    expect(wrong).toEqual([])
  })

  it("counts them by level and by chapter as they are", () => {
    for (const level of [1, 2])
      expect(summary).toContain(`| level ${level} ${counted(rows.filter((row) => row.level === level))}`)
    expect(summary).toContain(`| both ${counted(rows)}`)
    const chapters = new Set(rows.map(({ id }) => id.split(".")[0]!))
    expect(chapters.size).toBe(17)
    for (const chapter of chapters) {
      const line = summary.split("\n").find((one) => one.startsWith(`| ${chapter}: `))
      expect(line).toMatch(/\]\(asvs\/[\w-]+\.md\) /u)
      expect(line).toContain(counted(rows.filter(({ id }) => id.startsWith(`${chapter}.`))))
    }
  })
})

/** Where a test stands: at the path of its subject, or with the act that several files do. */
import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../support/root.ts"
import { houseFiles } from "./project-files.ts"

/** What several files of the product do together, by the names of ARCHITECTURE.md. */
const acts = `account administration api-key approval audit backup chat-turn command connect connected-app
  delivery drain enrolment event event-stream job limits mcp-call presence-flip registry report
  request secrets session-stream sign-in start stored-command takeover trace turn-credentials update
  workers`.split(/\s+/u)
/** Their subjects are the project itself, its documents under the tools of others, and the test command. */
const folders = ["house", "contract", "simulation", "compose", "run"]

const tests = houseFiles.map(({ path }) => path).filter((path) => /^test\/.*\.test\.ts$/u.test(path))
const topOf = (path: string): string => path.split("/")[1]!

/** Whether a file or a folder of the product has this name, whatever it ends with. */
const isSubject = (path: string): boolean => {
  const folder = join(root, dirname(path))
  const name = basename(path).toLowerCase()
  return existsSync(folder) && readdirSync(folder).some((one) => one.toLowerCase().split(".")[0] === name)
}

/** The path that a test stands for: without the folder of the tests, its aspect and its kind. */
const subjectOf = (path: string): string => join(dirname(path).replace(/^test\/?/u, ""), basename(path).split(".")[0]!)

it("a test that is of one file stands at its path, under its name", () => {
  const mirrors = tests.filter((path) => !["acts", ...folders].includes(topOf(path)))
  expect(mirrors.filter((path) => !isSubject(subjectOf(path)))).toEqual([])
})

it("a test that is of an act stands with it", () => {
  const ofActs = tests.filter((path) => topOf(path) === "acts")
  expect(ofActs.filter((path) => !acts.includes(path.split("/")[2]!) || path.split("/").length !== 4)).toEqual([])
})

/**
 * How a run ends: behind Vitest's own summary a line for each test that failed, which runs it again with its seed, and
 * the count of all as the last line. Owns these lines; judges nothing.
 */
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node"

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const patternOf = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&")

/** The line that runs a test of a file again. */
export const againLine = (project: string, file: string, name: string | undefined, said: string): string => {
  const seed = /\bseed:? (-?\d+)/u.exec(said)?.[1] ?? process.env["HUB_TEST_SEED"]
  const words = ["./hub test", file, "--project", project]
  if (name !== undefined) words.push("-t", quoted(patternOf(name)))
  if (seed !== undefined) words.push("--seed", seed)
  return words.join(" ")
}

/** Vitest's reporter. */
export default class RunReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const again: Array<string> = []
    for (const module of modules) {
      const file = module.relativeModuleId
      const project = module.project.name
      for (const test of module.children.allTests()) counts[test.result().state]++
      const failed = [...module.children.allTests("failed")]
      again.push(
        ...failed.map((test) => againLine(project, file, test.fullName.replaceAll(" > ", " "), messagesOf(test)))
      )
      // the file itself, or what runs before or behind its tests
      if (failed.length === 0 && !module.ok()) {
        counts.failed++
        again.push(againLine(project, file, undefined, ""))
      }
    }
    counts.failed += again.length === 0 ? unhandled.length : 0
    const lines = again.length === 0 ? [] : ["", "To run again what failed:", ...again.map((line) => `  ${line}`)]
    process.stdout.write(
      [...lines, "", `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`, ""].join("\n")
    )
  }
}

const messagesOf = (test: TestCase): string =>
  (test.result().errors ?? []).map(({ message, cause }) => `${message} ${(cause as Error | undefined)?.message}`).join()

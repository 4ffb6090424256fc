/** Folders of a test file under the system's temporary folder, gone when the file is done. Owns their names. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

const made: Array<string> = []

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

/** A new, empty folder; its path has no link in it. */
export const testFolder = (name: string): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `hub-${name}-`)))
  made.push(folder)
  return folder
}

/** Where the files of a user's logins are. */
import { writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { ownFile, writeOwnFile } from "../../integrator/own-file.ts"
import { Refusal } from "../../integrator/refusal.ts"
import { testFolder } from "../support/temporary-folder.ts"

it.each([
  ["/home/ada/settings", "/home/ada/settings/hub/profiles.json"],
  ["", join(homedir(), ".config/hub/profiles.json")],
  ["settings", join(homedir(), ".config/hub/profiles.json")]
])("XDG_CONFIG_HOME of %j leaves no key in the folder that a command is called in", (set, file) => {
  expect(ownFile({ XDG_CONFIG_HOME: set }, "profiles.json")).toBe(file)
})

it("a file that cannot be written is told of in a sentence", () => {
  const folder = join(testFolder("settings"), "hub")
  writeFileSync(folder, "")
  expect(() => writeOwnFile(join(folder, "profiles.json"), {})).toThrow(Refusal)
})

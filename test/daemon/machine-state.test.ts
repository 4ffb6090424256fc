/** Where a machine keeps what it is. */
import { expect, it } from "vitest"
import { usualStateFile } from "../../daemon/machine-state.ts"

it("the usual state file is in the home, where the environment names no other folder", () => {
  const home = () => "/home/joe"
  expect(usualStateFile({ XDG_STATE_HOME: "/state" }, home)).toBe("/state/hub/daemon.json")
  expect(usualStateFile({ XDG_STATE_HOME: "" }, home)).toBe("/home/joe/.local/state/hub/daemon.json")
})

it("a user without a home has the usual state file all the same, which a token alone does not need", () => {
  const home = (): never => {
    throw new Error("uv_os_homedir returned ENOENT")
  }
  expect(usualStateFile({}, home)).toBe("/.local/state/hub/daemon.json")
})

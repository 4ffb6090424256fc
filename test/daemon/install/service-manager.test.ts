/** What the service managers are called with. */
import { expect, it } from "vitest"
import { layoutOf } from "../../../daemon/install/layout.ts"
import { serviceManagerOf } from "../../../daemon/install/service-manager.ts"

it("the log of launchd's service is followed as the tail of macOS has it", () => {
  const manager = serviceManagerOf(layoutOf(true, "/"), () => ({ code: 0, text: "" }), "darwin")!
  expect(manager.logs(false)).toEqual(["tail", "-n", "200", "/var/log/hub-daemon.log"])
  expect(manager.logs(true)).toEqual(["tail", "-n", "200", "-F", "/var/log/hub-daemon.log"])
})

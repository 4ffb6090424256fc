/** What the service managers are called with. */
import { expect, it } from "vitest"
import { layoutOf } from "../../../daemon/install/layout.ts"
import { serviceManagerOf } from "../../../daemon/install/service-manager.ts"
import { bootstrapsMax } from "../../../daemon/limits.ts"

it("the log of launchd's service is followed as the tail of macOS has it", () => {
  const manager = serviceManagerOf(layoutOf(true, "/"), () => ({ code: 0, text: "" }), "darwin")!
  expect(manager.logs(false)).toEqual(["tail", "-n", "200", "/var/log/hub-daemon.log"])
  expect(manager.logs(true)).toEqual(["tail", "-n", "200", "-F", "/var/log/hub-daemon.log"])
})

it.each([
  ["has ended", [5, 37, 0], 3, 0],
  ["does not end", [], bootstrapsMax, 5],
  ["is none, and the file is refused", [78], 1, 78]
])("launchd is asked to start the service until the one before %s", (_, codes, asked, ended) => {
  const called: Array<string> = []
  const run = (program: string, ...words: ReadonlyArray<string>) => {
    called.push([program, ...words].join(" "))
    const tries = called.filter((line) => line.includes("bootstrap")).length
    return { code: words[0] === "bootstrap" ? (codes[tries - 1] ?? 5) : 0, text: "" }
  }
  expect(serviceManagerOf(layoutOf(true, "/"), run, "darwin")!.start().code).toBe(ended)
  const bootstrap = "launchctl bootstrap system /Library/LaunchDaemons/dev.hub.daemon.plist"
  const again = Array.from({ length: asked - 1 }, () => ["sleep 1", bootstrap]).flat()
  expect(called).toEqual(["launchctl bootout system/dev.hub.daemon", bootstrap, ...again])
})

/** The files that systemd and launchd read: every word arrives as it was given, and nothing of it is a command. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { layoutOf } from "../../../daemon/install/layout.ts"
import { launchdPlist, type Service, serviceUser, systemdUnit } from "../../../daemon/install/service-files.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const odd = `a "b" 100% $HOME \\ <c> & 'd'`
const service = (isSystem: boolean): Service => ({
  layout: layoutOf(isSystem, "/home/joe"),
  node: process.execPath,
  user: isSystem ? "daemon" : undefined,
  words: ["--url", "https://hub.example", "--name", odd],
  restartSeconds: 7
})

describe("the unit for systemd", () => {
  it("names the very Node, restarts what failed, and nothing that the hub refused", () => {
    const lines = systemdUnit(service(true)).split("\n")
    expect(lines).toContain("User=daemon")
    expect(lines).toContain("Restart=on-failure")
    expect(lines).toContain("RestartPreventExitStatus=78")
    expect(lines.find((line) => line.startsWith("ExecStart="))).toBe(
      `ExecStart="/bin/sh" "/opt/hub-daemon/launch.sh" "${process.execPath}" "/opt/hub-daemon/current" "/var/lib/hub-daemon/program" "--url" "https://hub.example" "--name" "a \\"b\\" 100%% $$HOME \\\\ <c> & 'd'"`
    )
  })

  it("leaves a user's own service without a user and a folder of the system", () =>
    expect(systemdUnit(service(false))).not.toMatch(/^(?:User|StateDirectory|Protect\w+)=/mu))

  it("means a home with a percent sign in its name as it is", () => {
    const unit = systemdUnit({ ...service(false), layout: layoutOf(false, "/home/100%b") })
    expect(unit.replaceAll("%%", "").replace("%h", "")).not.toContain("%")
  })

  it.skipIf(!existsSync("/usr/bin/systemd-analyze"))("has no fault for systemd's own checker, in both forms", () => {
    for (const isSystem of [true, false]) {
      const folder = join(testFolder("unit"), "systemd")
      mkdirSync(folder)
      const file = join(folder, "hub-daemon.service")
      writeFileSync(file, systemdUnit(service(isSystem)).replace("/opt/hub-daemon/current", "/tmp"))
      const words = [...(isSystem ? [] : ["--user"]), "verify", file]
      const env = { PATH: process.env["PATH"], HOME: folder, XDG_RUNTIME_DIR: folder }
      const { stderr, status } = spawnSync("systemd-analyze", words, { encoding: "utf8", env })
      expect([stderr, status]).toEqual(["", 0])
    }
  })
})

it("both say as whom the service runs", () => {
  for (const make of [systemdUnit, launchdPlist])
    expect([true, false].map((isSystem) => serviceUser(make(service(isSystem))))).toEqual(["daemon", undefined])
})

it("the property list for launchd holds each word as one string, and is started again only where it failed", () => {
  const text = launchdPlist(service(false))
  const strings = [...text.matchAll(/<string>([^<]*)<\/string>/gu)].map(([, word]) => word)
  expect(strings).toContain("a &quot;b&quot; 100% $HOME \\ &lt;c&gt; &amp; 'd'")
  expect(text).toMatch(/<key>SuccessfulExit<\/key>\s*<false\/>/u)
  const opened = [...text.matchAll(/<(plist|dict|array|key|string|integer)\b/gu)].length
  expect([...text.matchAll(/<\/(plist|dict|array|key|string|integer)>/gu)]).toHaveLength(opened)
})

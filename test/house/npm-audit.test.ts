/** `.ci/audit`: a known weakness fails the gate, a registry that knows of none or cannot tell does not. */
import { spawnSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"

/** Runs it with an npm that answers so. */
const audit = (answer: string, code: number) => {
  const folder = testFolder("audit")
  const npm = join(folder, "npm")
  writeFileSync(npm, `#!/bin/sh\ncat <<'EOF'\n${answer}\nEOF\nexit ${code}\n`)
  chmodSync(npm, 0o755)
  const env = { PATH: `${folder}:${process.env["PATH"]}` }
  return spawnSync(join(root, ".ci/audit"), { env, encoding: "utf8" })
}

describe("the audit", () => {
  it("fails where a package that runs has a known weakness, and shows it", () => {
    const report = JSON.stringify({ auditReportVersion: 2, vulnerabilities: { "a-package": { severity: "high" } } })
    const { status, stdout, stderr } = audit(report, 1)
    expect(status).toBe(1)
    expect(stdout).toContain("a-package")
    expect(stderr).toContain("known weakness")
  })

  it("succeeds where there is none", () =>
    expect(audit(JSON.stringify({ auditReportVersion: 2, vulnerabilities: {} }), 0).status).toBe(0))

  it("is left out, and says so, where the registry offers none", () => {
    const { status, stderr } = audit(JSON.stringify({ error: { summary: "405 Method Not Allowed" } }), 1)
    expect([status, stderr]).toEqual([0, "audit: left out, the registry offers none\n"])
  })
})

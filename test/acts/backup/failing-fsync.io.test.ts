/** A disk that cannot keep what it is given: each `fsync` fails. An export is then none. A real process, by fiu-run. */
import { execFile } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, it } from "vitest"
import { failingFsync, fiuMissing } from "../../support/failing-fsync.ts"
import { command } from "../../support/hub-command.ts"
import { hubProgram } from "../../support/hub-program.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { useDatabase } from "../../support/use-started.ts"

const folder = testFolder("fsync")
const database = useDatabase()
let inside: ReadonlyArray<string>
beforeAll(async () => {
  inside = failingFsync(testFolder("fiu"), 100)
})

const words = () => ["backup", join(folder, "it.backup")]
const environment = () => ({ HUB_DATA_DIR: database.settings.dataDir! })
const onBadDisk = (): Promise<{ code: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const [file, ...more] = [...inside, process.execPath, hubProgram, ...words()]
    const env = { PATH: process.env["PATH"], ...environment() }
    execFile(file!, more, { env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })

it.skipIf(fiuMissing)(
  "an export whose fsync fails leaves the earlier one as it was, says why in one sentence, and the next is made",
  async () => {
    writeFileSync(join(folder, "it.backup"), "the earlier one")
    const failed = await onBadDisk()
    expect(failed).toMatchObject({ code: 1, stdout: "" })
    expect(failed.stderr.trimEnd().split("\n")).toHaveLength(1)
    expect(failed.stderr).toContain(join(folder, "it.backup"))
    expect(readdirSync(folder)).toEqual(["it.backup"])
    expect(readFileSync(join(folder, "it.backup"), "utf8")).toBe("the earlier one")
    expect(readdirSync(join(database.settings.dataDir!, "backups"))).toEqual([])
    expect(await command(words(), environment())).toMatchObject({ code: 0, stderr: "" })
  }
)

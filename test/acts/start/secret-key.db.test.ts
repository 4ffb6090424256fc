/** A hub that is given another secret key than the one its database's secrets are sealed under. Real processes. */
import { describe, expect, it } from "vitest"
import { freshDatabase } from "../../support/database.ts"
import { command, runHub } from "../../support/hub-command.ts"

describe("a hub with another HUB_SECRET_KEY", { timeout: 240_000 }, () => {
  it("does not start, and says under which key the secrets are sealed", async () => {
    const database = await freshDatabase()
    const { databaseUrl, dataDir } = database.settings
    const env = (byte: number) => ({
      HUB_DATA_DIR: dataDir,
      HUB_PORT: "0",
      HUB_SECRET_KEY: Buffer.alloc(32, byte).toString("base64"),
      ...(databaseUrl && { DATABASE_URL: databaseUrl })
    })
    const first = await runHub(env(1))
    await first.end("SIGTERM")
    const { code, stdout, stderr } = await command(["start"], env(2))
    expect({ code, stdout: stdout.includes("serving") }).toEqual({ code: 1, stdout: false })
    expect(stderr).toMatch(
      /^hub: the secrets in this database are sealed under key [0-9a-f]{8}, HUB_SECRET_KEY [^\n]*is [0-9a-f]{8}: [^\n]*\n$/u
    )
    const again = await runHub(env(1))
    await again.end("SIGKILL")
    await database.close()
  })
})

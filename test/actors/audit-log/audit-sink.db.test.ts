/** The sink of the audit log: a file and an endpoint get every event, also after failures and after a new start. */
import { readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { AuditLog } from "../../../actors/audit-log/audit-log.ts"
import { serviceSignature, signingKey } from "../../../src/domain/webhook/signature.ts"
import { type FreshDatabase, freshDatabase } from "../../support/database.ts"
import { startHub, type TestHub } from "../../support/hub.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { type Receiver, startReceiver } from "../../support/webhook-receiver.ts"

interface Line {
  readonly id: string
  readonly action: string
  readonly accountId: string
  readonly object: string
}

describe("the sink of the audit log", () => {
  const opened = <A extends { readonly close: () => Promise<void> }>(one: A): A => {
    onTestFinished(() => one.close())
    return one
  }
  const linesOf = (path: string): ReadonlyArray<Line> => {
    try {
      return readFileSync(path, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Line)
    } catch {
      return [] // it is not there yet
    }
  }
  const hubWith = async (auditSink: string, database?: FreshDatabase): Promise<TestHub> =>
    opened(
      await startHub({
        settings: { auditSink, auditSinkSecret: secret },
        ...(database === undefined ? {} : { database })
      })
    )
  const secret = `whsec_${Buffer.alloc(32, 3).toString("base64")}`

  it("is a file with one line for each event, which only its owner reads, and another once it was renamed", async () => {
    const file = join(testFolder("audit"), "audit.ndjson")
    const hub = await hubWith(file)
    const { accountId } = await hub.account()
    await until("the file has the account", () => linesOf(file).some(({ object }) => object === accountId))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const before = linesOf(file)
    renameSync(file, `${file}.1`)
    const later = await hub.account()
    await until("the new file has the next", () => linesOf(file).some(({ object }) => object === later.accountId))
    expect(linesOf(`${file}.1`)).toEqual(before)
    expect(linesOf(file)).toHaveLength(1)
  })

  it("gets what happened while there was none, or while it failed, from whichever hub comes next", async () => {
    const database = opened(await freshDatabase())
    const folder = testFolder("audit-later")
    const first = await startHub({ database })
    const { accountId } = await first.account()
    await first.close()
    const file = join(folder, "missing", "audit.ndjson")
    const second = await startHub({ database, settings: { auditSink: file } })
    const later = await second.account()
    await second.close()
    const good = join(folder, "audit.ndjson")
    await hubWith(good, database)
    await until("it has both", () => linesOf(good).length >= 2)
    const objects = linesOf(good).map(({ object }) => object)
    expect(objects).toEqual([accountId, later.accountId])
    rmSync(folder, { recursive: true })
  })

  it("is an endpoint that gets batches signed as webhooks are, again after a failure, each event under its id", async () => {
    const receiver: Receiver = opened(await startReceiver())
    receiver.react("/audit", (_, nth) => (nth === 1 ? 503 : 204))
    const hub = await hubWith(receiver.url("/audit"))
    const { accountId } = await hub.account()
    await hub.inside(Effect.flatMap(AuditLog, (log) => log.flush))
    await until("it was posted again", () => receiver.at("/audit").length >= 2)
    const [failed, taken] = receiver.at("/audit")
    expect(taken!.body[0]).toMatchObject({ action: "account.created", object: accountId, accountId })
    expect(failed!.body[0].id).toBe(taken!.body[0].id)
    const { "x-service-signature": signature, "content-type": type } = taken!.headers
    const t = Number(/^t=(\d+)/u.exec(String(signature))?.[1])
    expect(signature).toBe(serviceSignature([signingKey(secret)], t, taken!.text))
    expect(type).toBe("application/x-ndjson")
  })
})

/** Packages in the store: one winner a version, channels apart, bytes kept once and verified before they leave. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { beforeEach, describe, expect, it } from "vitest"
import { layerMemory } from "../../../../src/bus/memory.ts"
import { Artifacts } from "../../../../src/registry/artifacts.ts"
import { Catalog } from "../../../../src/registry/catalog.ts"
import { Publisher } from "../../../../src/registry/publisher.ts"
import { Packages } from "../../../../src/store/registry/packages.ts"
import { databaseKind } from "../../../support/database.ts"
import { useStore } from "../../../support/store-services.ts"
import { testFolder } from "../../../support/temporary-folder.ts"

const folder = testFolder("artifacts")
const services = Layer.mergeAll(Publisher.layer, Catalog.layer, Artifacts.layer(folder, 100_000)).pipe(
  Layer.provideMerge(Packages.layer),
  Layer.provideMerge(layerMemory)
)

describe("a provider package", () => {
  const { run } = useStore(services)

  // each try has types of its own: what an earlier one published stays
  let tries = 0
  beforeEach(() => {
    tries++
  })
  const own = (name: string): string => `${name}-${tries}`

  const publish = (type: string, version: string, bytes: string | Uint8Array) =>
    Effect.flatMap(Publisher, (publisher) =>
      publisher.publish({
        type,
        version,
        category: "cli",
        name: type,
        displayName: undefined,
        description: undefined,
        manifest: { hello: "\u0000 world" },
        artifact: Buffer.from(bytes),
        publishedBy: "acc_publisher"
      })
    )
  const promote = (type: string, version: string) =>
    Effect.flatMap(Publisher, (publisher) => publisher.promote(type, version))
  const failureOf = async (effect: Effect.Effect<unknown, { readonly _tag: string }, Layer.Success<typeof services>>) =>
    (await run(Effect.flip(effect)))._tag

  it("that is published again with the same bytes is already published; with others its version exists", async () => {
    expect((await run(publish(own("same"), "1.0.0", "one"))).status).toBe("published")
    expect((await run(publish(own("same"), "1.0.0", "one"))).status).toBe("already_published")
    expect(await failureOf(publish(own("same"), "1.0.0", "two"))).toBe("VersionExists")
  })

  it("is won by exactly one of two publishers who race for its version, and the loser leaves no bytes", async () => {
    const rounds = databaseKind === "postgres" ? 50 : 10
    for (let round = 0; round < rounds; round++) {
      const version = `1.0.${round}`
      const race = ["left", "right"].map((bytes) => Effect.result(publish(own("race"), version, `${bytes} ${round}`)))
      const outcomes = await run(Effect.all(race, { concurrency: "unbounded" }))
      expect(outcomes.map((outcome) => outcome._tag).sort()).toEqual(["Failure", "Success"])
    }
    const kept = await run(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`select count(*)::int as n from artifacts a
          where not exists (select 1 from packages p where p.digest = a.digest)`
      )
    )
    expect(kept).toEqual([{ n: 0 }])
  })

  it("shares the bytes of another with the same digest", async () => {
    await run(publish(own("twin-a"), "1.0.0", "twins"))
    await run(publish(own("twin-b"), "1.0.0", "twins"))
    const digest = createHash("sha256").update("twins").digest("hex")
    const rows = await run(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`select count(*)::int as n from artifacts where digest = ${Buffer.from(digest, "hex")}`
      )
    )
    expect(rows).toEqual([{ n: 1 }])
  })

  it("lists the newest release of each type by SemVer, page by page, without the yanked", async () => {
    const [several, single] = [`${own("page")}-a`, `${own("page")}-b`]
    for (const version of ["1.9.0", "1.10.0", "1.10.1-rc.1", "2.0.0"]) {
      await run(publish(several, version, version))
      await run(promote(several, version))
    }
    await run(Effect.flatMap(Publisher, (publisher) => publisher.yank(several, "2.0.0", "stable")))
    await run(publish(single, "0.1.0-beta.2", "b"))
    await run(promote(single, "0.1.0-beta.2"))
    const first = JSON.parse(
      String((await run(Effect.flatMap(Catalog, (c) => c.list("stable", own("page"), 1)))).bytes)
    )
    expect(first.providers.map((one: { type: string; version: string }) => [one.type, one.version])).toEqual([
      [several, "1.10.0"]
    ])
    const after = Buffer.from(first.nextCursor, "base64url").toString()
    const second = JSON.parse(String((await run(Effect.flatMap(Catalog, (c) => c.list("stable", after, 1)))).bytes))
    expect(second.providers.map((one: { type: string }) => one.type)).toEqual([single])
    expect(second.nextCursor).toBeUndefined()
  })

  it("with corrupted bytes in the store is a failure, never bytes", async () => {
    const { package: made } = await run(publish(own("broken"), "1.0.0", "good bytes"))
    await run(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update artifacts set bytes = ${Buffer.from("evil bytes")}
          where digest = ${Buffer.from(made.digest, "hex")}`
      )
    )
    expect(await failureOf(Effect.flatMap(Artifacts, (a) => a.file(made.digest)))).toBe("StoreFailed")
  })

  it("counts its downloads apart by channel, many in one statement", async () => {
    await run(publish(own("counted"), "1.0.0", "counted"))
    await run(promote(own("counted"), "1.0.0"))
    const counts = [
      { type: own("counted"), version: "1.0.0", channel: "stable" as const, count: 2 },
      { type: own("counted"), version: "1.0.0", channel: "preview" as const, count: 3 }
    ]
    await run(Effect.flatMap(Packages, (packages) => packages.countDownloads(counts)))
    const found = await run(Effect.flatMap(Packages, (packages) => packages.get(own("counted"), "1.0.0")))
    expect(found?.downloads).toEqual({ stable: 2, preview: 3 })
  })
})

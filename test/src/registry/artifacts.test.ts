/** Artifacts on a node's disk: what is trusted, what is read again, and what a disk that fails leaves behind. */
import { createHash } from "node:crypto"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Layer, ManagedRuntime } from "effect"
import { describe, expect, it } from "vitest"
import { FileBody } from "../../../http/pipeline/file-body.ts"
import { artifactLoadsMax } from "../../../src/limits.ts"
import { Artifacts } from "../../../src/registry/artifacts.ts"
import { layerLog } from "../../../src/runtime/log.ts"
import { Packages } from "../../../src/store/registry/packages.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const hexOf = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex")
const newFolder = () => testFolder("kept")

/** A store of bytes that counts its reads, and a node's artifacts above it. */
const node = (folder: string, bytesMax = 1_000_000) => {
  const store = { reads: 0, atOnce: 0, most: 0, bytes: new Map<string, Uint8Array>() }
  const artifact = (digest: string) =>
    Effect.gen(function* () {
      store.reads += 1
      store.most = Math.max(store.most, ++store.atOnce)
      yield* Effect.yieldNow
      store.atOnce -= 1
      return store.bytes.get(digest)
    })
  const packages = Layer.succeed(Packages, { artifact } as unknown as Packages["Service"])
  const quiet = layerLog({ logLevel: "none" }, true)
  const runtime = ManagedRuntime.make(Layer.mergeAll(Layer.provide(Artifacts.layer(folder, bytesMax), packages), quiet))
  const file = (digest: string) =>
    runtime.runPromiseExit(Effect.flatMap(Artifacts, (artifacts) => artifacts.file(digest)))
  const read = async (digest: string) => {
    const exit = await file(digest)
    return Exit.isSuccess(exit) ? readFileSync(exit.value.path, "utf8") : "a failure"
  }
  const keep = (text: string) => {
    const digest = hexOf(text)
    store.bytes.set(digest, Buffer.from(text))
    return digest
  }
  return { store, file, read, keep, close: () => runtime.dispose() }
}

describe("a kept artifact", () => {
  it("is read from the store once, by however many who ask at the same time", async () => {
    const { store, file, read, keep, close } = node(newFolder())
    const digest = keep("once")
    await Promise.all(Array.from({ length: 50 }, () => file(digest)))
    expect([await read(digest), store.reads]).toEqual(["once", 1])
    await close()
  })

  it("is read from the store again when its file was damaged after it was verified, cut, or taken away", async () => {
    const folder = newFolder()
    const { store, read, keep, close } = node(folder)
    const digest = keep("good bytes")
    const path = join(folder, digest)
    await read(digest)
    for (const harm of [
      () => appendFileSync(path, "x"),
      () => {
        writeFileSync(path, "evil bytes")
        utimesSync(path, 1, 1) // clocks of file systems are coarse: the same size in the same tick
      },
      () => writeFileSync(path, ""),
      () => rmSync(path),
      () => rmSync(folder, { recursive: true })
    ]) {
      harm()
      expect(await read(digest)).toBe("good bytes")
    }
    expect(store.reads).toBe(6)
    await close()
  })

  it("of an earlier run is verified before it is used: good bytes are used again, damaged ones never", async () => {
    const folder = newFolder()
    const before = node(folder)
    const digests = ["left good", "left bad"].map(before.keep)
    for (const digest of digests) await before.read(digest)
    await before.close()
    writeFileSync(join(folder, digests[1]!), "left BAD")
    const [left, other] = [`${digests[0]}.0123.part`, `${digests[0]}.4567.part`]
    for (const name of [left, other]) writeFileSync(join(folder, name), "half")
    utimesSync(join(folder, left), 1, 1)
    const after = node(folder)
    after.keep("left bad")
    expect([await after.read(digests[0]!), after.store.reads]).toEqual(["left good", 0])
    expect([await after.read(digests[1]!), after.store.reads]).toEqual(["left bad", 1])
    // the other is being written, by another worker over this folder
    expect(readdirSync(folder).sort()).toEqual([...digests, other].sort())
    await after.close()
  })

  it("that cannot be written is a failure that leaves nothing half written, and is served once it can be", async () => {
    const folder = newFolder()
    const { file, read, keep, close } = node(folder)
    const digest = keep("written at last")
    mkdirSync(join(folder, digest))
    expect(Exit.isFailure(await file(digest))).toBe(true)
    expect(readdirSync(folder)).toEqual([digest])
    rmSync(join(folder, digest), { recursive: true })
    expect(await read(digest)).toBe("written at last")
    await close()
  })

  it("goes when others need its room, and who reads it meanwhile reads on", async () => {
    const folder = newFolder()
    const { read, keep, close } = node(folder, 250)
    const digest = keep("a".repeat(100))
    await read(digest)
    const body = new FileBody(join(folder, digest), 0, 100)
    for (const letter of "bcd") await read(keep(letter.repeat(100)))
    expect(existsSync(join(folder, digest))).toBe(false)
    const piece = Buffer.alloc(100)
    await new Promise<void>((resolve) => body.read(piece, 0, () => resolve()))
    body.close()
    expect(piece.toString()).toBe("a".repeat(100))
    expect(await read(digest)).toBe("a".repeat(100))
    await close()
  })

  it("waits its turn when four others are being read", async () => {
    const { store, file, keep, close } = node(newFolder())
    const digests = Array.from({ length: 20 }, (_, at) => keep(`many ${at}`))
    await Promise.all(digests.map(file))
    expect([store.reads, store.most]).toEqual([20, artifactLoadsMax])
    await close()
  })
})

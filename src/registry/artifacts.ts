/**
 * Artifacts on this node's disk: each is read from the store once, checked against its digest, and served from a bounded
 * folder after that. Owns the folder; bytes that do not match their digest never leave it, nor enter it.
 */
import { createHash, randomBytes } from "node:crypto"
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Context, Deferred, Effect, Layer, Semaphore } from "effect"
import { LRUCache } from "lru-cache"
import { NotFound, StoreFailed } from "../errors.ts"
import { artifactCacheBytesMax, artifactLoadsMax } from "../limits.ts"
import { Packages } from "../store/packages.ts"

/** A verified artifact on disk. */
export interface ArtifactFile {
  readonly path: string
  readonly size: number
}

const digestShape = /^[0-9a-f]{64}$/u

/** The artifacts of this node. */
export class Artifacts extends Context.Service<
  Artifacts,
  {
    /** The verified file of a digest; NotFound when the store has no such bytes, StoreFailed when they are corrupted. */
    readonly file: (digest: string) => Effect.Effect<ArtifactFile, NotFound | StoreFailed>
  }
>()("hub/Artifacts") {
  /** Keeps files in `folder`, at most `bytesMax` together. What an earlier run verified is used again. */
  static readonly layer = (folder: string, bytesMax: number = artifactCacheBytesMax) =>
    Layer.effect(
      Artifacts,
      Effect.gen(function* () {
        const packages = yield* Packages
        const loads = yield* Semaphore.make(artifactLoadsMax)
        const disk = <A>(operation: string, run: () => Promise<A>) =>
          Effect.tryPromise({ try: run, catch: (cause) => new StoreFailed({ operation, cause }) })
        const known = new LRUCache<string, ArtifactFile>({
          maxSize: bytesMax,
          sizeCalculation: (file) => Math.max(1, file.size),
          // an open reader keeps its bytes: the operating system frees them when it closes
          dispose: (file, _, reason) => {
            if (reason === "evict") rm(file.path, { force: true }).catch(() => undefined)
          }
        })
        yield* Effect.orDie(disk("open the artifact folder", () => recall(folder, known)))

        const load = Effect.fnUntraced(function* (digest: string) {
          const bytes = yield* packages.artifact(digest)
          if (bytes === undefined) return yield* new NotFound()
          const found = createHash("sha256").update(bytes).digest("hex")
          if (found !== digest) {
            const cause = new Error(`artifact ${digest} is stored with bytes of digest ${found}`)
            yield* Effect.logError("a stored artifact is corrupted", { digest, found })
            return yield* new StoreFailed({ operation: "verify an artifact", cause })
          }
          const path = join(folder, digest)
          const unfinished = `${path}.${randomBytes(6).toString("hex")}.part`
          yield* disk("keep an artifact", async () => {
            await writeFile(unfinished, bytes, { mode: 0o600 })
            await rename(unfinished, path)
          })
          const file = { path, size: bytes.byteLength }
          known.set(digest, file)
          return file
        })
        const loading = new Map<string, Deferred.Deferred<ArtifactFile, NotFound | StoreFailed>>()
        /** One load for all who ask meanwhile; it outlives whoever asked first. */
        const shared = (digest: string): Effect.Effect<ArtifactFile, NotFound | StoreFailed> =>
          Effect.suspend(() => {
            const running = loading.get(digest)
            if (running !== undefined) return Deferred.await(running)
            const answer = Deferred.makeUnsafe<ArtifactFile, NotFound | StoreFailed>()
            loading.set(digest, answer)
            const work = Effect.flatMap(Effect.exit(loads.withPermit(load(digest))), (exit) =>
              Effect.sync(() => {
                loading.delete(digest)
                Deferred.doneUnsafe(answer, exit)
              })
            )
            return Effect.andThen(Effect.forkDetach(work, { startImmediately: true }), Deferred.await(answer))
          })
        const file = (digest: string): Effect.Effect<ArtifactFile, NotFound | StoreFailed> =>
          Effect.suspend(() => {
            const kept = known.get(digest)
            return kept === undefined ? shared(digest) : Effect.succeed(kept)
          })
        return Artifacts.of({ file })
      })
    )
}

/** Takes over what an earlier run verified, and removes what it left unfinished. */
const recall = async (folder: string, known: LRUCache<string, ArtifactFile>): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (digestShape.test(name)) known.set(name, { path, size: (await stat(path)).size })
    else if (name.endsWith(".part")) await rm(path, { force: true })
  }
}

/**
 * Caches artifacts on this node's disk: each is read from the store once, verified against its digest, and served from
 * a bounded folder. Owns the folder; bytes that do not match their digest neither enter nor leave it.
 */
import { createHash, randomBytes } from "node:crypto"
import { rmSync, type Stats, statSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { LRUCache } from "lru-cache"
import { NotFound, StoreFailed } from "../errors.ts"
import { artifactCacheBytesMax, artifactLoadsMax, artifactWriteMillisMax } from "../limits.ts"
import { singleFlight } from "../runtime/single-flight.ts"
import { Packages } from "../store/registry/packages.ts"

/** A verified artifact on disk. */
export interface ArtifactFile {
  readonly path: string
  readonly size: number
}

/** A file, with the size and time it had when it was verified; without a time it is from an earlier run. */
interface CachedArtifact extends ArtifactFile {
  readonly changedAt: number | undefined
}

const digestShape = /^[0-9a-f]{64}$/u
const hexOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const storedOutcomeOf = (path: string, { size, mtimeMs }: Stats): CachedArtifact => ({ path, size, changedAt: mtimeMs })

/** Whether the file is there as it was verified. One look at the disk: the file is opened right after. */
const isUntouched = ({ path, size, changedAt }: CachedArtifact): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.size === size && found.mtimeMs === changedAt
}

/** The artifacts of this node. */
export class Artifacts extends Context.Service<
  Artifacts,
  {
    /**
     * The verified file of a digest; NotFound when the store has no such bytes, StoreFailed when they are corrupted.
     */
    readonly file: (digest: string) => Effect.Effect<ArtifactFile, NotFound | StoreFailed>
  }
>()("hub/Artifacts") {
  /**
   * Keeps files in `folder`, at most `bytesMax` together. A file of an earlier run, or one that changed, is
   * verified again before it is used: a file is trusted only while it has the size and the time it was verified with.
   */
  static readonly layer = (folder: string, bytesMax: number = artifactCacheBytesMax) =>
    Layer.effect(
      Artifacts,
      Effect.gen(function* () {
        const packages = yield* Packages
        const loads = yield* Semaphore.make(artifactLoadsMax)
        const disk = <A>(operation: string, run: () => Promise<A>) =>
          Effect.tryPromise({ try: run, catch: (cause) => new StoreFailed({ operation, cause }) })
        const known = new LRUCache<string, CachedArtifact>({
          maxSize: bytesMax,
          sizeCalculation: (file) => Math.max(1, file.size),
          // at once, or it would hit the file that the next load of this digest puts there; an open reader keeps its
          // bytes
          dispose: (file, _, reason) => {
            if (reason === "evict") rmSync(file.path, { force: true })
          }
        })
        const before = (yield* Clock.currentTimeMillis) - artifactWriteMillisMax
        yield* Effect.orDie(disk("open the artifact folder", () => recall(folder, known, before)))

        /** What is kept of a digest, if its bytes are still those: of an earlier run, or touched since. */
        const verified = Effect.fnUntraced(function* (digest: string) {
          const kept = known.get(digest)
          if (kept === undefined) return undefined
          // not to be evicted, and its file removed, while another takes its place
          known.delete(digest)
          const bytes = yield* Effect.promise(() => readFile(kept.path).catch(() => undefined))
          if (bytes === undefined || hexOf(bytes) !== digest) {
            yield* Effect.logWarning("a kept artifact was damaged or is gone: it is read from the store again", {
              digest
            })
            return undefined
          }
          return storedOutcomeOf(kept.path, yield* disk("look at an artifact", () => stat(kept.path)))
        })

        const fetched = Effect.fnUntraced(function* (digest: string) {
          const bytes = yield* packages.artifact(digest)
          if (bytes === undefined) return yield* new NotFound()
          const found = hexOf(bytes)
          if (found !== digest) {
            const cause = new Error(`artifact ${digest} is stored with bytes of digest ${found}`)
            yield* Effect.logError("a stored artifact is corrupted", { digest, found })
            return yield* new StoreFailed({ operation: "verify an artifact", cause })
          }
          const path = join(folder, digest)
          return storedOutcomeOf(path, yield* disk("keep an artifact", () => write(path, bytes)))
        })

        const load = Effect.fnUntraced(function* (digest: string) {
          const file = (yield* verified(digest)) ?? (yield* fetched(digest))
          known.set(digest, file)
          return file
        })
        const flight = singleFlight<ArtifactFile, NotFound | StoreFailed>()
        const file = (digest: string): Effect.Effect<ArtifactFile, NotFound | StoreFailed> =>
          Effect.suspend(() => {
            const kept = known.get(digest)
            return kept !== undefined && isUntouched(kept)
              ? Effect.succeed(kept)
              : flight.ask(digest, loads.withPermit(load(digest)))
          })
        return Artifacts.of({ file })
      })
    )
}

/** Writes beside it and renames: what is there under its own name is whole. A full disk keeps no half of it. */
const write = async (path: string, bytes: Uint8Array): Promise<Stats> => {
  const unfinished = `${path}.${randomBytes(6).toString("hex")}.part`
  try {
    // who cleans up a data folder may take this one along
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(unfinished, bytes, { mode: 0o600 })
    await rename(unfinished, path)
  } catch (cause) {
    await rm(unfinished, { force: true })
    throw cause
  }
  return stat(path)
}

/**
 * Takes over what an earlier run kept, to be verified when it is asked for, and removes what was left unfinished
 * `before`: what is younger may be another worker's that is being written.
 */
const recall = async (folder: string, known: LRUCache<string, CachedArtifact>, before: number): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found === undefined) continue
    if (digestShape.test(name)) known.set(name, { path, size: found.size, changedAt: undefined })
    else if (name.endsWith(".part") && found.mtimeMs < before) await rm(path, { force: true })
  }
}

/**
 * The releases of the daemon that this node can give: its own, and those that the store keeps of before. Owns that its
 * own is kept, and what of the others is in memory; which daemon gets one is no matter of it.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import type { Offered, Release } from "../../src/domain/daemon/version-policy.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { keptReleasesMax } from "../../src/limits/daemon-versions.ts"
import { type DaemonRelease, ServedRelease } from "../../src/runtime/daemon-release.ts"
import { singleFlight } from "../../src/runtime/single-flight.ts"
import { DaemonReleases } from "../../src/store/daemons/daemon-releases.ts"

export class OfferedReleases extends Context.Service<
  OfferedReleases,
  {
    /** As they were read last. */
    readonly known: () => Offered
    /** Reads them anew, once its own is kept. */
    readonly read: Effect.Effect<Offered, StoreFailed>
    /** The program of its own release, which is kept once it was given, or of a kept one; undefined: of none known. */
    readonly program: (sha256: string) => Effect.Effect<Uint8Array | undefined, StoreFailed>
  }
>()("hub/OfferedReleases") {
  static readonly layer = Layer.effect(
    OfferedReleases,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const store = yield* DaemonReleases
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const served = yield* ServedRelease
  let kept: ReadonlyArray<Release> = []
  let ownIsKept = false
  const programs = new LRUCache<string, Uint8Array>({ max: keptReleasesMax })
  const flights = singleFlight<Uint8Array | undefined, StoreFailed>()
  const own = (): Release | undefined => {
    const release = served()
    return release && { version: release.version, sha256: release.sha256 }
  }
  const known = (): Offered => ({ own: own(), kept })
  const keepOwn = Effect.suspend(() => {
    const release = served()
    if (ownIsKept || release === undefined) return Effect.void
    const keeping = Effect.flatMap(Clock.currentTimeMillis, (now) => store.keep(release, release.program, now))
    return Effect.tap(keeping, () =>
      Effect.sync(() => {
        ownIsKept = true
      })
    )
  })
  // where it fails, the next look keeps it
  const give = ({ sha256, program }: DaemonRelease) => {
    if (!ownIsKept) run(Effect.ignore(flights.ask(sha256, Effect.as(keepOwn, program))))
    return Effect.succeed(program)
  }
  const load = (sha256: string) =>
    Effect.tap(store.program(sha256), (program) =>
      Effect.sync(() => program !== undefined && programs.set(sha256, program))
    )
  return OfferedReleases.of({
    known,
    read: Effect.map(Effect.andThen(keepOwn, store.list), (all) => {
      kept = all
      return known()
    }),
    program: (sha256) =>
      Effect.suspend(() => {
        const release = served()
        if (release?.sha256 === sha256) return give(release)
        // who asks for one that there is not costs no read of the store
        if (!kept.some((one) => one.sha256 === sha256)) return Effect.succeed(undefined)
        const program = programs.get(sha256)
        return program === undefined ? flights.ask(sha256, load(sha256)) : Effect.succeed(program)
      })
  })
})

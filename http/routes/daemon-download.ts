/** The routes of what a machine downloads to become a daemon. src/runtime/daemon-release.ts reads it. */
import { Effect } from "effect"
import { OfferedReleases } from "../../actors/daemon-versions/offered-releases.ts"
import { Config } from "../../src/config.ts"
import { NotFound } from "../../src/errors.ts"
import { type DaemonRelease, programPath, ServedRelease } from "../../src/runtime/daemon-release.ts"
import type { DaemonDownload } from "../api/daemon-download.ts"
import { installScript, ownAddress } from "../downloads/install-script.ts"
import type { Routes } from "../pipeline/action.ts"
import { Answer } from "../pipeline/response.ts"

/** Builds the routes; `read`: gives the release, or undefined where there is none yet; `programOf`: by its checksum. */
export const makeDaemonDownloadRoutes = (
  read: () => DaemonRelease | undefined,
  programOf: OfferedReleases["Service"]["program"],
  publicUrl: string | undefined,
  isTls: boolean
): Routes<typeof DaemonDownload> => {
  const release = Effect.suspend(() => {
    const known = read()
    return known === undefined ? Effect.fail(new NotFound()) : Effect.succeed(known)
  })
  const addressed = (host: string | undefined) =>
    Effect.flatMap(release, (found) => {
      const hub = ownAddress(publicUrl, isTls, host)
      return hub === undefined ? Effect.fail(new NotFound()) : Effect.succeed({ hub, found })
    })
  return {
    script: ({ headers }) =>
      Effect.map(addressed(headers.host), ({ hub, found }) => {
        const type = [
          ["content-type", "text/x-shellscript; charset=utf-8"],
          ["cache-control", "no-cache"]
        ] as const
        return new Answer(200, type, installScript(hub, found))
      }),
    release: ({ headers }) =>
      Effect.map(addressed(headers.host), ({ hub, found }) => {
        const { version, sha256, minNode } = found
        return { version, url: `${hub}${programPath(found)}`, sha256, minNode }
      }),
    program: Effect.fnUntraced(function* ({ params: { digest } }) {
      const program = yield* programOf(digest)
      if (program === undefined) return yield* new NotFound()
      const headers = [
        ["content-type", "text/javascript; charset=utf-8"],
        ["cache-control", "public, max-age=31536000, immutable"]
      ] as const
      return new Answer(200, headers, program)
    })
  }
}

/** The routes of the daemon that was built beside this hub. */
export const daemonDownloadRoutes = Effect.gen(function* () {
  const { publicUrl, tlsCert } = yield* Config
  return makeDaemonDownloadRoutes(
    yield* ServedRelease,
    (yield* OfferedReleases).program,
    publicUrl,
    tlsCert !== undefined
  )
})

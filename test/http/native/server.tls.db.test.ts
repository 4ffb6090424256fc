/** What a hub with a certificate of its own speaks: TLS 1.2 and 1.3, and only suites that keep the past secret. */
import { readFileSync } from "node:fs"
import { type ConnectionOptions, connect, getCiphers } from "node:tls"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { useEdge } from "../../support/edge.ts"

const folder = new URL("../../support/tls/", import.meta.url).pathname
const tls = { tlsCert: `${folder}cert.pem`, tlsKey: `${folder}key.pem` }
const ca = readFileSync(tls.tlsCert)
/** So that this side offers what it would refuse by itself. */
const anything = "DEFAULT@SECLEVEL=0"

describe("TLS", () => {
  const edge = useEdge({ settings: tls }, { system: { health: () => Effect.succeed({ status: "ok" }) } })

  /** The version and the suite that both sides agree on; the fault where they do not. */
  const agree = (options: ConnectionOptions) =>
    new Promise<readonly [string | null, string]>((resolve) => {
      const port = Number(new URL(edge.url).port)
      const socket = connect({ host: "127.0.0.1", port, ca, servername: "localhost", ...options }, () => {
        resolve([socket.getProtocol(), socket.getCipher().name])
        socket.destroy()
      })
      socket.on("error", ({ message }) => resolve([null, message]))
    })

  it("is 1.3 where the caller has it, and 1.2 for who has not", async () => {
    expect(await agree({})).toMatchObject(["TLSv1.3", expect.stringMatching(/^TLS_(?:AES|CHACHA20)_/u)])
    expect((await agree({ maxVersion: "TLSv1.2" }))[0]).toBe("TLSv1.2")
  })

  it.each(["TLSv1", "TLSv1.1"] as const)("is never %s", async (version) =>
    expect(await agree({ minVersion: version, maxVersion: version, ciphers: anything })).toMatchObject([null, /./u])
  )

  it("sends nobody on who comes without it: there is no answer", () =>
    expect(fetch(edge.url.replace("https:", "http:"), { redirect: "manual" })).rejects.toThrow())

  it("takes only suites with forward secrecy and authenticated encryption in 1.2", async () => {
    const taken: Array<string> = []
    const offered = getCiphers()
      .map((one) => one.toUpperCase())
      .filter((one) => !one.startsWith("TLS_"))
    for (const suite of offered) {
      const [version] = await agree({ maxVersion: "TLSv1.2", ciphers: `${suite}:@SECLEVEL=0` })
      if (version !== null) taken.push(suite)
    }
    expect(offered.length).toBeGreaterThan(50)
    expect(taken.sort()).toEqual([
      "ECDHE-ECDSA-AES128-GCM-SHA256",
      "ECDHE-ECDSA-AES256-GCM-SHA384",
      "ECDHE-ECDSA-CHACHA20-POLY1305"
    ])
  })
})

/** Defects behind the edge: each is logged, and none fills the log, however often a caller or daemon triggers it. */
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { socketPath } from "../../../http/native/daemon-socket.ts"
import { failureLogMillis } from "../../../src/limits/edge.ts"
import { startEdge, type TestEdge } from "../../support/edge.ts"
import { until } from "../../support/until.ts"

const open = access({ kind: "public", onHangUp: "cancel" })
const Buggy = HttpApiGroup.make("buggy").add(
  HttpApiEndpoint.get("one", "/one", { success: Schema.Struct({}) }).annotateMerge(open),
  HttpApiEndpoint.get("two", "/two/:which", {
    params: { which: Schema.String },
    success: Schema.Struct({})
  }).annotateMerge(open)
)

const bug = (words: string) => Effect.die(new TypeError(words))
let thrown = 0
const routes = {
  buggy: {
    one: () => bug(`one, time ${++thrown}`),
    two: ({ params }: { params: { which: string } }) =>
      params.which === "a" ? Effect.die(new TypeError("of a")) : Effect.die(new RangeError("of b"))
  }
}

const log: Array<Readonly<Record<string, unknown>>> = []
let edge: TestEdge
let ended = 0
// an edge for each try: what was logged before is not logged again for a while
beforeEach(async () => {
  thrown = 0
  ended = 0
  log.length = 0
  const connection = {
    receive: () => {},
    gone: () => {},
    closed: () => {
      ended++
      throw new Error(`of end ${ended}`)
    }
  }
  const connections = { open: () => connection as never }
  edge = await startEdge({ log, connections }, routes, HttpApi.make("bugs").add(Buggy))
})
afterEach(() => edge.close())

const call = async (path: string): Promise<void> => {
  expect((await fetch(`${edge.url}${path}`)).status).toBe(500)
}
const written = () => log.splice(0).map(({ where, heldBack, cause }) => ({ where, heldBack, cause }))
const whileOver = () => edge.clock.advance(failureLogMillis, async () => {})

describe("a bug", () => {
  it("that comes with every request is logged at once, then once each 10 s with how many were held back", async () => {
    for (let nth = 0; nth < 20; nth++) await call("/one")
    expect(written()).toEqual([{ where: "buggy.one", heldBack: 0, cause: expect.stringContaining("one, time 1") }])
    await whileOver()
    expect(written()).toEqual([{ where: "buggy.one", heldBack: 18, cause: expect.stringContaining("one, time 20") }])
  })

  it("hides no other: of another route, or thrown elsewhere on the same one", async () => {
    await call("/one")
    written()
    for (const path of ["/one", "/two/a", "/two/b", "/two/a", "/one"]) await call(path)
    const causes = written().map(({ cause }) => /of [ab]/u.exec(String(cause))?.[0])
    expect(causes).toEqual(["of a", "of b"])
  })

  it("of the end of a socket is logged likewise", async () => {
    log.splice(0)
    for (let nth = 1; nth <= 3; nth++) {
      const socket = new WebSocket(`${edge.url.replace("http", "ws")}${socketPath}`)
      await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }))
      socket.close()
      await until("its end is dealt with", () => ended === nth)
    }
    expect(written()).toEqual([
      { where: "the end of a socket", heldBack: 0, cause: expect.stringContaining("of end 1") }
    ])
    await whileOver()
    expect(written()).toEqual([
      { where: "the end of a socket", heldBack: 1, cause: expect.stringContaining("of end 3") }
    ])
  })
})

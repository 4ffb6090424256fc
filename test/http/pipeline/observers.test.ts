/**
 * Who observes a call: each hears of one end, whatever ends it. A request over a played connection to a real pipeline,
 * whose steps and interruptions come in every order.
 */
import { Context, Deferred, Effect } from "effect"
import { expect, it } from "vitest"
import { BodiesPerTurn } from "../../../http/native/bodies-per-turn.ts"
import { NativeExchange } from "../../../http/native/native-exchange.ts"
import { PausedConnections } from "../../../http/native/paused-connections.ts"
import { UnreadAnswers } from "../../../http/native/unread-answers.ts"
import { anonymous } from "../../../http/pipeline/bearer.ts"
import type { Endpoint } from "../../../http/pipeline/endpoint.ts"
import type { OpenCall } from "../../../http/pipeline/open-calls.ts"
import { handlerOf } from "../../../http/pipeline/pipeline.ts"
import type { PipelineContext } from "../../../http/pipeline/pipeline-context.ts"
import { problem } from "../../../http/pipeline/problem.ts"
import { Answer, Head, json, Sending, Streaming } from "../../../http/pipeline/response.ts"
import type { Verdict } from "../../../http/pipeline/verdict.ts"
import type { Principal } from "../../../src/domain/account/principal.ts"
import { HeldBytes } from "../../../src/domain/limits/held-bytes.ts"
import { AuthInvalid, DaemonOffline, NotFound, RateLimited, ValidationFailed } from "../../../src/errors.ts"
import { seriesOf } from "../../../src/runtime/histograms.ts"
import { type EndedSpan, Span } from "../../../src/tracing/span.ts"
import { fc, forAllAsync } from "../../support/properties.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

type Native = ConstructorParameters<typeof NativeExchange>

const principal: Principal = { ...anonymous, accountId: "acc_1", credential: { kind: "key", keyId: "key_1" } }
const admitted: Verdict = { failure: undefined, principal, decisions: [], month: "2026-01" }
const verdicts = {
  admitted,
  "admitted without quota": { ...admitted, month: undefined },
  refused: { ...admitted, month: undefined, failure: new RateLimited({ limit: 1, retryAfter: 1 }) },
  unknown: { failure: new AuthInvalid(), principal: anonymous, decisions: [], month: undefined }
} satisfies Readonly<Record<string, Verdict>>

const command = { type: "send_chat", daemonId: "dmn_00000000000000000001" } as const
const later = Effect.callback<void>((resume) => void turns(2).then(() => resume(Effect.void)))
const ends = {
  answer: Effect.succeed(json(200, {})),
  "not modified": Effect.succeed(new Answer(304, [], undefined)),
  replay: Effect.succeed(json(200, {}, [["idempotency-replayed", "true"]])),
  failure: Effect.fail(new NotFound()),
  "failure of ours": Effect.fail(new DaemonOffline()),
  defect: Effect.die(new Error("broken")),
  "answer that cannot be encoded": Effect.succeed("odd"),
  stream: Effect.succeed(new Streaming([], () => Effect.void)),
  "stream that stays": Effect.succeed(new Streaming([], () => Effect.never)),
  command: Effect.succeed(new Sending(command, Effect.succeed(json(200, {})))),
  "command that fails": Effect.succeed(new Sending(command, Effect.fail(new DaemonOffline()))),
  "command that is answered later": Effect.succeed(new Sending(command, Effect.as(later, json(200, {}))))
} as const

const bodies = ["whole", "too dear", "not what the call takes", "broken decoder"] as const
const steps = ["judged", "body", "acted", "left", "credential ended", "stream ended"] as const

const course = fc.record({
  verdict: fc.constantFrom(...(Object.keys(verdicts) as Array<keyof typeof verdicts>)),
  end: fc.constantFrom(...(Object.keys(ends) as Array<keyof typeof ends>)),
  body: fc.constantFrom(...bodies),
  onHangUp: fc.constantFrom("cancel" as const, "finish" as const),
  method: fc.constantFrom("POST", "HEAD"),
  keyed: fc.boolean(),
  atOnce: fc.subarray(["judged", "body", "acted"] as const),
  order: fc.shuffledSubarray([...steps], { minLength: 3 })
})
type Course = typeof course extends fc.Arbitrary<infer C> ? C : never

/** What the observers were told. */
const makeTold = () => ({ lines: 0, logged: 0, notes: 0, refunds: 0, spans: [] as Array<EndedSpan> })

const path = "/observed"

const play = async ({ verdict, end, body, onHangUp, method, keyed, atOnce, order }: Course) => {
  const told = makeTold()
  const gates = { judged: Deferred.makeUnsafe<void>(), acted: Deferred.makeUnsafe<void>() }
  const seen = { status: undefined as number | undefined, judged: false, streams: false, hasSlot: true }
  const open: Array<OpenCall> = []
  const sink = { now: () => 0n, ended: (span: EndedSpan) => void (span.kind === "server" && told.spans.push(span)) }
  const judge = Effect.sync(() => {
    seen.judged = true
    return verdicts[verdict]
  })
  const edge = {
    guard: {
      judge: () =>
        atOnce.includes("judged") ? Effect.runSync(judge) : Effect.andThen(Deferred.await(gates.judged), judge),
      refund: () => void told.refunds++
    },
    calls: { add: (one: OpenCall) => void open.push(one), remove: () => void open.pop() },
    bodyCost: () => (body === "too dear" ? new RateLimited({ limit: 1, retryAfter: 1 }) : undefined),
    idempotency: { runOnce: (_: unknown, action: Effect.Effect<Answer>) => action, settled: Effect.void },
    requestLog: { admits: () => void told.logged++, add: () => {} },
    auditLog: { node: "node_1", note: () => void told.notes++, commandsShown: () => "off" },
    logRequest: () => void told.lines++,
    logCommand: undefined,
    fork: Effect.runForkWith(Context.empty()),
    clock: { monotonicTimeNanosUnsafe: () => 0n, currentTimeMillisUnsafe: () => 0 },
    tracing: { begin: () => new Span(sink, "span", "server", { traceId: "1", sampled: true, state: "" }) },
    defect: () => {},
    storeFailed: () => {}
  } as unknown as PipelineContext
  const endpoint: Endpoint = {
    id: "shortcuts.send",
    method: "POST",
    path,
    access: {
      kind: "any",
      onHangUp,
      concurrency: 1,
      audits: "command.sent",
      ...(keyed ? {} : { idempotent: false as const })
    },
    headerNames: [],
    takesBody: true,
    needsBody: true,
    call: () => {
      if (body === "broken decoder") throw new Error("broken")
      if (body === "not what the call takes") return { failure: new ValidationFailed({ issues: [] }), closes: true }
      const action = Effect.suspend((): Effect.Effect<unknown, NotFound> => {
        if (onHangUp === "finish") seen.hasSlot = exchange.record!.slot !== undefined
        return ends[end] as Effect.Effect<unknown, NotFound>
      })
      return atOnce.includes("acted") ? action : Effect.andThen(Deferred.await(gates.acted), action)
    },
    encode: (value) => {
      if (!(value instanceof Answer || value instanceof Streaming)) throw new Error("odd")
      return value
    },
    encodeFailure: problem
  }
  let abort = (): void => {}
  let piece: ((bytes: ArrayBuffer, isLast: boolean) => void) | undefined
  const write = (): void => {}
  const res = {
    ...{ pause: write, resume: write, endWithoutBody: write, writeStatus: write, writeHeader: write, close: write },
    ...{ write: () => true, onWritable: write, end: write, tryEnd: () => [true, true] },
    cork: (work: () => void) => work(),
    onAborted: (heard: () => void) => {
      abort = heard
    },
    onData: (heard: typeof piece) => {
      piece = heard
    }
  } as unknown as Native[0]
  const req = { getQuery: () => "", getUrl: () => path, getHeader: () => "", forEach: () => {} } as unknown as Native[1]
  const address = { bucket: "192.0.2.1", loopback: false }
  const shared = {
    ...{ commonHead: () => new Head(""), draining: false, live: 0, onIdle: () => {}, streams: new Set() },
    ...{ addresses: { of: () => address }, bodies: new HeldBytes(1e6, 1e6), answers: new UnreadAnswers() },
    paused: new PausedConnections<Native[0]>(),
    bodyTurns: new BodiesPerTurn<Native[0]>()
  } as unknown as Native[2]
  const exchange = new NativeExchange(res, req, shared, method, { parameters: 0, headers: [], keyed })
  const answer = exchange.answer.bind(exchange)
  exchange.answer = (given, closes) => {
    if (!exchange.isOver) seen.status = given.status
    answer(given, closes)
  }
  const stream = exchange.stream.bind(exchange)
  exchange.stream = (headers) => {
    seen.streams = true
    return stream(headers)
  }
  const take = {
    judged: () => Deferred.doneUnsafe(gates.judged, Effect.void),
    acted: () => Deferred.doneUnsafe(gates.acted, Effect.void),
    body: () => exchange.isOver || piece?.(new ArrayBuffer(2), true),
    left: () => exchange.gone || abort(),
    "credential ended": () => {
      const [call] = open
      if (call === undefined) return
      const { cancel } = exchange
      call.refuse?.(exchange, new AuthInvalid())
      cancel?.()
    },
    "stream ended": () => {
      for (const outlet of [...shared.streams]) outlet.end()
    }
  }
  const handle = handlerOf(edge, endpoint)
  handle(exchange)
  if (atOnce.includes("body")) take.body()
  exchange.callbackEnded()
  for (const step of [...order, ...steps.filter((one) => one !== "left"), "left" as const]) {
    take[step]()
    await turns(1)
  }
  await turns()
  return { told, seen, exchange, live: shared.live }
}

const timed = (): number =>
  ["2xx", "3xx", "4xx", "5xx"].reduce(
    (sum, status) => sum + seriesOf("hub_request_duration_seconds", { method: "POST", route: path, status }).count,
    0
  )

it("each observer of a call hears of one end, whatever ends it and when", async () => {
  const found = new Set<string>()
  await forAllAsync(2_000, course, async (given) => {
    const before = timed()
    const { told, seen, exchange, live } = await play(given)
    const { status, judged, streams, hasSlot } = seen
    const { month, principal: of } = verdicts[given.verdict]
    const isLeft = status === undefined && !streams
    const isRefunded = judged && month !== undefined && status !== undefined && (status === 304 || status >= 500)
    found.add(isLeft ? "left" : streams ? "stream" : String(status))
    expect([told.lines, told.spans.length, timed() - before]).toEqual([1, 1, isLeft || streams ? 0 : 1])
    expect(told.logged).toBe(judged && of.accountId !== "" ? 1 : 0)
    const isReplay = status === 200 && given.end === "replay"
    expect(told.refunds).toBe(isRefunded || isReplay ? Number(month !== undefined) : 0)
    expect(told.notes).toBeLessThanOrEqual(1)
    if (judged && status !== undefined && status >= 400 && status !== 429) expect(told.notes).toBe(1)
    expect([hasSlot, exchange.record!.slot, live]).toEqual([true, undefined, 0])
    exchange.record!.end("left")
    expect(told.lines).toBe(1)
  })
  for (const end of ["left", "stream", "200", "304", "400", "401", "404", "429", "500"]) expect(found).toContain(end)
})

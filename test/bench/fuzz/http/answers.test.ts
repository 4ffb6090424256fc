/** What the fuzzing makes of an answer, and of what comes on a connection and is none. */
import { describe, expect, it } from "vitest"
import { AnswerReader } from "../../../../bench/fuzz/http/answers.ts"
import { judgeAnswer } from "../../../../bench/fuzz/http/judge-answer.ts"
import type { Contract, Operation } from "../../../../bench/fuzz/http/operations.ts"
import { holdsClose } from "../../../../bench/fuzz/socket/raw-frames.ts"
import { frame } from "../../../support/raw-websocket-connection.ts"

describe("an answer is found wrong", () => {
  const declared = new Map([
    [200, new Set<string>()],
    [404, new Set(["NOT_FOUND"])],
    [500, new Set(["DAEMON_OFFLINE", "INTERNAL"])],
    [501, new Set(["INTERNAL"])]
  ])
  const operation: Operation = { id: "a.b", method: "GET", path: "/a", parameters: [], declared, credentials: [] }
  const contract: Contract = { operations: [operation], anywhere: declared, resolve: (given) => given }
  interface Asked {
    readonly isSure?: boolean
    readonly isHead?: boolean
    readonly type?: string
    readonly headers?: string
    readonly id?: string
  }
  const judge = (status: number, body: unknown, asked: Asked = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    const head = `HTTP/1.1 ${status} X\r\ncontent-type: ${asked.type ?? "application/json"}\r\nx-request-id: r${asked.headers ?? ""}`
    const answers: Array<Parameters<typeof judgeAnswer>[2]> = []
    const bytes = Buffer.from(`${head}\r\ncontent-length: ${text.length}\r\n\r\n${text}`)
    const reader = new AnswerReader()
    for (const byte of bytes) reader.push(Buffer.of(byte), false, (answer) => answers.push(answer))
    expect(answers).toHaveLength(1)
    return judgeAnswer(
      contract,
      {
        isHead: asked.isHead === true,
        ...(asked.isSure === false ? {} : { operation: { ...operation, id: asked.id ?? operation.id } })
      },
      answers[0]!
    )
  }
  const problem = (reason: string) => ({ error: "No.", reason, requestId: "r" })

  it.each([
    ["200 with a body", 200, {}],
    ["a declared refusal", 404, problem("NOT_FOUND")],
    ["a daemon that is offline", 500, problem("DAEMON_OFFLINE")]
  ])("not: %s", (_, status, body) => expect(judge(status, body)).toBeUndefined())

  it.each([
    ["INTERNAL, also where it is declared", 500, problem("INTERNAL"), "500 INTERNAL"],
    ["a status that is not declared", 502, problem("NOT_FOUND"), "502 NOT_FOUND is not declared"],
    ["a success that is not declared", 204, "", "204 is not declared"],
    ["a reason that its status does not have", 404, problem("DAEMON_OFFLINE"), "is not declared"],
    ["a body that is no JSON", 404, "<html>", "no JSON"],
    ["a success whose body is broken", 200, "{", "no JSON"],
    ["another request's id", 404, { ...problem("NOT_FOUND"), requestId: "s" }, "requestId"],
    ["no sentence", 404, { reason: "NOT_FOUND", requestId: "r" }, "it has no error"]
  ])("%s", (_, status, body, sentence) => expect(judge(status, body)).toContain(sentence))

  it("a replayed refusal has the first call's requestId", () => {
    const first = { ...problem("DAEMON_OFFLINE"), requestId: "s" }
    expect(judge(500, first)).toContain("requestId")
    expect(judge(500, first, { headers: "\r\nidempotency-replayed: true" })).toBeUndefined()
    const none = { ...first, requestId: undefined }
    expect(judge(500, none, { headers: "\r\nidempotency-replayed: true" })).toContain("requestId")
  })

  it("only /readyz says in a form of its own that it is not ready", () => {
    const body = { status: "not ready", waitingFor: ["store"] }
    expect(judge(503, body, { id: "system.ready" })).toBeUndefined()
    expect(judge(503, { ...body, status: "ready" }, { id: "system.ready" })).toContain("it has no error")
    expect(judge(503, body)).toContain("it has no error")
    expect(judge(503, body, { isSure: false })).toBeUndefined()
  })

  it("an answer to HEAD, which has no body, may be a failure that has a reason of its own", () => {
    const head = { isHead: true }
    expect(judge(500, "", head)).toBeUndefined()
    expect(judge(404, "", head)).toBeUndefined()
    expect(judge(502, "", head)).toContain("502 is not declared")
    expect(judge(501, "", head)).toContain("501 is not declared")
  })

  it("a close code is an echo only where the input holds a close frame with it", () => {
    const payload = Buffer.from([0x10, 0xee])
    const bytes = Buffer.concat([frame(1, "\u0088"), frame(8, payload)])
    expect(holdsClose(bytes, 4334)).toBe(true)
    expect(holdsClose(bytes, 4500)).toBe(false)
    expect(holdsClose(frame(1, payload), 4334)).toBe(false)
    expect(holdsClose(bytes.subarray(0, -1), 4334)).toBe(false)
  })

  it("where a request reaches no operation the edge and the library may refuse it", () => {
    const edge = { isSure: false }
    expect(judge(405, problem("METHOD_NOT_ALLOWED"), edge)).toBeUndefined()
    expect(judge(405, problem("METHOD_NOT_ALLOWED"))).toContain("is not declared")
    expect(judge(431, "<h1>Too large</h1>", { ...edge, type: "text/html" })).toBeUndefined()
    expect(judge(500, problem("INTERNAL"), edge)).toContain("500 INTERNAL")
  })
})

describe("what comes on a connection and is no answer", () => {
  const last = "HTTP/1.1 413 Payload Too Large\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"
  const kept = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
  const library = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n<h1>Bad Request</h1><hr><i>Server</i>"
  const read = (text: string) => {
    const statuses: Array<number> = []
    const reader = new AnswerReader()
    for (const byte of Buffer.from(text)) reader.push(Buffer.of(byte), false, ({ status }) => statuses.push(status))
    return [...statuses, reader.wrong]
  }

  it("may be the library's refusal of what its caller sends on, behind an answer that closes its connection", () => {
    expect(read(`${kept}${last}\r\n${library}`)).toEqual([200, 413, undefined])
    expect(read(`${last}\r\n`)).toEqual([413, undefined])
    expect(read(library)).toEqual([400, undefined])
  })

  it.each([
    ["a further answer behind such a one", `${last}\r\n${kept}`, [413], `came "\\r\\nHTTP/1.1 200 OK`],
    ["bytes behind such a one", `${last}xyz`, [413], 'closes its connection came "xyz"'],
    ["bytes behind one that closes nothing", `${kept}\r\n${kept}`, [200], 'is no HTTP answer: "\\r\\nHTTP'],
    ["no chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n", [], 'no HTTP answer: "HTTP/1.1 200']
  ])("is a finding that shows it: %s", (_, text, statuses, sentence) => {
    const came = read(text)
    expect(came.slice(0, -1)).toEqual(statuses)
    expect(came.at(-1)).toContain(sentence)
  })
})

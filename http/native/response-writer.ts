/**
 * How a whole answer goes out once its head is written: with or without a body, at once or as its reader takes it, and
 * whether the connection closes behind it. Owns what the library needs to be told for each; knows no request.
 */
import { closingAnswerCharsMax, wholeAnswerBytesMax } from "../../src/limits/edge.ts"
import type { Answer } from "../pipeline/response.ts"
import type { BodylessAnswers } from "./bodyless-answers.ts"
import { FileBody, type FileSink, sendFile } from "./file-body.ts"
import { afterTick } from "./tick-flush.ts"
import type { UnreadAnswer, UnreadAnswers } from "./unread-answers.ts"

/** The part of a native response that a body is written to. */
export interface BodySink extends FileSink {
  readonly writeHeader: (name: string, value: string) => unknown
  readonly end: (body: string | Uint8Array, close: boolean) => unknown
  readonly endWithoutBody: (length?: number, close?: boolean) => unknown
  readonly tryEnd: (piece: string | Uint8Array, total: number) => readonly [boolean, boolean]
}

/** Whose answer it is. */
export interface Written {
  readonly method: string
  /** Whether its connection must end with the answer; one that is only asked to is not waited for. */
  readonly closes: boolean
  /** Whether the peer has left: nothing native is touched after that. */
  readonly gone: boolean
  /** Is told when the peer leaves from now on. */
  readonly stay: () => void
  /** Lets go of this file when the peer leaves. */
  readonly hold: (file: FileBody) => void
  readonly shared: { readonly answers: UnreadAnswers; readonly bodyless: BodylessAnswers }
  /** Whom what waits for its reader counts for. */
  readonly owner: () => string
  /** It waits for its reader; until it is settled. */
  readonly unread: (one: UnreadAnswer) => void
  /** The last byte is handed over. */
  readonly settle: () => void
}

const bytesOf = (body: string | Uint8Array | FileBody): number =>
  typeof body === "string" ? Buffer.byteLength(body) : body instanceof FileBody ? body.length : body.byteLength

/** An answer that is not sent holds no file open. */
export const letGo = (answer: Answer): void => {
  if (answer.body instanceof FileBody) answer.body.close()
}

/** Closes the connection once the library has handed over what was written. */
const closeAfterTick = (res: BodySink, written: Written): void =>
  afterTick(() => {
    if (!written.gone) res.close()
  })

/** Where the library does not say it by itself. */
const sayClose = (res: BodySink, close: boolean): void => {
  if (close) res.writeHeader("connection", "close")
}

/** These have no length. Said to the library as `undefined`, it would be written as 2^63. */
const writeNoContent = (res: BodySink, close: boolean): void => {
  sayClose(res, close)
  res.endWithoutBody()
}

/**
 * Here the library waits for the body, so that the connection is still ours to close: what follows on it is no request.
 */
const closeAfterLength = (res: BodySink, length: number, written: Written): void => {
  sayClose(res, true)
  written.stay()
  res.tryEnd("", length)
  closeAfterTick(res, written)
}

/**
 * The length of a body that is not sent; of a stream none is known. Were the length the library's to write, it would
 * wait for that body: the connection would take no further request, and not close.
 */
const writeLength = (res: BodySink, length: number, close: boolean, written: Written): void => {
  if (close) return closeAfterLength(res, length, written)
  res.writeHeader("content-length", String(length))
  writeNoContent(res, close)
}

/** A reader who leaves in between must not leave the file open. */
const writeFile = (res: BodySink, body: FileBody, close: boolean, written: Written): void => {
  sayClose(res, close)
  written.hold(body)
  body.closed = () => written.settle()
  sendFile(res, body, () => written.gone)
}

/**
 * Hands over what the kernel takes and waits for the peer to read before the rest. The library would hold all of it,
 * and of the answers before it on this connection, for as long as requests come. One that comes meanwhile ends it.
 */
const writeAsRead = (res: BodySink, body: string | Uint8Array, close: boolean, written: Written): void => {
  const length = bytesOf(body)
  if (length === 0) return writeHeadOnly(res, 0, close, written)
  sayClose(res, close)
  const [, finished] = res.tryEnd(body, length)
  if (finished) return written.settle()
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  let whole = false
  const cut = (): void =>
    afterTick(() => {
      if (!written.gone && !whole) res.close()
    })
  written.unread({ owner: written.owner(), bytes: length, cut })
  res.onWritable((offset) => {
    if (written.gone) return true
    const [taken, ended] = res.tryEnd(bytes.subarray(offset), length)
    whole = ended
    if (whole) written.settle()
    return taken
  })
}

/**
 * The answer behind which nothing more may be read. Written as text behind the head, so that for the library it is not
 * over, and the connection stays ours to close: told to close it, the library does not where older answers are unread.
 */
const closeBehind = (res: BodySink, body: string, written: Written): void => {
  written.stay()
  res.writeHeader("connection", `close\r\ncontent-length: ${bytesOf(body)}\r\n\r\n${body}`)
  closeAfterTick(res, written)
}

/** The same behind a head that has no body. `length` undefined: it has no length either. */
const closeBehindHead = (res: BodySink, length: number | undefined, written: Written): void => {
  written.stay()
  res.writeHeader("connection", length === undefined ? "close\r\n" : `close\r\ncontent-length: ${length}\r\n`)
  closeAfterTick(res, written)
}

/** An answer without a body. `length`: as its head has it; undefined: it has none. */
const writeHeadOnly = (res: BodySink, length: number | undefined, close: boolean, written: Written): void => {
  if (!close && written.shared.bodyless.endsConnection()) return closeBehindHead(res, length, written)
  if (length === undefined) writeNoContent(res, close)
  else if (length === 0) res.endWithoutBody(0, close)
  else writeLength(res, length, close, written)
  written.settle()
}

/** Writes what comes behind the head. */
export const writeBody = (res: BodySink, answer: Answer, close: boolean, written: Written): void => {
  const { body, status } = answer
  if (body === undefined) return writeHeadOnly(res, status === 204 || status === 304 ? undefined : 0, close, written)
  if (written.method === "HEAD") {
    letGo(answer)
    // a stream has the length 0 here: none is known
    return writeHeadOnly(res, bytesOf(body) || undefined, close, written)
  }
  if (body instanceof FileBody) {
    const whole = body.length <= wholeAnswerBytesMax ? body.whole() : undefined
    return whole === undefined ? writeFile(res, body, close, written) : writeAsRead(res, whole, close, written)
  } else if (!written.closes) {
    if (!close || body.length > wholeAnswerBytesMax) return writeAsRead(res, body, close, written)
    res.end(body, close)
  } else if (typeof body === "string" && body.length <= closingAnswerCharsMax) return closeBehind(res, body, written)
  else if (!written.shared.answers.addUnseen(written.owner(), bytesOf(body))) {
    // the library would hold all of it until the reader takes it
    written.stay()
    return closeAfterTick(res, written)
  } else res.end(body, close)
  written.settle()
}

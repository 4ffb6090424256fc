/**
 * How a whole answer goes out once its head is written: with or without a body, at once or as its reader takes it, and
 * whether the connection closes behind it. Owns what the library needs to be told for each; knows no request.
 */
import { closingAnswerCharsMax, wholeAnswerBytesMax } from "../../src/limits/edge.ts"
import { FileBody } from "../pipeline/file-body.ts"
import type { Answer } from "../pipeline/response.ts"
import type { AfterAnswer } from "./request-head.ts"
import { takeBytes } from "./requests-per-turn.ts"
import { type FileSink, sendFile } from "./send-file.ts"
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
  readonly shared: { readonly answers: UnreadAnswers }
  /** Whom what waits for its reader counts for. */
  readonly owner: () => string
  /** It waits for its reader; until it is settled. */
  readonly unread: (one: UnreadAnswer) => void
  /** The last byte is handed over. */
  readonly settle: () => void
}

const bytesOf = (body: string | Uint8Array | FileBody): number =>
  typeof body === "string" ? Buffer.byteLength(body) : body instanceof FileBody ? body.length : body.byteLength

/** Whether the library closes the connection without a word of it, so that the head must say it. */
export const isClosedUnsaid = (of: { readonly afterAnswer: AfterAnswer; readonly closes: boolean }): boolean =>
  of.afterAnswer === "closed by the library" && !of.closes

/** An answer that is not sent holds no file open, and no memory. */
export const letGo = (answer: Answer): void => {
  if (answer.body instanceof FileBody) answer.body.close()
  answer.release?.()
}

/** Where the library does not say it by itself. */
const sayClose = (res: BodySink, close: boolean): void => {
  if (close) res.writeHeader("connection", "close")
}

/** These have no length. Said to the library as `undefined`, it would be written as 2^63. */
const writeNoContent = (res: BodySink, close: boolean, written: Written): void => {
  if (!close) {
    res.endWithoutBody()
    return written.settle()
  }
  // nor can it be told to close behind them: as in `closeBehind`, the end of the head is written as text
  written.stay()
  res.writeHeader("connection", "close\r\n")
  afterTick(() => {
    if (!written.gone) res.close()
  })
}

/**
 * The length of a body that is not sent; of a stream none is known. Were the length the library's to write, it would
 * wait for that body: the connection would take no further request, and not close.
 */
const writeLength = (res: BodySink, length: number, close: boolean, written: Written): void => {
  if (length > 0) res.writeHeader("content-length", String(length))
  writeNoContent(res, close, written)
}

/** A reader who leaves in between must not leave the file open. */
const writeFile = (res: BodySink, body: FileBody, close: boolean, written: Written): void => {
  sayClose(res, close)
  written.hold(body)
  const settle = (): void => written.settle()
  body.closed = settle
  sendFile(res, body, () => written.gone)
}

/**
 * Hands over what the kernel takes and waits for the peer to read before the rest. The library would hold all of it,
 * and of the answers before it on this connection, for as long as requests come. One that comes meanwhile ends it.
 */
const writeAsRead = (res: BodySink, body: string | Uint8Array, close: boolean, written: Written): void => {
  sayClose(res, close)
  const length = bytesOf(body)
  takeBytes(length)
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
  afterTick(() => {
    if (!written.gone) res.close()
  })
}

/** Writes what comes behind the head. */
export const writeBody = (res: BodySink, answer: Answer, close: boolean, written: Written): void => {
  const { body, status } = answer
  if (body === undefined) {
    if (status === 204 || status === 304) return writeNoContent(res, close, written)
    res.endWithoutBody(0, close)
  } else if (written.method === "HEAD") {
    if (body instanceof FileBody) body.close()
    return writeLength(res, bytesOf(body), close, written)
  } else if (body instanceof FileBody) {
    const whole = body.length <= wholeAnswerBytesMax ? body.whole() : undefined
    return whole === undefined ? writeFile(res, body, close, written) : writeAsRead(res, whole, close, written)
  } else if (!written.closes) {
    if (!close || body.length > wholeAnswerBytesMax) return writeAsRead(res, body, close, written)
    res.end(body, close)
  } else if (typeof body === "string" && body.length <= closingAnswerCharsMax) return closeBehind(res, body, written)
  else if (!written.shared.answers.addUnseen(written.owner(), bytesOf(body))) {
    // the library would hold all of it until the reader takes it
    written.stay()
    afterTick(() => {
      if (!written.gone) res.close()
    })
    return
  } else res.end(body, close)
  written.settle()
}

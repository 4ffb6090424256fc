/**
 * Reads what a node and Postgres say to each other, to lose an answer at the worst moment: the transaction is committed
 * and the node never hears of it. Owns the reading of one connection; which statements matter is a pattern.
 */
import type { LineWatch } from "./faulty-connection.ts"

const startup = 0
const headBytes = 5

/** Splits a stream of messages of Postgres' protocol: a type, the length of the rest, the rest. */
class Messages {
  private rest: Buffer = Buffer.alloc(0)
  private untyped: boolean

  constructor(untyped: boolean) {
    this.untyped = untyped
  }

  push(bytes: Buffer, message: (type: string, body: Buffer) => void): void {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes])
    for (;;) {
      const head = this.untyped ? headBytes - 1 : headBytes
      if (this.rest.length < head) return
      const length = this.rest.readInt32BE(head - 4) + head - 4
      if (this.rest.length < length) return
      const type = this.untyped ? startup : this.rest[0]!
      this.untyped = false
      message(String.fromCharCode(type), this.rest.subarray(head, length))
      this.rest = this.rest.subarray(length)
    }
  }
}

const textAt = (body: Buffer, from: number): string => body.toString("utf8", from, body.indexOf(0, from))

/** Answers that are still to be lost; all connections of a line share them. */
export interface LostAnswers {
  /** How many of the next ones are lost. */
  next: number
}

/** A watch of one connection that loses answers to what matches, once the transaction has ended. */
export const postgresWatch = (answers: LostAnswers, pattern: RegExp): LineWatch => {
  const requests = new Messages(true)
  const replies = new Messages(false)
  const prepared = new Map<string, string>()
  let matters = false
  const note = (statement: string): void => {
    if (pattern.test(statement)) matters = true
  }
  return {
    request: (bytes) =>
      requests.push(bytes, (type, body) => {
        if (type === "Q") note(textAt(body, 0))
        if (type === "P") {
          const name = textAt(body, 0)
          prepared.set(name, textAt(body, Buffer.byteLength(name) + 1))
        }
        if (type === "B") note(prepared.get(textAt(body, body.indexOf(0) + 1)) ?? "")
      }),
    isLost: (bytes) => {
      let lost = false
      replies.push(bytes, (type, body) => {
        // ready for the next statement, and in no transaction
        if (type !== "Z" || String.fromCharCode(body[0]!) !== "I") return
        if (matters && answers.next > 0) {
          answers.next--
          lost = true
        }
        matters = false
      })
      return lost
    }
  }
}

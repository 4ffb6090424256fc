/**
 * What the connections of a program send in a second, all together. Owns when each piece goes; changes nothing in what
 * is sent.
 */
import type { Duplex } from "node:stream"

/** A longer write goes in pieces of this size, between those of other connections. */
export const pieceBytes = 65_536

/** Calls `go` once so many bytes may be sent. */
export type Pace = (bytes: number, go: () => void) => void

/** So many bytes a second; who asks first goes first. */
export const paceOf = (
  bytesPerSecond: number,
  now: () => number = () => performance.now(),
  after: (go: () => void, millis: number) => unknown = setTimeout
): Pace => {
  let freeAt = 0
  return (bytes, go) => {
    const at = Math.max(now(), freeAt)
    freeAt = at + (bytes / bytesPerSecond) * 1_000
    if (at > now()) after(go, at - now())
    else go()
  }
}

/** Has a connection send no faster than its pace. */
export const paced = <One extends Duplex>(connection: One, pace: Pace): One => {
  const write = connection._write.bind(connection)
  const send = (rest: Buffer, done: (error?: Error | null) => void): void =>
    pace(Math.min(rest.length, pieceBytes), () =>
      write(rest.subarray(0, pieceBytes), "buffer" as BufferEncoding, (error) => {
        if (error != null || rest.length <= pieceBytes) done(error)
        else send(rest.subarray(pieceBytes), done)
      })
    )
  return Object.assign(connection, {
    _writev: null,
    _write: (chunk: string | Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void) =>
      send(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk, done)
  })
}

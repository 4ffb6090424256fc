/** Sends a file as an answer's body: the next piece is read when the peer has taken the last. Owns no file. */
import { artifactPieceBytes } from "../../src/limits.ts"
import type { FileBody } from "../pipeline/file-body.ts"

/** The part of a native response that sending uses. */
export interface FileSink {
  readonly cork: (write: () => void) => unknown
  readonly tryEnd: (piece: Uint8Array, total: number) => readonly [boolean, boolean]
  readonly onWritable: (writable: (offset: number) => boolean) => unknown
  readonly close: () => unknown
  readonly pause: () => unknown
  readonly resume: () => unknown
}

/**
 * Sends the range; status and headers are written already. `isGone` says whether the peer has disconnected: nothing
 * native is touched after that. A file that ends early or cannot be read ends the connection, because the length is
 * sent already. The connection is paused while a piece is read from disk: another request on it would end it.
 */
export const sendFile = (res: FileSink, body: FileBody, isGone: () => boolean): void => {
  const piece = Buffer.allocUnsafe(Math.min(artifactPieceBytes, Math.max(1, body.length)))
  let sent = 0
  /** The part of the piece that the peer has not taken; it starts at offset `sent` of the body. */
  let unsent = piece.subarray(0, 0)
  const offer = (): boolean => {
    const [taken, finished] = res.tryEnd(unsent, body.length)
    if (finished) {
      body.close()
      return true
    }
    if (taken) {
      sent += unsent.byteLength
      next()
    }
    return taken
  }
  const next = (): void => {
    res.pause()
    const wanted = Math.min(piece.byteLength, body.length - sent)
    body.read(piece.subarray(0, wanted), body.from + sent, (error, bytes) => {
      if (isGone()) return body.close()
      if (error !== null || bytes === 0) {
        body.close()
        res.close()
        return
      }
      unsent = piece.subarray(0, bytes)
      res.cork(() => {
        res.resume()
        offer()
      })
    })
  }
  res.onWritable((offset) => {
    if (isGone()) return true
    // skip what the kernel has taken; offer the rest again
    unsent = unsent.subarray(offset - sent)
    sent = offset
    return unsent.byteLength === 0 ? true : offer()
  })
  next()
}

/**
 * The writing side of a streamed answer. Owns its bounded buffer: the writes of a tick go out in one cork, unread bytes
 * wait up to the bound, and beyond it the stream is cut off. Knows no event format.
 */
import { streamBufferBytesMax } from "../../src/limits.ts"
import type { Outlet } from "../pipeline/response.ts"
import { afterTick } from "./tick-flush.ts"

/** The part of a native response that a stream uses. */
export interface Sink {
  /** False when the peer reads too slowly; the chunk is buffered all the same. */
  readonly write: (chunk: string) => boolean
  readonly onWritable: (handler: (offset: number) => boolean) => unknown
  readonly cork: (write: () => void) => unknown
  readonly end: () => unknown
  readonly close: () => unknown
}

/** An outlet, and the callback for a disconnect. */
export interface OpenOutlet {
  readonly outlet: Outlet
  readonly gone: () => void
}

/** Opens a stream on a sink. `start` writes status and headers; `over` is called once, whatever ends the stream. */
export const openOutlet = (sink: Sink, start: () => void, over: () => void): OpenOutlet => {
  // a text, not a list: what is kept from tick to tick would be promoted to the old generation
  let queue = ""
  let queuedBytes = 0
  let takenBytes = 0 // given to the sink, which blocked, and not drained yet
  let isBlocked = false
  let isStarted = false
  let isEnding = false
  let isClosed = false
  let isScheduled = false

  const close = (): void => {
    if (isClosed) return
    isClosed = true
    queue = ""
    queuedBytes = 0
    over()
  }

  const flush = (): void => {
    isScheduled = false
    if (isClosed) return
    sink.cork(() => {
      if (!isStarted) {
        isStarted = true
        start()
      }
      if (!isBlocked && queue !== "") {
        const text = queue
        const bytes = queuedBytes
        queue = ""
        queuedBytes = 0
        if (!sink.write(text)) {
          isBlocked = true
          takenBytes = bytes
        }
      }
      if (isEnding && queue === "") {
        sink.end()
        close()
      }
    })
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    afterTick(flush)
  }

  sink.onWritable(() => {
    isBlocked = false
    takenBytes = 0
    if (queue !== "" || isEnding) schedule()
    return true
  })
  schedule()

  const outlet: Outlet = {
    write: (text) => {
      if (isClosed || isEnding) return "closed"
      queuedBytes += Buffer.byteLength(text)
      if (queuedBytes + takenBytes > streamBufferBytesMax) {
        close()
        afterTick(() => sink.close())
        return "closed"
      }
      queue += text
      schedule()
      return isBlocked ? "buffered" : "sent"
    },
    buffered: () => queuedBytes + takenBytes,
    end: () => {
      if (isClosed || isEnding) return
      isEnding = true
      schedule()
    }
  }
  return { outlet, gone: close }
}

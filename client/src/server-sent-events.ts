/** Reads Server-Sent Events (WHATWG HTML, 9.2.6) from bytes. Owns the bound on one event; knows no event of the hub. */

/** The largest event that is read, in characters. */
export const eventCharsMax = 16_777_216

/** One block of a stream. A comment is a block without data, which shows that the stream lives. */
export interface ServerSentEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: string | undefined
  readonly retryMillis: number | undefined
}

interface Block {
  id: string | undefined
  event: string
  data: Array<string>
  retryMillis: number | undefined
}

const emptyBlock = (): Block => ({ id: undefined, event: "message", data: [], retryMillis: undefined })

const take = (block: Block, line: string): void => {
  const colon = line.indexOf(":")
  if (colon === 0) return
  const field = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /u, "")
  if (field === "data") block.data.push(value)
  else if (field === "event") block.event = value
  else if (field === "id" && !value.includes("\0")) block.id = value
  else if (field === "retry" && /^\d{1,9}$/u.test(value)) block.retryMillis = Number(value)
}

/** Gives each block once it is complete. What is cut off at the end is dropped, as the standard says. */
export async function* serverSentEvents(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  const reader = bytes.getReader()
  let text = ""
  let searched = 0
  let size = 0
  let block = emptyBlock()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      for (;;) {
        const end = text.slice(searched).search(/\r\n|\n|\r(?!$)/u)
        if (end < 0) break
        const at = searched + end
        const line = text.slice(0, at)
        text = text.slice(at + (text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1))
        searched = 0
        size += line.length
        if (line !== "") {
          take(block, line)
          continue
        }
        const { id, event, data, retryMillis } = block
        yield { id, event, data: data.length === 0 ? undefined : data.join("\n"), retryMillis }
        block = emptyBlock()
        size = 0
      }
      // a line's end may stand between two reads
      searched = Math.max(0, text.length - 1)
      if (size + text.length > eventCharsMax) throw new RangeError(`an event of more than ${eventCharsMax} characters`)
    }
  } finally {
    // not awaited: a connection that hangs must not keep its reader
    reader.cancel().catch(() => undefined)
  }
}

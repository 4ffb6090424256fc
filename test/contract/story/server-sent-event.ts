/** The first event of a stream of Server-Sent Events, for clients that give the stream as it is. Leaves it then. */

/** Reads it. */
export const firstEvent = async (
  stream: ReadableStream<Uint8Array> | null
): Promise<{ readonly id?: string | undefined; readonly data: unknown }> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of stream ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const [, data] = /^data: (.*)\n(?:.+\n)*\n/mu.exec(text) ?? []
    if (data !== undefined) return { id: /^id: (.*)$/mu.exec(text)?.[1], data: JSON.parse(data) }
  }
  throw new Error("the stream ended before an event came")
}

/** The first event of a stream of Server-Sent Events, for clients that give the stream as it is. Leaves it then. */

/** Reads it. */
export const firstEvent = async (
  stream: ReadableStream<Uint8Array> | null
): Promise<{ readonly id?: string | undefined; readonly data: unknown }> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of stream ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const block = text
      .split("\n\n")
      .slice(0, -1)
      .find((one) => /^data: /mu.test(one))
    if (block === undefined) continue
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "mu").exec(block)?.[1]
    return { id: field("id"), data: JSON.parse(field("data")!) }
  }
  throw new Error("the stream ended before an event came")
}

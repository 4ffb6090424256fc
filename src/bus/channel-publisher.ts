/**
 * Publishes to one channel and joins the messages of one tick into one. Owns the bound on the bytes that wait and the
 * sequence numbers from which a receiver detects a loss. Pure: sending and scheduling are passed in.
 */

/**
 * The version of what nodes say to each other. A later one may add kinds of parts and members, which this one ignores;
 * only a change that this one would misread counts it up, a version of the hub after both can be read.
 */
export const nodeProtocolVersion = 1

/** One message on a channel: its sender, the number of its first part, and its parts, each a kind and a body. */
export interface ChannelMessage {
  /** Absent: of a version before it was said, which is 1. */
  readonly v?: number
  readonly from: string
  readonly at: number
  readonly parts: ReadonlyArray<readonly [string, unknown]>
}

/** Publishes to one channel. */
export interface ChannelPublisher {
  /**
   * Publishes JSON at the end of this tick. False: it was dropped. `lost` is called when no node received it (`surely`
   * true) or when that is unknown (`surely` false).
   */
  readonly publish: (kind: string, json: string, lost?: (surely: boolean) => void) => boolean
}

/** What a publisher needs. `send` returns the number of receivers, and rejects when that is unknown. */
export interface ChannelPublisherOptions {
  readonly from: string
  readonly send: (text: string) => Promise<number>
  readonly afterTick: (work: () => void) => void
  readonly bytesMax: number
  /** Called with the number of parts that were dropped. */
  readonly dropped: (parts: number) => void
}

/** Makes the publisher of one channel. */
export const makeChannelPublisher = ({
  from,
  send,
  afterTick,
  bytesMax,
  dropped
}: ChannelPublisherOptions): ChannelPublisher => {
  let parts: Array<string> = []
  let lossCallbacks: Array<(surely: boolean) => void> = []
  let bytes = 0
  // A dropped part uses up its number: receivers detect the loss by the missing number.
  let nextNumber = 0
  let firstNumber = 0

  const flush = (): void => {
    const text = `{"v":${nodeProtocolVersion},"from":"${from}","at":${firstNumber},"parts":[${parts.join(",")}]}`
    const [sent, callbacks] = [parts.length, lossCallbacks]
    parts = []
    lossCallbacks = []
    bytes = 0
    const reportLoss = (surely: boolean): void => {
      for (const lost of callbacks) lost(surely)
    }
    send(text).then(
      (heard) => {
        if (heard === 0) reportLoss(true)
      },
      () => {
        dropped(sent)
        reportLoss(false)
      }
    )
  }

  return {
    publish: (kind, json, lost) => {
      const at = nextNumber++
      if (bytes + json.length > bytesMax && parts.length > 0) {
        // A message numbers its parts from the first one, so no number may be missing in its middle.
        dropped(1)
        lost?.(true)
        return false
      }
      if (parts.length === 0) {
        firstNumber = at
        afterTick(flush)
      } else if (firstNumber + parts.length !== at) {
        dropped(1)
        lost?.(true)
        return false
      }
      parts.push(`["${kind}",${json}]`)
      if (lost !== undefined) lossCallbacks.push(lost)
      bytes += json.length
      return true
    }
  }
}

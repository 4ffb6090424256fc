/**
 * The way out to one channel: what is said in one tick leaves in one message. Owns the bound on what waits and the
 * numbering by which whoever listens notices what was lost. Pure but for what it is given.
 */

/** What is published: who says it, the number of the first of its parts, and the parts: a kind and a message each. */
export interface Said {
  readonly from: string
  readonly at: number
  readonly parts: ReadonlyArray<readonly [string, unknown]>
}

/** A voice. */
export interface Voice {
  /**
   * Says something (a message as JSON) at the end of this tick. False: it is lost. `lost` is called when nobody heard
   * it, or (`surely` false) when nobody can tell.
   */
  readonly say: (kind: string, json: string, lost?: (surely: boolean) => void) => boolean
}

/** What a voice needs. `send` gives back how many heard it and rejects when nobody can. */
export interface VoiceParts {
  readonly from: string
  readonly send: (text: string) => Promise<number>
  readonly soon: (work: () => void) => void
  readonly bytesMax: number
  /** Told of the parts that were lost. */
  readonly dropped: (parts: number) => void
}

/** A voice for one channel. */
export const makeVoice = ({ from, send, soon, bytesMax, dropped }: VoiceParts): Voice => {
  let parts: Array<string> = []
  let losers: Array<(surely: boolean) => void> = []
  let bytes = 0
  // numbers go on over what is dropped: that is the hole the others notice
  let next = 0
  let first = 0

  const flush = (): void => {
    const text = `{"from":"${from}","at":${first},"parts":[${parts.join(",")}]}`
    const [sent, unheard] = [parts.length, losers]
    parts = []
    losers = []
    bytes = 0
    const lose = (surely: boolean): void => {
      for (const lost of unheard) lost(surely)
    }
    send(text).then(
      (heard) => {
        if (heard === 0) lose(true)
      },
      () => {
        dropped(sent)
        lose(false)
      }
    )
  }

  return {
    say: (kind, json, lost) => {
      const at = next++
      if (bytes + json.length > bytesMax && parts.length > 0) {
        // what waits may leave, but a number in its middle must not be missing
        dropped(1)
        lost?.(true)
        return false
      }
      if (parts.length === 0) {
        first = at
        soon(flush)
      } else if (first + parts.length !== at) {
        dropped(1)
        lost?.(true)
        return false
      }
      parts.push(`["${kind}",${json}]`)
      if (lost !== undefined) losers.push(lost)
      bytes += json.length
      return true
    }
  }
}

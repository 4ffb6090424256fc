/** Reads the account's live events until a command is interrupted. Owns what is said of gaps and lost streams. */
import { createClient, type Streamed, type StreamItem } from "../client/src/index.ts"
import type { Profile } from "./profiles.ts"
import { refusing } from "./refusal.ts"
import type { Terminal } from "./terminal.ts"

/** One event of the stream. */
export type LiveEvent = Streamed<"events.stream">
/** An event with its place in the stream. */
export type PlacedEvent = Extract<StreamItem<LiveEvent>, { readonly type: "event" }>

/** Which events, and from where on. */
export interface Following {
  readonly events: ReadonlyArray<string>
  readonly daemons: ReadonlyArray<string>
  readonly after: string | undefined
}

/** Gives each event to `seen`, one after the other, until the terminal's signal: however long the hub is away. */
export const follow = async (
  { url, key }: Profile,
  { events, daemons, after }: Following,
  terminal: Terminal,
  seen: (event: PlacedEvent) => Promise<void> | void,
  opened: () => void = () => undefined
): Promise<void> => {
  const input = {
    ...(events.length === 0 ? {} : { event: [...events] }),
    ...(daemons.length === 0 ? {} : { daemonId: [...daemons] })
  }
  let told: "open" | "lost" | undefined
  const stream = createClient({ url, credential: key }).events.stream(input, {
    signal: terminal.signal,
    lostMillisMax: Number.POSITIVE_INFINITY,
    ...(after === undefined ? {} : { lastEventId: after }),
    onState: (state) => {
      if (state === "open") opened()
      else if (told === "open") terminal.complain("the stream was lost; it is opened again behind its last event")
      else if (told === undefined) terminal.complain(`${url} gives no stream; it is asked for until there is one`)
      told = state
    }
  })
  const read = async (): Promise<void> => {
    for await (const item of stream) {
      if (item.type === "event") await seen(item)
      else if (item.type === "gap") terminal.complain(`some events behind ${item.after} are not held any more`)
    }
  }
  await refusing(url, read())
}

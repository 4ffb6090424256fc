/** What a stream gives and what it is given. Owns the types; opens nothing. */

/** What a stream gives. */
export type StreamItem<Data> =
  | { readonly type: "event"; readonly id: string | undefined; readonly data: Data }
  /** Something behind this place is not to be had any more: read the state again. */
  | { readonly type: "gap"; readonly after: string | null; readonly reason: string | undefined }
  /** The hub ended the stream for good. */
  | { readonly type: "end"; readonly reason: string }

/** What a stream may be given beside its input. */
export interface StreamOptions {
  /** Ends the stream: its iteration is done. */
  readonly signal?: AbortSignal
  /** The place behind which to begin: the `id` of an event. */
  readonly lastEventId?: string
  /** How long it waits for a hub that is away, all waits together, in milliseconds; ten minutes when left out. */
  readonly lostMillisMax?: number
  /** Told when the stream is open, and when its connection was lost. */
  readonly onState?: (state: "open" | "lost") => void
}

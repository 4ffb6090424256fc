/** A state in one word with a mark whose shape and colour repeat it. Owns which states look alike. */
import { liveState } from "../state/live-events.ts"
import { useStore } from "../state/store.ts"

/** How a state looks. */
export type Tone = "good" | "busy" | "warn" | "bad" | "off"

const tones: Readonly<Record<string, Tone>> = {
  online: "good",
  offline: "off",
  idle: "good",
  generating: "busy",
  waiting_approval: "warn",
  error: "bad",
  stopped: "off",
  ok: "good",
  failing: "bad",
  paused: "off",
  succeeded: "good",
  pending: "busy",
  failed: "bad",
  expired: "bad",
  cancelled: "off",
  timed_out: "bad",
  lost: "bad",
  completed: "good",
  in_progress: "busy",
  running: "busy",
  waiting: "off",
  skipped: "off",
  aborted: "bad"
}

const words: Readonly<Record<string, string>> = { waiting_approval: "waits for you", timed_out: "timed out" }

interface EndProps {
  readonly state: string
  readonly exitCode: number | null | undefined
}

/** How a command ended: one that says it failed is no success, whatever became of the call. */
export const EndBadge = ({ state, exitCode }: EndProps) =>
  typeof exitCode === "number" && exitCode !== 0 ? (
    <span class="badge bad">exit {exitCode}</span>
  ) : (
    <Badge state={state} />
  )

const updates: Readonly<Record<string, readonly [tone: Tone, words: string]>> = {
  pending: ["off", "update pending"],
  updating: ["busy", "updating"],
  failed: ["bad", "update failed"],
  held: ["off", "version held"]
}

/** How a daemon stands with the version that it is to have. */
export const UpdateBadge = ({ state }: { readonly state: string }) => {
  const [tone, text] = updates[state] ?? ["good", "up to date"]
  return <span class={`badge ${tone}`}>{text}</span>
}

/** A state. */
export const Badge = ({ state }: { readonly state: string }) => (
  <span class={`badge ${tones[state] ?? "off"}`}>{words[state] ?? state.replaceAll("_", " ")}</span>
)

/** Whether a daemon was online when it was last heard of, as far as this page knows: without the hub it does not. */
export const OnlineBadge = ({ online }: { readonly online: boolean }) => (
  <Badge state={useStore(liveState) === "lost" ? "not_known" : online ? "online" : "offline"} />
)

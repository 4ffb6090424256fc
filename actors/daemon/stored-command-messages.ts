/** What a daemon actor is told and does about commands whose results are kept, as plain types. Decides nothing. */
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import type { Pending, Unanswered } from "./pending-commands.ts"

/** Called once: undefined when the frame is on its way, else why it is not. */
export type Sent = (failure: Unanswered | undefined) => void

/** What the actor is told of such commands. */
export type StoredCommandMessage =
  /** The row of this command is committed: send it. */
  | {
      readonly is: "start"
      readonly id: string
      readonly text: string
      readonly durable: boolean
      readonly deadlineAt: number
      readonly sent: Sent
      readonly now: number
    }
  /** A caller wants its end. */
  | { readonly is: "cancel"; readonly id: string }
  /** Its row has its result, or does not want one any more. */
  | { readonly is: "recorded"; readonly id: string }

/** What is done about them. */
export type StoredCommandAction =
  | { readonly is: "send"; readonly id: string; readonly text: string; readonly sent: Sent }
  | { readonly is: "refuse"; readonly sent: Sent; readonly failure: Unanswered }
  | { readonly is: "record"; readonly answer: CommandAnswer }
  /** Has a large result read off the loop, then recorded. */
  | { readonly is: "read"; readonly id: string; readonly bytes: Uint8Array }
  /** Makes a row for a timed-out call, then tells its caller. */
  | { readonly is: "timeOut"; readonly pending: Pending }
  /** Ends the rows of earlier connections that this one knows nothing of. */
  | { readonly is: "reconcile" }

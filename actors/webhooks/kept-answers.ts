/**
 * Answers to attempts that another follows: they are kept with their pending delivery, so they count as pending too.
 * Owns when one is recorded without its body; an answer that ends its delivery is none of its business.
 */
import { noVolume, type Volume } from "../../src/domain/account/volume.ts"
import type { Held } from "../limits/volume-budgets.ts"
import type { Outcomes, Recording } from "./outcomes.ts"

/** Records what an attempt of an account's webhook came to. */
export type RecordAnswer = (accountId: string, recording: Recording) => void

/** Records the outcome without the answer's body where the account has no room for it. */
export const keepingAnswers =
  (held: Pick<Held, "of" | "besides">, record: Outcomes["Service"]["record"]): RecordAnswer =>
  (accountId, recording) => {
    const { outcome, done } = recording
    if (outcome.state !== "retry" || outcome.body === "") return record(recording)
    const account = held.of(accountId)
    const volume: Volume = { number: 0, bytes: Buffer.byteLength(outcome.body) }
    if (!held.besides(account, volume.bytes)) {
      return record({ ...recording, outcome: { ...outcome, body: "", truncated: true } })
    }
    const { webhookId } = outcome
    account.begin(webhookId, volume)
    record({
      ...recording,
      done: (recorded) => {
        account.end(webhookId, volume, recorded ? volume : noVolume)
        done(recorded)
      }
    })
  }

/**
 * The budget for answers to attempts that will be retried: they are stored with their pending delivery, so they count
 * as pending too. Owns when one is recorded without its body. Leaves alone an answer that ends its delivery.
 */
import { noVolume, type Volume } from "../../src/domain/account/volume.ts"
import type { VolumeBudget } from "../limits/volume-budgets.ts"
import type { Outcomes, Recording } from "./outcomes.ts"

/** Records the outcome of an attempt for an account's webhook. */
export type RecordAnswer = (accountId: string, recording: Recording) => void

/** Records the outcome without the answer's body where the account has no room for it. */
export const recordWithinBudget =
  (held: Pick<VolumeBudget, "of" | "besides">, record: Outcomes["Service"]["record"]): RecordAnswer =>
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

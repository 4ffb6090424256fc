/**
 * The queue in which rows of stored commands are written: late rows and ends, in the order they came. Owns the batches,
 * the tries while the store is away, and that an end and its `command:completed` are one statement. Decides no state.
 */
import { type Cause, Effect, Exit, Schedule } from "effect"
import { noVolume } from "../../src/domain/account/volume.ts"
import { withoutChat } from "../../src/domain/command/chat-content.ts"
import { type CommandEnd, mayBecome } from "../../src/domain/command/stored-command.ts"
import { outcomeIn } from "../../src/domain/command/terminal-outcome.ts"
import type { StoreFailed } from "../../src/errors.ts"
import {
  commandRowsBytesMax,
  commandRowsMax,
  commandWritesBytesMax,
  commandWritesWaitingMax,
  commandWriteTriesMax
} from "../../src/limits/commands.ts"
import { type GroupCommit, makeGroupCommit } from "../../src/runtime/group-commit.ts"
import { commandsPart } from "../../src/store/accounts/volumes.ts"
import type { Commands, EndedCommand, NewCommand, Standing } from "../../src/store/daemons/commands.ts"
import { inParts } from "../../src/store/sql/in-parts.ts"
import { rowsFault } from "../../src/store/sql/sql-errors.ts"
import type { DaemonEvents } from "../events/daemon-events.ts"
import type { PreparedEvent } from "../events/dispatcher.ts"
import type { VolumeBudget } from "../limits/volume-budgets.ts"

/** Told once whether the store has it. */
export type Written = (committed: boolean) => void

/** The end of a command, as the one that saw it says. */
export interface SeenEnd {
  readonly commandId: string
  readonly daemonId: string
  readonly at: number
  readonly end: CommandEnd
}

/** What is to be written. */
export type RecordEntry = (
  | { readonly is: "row"; readonly row: NewCommand }
  | { readonly is: "end"; readonly seen: SeenEnd }
) & { readonly written: Written }

/** What it is written with. */
export interface QueueContext {
  readonly store: Commands["Service"]
  readonly events: Pick<DaemonEvents["Service"], "commandEnded">
  readonly volumes: VolumeBudget
  readonly maxAttempts: number
  readonly run: (effect: Effect.Effect<unknown>) => unknown
  readonly failed: (cause: Cause.Cause<unknown>) => void
}

const bytesOf = (entry: RecordEntry): number => (entry.is === "end" ? (entry.seen.end.result?.length ?? 0) : 0)

/** Of several ends of one command the first that its daemon said, else the first. */
const onePerCommand = (ends: ReadonlyArray<SeenEnd>): ReadonlyArray<SeenEnd> => {
  const chosen = new Map<string, SeenEnd>()
  const isUnknown = ({ end: { state } }: SeenEnd): boolean => state === "lost" || state === "timed_out"
  for (const one of ends) {
    const before = chosen.get(one.commandId)
    if (before === undefined || (isUnknown(before) && !isUnknown(one))) chosen.set(one.commandId, one)
  }
  return [...chosen.values()]
}

interface Roomed {
  readonly end: CommandEnd
  /** Told whether the statement was committed. */
  readonly settle: (committed: boolean) => void
}

const nothingTaken = (): void => undefined

/** Takes room of its account for a result; without any the result is left out, and the rest is kept. */
const withinVolume = ({ volumes }: QueueContext, { accountId, state }: Standing, end: CommandEnd): Roomed => {
  // one that is sent again changes no row
  if (end.result === undefined || !mayBecome(state, end.state)) return { end, settle: nothingTaken }
  const account = volumes.of(accountId)
  const volume = { number: 0, bytes: Buffer.byteLength(end.result) }
  if (volumes.beyond(account, volume, commandsPart) !== undefined) {
    const outcome = end.outcome && { exitCode: end.outcome.exitCode }
    return { end: { ...end, outcome, result: undefined, omitted: "RESULT_NOT_KEPT" }, settle: nothingTaken }
  }
  account.begin(commandsPart, volume)
  return { end, settle: (committed) => account.end(commandsPart, volume, committed ? volume : noVolume) }
}

/** An end with how its command ended, where it is a terminal's. */
const withOutcome = ({ type }: Standing, end: CommandEnd): CommandEnd => {
  if (type !== "terminal_exec") return end.outcome === undefined ? end : { ...end, outcome: undefined }
  return end.result === undefined ? end : { ...end, outcome: outcomeIn(end.result) }
}

interface Prepared {
  readonly ended: EndedCommand
  readonly event: PreparedEvent
  readonly settle: Roomed["settle"]
}

const untold: PreparedEvent = { deliveries: [], committed: () => undefined }

const prepared = (
  context: QueueContext,
  { commandId, daemonId, at, end }: SeenEnd,
  command: Standing
): Effect.Effect<Prepared, StoreFailed> => {
  const { state } = end
  const said = withOutcome(command, withoutChat(command.type, end))
  const event =
    command.state === "pending" ? context.events.commandEnded({ command, state, at }) : Effect.succeed(untold)
  return Effect.map(event, (event) => {
    const { end: kept, settle } = withinVolume(context, command, said)
    return { event, settle, ended: { commandId, daemonId, at, ...kept, deliveries: event.deliveries } }
  })
}

const writeEnds = Effect.fnUntraced(function* (context: QueueContext, seen: ReadonlyArray<SeenEnd>) {
  const { store, maxAttempts } = context
  const found = yield* store.standings(seen.map(({ commandId }) => commandId))
  const standings = new Map(found.map((one) => [one.commandId, one]))
  const all: Array<Prepared> = []
  let outcome: { first: ReadonlySet<string>; deliveryIds: ReadonlySet<string> } | undefined
  const tell = Effect.sync(() => {
    for (const { ended, event, settle } of all) {
      settle(outcome !== undefined)
      event.committed(outcome?.first.has(ended.commandId) === true ? outcome.deliveryIds : undefined)
    }
  })
  const write = Effect.gen(function* () {
    for (const one of seen) {
      const command = standings.get(one.commandId)
      if (command?.daemonId === one.daemonId) all.push(yield* prepared(context, one, command))
    }
    if (all.length === 0) return
    outcome = yield* store.end(
      all.map(({ ended }) => ended),
      maxAttempts
    )
  })
  yield* Effect.ensuring(write, tell)
})

const writeOnce = (context: QueueContext, entries: ReadonlyArray<RecordEntry>): Effect.Effect<void, StoreFailed> =>
  Effect.suspend(() => {
    const rows = entries.flatMap((entry) => (entry.is === "row" ? [entry.row] : []))
    const ends = onePerCommand(entries.flatMap((entry) => (entry.is === "end" ? [entry.seen] : [])))
    return Effect.andThen(
      rows.length === 0 ? Effect.void : context.store.insert(rows),
      ends.length === 0 ? Effect.void : writeEnds(context, ends)
    )
  })

const again = Schedule.spaced("1 second")

/** Writes entries, and tells each what became of it. What the store never takes keeps back nothing else. */
const write = (context: QueueContext, entries: ReadonlyArray<RecordEntry>): Effect.Effect<void> =>
  inParts(
    entries,
    (part) =>
      Effect.retry(writeOnce(context, part), {
        schedule: again,
        times: commandWriteTriesMax,
        while: (failure) => !rowsFault(failure)
      }),
    (part, exit) => {
      if (Exit.isFailure(exit)) context.failed(exit.cause)
      for (const { written } of part) written(Exit.isSuccess(exit))
    }
  )

/** The line. `add` refuses nothing: what finds no room is told so. */
export interface RecordQueue {
  readonly add: (entry: RecordEntry) => void
  readonly empty: Effect.Effect<void>
}

export const makeRecordQueue = (context: QueueContext): RecordQueue => {
  let waitingBytes = 0
  const line: GroupCommit<RecordEntry> = makeGroupCommit<RecordEntry, never>(context.run, {
    name: "command records",
    rowsMax: commandRowsMax,
    bytesMax: commandRowsBytesMax,
    bytesOf,
    waitingMax: commandWritesWaitingMax,
    write: (entries) => write(context, entries),
    written: (entries) => {
      for (const entry of entries) waitingBytes -= bytesOf(entry)
    }
  })
  return {
    add: (entry) => {
      const bytes = bytesOf(entry)
      if (waitingBytes + bytes > commandWritesBytesMax || !line.add(entry)) return entry.written(false)
      waitingBytes += bytes
    },
    empty: line.empty
  }
}

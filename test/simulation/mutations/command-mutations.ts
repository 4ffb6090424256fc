/** Faults to plant in the code of commands, actors and what all share. Owns the list. */
import type { Mutation } from "./mutation.ts"

/** What each is, and the text that it changes. */
export const commandMutations: ReadonlyArray<Mutation> = [
  {
    name: "answers of a batch go to the first caller's question",
    file: "src/store/sql/query-batcher.ts",
    from: "resume(Effect.succeed(exit.value[at]!))",
    to: "resume(Effect.succeed(exit.value[at * 0]!))"
  },
  {
    name: "a group commit never runs again",
    file: "src/runtime/group-commit.ts",
    from: "        running = false\n        idle.openUnsafe()",
    to: "        idle.openUnsafe()"
  },
  {
    name: "a stored command is sent before its row is committed",
    file: "actors/daemon/send-command.ts",
    from: "        records.begin(row),\n",
    to: "        Effect.forkDetach(Effect.ignore(records.begin(row))),\n"
  },
  {
    name: "a call that a daemon keeps counts as lost after a reconnect",
    file: "actors/command-records/command-records.ts",
    from: "if (row.epoch < epoch && !named.has(row.commandId)) end",
    to: "if (row.epoch < epoch) end"
  },
  {
    name: "a command counts as lost as soon as a connection is accepted",
    seed: 84,
    file: "actors/daemon/decide.ts",
    from: "iceAfterWelcome(state, message.now),\n        ping(state)",
    to: "iceAfterWelcome(state, message.now),\n        ...confirmed(state)"
  },
  {
    name: "commands past their deadline are not ended",
    file: "actors/command-records/command-records.ts",
    from: "const due = yield* store.due(now() - commandGraceMillis, commandSweepRows)",
    to: "const due = (yield* store.due(now() - commandGraceMillis, commandSweepRows)).slice(0, 0)"
  },
  {
    name: "the room of a command is not given back",
    file: "actors/command-records/command-records.ts",
    from: "account.end(commandsPart, oneMore, Exit.isSuccess(exit) && exit.value ? oneMore : noVolume)",
    to: "Exit.isSuccess(exit) && account.end(commandsPart, oneMore, exit.value ? oneMore : noVolume)"
  },
  {
    name: "the end of a command is not told",
    file: "actors/command-records/record-queue.ts",
    from: 'command.state === "pending" ? context.events',
    to: 'command.state !== "pending" ? context.events'
  },
  {
    name: "a result is acknowledged only where it could not be stored",
    file: "actors/daemon/perform-command.ts",
    from: "  records.record(state.snapshot.daemonId, answer, (committed) => {\n    if (committed) self.tell(",
    to: "  records.record(state.snapshot.daemonId, answer, (committed) => {\n    if (!committed) self.tell("
  },
  {
    name: "a result is never acknowledged",
    file: "actors/daemon/decide-command.ts",
    from: "if (!capabilities.has(durableCommands)) return nothing\n  return",
    to: "if (capabilities.has(durableCommands)) return nothing\n  return"
  },
  {
    name: "an answer goes to whichever command waits",
    file: "actors/daemon/command-registry.ts",
    from: "if (waiting[at]!.id === id) return at",
    to: 'if (waiting[at]!.id !== "") return at'
  },
  {
    name: "commands that wait are not told of the end of a connection",
    file: "actors/daemon/decide-end.ts",
    from: '[{ do: "failAll" }, { do: "depart", departure, code }, { do: "leave" }]',
    to: '[{ do: "depart", departure, code }, { do: "leave" }]',
    masked: "perform.ts tells them at the end of the actor, which follows in the same turn"
  },
  {
    name: "commands that wait are not told of the end of a connection, nor of that of its actor",
    file: "actors/daemon/decide-end.ts",
    from: '[{ do: "failAll" }, { do: "depart", departure, code }, { do: "leave" }]',
    to: '[{ do: "depart", departure, code }, { do: "leave" }]',
    also: [
      {
        file: "actors/daemon/perform-command.ts",
        from: "    }\n  }\n  failAll(context, state)\n}",
        to: "    }\n  }\n}"
      }
    ]
  },
  {
    name: "a cancel is not told to its daemon",
    file: "actors/daemon/decide-command.ts",
    from: '? [{ do: "send", text: encodeFrame({ type: "command_cancel", data: { id } }) }]',
    to: "? nothing"
  },
  {
    name: "a cancel is told only by a message that may be lost",
    file: "actors/commands/stored-commands.ts",
    from: "    rows.forEach(tellDaemon)\n",
    to: ""
  },
  {
    name: "a command that was sent is withdrawn",
    file: "actors/daemon/send-command.ts",
    from: "Effect.tapError(send,",
    to: "Effect.tap(send,"
  },
  {
    name: "presence is not told of the end of a connection",
    file: "actors/daemon/decide-end.ts",
    from: '[{ do: "failAll" }, { do: "depart", departure, code }, { do: "leave" }]',
    to: '[{ do: "failAll" }, { do: "leave" }]'
  },
  {
    name: "the actor of a closed connection stays",
    file: "actors/daemon/decide-end.ts",
    from: '[{ do: "failAll" }, { do: "depart", departure, code }, { do: "leave" }]',
    to: '[{ do: "failAll" }, { do: "depart", departure, code }]'
  },
  {
    name: "an actor that ended keeps its key",
    file: "actors/runtime/supervisor.ts",
    from: "map.delete(actor.key)",
    to: 'if (actor.kind !== "subscriber") map.delete(actor.key)'
  },
  {
    name: "an actor's end is not told",
    file: "actors/runtime/actor.ts",
    from: "this.behaviour.ended?.(this.state, this, unread)",
    to: "void unread"
  },
  {
    name: "a cleared timer fires",
    file: "src/runtime/timers.ts",
    from: "    this.unlink()\n    if (this.timers !== undefined)",
    to: "    if (this.timers !== undefined)"
  },
  {
    name: "a timer that fired is still counted",
    file: "src/runtime/timers.ts",
    from: "    link.unlink()\n    this.size--",
    to: "    link.unlink()"
  },
  {
    name: "a rate window admits one more",
    file: "src/domain/account/sliding-window.ts",
    from: "if (window.count >= limit) return false",
    to: "if (window.count > limit) return false"
  },
  {
    name: "what frames cost an account has no end",
    seed: 63,
    file: "actors/daemon/account-share.ts",
    from: "if (left < burst * reserve || !share",
    to: "if (left < Number.NEGATIVE_INFINITY && !share"
  },
  {
    name: "what an account costs is owed by all",
    seed: 64,
    file: "src/domain/limits/fair-debts.ts",
    from: "    return Math.max(this.turn, this.max - this.sum) * (1 - reserve)",
    to: "    return (this.sum > 0 ? 0 : this.max) * (1 - reserve)"
  }
]

/** Faults to plant in the code of presence and of the way to daemons. Owns the list. */
import type { Change, Mutation } from "./mutation.ts"

const anyLeaves: Change = {
  file: "actors/presence/roster.ts",
  from: 'if (row?.presence.at !== "here" || row.presence.epoch !== epoch) return\n  const gone',
  to: 'if (row?.presence.at !== "here") return\n  const gone'
}

const replacedLate: Change = {
  file: "actors/presence/roster.ts",
  from: "return sendAway(older, close.replaced)",
  to: "return void timers.after(500, () => sendAway(older, close.replaced))"
}

/** What each is, and the text that it changes. */
export const presenceMutations: ReadonlyArray<Mutation> = [
  {
    name: "a late close of an older connection ends the newer",
    file: "actors/presence/presence.ts",
    from: 'if (presence.at !== "here" || presence.epoch !== event.epoch) return stay(presence)',
    to: 'if (presence.at !== "here") return stay(presence)',
    masked: "roster.ts, which alone applies this event, has returned by then unless the connection is the newest"
  },
  {
    name: "a late close of an older connection ends the newer, as neither presence nor roster look",
    file: "actors/presence/presence.ts",
    from: 'if (presence.at !== "here" || presence.epoch !== event.epoch) return stay(presence)',
    to: 'if (presence.at !== "here") return stay(presence)',
    also: [anyLeaves],
    masked:
      "the older one is closed in the turn that claims the newer, so that it has left before the newer is accepted"
  },
  {
    name: "a late close of an older connection ends the newer, as no guard is left",
    file: "actors/presence/presence.ts",
    from: 'if (presence.at !== "here" || presence.epoch !== event.epoch) return stay(presence)',
    to: 'if (presence.at !== "here") return stay(presence)',
    also: [anyLeaves, replacedLate]
  },
  {
    name: "an older connection is closed a while after a newer one is claimed",
    ...replacedLate,
    masked: "presence.ts and roster.ts take no end of an older connection for that of the newest"
  },
  {
    name: "a claim of an older connection wins",
    file: "actors/presence/presence.ts",
    from: 'if (presence.at !== "away" && epoch <= presence.epoch) return stay(presence)',
    to: "",
    masked: "roster.ts, which alone applies this event, takes no claim that is not newer than its row"
  },
  {
    name: "a lost connection starts no grace",
    file: "actors/presence/presence.ts",
    from: 'return { presence: { ...presence, at: "grace", code }, actions: [{ do: "startGrace" }] }',
    to: 'return { presence: { ...presence, at: "grace", code }, actions: [] }'
  },
  {
    name: "an accepted connection leaves the grace running",
    file: "actors/presence/presence.ts",
    from: 'since: presence.since }, actions: [{ do: "stopGrace" }] }',
    to: "since: presence.since }, actions: [] }"
  },
  {
    name: "an older connection is not closed when a newer one comes",
    file: "actors/presence/presence.ts",
    from: 'presence.at === "here" ? { do: "replace", epoch: presence.epoch } : { do: "stopGrace" }',
    to: '{ do: "stopGrace" }'
  },
  {
    name: "the end of the grace releases nothing",
    file: "actors/presence/presence.ts",
    from: '      return presence.at === "grace"\n        ? goAway(presence, { reason: "timeout", code: presence.code }, event.now, [])\n        : stay(presence)',
    to: "      return stay(presence)"
  },
  {
    name: "a clean close is a lost connection",
    file: "actors/presence/presence.ts",
    from: 'if (event.how === "clean") return',
    to: 'if (event.how === "ordered") return'
  },
  {
    name: "the timer of the grace is not cleared",
    file: "actors/presence/roster.ts",
    from: "      row.grace?.clear()\n      row.grace = undefined\n      return",
    to: "      row.grace = undefined\n      return"
  },
  {
    name: "a message of an older move removes a newer connection",
    file: "actors/presence/roster.ts",
    from: "if (row === undefined || row.snapshot.epoch > epoch) return",
    to: "if (row === undefined) return"
  },
  {
    name: "a connection that moved is not closed",
    file: "actors/presence/roster.ts",
    from: "  events.moved(daemonId)\n  sendAway(row.daemon, close.replaced)",
    to: "  events.moved(daemonId)"
  },
  {
    name: "a connection joins though a newer one holds the daemon",
    file: "actors/presence/roster.ts",
    from: "if (row?.snapshot.epoch !== snapshot.epoch) return",
    to: "if (row === undefined) return",
    masked: "daemon-connection.ts, its only caller, has asked claimedBy in the same turn, which finds the newest only"
  },
  {
    name: "a connection joins though a newer one holds the daemon, as no guard is left",
    file: "actors/presence/roster.ts",
    from: "if (row?.snapshot.epoch !== snapshot.epoch) return",
    to: "if (row === undefined) return",
    also: [
      {
        file: "actors/presence/roster.ts",
        from: 'row?.presence.at === "grace" && row.presence.epoch === epoch ? row.snapshot',
        to: 'row?.presence.at === "grace" ? row.snapshot'
      }
    ]
  },
  {
    name: "a daemon in its grace is stated again like a connection",
    file: "actors/presence/roster.ts",
    from: 'const begins = row.presence.at === "here"',
    to: "const begins = true"
  },
  {
    name: "what is claimed elsewhere stays after a reclaim",
    file: "actors/presence/roster.ts",
    from: "if (found === undefined) moved(context, daemonId, epoch)",
    to: ""
  },
  {
    name: "an older claim replaces a newer row",
    file: "actors/presence/roster.ts",
    from: "if (found !== undefined && found.snapshot.epoch >= snapshot.epoch) return undefined",
    to: "",
    masked: "claims are written one at a time, so that none is older than the row; presence.ts ignores one as new as it"
  },
  {
    name: "a row that is away stays in the roster",
    file: "actors/presence/roster.ts",
    from: "    rows.show(row, { ...snapshot, online: false, revoked })\n    rows.remove(row)",
    to: "    rows.show(row, { ...snapshot, online: false, revoked })"
  },
  {
    name: "a lost answer to a claim sets no doubt",
    file: "actors/presence/presence-writer.ts",
    from: ".pipe(Effect.onError(() => Effect.sync(context.doubt)))",
    to: ""
  },
  {
    name: "the node before is not told that a daemon moved",
    file: "actors/presence/presence-writer.ts",
    from: "if (found?.from !== undefined) tellMoved(found.from, found)",
    to: ""
  },
  {
    name: "an end that waits is not written before the next claim",
    file: "actors/presence/presence-writer.ts",
    from: "if (earlier.length > 0) yield* writeReleases(context, earlier)",
    to: ""
  },
  {
    name: "a claim that is too early is dropped",
    file: "actors/presence/presence-writer.ts",
    from: "rest = rest.filter(({ daemonId }) => answer.early.has(daemonId))",
    to: "rest = []"
  },
  {
    name: "an end that is written is kept and written again",
    file: "actors/presence/presence-releases.ts",
    from: "if (releases.get(daemonId)?.snapshot.epoch === epoch) releases.delete(daemonId)",
    to: ""
  },
  {
    name: "a failed write of ends is not tried again",
    file: "actors/presence/presence-releases.ts",
    from: "      failures.add(kindOf(cause), cause)\n      yield* Effect.sleep(pause)",
    to: "      failures.add(kindOf(cause), cause)\n      return"
  },
  {
    name: "the daemons of dead nodes are not taken over",
    file: "actors/cluster/takeover.ts",
    from: "return this.others.filter(({ alive }) => !alive).map",
    to: "return this.others.filter(({ alive }) => !alive && this.lapsed).map"
  },
  {
    name: "what is taken over is not adopted",
    file: "actors/cluster/takeover.ts",
    from: "for (const snapshot of snapshots) roster.adopt(snapshot)",
    to: ""
  },
  {
    name: "a node whose lease ended states nothing again",
    file: "actors/cluster/takeover.ts",
    from: "this.lapsed ? this.reclaimAll : Effect.void",
    to: "Effect.void"
  },
  {
    name: "what a node holds unknowingly is never looked for",
    file: "actors/cluster/takeover.ts",
    from: "if (!writer.takeDoubt() && !isDue) return Effect.void",
    to: "if (!writer.takeDoubt() || isDue || !isDue) return Effect.void"
  },
  {
    name: "after a gap a revoked daemon stays connected",
    file: "actors/cluster/presence-check.ts",
    from: 'if (revoked) roster.ordered(daemonId, "revoked")',
    to: "if (revoked) return false"
  },
  {
    name: "after a gap a daemon that moved stays",
    file: "actors/cluster/presence-check.ts",
    from: "else if (epoch > asked) roster.moved(daemonId, epoch)",
    to: "else if (epoch > asked) return false"
  },
  {
    name: "a gap is not followed by a check",
    file: "actors/cluster/live-cluster.ts",
    from: "      locations.clear()\n      check.doubt()",
    to: "      locations.clear()"
  },
  {
    name: "a command without an answer is sent again",
    file: "actors/cluster/remote-daemons.ts",
    from: "if (answer === undefined) return Effect.fail(new DaemonSocketLost({}))",
    to: "if (answer === undefined) return undefined"
  },
  {
    name: "a daemon is found for any account",
    file: "actors/cluster/local-daemons.ts",
    from: "return entry?.snapshot.accountId === accountId ? entry : undefined",
    to: "return entry"
  },
  {
    name: "a place is told to any account",
    file: "actors/cluster/daemon-locations.ts",
    from: "return place?.accountId === accountId ? place : undefined",
    to: "return place"
  },
  {
    name: "a request that is settled stays pending",
    file: "actors/cluster/redis/rpc.ts",
    from: "    this.pending.delete(id)\n    one.timer.clear()",
    to: "    one.timer.clear()"
  },
  {
    name: "a close of the socket is not told to the actor",
    file: "actors/connections/daemon-connection.ts",
    from: 'if (this.daemon !== undefined) this.tell({ type: "closed", code, oversized })',
    to: ""
  }
]

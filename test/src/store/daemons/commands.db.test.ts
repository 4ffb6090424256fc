/** The rows of stored commands in a real database: each ends once, whatever is said of it and however often. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { visibleTypes } from "../../../../src/domain/command/stored-command.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { commandsLookedMax } from "../../../../src/limits/commands.ts"
import { commandTypes } from "../../../../src/protocol/frames.ts"
import { belongings, removeSome } from "../../../../src/store/accounts/account-removal.ts"
import { commandsPart, Volumes } from "../../../../src/store/accounts/volumes.ts"
import {
  Commands,
  type CommandsAsked,
  type EndedCommand,
  type NewCommand
} from "../../../../src/store/daemons/commands.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { given } from "../../../support/given.ts"
import { useStore } from "../../../support/store-services.ts"

describe("stored commands in the store", () => {
  const store = useStore(Layer.mergeAll(Commands.layer, Daemons.layer, Volumes.layer))
  const commands = store.using(Commands)
  const sql = (text: string, values: ReadonlyArray<unknown> = []) => store.sql<{ id: string }>(text, values)

  const daemonOf = async (accountId: string): Promise<string> => {
    const tokenHash = createHash("sha256").update(newId("key")).digest("hex")
    const enrolment = { accountId, daemonId: undefined, tokenHash, name: "", now: 5 }
    return (await store.run(Effect.flatMap(Daemons, (port) => port.enrol(enrolment))))!
  }
  const row = (accountId: string, daemonId: string, more: Partial<NewCommand> = {}): NewCommand => ({
    commandId: newId("command"),
    accountId,
    daemonId,
    type: "screenshot",
    durable: true,
    cancellable: true,
    epoch: 1,
    createdAt: 100,
    deadlineAt: 1_000,
    ...more
  })
  const ended = ({ commandId, daemonId }: NewCommand, more: Partial<EndedCommand> = {}): EndedCommand => ({
    commandId,
    daemonId,
    at: 200,
    state: "succeeded",
    deliveries: [],
    ...more
  })
  const started = async (more: Partial<NewCommand> = {}) => {
    const accountId = await store.account()
    const one = row(accountId, await daemonOf(accountId), more)
    await commands((port) => port.insert([one]))
    return one
  }
  const end = (...ends: ReadonlyArray<EndedCommand>) => commands((port) => port.end(ends, 5))
  const found = ({ accountId, commandId }: NewCommand) => commands((port) => port.find(accountId, commandId))

  given(started)("keep their result as it was written, and are another account's for nobody", async (one) => {
    const result = '{"text":"a\\u0000b é 😀"}'
    await end(ended(one, { result, error: "with a \0 in it" }))
    expect(await commands((port) => port.result(one.accountId, one.commandId))).toBe(result)
    const stranger = await store.account()
    expect(await found({ ...one, accountId: stranger })).toBeUndefined()
    expect(await commands((port) => port.result(stranger, one.commandId))).toBeUndefined()
    await commands((port) => port.askCancel(stranger, one.commandId, 5))
    expect((await found(one))?.cancelAt).toBeUndefined()
  })

  given(started)("are inserted once, and of daemons that exist", async (one) => {
    const unknown = row(one.accountId, newId("daemon"))
    const inserted = await commands((port) => port.insert([one, unknown]))
    expect([...inserted]).toEqual([])
  })

  given(store.account)("past their deadline are found, oldest first, as far as they have no end", async (accountId) => {
    const daemonId = await daemonOf(accountId)
    const rows = [-3, -2, -1].map((deadlineAt) => row(accountId, daemonId, { deadlineAt }))
    await commands((port) => port.insert(rows))
    await end(ended(rows[0]!))
    const due = (limit: number) => commands((port) => port.due(0, limit))
    expect((await due(1)).map(({ commandId }) => commandId)).toEqual([rows[1]!.commandId])
    expect(await due(10)).toHaveLength(2)
    await end(...rows.map((one) => ended(one, { state: "timed_out" })))
    expect(await due(10)).toEqual([])
  })

  it("to be cancelled are found by the node that holds their daemon, whatever clock noted it", async () => {
    const one = await started()
    const node = newId("key")
    const asked = (by: string) => commands((port) => port.cancelled(by, "", 10))
    await sql(
      "insert into daemon_presence (daemon_id, account_id, epoch, node, online_since) values ($1, $2, 1, $3, 0)",
      [one.daemonId, one.accountId, node]
    )
    expect(await asked(node)).toEqual([])
    const ahead = 9_000_000_000_000
    await commands((port) => port.askCancel(one.accountId, one.commandId, ahead))
    await commands((port) => port.askCancel(one.accountId, one.commandId, ahead + 40))
    expect((await found(one))?.cancelAt).toBe(ahead)
    expect(await asked(node)).toEqual([{ commandId: one.commandId, daemonId: one.daemonId }])
    expect(await asked("another")).toEqual([])
    await end(ended(one, { state: "cancelled" }))
    expect(await asked(node)).toEqual([])
  })

  given(started)("are counted for their account, in number and bytes", async (one) => {
    const count = () => store.run(Effect.flatMap(Volumes, (port) => port.commands(one.accountId)))
    expect((await count()).parts.get(commandsPart)).toEqual({ number: 1, bytes: 0 })
    await end(ended(one, { result: '"é"', at: 700 }))
    const { parts, oldest } = await count()
    expect([parts.get(commandsPart), oldest]).toEqual([{ number: 1, bytes: 4 }, 700])
  })

  it("go with their daemon, with their account, and some time after their end", async () => {
    const [one, two, three] = [await started(), await started(), await started()]
    await store.run(Effect.flatMap(Daemons, (port) => port.remove(one.accountId, one.daemonId)))
    expect(await found(one)).toBeUndefined()
    expect((await store.run(belongings(two.accountId))).daemons).toBe(1)
    for (let more = true; more; ) more = !(await store.run(removeSome(two.accountId)))
    expect(await sql("select id from commands where account_id = $1", [two.accountId])).toEqual([])
    await commands((port) => port.prune(Number.MAX_SAFE_INTEGER))
    expect((await found(three))?.state).toBe("pending")
    await end(ended(three, { at: 300 }))
    await commands((port) => port.prune(300))
    expect((await found(three))?.state).toBe("succeeded")
    await commands((port) => port.prune(301))
    expect(await found(three)).toBeUndefined()
  })

  given(store.account)("are listed by type, so that nobody reads what he could not have sent", async (accountId) => {
    const daemonId = await daemonOf(accountId)
    await commands((port) => port.insert(commandTypes.map((type) => row(accountId, daemonId, { type }))))
    const types = visibleTypes(new Set(["terminal:exec"]))
    const asked = { accountId, types, daemonId: undefined, state: undefined, after: undefined, limit: 100 }
    const listed = await commands((port) => port.list(asked))
    expect(listed.commands.map(({ type }) => type)).toEqual(["terminal_exec"])
  })

  given(store.account)("are looked at in a bounded number for a page, which says how far", async (accountId) => {
    const [busy, quiet] = [await daemonOf(accountId), await daemonOf(accountId)]
    const oldest = row(accountId, busy, { createdAt: 0 })
    const other = row(accountId, quiet, { createdAt: 0 })
    await commands((port) => port.insert([oldest, other]))
    await sql(
      `insert into commands
         (id, account_id, daemon_id, type, state, durable, cancellable, epoch, created_at, deadline_at, finished_at)
       select 'cmd_' || lpad(n::text, 20, '0'), $1, $2, 'send_chat', 'succeeded', false, false, 1, n, n, n
       from generate_series(1, $3::int) n`,
      [accountId, busy, commandsLookedMax + 1]
    )
    const all = { accountId, types: commandTypes, daemonId: undefined, state: undefined, after: undefined, limit: 10 }
    const page = (asked: Partial<CommandsAsked>) => commands((port) => port.list({ ...all, ...asked }))
    for (const asked of [{ state: "pending" }, { state: "pending", daemonId: busy }] as const) {
      const first = await page(asked)
      expect(first).toMatchObject({ commands: [], lookedTo: { at: 2 } })
      const next = await page({ ...asked, after: first.lookedTo })
      expect(next.commands.map(({ commandId }) => commandId)).toContain(oldest.commandId)
      expect(next.lookedTo).toBeUndefined()
    }
    expect(await page({ daemonId: quiet })).toMatchObject({
      commands: [{ commandId: other.commandId }],
      lookedTo: undefined
    })
    expect((await page({})).lookedTo).toBeUndefined()
  })
})

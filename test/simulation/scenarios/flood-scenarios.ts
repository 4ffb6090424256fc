/**
 * Acts about an account that sends what is dear to read: frames and results of many small values with names of their
 * own. Owns them; how much an account may cost a node is src/limits/cost.ts's.
 */
import { frameCostMax, nodeCostMax, nodeCostTurn } from "../../../src/limits/cost.ts"
import { NodeCost } from "../../../src/runtime/node-cost.ts"
import type { SimulatedDaemon } from "../simulated-daemon.ts"
import { type Act, presentAt, type Stage, within } from "./scenario.ts"

const objects = 3_000
const rounds = 10
const framesOfRound = 4
const roundMillis = 200
const honestMax = 5
/** The longest that a daemon takes for a command, and the way. */
const answerMillis = 32_000
const tooFast = 4429

let texts = 0
const dense = () => {
  texts++
  return Array.from({ length: objects }, (_, nth) => ({ [`${texts}_${nth}`]: 0 }))
}

const frames: ReadonlyArray<(daemon: SimulatedDaemon) => void> = [
  (daemon) => daemon.send("status_event", { event: "agent:stopped", timestamp: 1, more: dense() }),
  (daemon) => daemon.send("log_events", { log: { kind: "session", id: "s" }, logId: "l", lastSeq: 1, more: dense() }),
  (daemon) => daemon.send("command_result", { id: "cmd_unknown", success: true, result: dense() }),
  (daemon) => daemon.send("status_report", { timestamp: 1, sessions: [], more: dense() }),
  (daemon) => daemon.send("telepathy", { more: dense() })
]

/** No node owes more than its bound, and a turn's worth of each account and what it read in any case. */
const owedWrongs = ({ nodes, tables }: Stage): ReadonlyArray<string> =>
  nodes.flatMap((node) => {
    const owed = node.isUp ? node.get(NodeCost).all : 0
    return owed > nodeCostMax + tables.accounts.size * (nodeCostTurn + frameCostMax)
      ? [`${node.process.name} owes ${owed}`]
      : []
  })

/** The daemons of an account flood their node: those of others are heard and answer, and the flood is ended. */
export const flood: Act = (stage, { home, others, daemon }) => {
  const { integrators, monitor, random } = stage
  const present = presentAt(stage, home)
  const attackers = present.filter(({ accountId }) => accountId === daemon.accountId)
  const honest = present.filter(({ accountId }) => accountId !== daemon.accountId).slice(0, honestMax)
  const marks: Array<string> = []
  for (const one of attackers) one.commands.beside = dense()
  for (let round = 0; round < rounds; round++) {
    for (const one of attackers) for (let nth = 0; nth < framesOfRound; nth++) random.pick(frames)(one)
    integrators.command(home, random.pick(attackers))
    for (const one of honest) {
      one.report()
      marks.push(integrators.command(random.pick([home, ...others]), one))
    }
    stage.pass(roundMillis)
    for (const wrong of owedWrongs(stage)) monitor.fail(wrong)
    if (monitor.violations.length > 0) return
  }
  for (const one of attackers) one.commands.beside = undefined
  within(stage, answerMillis, () => marks.flatMap((mark) => (monitor.hasAnswer(mark) ? [] : [`${mark} has no answer`])))
  if (!attackers.some(({ closedWith }) => closedWith.has(tooFast))) monitor.fail("the flood is borne")
}

/**
 * What parsing costs, and how much of it one account, and all together, may cause on a node. The unit is
 * src/domain/limits/cost.ts's: what a byte of plain text costs, some 1.5 ns.
 */
import assert from "node:assert/strict"
import { bodyValuesMax } from "./edge.ts"

/** Owners whose budget a node remembers, of each kind; the one that was used longest ago is forgotten. */
export const bucketsKeptMax = 10_000

/**
 * What all accounts together cost a node in a second, as far as it works off what they owe. (With many new names a unit
 * takes five times as long beside a full heap: a quarter of a core.)
 */
export const nodeCostPerSecond = 33_554_432
/**
 * What they owe it at most; an account no more than is left free of that, but always a turn's worth. More: its frames
 * and bodies are refused.
 */
export const nodeCostMax = 33_554_432
/** So much of one account is worked off before the next has its turn. */
export const nodeCostTurn = 131_072

/** A value, or the name of a member. */
export const valueCost = 20
/** An object or array, beside that. */
export const containerCost = 48
/** A name that is new in its text behind those before it in its object, beside that. */
export const nameCost = 320
/** A digit of a long number, as src/domain/text/json-extent.ts counts them. */
export const digitCost = 8
/** A character of a text that holds the escape of half a character, and is looked through for such. */
export const repairCost = 3
/** So many names of a text are likely to be known from others, and are not new. */
export const freeNames = 64

/** What a node owes for telling that a question began or ended with a report: some 30 µs. */
export const toldQuestionCost = 20_000

/** Cost, beyond its bytes, of what the daemons of one account send in a second; more: docs/daemon-protocol.md, P118. */
export const accountCostPerSecond = 8_388_608
/** What each of its connected daemons adds to that: ten agents that speak at once (`hub bench streams`). */
export const accountCostPerSecondPerDaemon = 131_072
/** With which it is no more than this. */
export const accountCostPerSecondMax = 33_554_432
/** So many seconds' worth may come at once after a quiet time. */
export const accountCostBurstSeconds = 2
/** Of the burst, what reports leave to frames that cannot wait. */
export const reportCostReserve = 1 / 4
/** Likewise what logs leave, which are read again as pages. */
export const logCostReserve = 1 / 2
/**
 * A frame that costs more is parsed only while its account can afford it; else a result is not read
 * (`RESULT_NOT_READ`), and another frame closes its socket. A result that costs less is free for its account, while it
 * owes its node no more than it may.
 */
export const heavyFrameCost = 131_072

/** A frame that is read on the loop and costs more is as one with too many values: no parse takes longer. */
export const frameCostMax = 8_388_608

/** A body, or a message of another node, of so many characters or less is not charged: rate limits bound it. */
export const freeTextChars = 4_096
/** Cost beyond the bytes of larger bodies of one account, or address, that a node parses in a second; more: 429. */
export const bodyCostPerSecond = 8_388_608
/** The same at once after a quiet time. */
export const bodyCostBurst = 8_388_608
/** What the scan of a refused body costs at most, its characters else; who has less left is refused without a scan. */
export const bodyScanCostMax = 1_048_576

assert(frameCostMax <= accountCostPerSecond * accountCostBurstSeconds, "the dearest frame is read after a quiet time")
assert(frameCostMax <= nodeCostMax / 2, "an account that is alone may owe the dearest frame")
assert(nodeCostTurn >= heavyFrameCost, "who owes nothing may always send a frame that is not heavy")
assert(
  bodyCostBurst > bodyValuesMax * (valueCost + containerCost + nameCost),
  "the dearest body is taken after a quiet time"
)

/**
 * Fuzzes the operations of a hub over HTTP: many callers, each with its next input once the last one is answered. Owns
 * the order of the inputs and what of an exchange is a finding.
 */
import { countEnd, find, type Surface, type Tally } from "../findings.ts"
import { Random } from "../random.ts"
import { addressOf } from "../site.ts"
import { type Exchange, FuzzConnection } from "./connection.ts"
import { judgeAnswer } from "./judge-answer.ts"
import { rawRequest } from "./raw-requests.ts"
import { type Making, type RequestInput, requestInput } from "./request-inputs.ts"

const callers = 64
/** One input in so many is raw. */
const rawEach = 5
const succeeded = (status: number): boolean => status >= 200 && status < 300

/** The input of an index. */
export const httpInput = (making: Making, surface: Surface, seed: number, index: number): RequestInput => {
  const random = new Random(seed, surface, index)
  return index % rawEach === rawEach - 1 ? rawRequest(making, random) : requestInput(making, random)
}

/** What is wrong with what came of an input. */
const wrongWith = (making: Making, input: RequestInput, exchange: Exchange): ReadonlyArray<string> => {
  const { answers, end, stray } = exchange
  const wrong: Array<string> = []
  // of bytes in which HEAD is asked for, the ends of answers are not known
  if (stray !== undefined && !(input.isRaw && input.isHead)) wrong.push(stray)
  if (!input.isRaw && answers.length === 0) {
    if (end === "late" && !input.waits) wrong.push("no answer came")
    if (end === "closed" && input.operation !== undefined) wrong.push("the connection was closed without an answer")
  }
  const asked = {
    isHead: input.isHead,
    ...(input.isRaw || input.operation === undefined ? {} : { operation: input.operation })
  }
  for (const answer of answers) {
    const one = judgeAnswer(making.contract, asked, answer)
    if (one !== undefined) wrong.push(one)
  }
  return wrong
}

const note = (tally: Tally, making: Making, input: RequestInput, index: number, exchange: Exchange): void => {
  const { answers, end } = exchange
  tally.inputs++
  if (!input.isRaw) tally.structured++
  for (const { status } of answers) countEnd(tally, String(status))
  if (answers.length === 0) countEnd(tally, end)
  for (const wrong of wrongWith(making, input, exchange)) find(tally, `${input.says}: ${wrong}`, index)
  const [first] = answers
  if (first === undefined || input.isRaw) return
  if (input.operation !== undefined && succeeded(first.status) && !input.isHead && !first.isStream)
    making.known.learn(input.of, first.headers, first.body)
}

/** Plays the inputs from `first` on. */
export const fuzzHttp = async (
  url: URL,
  making: Making,
  tally: Tally,
  first: number,
  count: number,
  step: (done: number) => void
): Promise<void> => {
  let next = first
  let done = 0
  const caller = async (at: number): Promise<void> => {
    const connection = new FuzzConnection(url, addressOf(at))
    while (next < first + count) {
      const index = next++
      const input = httpInput(making, tally.surface, tally.seed, index)
      note(tally, making, input, index, await connection.exchange(input))
      step(++done)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at)))
}

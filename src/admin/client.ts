/** Asks a running hub over the control socket of its data folder. Owns the client side; never starts a hub. */
import { connect } from "node:net"
import { Data, Effect, Exit, Schema } from "effect"
import {
  adminAnswerBytesMax,
  adminAnswerMillisMax,
  adminConnectionsMax,
  adminSilenceMillisMax
} from "../limits/admin.ts"
import { socketPath } from "./control-path.ts"
import { AdminAnswer, type AdminEnvelope } from "./requests.ts"

/** A hub was reached and did not answer properly. */
export class AskFailed extends Data.TaggedError("AskFailed")<{ readonly sentence: string }> {}

const decode = Schema.decodeUnknownExit(AdminAnswer)

const readAnswer = (text: string): Effect.Effect<AdminAnswer, AskFailed> => {
  const refused = Effect.fail(new AskFailed({ sentence: "the hub that runs gave no answer" }))
  try {
    const read = decode(JSON.parse(text))
    return Exit.isSuccess(read) ? Effect.succeed(read.value) : refused
  } catch {
    return refused // cut short: the hub closed while answering
  }
}

const noHub = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"])
const closedEarly = new Set(["EPIPE", "ECONNRESET"])

const sentenceOf = ({ code = "", message }: NodeJS.ErrnoException): string =>
  closedEarly.has(code)
    ? `the hub that runs gave no answer: it takes ${adminConnectionsMax} calls at once, try again`
    : `the hub that runs cannot be asked: ${message}`

/** The answer of the hub that runs in this data folder; undefined when none runs. */
export const ask = (dataDir: string, envelope: AdminEnvelope): Effect.Effect<AdminAnswer | undefined, AskFailed> =>
  Effect.callback<AdminAnswer | undefined, AskFailed>((resume) => {
    let place: ReturnType<typeof socketPath>
    try {
      place = socketPath(dataDir)
    } catch {
      return resume(Effect.undefined) // no such folder
    }
    const socket = connect({ path: place.path, allowHalfOpen: true })
    let text = ""
    socket.setEncoding("utf8")
    socket.setTimeout(adminSilenceMillisMax, () => socket.destroy(new Error("no answer in time")))
    socket.on("connect", () => socket.end(`${JSON.stringify(envelope)}\n`))
    socket.on("data", (chunk: string) => {
      text += chunk
      if (text.length > adminAnswerBytesMax) socket.destroy(new Error("the answer is too long"))
    })
    socket.on("end", () => resume(readAnswer(text)))
    socket.on("error", (error: NodeJS.ErrnoException) =>
      resume(
        noHub.has(error.code ?? "") ? Effect.undefined : Effect.fail(new AskFailed({ sentence: sentenceOf(error) }))
      )
    )
    socket.on("close", () => place.release())
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: adminAnswerMillisMax,
      orElse: () =>
        Effect.fail(new AskFailed({ sentence: "the hub that runs gave no answer in an hour; it may go on" }))
    })
  )

/**
 * The model of an agent's session. Owns the two ways in which agents offer theirs: as an option of the session, or as
 * the list that the protocol had before. Starts nothing.
 */
import { type ClientContext, methods, type NewSessionResponse } from "@agentclientprotocol/sdk"
import { agentWordsCharactersMax } from "./limits.ts"
import { Refusal } from "./refusal.ts"

/** How the protocol called it before there were options; newer schemas do not name it. */
const setModel = "session/set_model"

/** What an agent offers, and how one of them is chosen. */
interface Offer {
  readonly values: ReadonlyArray<string>
  readonly method: string
  readonly params: (model: string) => object
}

const optionOf = ({ configOptions }: NewSessionResponse): Offer | undefined => {
  const choice = configOptions?.find((option) => option.category === "model" && option.type === "select")
  if (choice?.type !== "select") return undefined
  const options = choice.options.flatMap((one) => ("group" in one ? one.options : [one]))
  return {
    values: options.map(({ value }) => value),
    method: methods.agent.session.setConfigOption,
    params: (value) => ({ configId: choice.id, value })
  }
}

const listOf = (opened: NewSessionResponse): Offer | undefined => {
  const { models } = opened as { readonly models?: { readonly availableModels?: unknown } | null }
  const available = models?.availableModels
  if (!Array.isArray(available)) return undefined
  const values = (available as ReadonlyArray<{ readonly modelId?: unknown } | null>).flatMap((one) =>
    typeof one?.modelId === "string" ? [one.modelId] : []
  )
  return { values, method: setModel, params: (modelId) => ({ modelId }) }
}

/** Chooses a model; `begun` hears by which request. A refusal where the agent offers none of this name. */
export const chooseModel = async (
  agent: ClientContext,
  opened: NewSessionResponse,
  model: string,
  begun: (method: string) => void
): Promise<void> => {
  const offers = [optionOf(opened), listOf(opened)].filter((one) => one !== undefined)
  const offer = offers.find(({ values }) => values.includes(model))
  if (offer === undefined) {
    const offered = offers.flatMap(({ values }) => values).join(", ")
    const known = offered === "" ? "it offers no choice of one" : `it offers ${offered}`
    const sentence = `this agent offers no model called ${model}: ${known}`
    throw new Refusal("unknown_model", sentence.slice(0, agentWordsCharactersMax))
  }
  begun(offer.method)
  await agent.request(offer.method, { sessionId: opened.sessionId, ...offer.params(model) })
}

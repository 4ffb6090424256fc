/**
 * Finds a client by its id: registered with the hub, or by the document at the address that the id is. Owns the cache
 * of documents, by bytes, and that concurrent callers share one fetch; asked only for a person who is signed in.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Config } from "../../config.ts"
import { makeSlotLimit } from "../../domain/limits/slot-limit.ts"
import { type Client, isDocumentAddress, readClientDocument } from "../../domain/oauth/client.ts"
import { AuthorizationRefused, Overloaded } from "../../errors.ts"
import {
  accountDocumentFetchesMax,
  clientDocumentFetchesMax,
  clientDocumentKeptMillisMax,
  clientDocumentKeptMillisMin,
  clientDocumentsBytesMax,
  unreadDocumentMillis
} from "../../limits/oauth.ts"
import { makeDocumentFetch } from "../../outbound/document-fetch.ts"
import { NodeCost } from "../../runtime/node-cost.ts"
import { singleFlight } from "../../runtime/single-flight.ts"
import { OAuthClients } from "../../store/oauth/clients.ts"

/** What is known of a document: the client, or why there is none. */
interface Kept {
  readonly client: Client | string
  readonly until: number
  readonly bytes: number
}

/** A fetch is over by then. */
const fetchRetrySeconds = 5

/** What an entry takes beside its document. */
const entryBytes = 512

const keptMillis = (maxAgeSeconds = 0): number =>
  Math.min(clientDocumentKeptMillisMax, Math.max(clientDocumentKeptMillisMin, maxAgeSeconds * 1_000))

const make = Effect.gen(function* () {
  const registered = yield* OAuthClients
  const fetch = yield* makeDocumentFetch((yield* Config).webhookDenyCidrs)
  const node = yield* NodeCost
  const clock = yield* Clock.Clock
  const kept = new LRUCache<string, Kept>({
    maxSize: clientDocumentsBytesMax,
    sizeCalculation: ({ bytes }, id) => bytes + id.length + entryBytes
  })
  const fetches = singleFlight<Client | string, Overloaded>()
  const slots = makeSlotLimit(clientDocumentFetchesMax, accountDocumentFetchesMax)

  const ask = (id: string, accountId: string): Effect.Effect<Client | string> =>
    fetch(id, (cost) => node.owe(accountId, cost)).pipe(
      Effect.map(({ value, bytes, maxAgeSeconds }) => {
        const client = readClientDocument(id, value)
        return { client, bytes, millis: typeof client === "string" ? unreadDocumentMillis : keptMillis(maxAgeSeconds) }
      }),
      Effect.catch(({ says }) => Effect.succeed({ client: `it ${says}`, bytes: 0, millis: unreadDocumentMillis })),
      Effect.map(({ client, bytes, millis }) => {
        kept.set(id, { client, bytes, until: clock.currentTimeMillisUnsafe() + millis })
        return client
      })
    )

  const withSlot = <A>(accountId: string, work: Effect.Effect<A>): Effect.Effect<A, Overloaded> =>
    Effect.suspend(() => {
      const release = slots.acquire(accountId)
      if (release === undefined) return Effect.fail(new Overloaded({ retryAfter: fetchRetrySeconds }))
      return Effect.ensuring(work, Effect.sync(release))
    })

  const document = (id: string, accountId: string): Effect.Effect<Client | string, Overloaded> =>
    Effect.suspend(() => {
      const known = kept.get(id)
      const now = clock.currentTimeMillisUnsafe()
      if (known !== undefined && known.until > now && known.until <= now + clientDocumentKeptMillisMax)
        return Effect.succeed(known.client)
      return fetches.ask(id, withSlot(accountId, ask(id, accountId)))
    })

  return {
    /** `accountId`: of who may connect it, and whose share of fetches it takes. */
    find: Effect.fnUntraced(function* (id: string, accountId: string) {
      if (isDocumentAddress(id)) {
        const client = yield* document(id, accountId)
        if (typeof client !== "string") return client
        return yield* new AuthorizationRefused({
          because: `What ${id} says of the program is not accepted: ${client}.`
        })
      }
      const client = yield* registered.byId(id)
      if (client === undefined)
        return yield* new AuthorizationRefused({ because: "The hub does not know the program." })
      if (client.registeredFrom !== null) yield* registered.used(id, clock.currentTimeMillisUnsafe())
      return client
    })
  }
})

/** The clients that a person may connect. */
export class KnownClients extends Context.Service<KnownClients, Effect.Success<typeof make>>()("hub/KnownClients") {
  static readonly layer = Layer.effect(KnownClients, make)
}

/**
 * Every layer of a hub, composed from the store upwards. Owns the order (what is provided later is closed first) and
 * nothing else; node.ts starts and drains it.
 */
import { join } from "node:path"
import { Layer } from "effect"
import { Admission } from "../actors/admission.ts"
import { Attempts } from "../actors/attempts.ts"
import { Limits } from "../actors/buckets.ts"
import { Connections } from "../actors/connection.ts"
import { Directory } from "../actors/directory.ts"
import { dispatcherLayer } from "../actors/dispatching.ts"
import { machineEventsLayer } from "../actors/eventing.ts"
import { Leaving } from "../actors/leaving.ts"
import { OffLoop } from "../actors/offloop.ts"
import { Others } from "../actors/others.ts"
import { Pictures } from "../actors/pictures.ts"
import { Quota } from "../actors/quota.ts"
import { Roster } from "../actors/roster.ts"
import { Streams } from "../actors/streams.ts"
import { Supervisor } from "../actors/supervisor.ts"
import { VolumeBudgets } from "../actors/volume-budgets.ts"
import { Dropping } from "../actors/webhook/dropping.ts"
import { WebhookIndex } from "../actors/webhook/index.ts"
import { Outcomes } from "../actors/webhook/outcomes.ts"
import { Subscribers } from "../actors/webhook/subscribers.ts"
import { Upkeep } from "../actors/webhook/upkeep.ts"
import { Wheel } from "../actors/wheel.ts"
import { Jwks } from "../src/auth/jwks.ts"
import { checkSecretKey } from "../src/auth/keycheck.ts"
import { Keyring } from "../src/auth/keyring.ts"
import { Oidc } from "../src/auth/oidc.ts"
import { Passwords } from "../src/auth/password.ts"
import { People } from "../src/auth/people.ts"
import { Sealed } from "../src/auth/sealed.ts"
import { DashboardSessions } from "../src/auth/sessions.ts"
import { Signing } from "../src/auth/signing.ts"
import { GateUpkeep } from "../src/auth/upkeep.ts"
import { layerBus } from "../src/bus/redis.ts"
import { Config, type Settings } from "../src/config.ts"
import { Ending } from "../src/ending.ts"
import { layerLog } from "../src/log.ts"
import { Ice } from "../src/outbound/ice.ts"
import { Outbound } from "../src/outbound/post.ts"
import { TurnSource } from "../src/outbound/turnsource.ts"
import { Readiness } from "../src/readiness.ts"
import { Artifacts } from "../src/registry/artifacts.ts"
import { Catalog } from "../src/registry/catalog.ts"
import { registryCategories } from "../src/registry/categories.ts"
import { Downloads } from "../src/registry/downloads.ts"
import { Publisher } from "../src/registry/publisher.ts"
import { Accounts } from "../src/store/accounts.ts"
import { Exports } from "../src/store/backup/exports.ts"
import { Daemons } from "../src/store/daemons.ts"
import * as database from "../src/store/database.ts"
import { Deliveries } from "../src/store/deliveries.ts"
import { DeliveryHistory } from "../src/store/deliveryhistory.ts"
import { DeliveryUpkeep } from "../src/store/deliveryupkeep.ts"
import { Drops } from "../src/store/drops.ts"
import { Idempotency } from "../src/store/idempotency.ts"
import { Identities } from "../src/store/identities.ts"
import { Keys } from "../src/store/keys.ts"
import { Leases } from "../src/store/leases.ts"
import { LoginCodes } from "../src/store/logincodes.ts"
import { Nodes } from "../src/store/nodes.ts"
import { Packages } from "../src/store/packages.ts"
import { Sessions } from "../src/store/sessions.ts"
import { TurnOverrides } from "../src/store/turnoverrides.ts"
import { Usage } from "../src/store/usage.ts"
import { Volumes } from "../src/store/volumes.ts"
import { Webhooks } from "../src/store/webhooks.ts"
import { Edge, type EdgeOptions } from "./edge.ts"
import { idempotencyLayer } from "./idempotency.ts"
import { allRoutes } from "./routes/all.ts"

const stores = Layer.mergeAll(
  Layer.mergeAll(Accounts.layer, Keys.layer, Daemons.layer, Sessions.layer, Identities.layer, LoginCodes.layer),
  Layer.mergeAll(Usage.layer, Idempotency.layer, TurnOverrides.layer, Packages.layer, Readiness.layer),
  Layer.mergeAll(
    Exports.layer,
    Webhooks.layer,
    Deliveries.layer,
    DeliveryHistory.layer,
    DeliveryUpkeep.layer,
    Leases.layer
  ),
  Layer.mergeAll(Nodes.layer, Volumes.layer, Drops.layer)
).pipe(Layer.provideMerge(database.layer))

/** Before anything seals or opens: a node with another key would harm what the others can read. */
const keyChecked = Layer.effectDiscard(checkSecretKey)

const common = Layer.mergeAll(layerBus, Wheel.layer, Supervisor.layer, Sealed.layer, Passwords.layer, Ending.layer)

const identity = Keyring.layer.pipe(
  Layer.provideMerge(DashboardSessions.layer),
  Layer.provideMerge(Layer.mergeAll(Jwks.layer, Signing.layer, People.layer, Oidc.layer))
)

const gate = ({ redisUrl }: Settings) =>
  Layer.mergeAll(
    Limits.layer,
    redisUrl === undefined ? Quota.layerAlone : Quota.layer,
    Attempts.layer,
    idempotencyLayer,
    GateUpkeep.layer
  )

const registry = (settings: Settings) =>
  Layer.mergeAll(
    registryCategories,
    Catalog.layer,
    Publisher.layer,
    Downloads.layer,
    Artifacts.layer(join(settings.dataDir, "artifacts"))
  )

const deliveries = dispatcherLayer.pipe(
  Layer.provideMerge(Subscribers.layer),
  Layer.provideMerge(Layer.mergeAll(WebhookIndex.layer, Outcomes.layer, Outbound.layer, Upkeep.layer, Streams.layer)),
  Layer.provideMerge(Dropping.layer)
)

const daemons = Leaving.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Connections.layer, Directory.layer)),
  Layer.provideMerge(Roster.layer),
  Layer.provideMerge(Layer.mergeAll(Pictures.layer, Admission.layer, Ice.layer)),
  Layer.provideMerge(Layer.mergeAll(machineEventsLayer, TurnSource.layer, Others.layer, OffLoop.layer))
)

/** A hub up to its port: stores open and migrated, everything alive, nothing listening. */
export const hubLayer = (settings: Settings) =>
  daemons.pipe(
    Layer.provideMerge(deliveries),
    Layer.provideMerge(Layer.mergeAll(gate(settings), identity, registry(settings))),
    Layer.provideMerge(VolumeBudgets.layer),
    Layer.provideMerge(common),
    Layer.provideMerge(keyChecked),
    Layer.provideMerge(stores),
    Layer.provideMerge(Config.layer(settings))
  )

/** The services of a hub. */
export type HubServices = Layer.Success<ReturnType<typeof hubLayer>>

/** The listening edge on top of it. */
export const edgeLayer = (options: EdgeOptions = {}) => Edge.layer(allRoutes, options)

/** What a hub logs. */
export const logLayer = layerLog

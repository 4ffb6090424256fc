/**
 * The services of administration. Owns which stores those are, and how they open where no hub runs in the data folder;
 * performs nothing.
 */
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Passwords } from "../auth/password.ts"
import { SecretRotation } from "../auth/secret-rotation.ts"
import type { Bus } from "../bus/bus.ts"
import { layerMemory } from "../bus/memory.ts"
import type { Settings } from "../config.ts"
import type { StoreFailed } from "../errors.ts"
import { Accounts } from "../store/accounts/accounts.ts"
import { Keys } from "../store/accounts/api-keys.ts"
import { AuditEvents } from "../store/accounts/audit-events.ts"
import { People } from "../store/accounts/people.ts"
import { Sessions } from "../store/accounts/sessions.ts"
import { TurnOverrides } from "../store/accounts/turn-overrides.ts"
import { Exports } from "../store/backup/exports.ts"
import { DaemonSearch } from "../store/daemons/daemon-search.ts"
import { Daemons } from "../store/daemons/daemons.ts"
import { JoinKeys } from "../store/daemons/join-keys.ts"
import { OAuthClients } from "../store/oauth/clients.ts"
import { layerAt } from "../store/sql/database.ts"
import type { SchemaRefused } from "../store/sql/migrate.ts"

/** The services an operation needs. A running hub has them; elsewhere `storeLayer` opens them. */
export type StoreServices =
  | AuditEvents
  | Accounts
  | People
  | Keys
  | Sessions
  | Daemons
  | JoinKeys
  | DaemonSearch
  | TurnOverrides
  | OAuthClients
  | Passwords
  | Exports
  | SecretRotation
  | Bus
  | SqlClient.SqlClient

/** The stores of these settings, opened for one command. `bus` notifies running hubs; by default it notifies none. */
export const storeLayer = (
  settings: Settings,
  bus: Layer.Layer<Bus> = layerMemory
): Layer.Layer<StoreServices, StoreFailed | SchemaRefused> =>
  Layer.mergeAll(
    Accounts.layer,
    People.layer,
    AuditEvents.layer,
    Keys.layer,
    Sessions.layer,
    Daemons.layer,
    JoinKeys.layer,
    DaemonSearch.layer,
    TurnOverrides.layer,
    OAuthClients.layer,
    Passwords.layer,
    Exports.layer,
    SecretRotation.layer(settings),
    bus
  ).pipe(Layer.provideMerge(layerAt({ ...settings, databaseConnections: 2 })))

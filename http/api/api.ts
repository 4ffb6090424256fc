/**
 * The whole contract, one group per resource. Owns the list. mount.ts serves it; OpenAPI and typed clients derive from
 * it.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { Account } from "./account.ts"
import { AdminDaemons } from "./admin-daemons.ts"
import { Approvals } from "./approvals.ts"
import { Audit } from "./audit.ts"
import { Auth } from "./auth.ts"
import { Commands } from "./commands.ts"
import { ConnectedApps } from "./connected-apps.ts"
import { Console } from "./console.ts"
import { DaemonDownload } from "./daemon-download.ts"
import { DaemonVersions } from "./daemon-versions.ts"
import { Daemons } from "./daemons.ts"
import { DeviceCodes } from "./device-codes.ts"
import { allEvents, StreamedEvent } from "./event-bodies.ts"
import { Events } from "./events.ts"
import { Jobs } from "./jobs.ts"
import { JoinKeys } from "./join-keys.ts"
import { Keys } from "./keys.ts"
import { Members } from "./members.ts"
import { Policies } from "./policies.ts"
import { PushSubscriptions } from "./push-subscriptions.ts"
import { Reference } from "./reference.ts"
import { Registry } from "./registry.ts"
import { Requests } from "./requests.ts"
import { ServiceAccounts } from "./service-accounts.ts"
import { LogEvent, Sessions } from "./sessions.ts"
import { Shortcuts } from "./shortcuts.ts"
import { System } from "./system.ts"
import { Tags } from "./tags.ts"
import { Turn } from "./turn.ts"
import { Webhooks } from "./webhooks.ts"

const description = `The REST API of a hub, through which an account automates its own machines.

- Send \`Authorization: Bearer …\` with an API key or the token of a dashboard session. The scopes of an operation are in its \`security\`.
- An error is \`{error, code?, reason, requestId, docs, …}\`; the \`reason\` tells the errors of one status apart. The transport may also answer any operation with 400 (framing), 405, 411, 414, 415 and 431.
- Answers gain members over time: ignore those that you do not know. What a call does not take (members of a body, parameters) it ignores, and names in \`warnings\` of an answer that is an object. \`HEAD\` is served wherever \`GET\` is.
- A POST with an \`Idempotency-Key\` is run once. \`x-on-hang-up\` says what a caller who hangs up means: \`cancel\` ends the work, except a command that a daemon has already; \`finish\` lets it run to its end.`

/** Every endpoint of the hub. A new group is added here and its routes in routes/all.ts. */
export const Api = HttpApi.make("hub")
  .add(System)
  .add(Auth)
  .add(DeviceCodes)
  .add(Account)
  .add(Keys)
  .add(ConnectedApps)
  .add(Members)
  .add(ServiceAccounts)
  .add(Requests)
  .add(Audit)
  .add(Daemons)
  .add(DaemonVersions)
  .add(Policies)
  .add(PushSubscriptions)
  .add(Tags)
  .add(JoinKeys)
  .add(Shortcuts)
  .add(Approvals)
  .add(Commands)
  .add(Jobs)
  .add(Sessions)
  .add(Webhooks)
  .add(Events)
  .add(Turn)
  .add(Registry)
  .add(AdminDaemons)
  .add(Reference)
  .add(Console)
  .add(DaemonDownload)
  .annotate(HttpApi.AdditionalSchemas, [StreamedEvent, LogEvent, ...allEvents.map(({ body }) => body)])
  .annotateMerge(OpenApi.annotations({ title: "Cloud automation hub", version: "1.0.0", description }))

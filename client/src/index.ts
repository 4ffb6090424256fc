/** The client as a package: what may be imported of it. */
export { createClient, type HubClient } from "./client.ts"
export { headerSecret } from "./credential.ts"
export { ConnectionFailed, type Failure, isFailure, problemOf, Refused, TimedOut } from "./failures.ts"
export { foreignAnswer } from "./foreign-answer.ts"
export type * from "./generated/contract.ts"
export type { Listing } from "./listing.ts"
export { whyLost } from "./lost-connection.ts"
export type { StreamItem, StreamOptions } from "./stream-item.ts"
export type { ClientOptions } from "./transport.ts"
export type {
  CallOptions,
  Input,
  OperationName,
  Output,
  Problem,
  ProblemOf,
  Reason,
  Started,
  Streamed
} from "./types.ts"
export type { WaitOptions } from "./wait-for-command.ts"
export { type Verified, type VerifyInput, type WebhookEvent, WebhookRefused, webhooks } from "./webhooks.ts"

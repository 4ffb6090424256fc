/**
 * Deliveries that a webhook had to go without, and outcomes that are kept without their answer, since their account had
 * too many.
 */
export const statements: ReadonlyArray<string> = [
  "alter table webhook_health add column dropped bigint not null default 0",
  "alter table webhook_health add column last_dropped_at bigint",
  "alter table idempotency add column body_dropped boolean not null default false"
]

/** The commands that only talk to a hub, near or far, each in a line of the help. integrator/ has what they do. */
export const integratorWords = {
  login: "save an API key of a hub for the commands below",
  logout: "forget it",
  whoami: "show whose key is saved, and what it may do",
  call: "send one request to the API: call GET /api/v1/me",
  events: "print the account's events as they happen: events tail",
  logs: "print the latest API requests: logs tail, logs list",
  listen: "post each event to a local address: listen --forward-to http://localhost:3000/hooks",
  trigger: "have the hub send an event: trigger daemon:connect",
  job: "one command for many daemons: start, list, show, targets, results, retry, cancel",
  joinkey: "keys by which machines join: create, list, remove",
  member: "people of the account: list, change, remove",
  invitation: "links for who is invited: create, list, remove",
  "service-account": "programs that are no person's: create, list, key, disable, enable, remove",
  tag: "tags of daemons: show, set, replace",
  webhook: "webhooks: list, create, update, remove, deliveries, delivery, test, rotate, retry, recover"
} as const

/** The name of one of them. */
export type IntegratorWord = keyof typeof integratorWords

/** Whether a word names one. */
export const isIntegratorWord = (word: string): word is IntegratorWord => Object.hasOwn(integratorWords, word)

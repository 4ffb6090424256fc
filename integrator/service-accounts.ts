/** `hub service-account …`: programs that are no person's, and their keys. Owns their words at the command line. */
import type { Input, Output } from "../client/src/index.ts"
import { givenTimeToCome, listed, present } from "./given-values.ts"
import { shownOnce, type Verbs, verb } from "./verbs.ts"

type ServiceAccount = Output<"serviceAccounts.list">["serviceAccounts"][number]

const dateOf = (at: number | null): string => (at === null ? "never" : new Date(at).toISOString())
const linesOf = (one: ServiceAccount): ReadonlyArray<string> => [
  `${one.id}  ${one.name}  ${one.role ?? one.scopes.join(",")}${one.selector === null ? "" : `  only ${one.selector}`}${one.disabled ? "  disabled" : ""}`,
  ...one.keys.map((key) => `  ${key.id}  expires ${dateOf(key.expiresAt)}`)
]

const setDisabled = (disabled: boolean) =>
  verb({
    usage: "ID",
    says: disabled ? "refuse its keys until it is enabled" : "take its keys again",
    words: [1, 1],
    flags: {},
    run: async (_, [serviceAccountId], caller) => {
      const input = { serviceAccountId: serviceAccountId!, disabled }
      const answer = await caller.asOwner("change a service account", (client) => client.serviceAccounts.change(input))
      caller.show(answer, linesOf)
    }
  })

export const serviceAccountVerbs: Verbs = {
  create: verb({
    usage: "NAME --role ROLE|--scopes a,b",
    says: "make one, which acts by its keys only",
    words: [1, 1],
    flags: {
      role: { kind: "text", says: "viewer, operator or admin" },
      scopes: { kind: "list", says: "what it may do instead, with commas" },
      selector: { kind: "text", says: "only daemons with these tags: env=prod,gpu" }
    },
    run: async (given, [name], caller) => {
      const { role, selector } = given
      const scopes = given.scopes === undefined ? undefined : listed([given.scopes])
      const asked = { name: name!, ...present({ role, scopes, selector }) } as Input<"serviceAccounts.create">
      const made = await caller.asOwner("make a service account", (client) => client.serviceAccounts.create(asked))
      caller.show(made, linesOf)
    }
  }),
  list: verb({
    usage: "",
    says: "those of the account, with their keys that live",
    words: [0, 0],
    flags: {},
    run: async (_, __, caller) => {
      let cursor: string | undefined
      do {
        const query = { ...present({ cursor }) }
        const page = await caller.asOwner("see the service accounts", (client) => client.serviceAccounts.list(query))
        for (const one of page.serviceAccounts) caller.show(one, linesOf)
        cursor = page.nextCursor
      } while (cursor !== undefined)
    }
  }),
  key: verb({
    usage: "ID [--expires 90d]",
    says: "make a key of it, shown this once; two may live at a time",
    words: [1, 1],
    flags: { expires: { kind: "date", says: "until when: 30d, or 2030-01-31 (default: 90 days from now)" } },
    run: async (given, [serviceAccountId], caller) => {
      const expiresAt = givenTimeToCome("expires", given.expires)
      const input = { serviceAccountId: serviceAccountId!, ...present({ expiresAt }) }
      const made = await caller.asOwner("make a key", (client) => client.serviceAccounts.createKey(input, shownOnce))
      caller.show(made, ({ id, key = "" }) => [key, `${id}: shown this once`])
    }
  }),
  disable: setDisabled(true),
  enable: setDisabled(false),
  remove: verb({
    usage: "ID",
    says: "remove it with its keys",
    words: [1, 1],
    flags: {},
    run: async (_, [serviceAccountId], caller) => {
      const input = { serviceAccountId: serviceAccountId! }
      const answer = await caller.asOwner("remove a service account", (client) => client.serviceAccounts.remove(input))
      caller.show(answer, ({ revokedKeys }) => [`${serviceAccountId} is removed, with ${revokedKeys.length} API keys`])
    }
  })
}

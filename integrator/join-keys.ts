/** `hub joinkey …`: the keys by which machines join the account. Owns their words at the command line. */
import type { Input, Output } from "../client/src/index.ts"
import { refuseNumber } from "../src/cli/arguments.ts"
import { givenNumber, givenTags, givenTimeToCome, listed, present } from "./given-values.ts"
import { shownOnce, type Verbs, verb } from "./verbs.ts"

type JoinKey = Output<"joinKeys.list">["joinKeys"][number]

const dateOf = (at: number | null): string => (at === null ? "never" : new Date(at).toISOString())
const tagsOf = (tags: Readonly<Record<string, string>>): string =>
  Object.entries(tags)
    .map(([key, value]) => (value === "" ? key : `${key}=${value}`))
    .join(",")
const lineOf = (one: JoinKey): string =>
  `${one.id}  ${one.prefix}…  ${one.name}  ${one.uses}${one.maxUses === null ? "" : ` of ${one.maxUses}`} joined  expires ${dateOf(one.expiresAt)}  ${tagsOf(one.tags)}`.trimEnd()

export const joinKeyVerbs: Verbs = {
  create: verb({
    usage: "NAME [--tag env=prod]",
    says: "make one; it is shown this once",
    words: [1, 1],
    flags: {
      tag: { kind: "text", many: true, says: "a tag of the machines that join; may be given more than once" },
      "max-uses": { kind: "number", refuse: refuseNumber(), says: "how many machines may join by it" },
      expires: { kind: "date", says: "until when: 30d, or 2030-01-31" },
      "remove-after": {
        kind: "number",
        refuse: refuseNumber(),
        says: "remove each machine so many minutes after it left"
      }
    },
    run: async (given, [name], caller) => {
      const asked = {
        name: name!,
        ...present({
          tags: given.tag === undefined ? undefined : givenTags(listed(given.tag), false),
          maxUses: givenNumber("max-uses", given["max-uses"]),
          expiresAt: givenTimeToCome("expires", given.expires),
          removeAfterMinutes: givenNumber("remove-after", given["remove-after"])
        })
      } as Input<"joinKeys.create">
      const made = await caller.asOwner("make a join key", (client) => client.joinKeys.create(asked, shownOnce))
      caller.show(made, ({ id, key = "" }) => [key, `${id}: shown this once`])
    }
  }),
  list: verb({
    usage: "",
    says: "those of the account, without their secret",
    words: [0, 0],
    flags: {},
    run: async (_, __, caller) => {
      const { joinKeys } = await caller.asOwner("see the join keys", (client) => client.joinKeys.list())
      for (const one of joinKeys) caller.show(one, (shown) => [lineOf(shown)])
    }
  }),
  remove: verb({
    usage: "ID",
    says: "no machine joins by it any more; those that have joined stay",
    words: [1, 1],
    flags: {},
    run: async (_, [joinKeyId], caller) => {
      const input = { joinKeyId: joinKeyId! }
      const answer = await caller.asOwner("remove a join key", (client) => client.joinKeys.remove(input))
      caller.show(answer, () => [`${joinKeyId} is removed`])
    }
  })
}

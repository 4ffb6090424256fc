/** `hub tag …`: the tags of one daemon, or of many by a selector. Owns their words at the command line. */
import { ArgumentError, type Flags } from "../src/cli/arguments.ts"
import { givenTags } from "./given-values.ts"
import { type Verbs, verb } from "./verbs.ts"

const target = {
  daemon: { kind: "text", says: "of this daemon" },
  selector: { kind: "text", says: "of all daemons with these tags: env=prod,!ring" }
} as const satisfies Flags

const linesOf = ({ tags }: { readonly tags: Readonly<Record<string, string>> }): ReadonlyArray<string> =>
  Object.entries(tags).map(([key, value]) => (value === "" ? key : `${key}=${value}`))
const changedLine = ({ changed }: { readonly changed: number }): ReadonlyArray<string> => [
  changed === 1 ? "1 daemon changed" : `${changed} daemons changed`
]

export const tagVerbs: Verbs = {
  show: verb({
    usage: "DAEMON",
    says: "the tags of a daemon that count; with --json also which of them its owner gave",
    words: [1, 1],
    flags: {},
    run: async (_, [daemonId], caller) => {
      const status = await caller.withKey((client) => client.daemons.status({ daemonId: daemonId! }))
      const { tags, ownerTags } = status
      caller.show({ daemonId, tags, ownerTags }, linesOf)
    }
  }),
  set: verb({
    usage: "KEY=VALUE|KEY|KEY- … --daemon ID | --selector TAGS",
    says: "set and, with a dash, remove the tags that are named; others stay",
    words: [1, 32],
    flags: target,
    run: async ({ daemon, selector }, words, caller) => {
      const tags = givenTags(words, true)
      if (daemon !== undefined && selector === undefined) {
        const asked = { daemonId: daemon, tags }
        return caller.show(await caller.asOwner("change tags", (client) => client.tags.merge(asked)), linesOf)
      }
      if (daemon !== undefined || selector === undefined)
        throw new ArgumentError("name either --daemon ID or --selector TAGS")
      const asked = { selector, tags }
      caller.show(await caller.asOwner("change tags", (client) => client.tags.change(asked)), changedLine)
    }
  }),
  replace: verb({
    usage: "[KEY=VALUE|KEY …] --daemon ID",
    says: "give a daemon exactly these tags in place of all that its owner gave",
    words: [0, 32],
    flags: { daemon: { kind: "text", required: true, says: "of this daemon" } },
    run: async ({ daemon }, words, caller) => {
      const asked = { daemonId: daemon, tags: givenTags(words, false) as Readonly<Record<string, string>> }
      caller.show(await caller.asOwner("change tags", (client) => client.daemons.tag(asked)), linesOf)
    }
  })
}

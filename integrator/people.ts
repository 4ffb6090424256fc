/** `hub member …` and `hub invitation …`: the people of the account. Owns their words at the command line. */
import type { Input, Output } from "../client/src/index.ts"
import { ArgumentError } from "../src/cli/arguments.ts"
import { givenTimeToCome, present } from "./given-values.ts"
import { type Caller, shownOnce, type Verbs, verb } from "./verbs.ts"

type Member = Output<"members.list">["members"][number]
type Invitation = Output<"members.invitations">["invitations"][number]
type Role = Member["role"]

const roles: ReadonlyArray<Role> = ["viewer", "operator", "admin", "owner"]

const onlyOf = (selector: string | null): string => (selector === null ? "" : `  only ${selector}`)
const memberLine = (one: Member): string => `${one.personId}  ${one.email}  ${one.role}${onlyOf(one.selector)}`
const invitationLine = (one: Invitation): string =>
  `${one.id}  ${one.email}  ${one.role}${onlyOf(one.selector)}  until ${new Date(one.expiresAt).toISOString()}`

/** A role by its name; undefined where none is given. */
const givenRole = (text: string | undefined): Role | undefined => {
  const role = roles.find((one) => one === text)
  if (text !== undefined && role === undefined) throw new ArgumentError(`--role is one of: ${roles.join(", ")}`)
  return role
}

const role = { kind: "text", says: "viewer, operator, admin or owner" } as const
const selector = { kind: "text", says: "only daemons with these tags: env=prod,gpu" } as const

const allMembers = async (caller: Caller): Promise<ReadonlyArray<Member>> => {
  const found: Array<Member> = []
  let cursor: string | undefined
  do {
    const query = { ...present({ cursor }) }
    const page = await caller.asOwner("see the members", (client) => client.members.list(query))
    found.push(...page.members)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

/** A member by the id or the address of their person. */
const named = async (caller: Caller, word: string): Promise<string> =>
  word.includes("@")
    ? ((await allMembers(caller)).find(({ email }) => email === word.toLowerCase())?.personId ?? word)
    : word

export const memberVerbs: Verbs = {
  list: verb({
    usage: "",
    says: "the people of the account, and what each may do",
    words: [0, 0],
    flags: {},
    run: async (_, __, caller) => {
      for (const one of await allMembers(caller)) caller.show(one, (shown) => [memberLine(shown)])
    }
  }),
  change: verb({
    usage: "PERSON|E-MAIL [--role ROLE] [--selector env=prod]",
    says: "give another role, or bind to a part of the fleet; in force within a second",
    words: [1, 1],
    flags: { role, selector: { ...selector, mayBeEmpty: true, says: `${selector.says}; "" for all` } },
    run: async (given, [word], caller) => {
      const change = present({ role: givenRole(given.role), selector: given.selector })
      const personId = await named(caller, word!)
      const answer = await caller.asOwner("change a member", (client) => client.members.change({ personId, ...change }))
      caller.show(answer, (shown) => [memberLine(shown)])
    }
  }),
  remove: verb({
    usage: "PERSON|E-MAIL",
    says: "end a membership with the person's sessions and API keys, and nothing else",
    words: [1, 1],
    flags: {},
    run: async (_, [word], caller) => {
      const personId = await named(caller, word!)
      const answer = await caller.asOwner("remove a member", (client) => client.members.remove({ personId }))
      caller.show(answer, ({ revokedKeys }) => [`${word} is removed, with ${revokedKeys.length} API keys`])
    }
  })
}

export const invitationVerbs: Verbs = {
  create: verb({
    usage: "E-MAIL [--role ROLE]",
    says: "make a link for a person, to be handed over; it is shown this once",
    words: [1, 1],
    flags: {
      role: { ...role, says: `${role.says} (default: viewer)` },
      selector,
      expires: { kind: "date", says: "until when: 7d, or 2030-01-31 (default: 7 days from now)" }
    },
    run: async (given, [email], caller) => {
      const asked = {
        email: email!,
        role: givenRole(given.role) ?? "viewer",
        ...present({ selector: given.selector, expiresAt: givenTimeToCome("expires", given.expires) })
      } as Input<"members.invite">
      const made = await caller.asOwner("invite a person", (client) => client.members.invite(asked, shownOnce))
      const url = made.url && new URL(made.url, caller.profile.url).href
      caller.show({ ...made, ...present({ url }) }, ({ id }) => [url ?? "", `${id}: shown this once`])
    }
  }),
  list: verb({
    usage: "",
    says: "those that wait",
    words: [0, 0],
    flags: {},
    run: async (_, __, caller) => {
      const { invitations } = await caller.asOwner("see the invitations", (client) => client.members.invitations())
      for (const one of invitations) caller.show(one, (shown) => [invitationLine(shown)])
    }
  }),
  remove: verb({
    usage: "ID",
    says: "take one back: its link is good for nothing from then on",
    words: [1, 1],
    flags: {},
    run: async (_, [invitationId], caller) => {
      const input = { invitationId: invitationId! }
      const answer = await caller.asOwner("take an invitation back", (client) => client.members.uninvite(input))
      caller.show(answer, () => [`${invitationId} is removed`])
    }
  })
}

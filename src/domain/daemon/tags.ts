/**
 * Tags: words by which an owner tells the machines of a fleet apart. Owns their form, and that the owner's win over
 * those of the daemon itself. The two are kept apart, so that a daemon's own comes back when the owner's is removed.
 */
import { Result } from "effect"
import { type Issue, ValidationFailed } from "../../errors.ts"
import { tagsPerDaemonMax, tagValueCharsMax } from "../../limits/tags.ts"

export type Tags = Readonly<Record<string, string>>

/** What the owner gave a daemon; a higher version is newer. */
export interface OwnerTags {
  readonly tags: Tags
  readonly version: number
}

/** What bears tags: `tags` are the daemon's own. */
export interface Tagged {
  readonly tags?: Tags
  readonly ownerTags?: OwnerTags
}

/** The form of a key. */
export const tagKeyForm = /^[a-z0-9][a-z0-9._/-]{0,62}$/u

// no comma and no leading "=": a selector could not name it
const valueForm = /^(?!=)[^,\p{C}]*$/u

/** Whether this is a tag's key. */
export const isTagKey = (text: string): boolean => tagKeyForm.test(text)

/** Whether this is a tag's value. */
export const isTagValue = (text: string): boolean =>
  text.length <= tagValueCharsMax && text === text.trim() && valueForm.test(text)

const none: Tags = {}

/** The tags that count. */
export const tagsOf = ({ tags, ownerTags }: Tagged): Tags => {
  if (ownerTags === undefined) return tags ?? none
  return tags === undefined ? ownerTags.tags : { ...tags, ...ownerTags.tags }
}

/** The value of a key; undefined: there is no such tag. */
export const tagOf = ({ tags, ownerTags }: Tagged, key: string): string | undefined => {
  if (ownerTags !== undefined && Object.hasOwn(ownerTags.tags, key)) return ownerTags.tags[key]
  return tags !== undefined && Object.hasOwn(tags, key) ? tags[key] : undefined
}

/** Whether two daemons, or one before and after, say the same of themselves. */
export const sameTags = (one: Tags = none, other: Tags = none): boolean => {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}

/** The newer of two, where either may be missing. */
export const newerTags = (one: OwnerTags | undefined, other: OwnerTags | undefined): OwnerTags | undefined =>
  (other?.version ?? 0) > (one?.version ?? 0) ? other : one

/** The same with these tags of its owner, unless it has newer ones. */
export const withOwnerTags = <A extends Tagged>(tagged: A, given: OwnerTags | undefined): A =>
  given === undefined || newerTags(tagged.ownerTags, given) === tagged.ownerTags
    ? tagged
    : { ...tagged, ownerTags: given }

const keyMessage = "is no key: lower-case letters, digits and ._/- after a letter or a digit, at most 63 characters"
const valueMessage = `must have at most ${tagValueCharsMax} characters, no comma, no control character and no blank at an end`

/** What an owner changes of tags: keys that get a value, and keys that are removed. Others stay, unless it replaces. */
export interface TagChange {
  readonly replaces?: true
  readonly set: Tags
  readonly removed: ReadonlyArray<string>
}

/** Checks a change of tags, in which null removes a key. */
export const readTagChange = (
  given: Readonly<Record<string, string | null>>
): Result.Result<TagChange, ValidationFailed> => {
  const entries = Object.entries(given)
  const removed = entries.flatMap(([key, value]) => (value === null ? [key] : []))
  if (removed.length > tagsPerDaemonMax || !removed.every(isTagKey))
    return Result.fail(new ValidationFailed({ issues: [{ path: "tags", message: `one of them ${keyMessage}` }] }))
  const set = Object.fromEntries(entries.flatMap(([key, value]) => (value === null ? [] : [[key, value]])))
  return Result.map(readTags(set), (set) => ({ set, removed }))
}

/** Checks the tags that an owner gives. */
export const readTags = (given: Tags): Result.Result<Tags, ValidationFailed> => {
  const issues: Array<Issue> = []
  const entries = Object.entries(given)
  if (entries.length > tagsPerDaemonMax) {
    issues.push({ path: "tags", message: `must be at most ${tagsPerDaemonMax}` })
  } else {
    for (const [key, value] of entries) {
      if (!isTagKey(key)) issues.push({ path: "tags", message: `one of them ${keyMessage}` })
      else if (!isTagValue(value)) issues.push({ path: `tags.${key}`, message: valueMessage })
    }
  }
  return issues.length === 0 ? Result.succeed(given) : Result.fail(new ValidationFailed({ issues }))
}

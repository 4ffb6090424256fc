/**
 * E-mail addresses as names of accounts: which are valid, how they are shown, and the key by which two are the same.
 * Owns these rules for every way an address comes in; never checks whether mail arrives. Pure.
 */
import { domainToASCII } from "node:url"
import { Result } from "effect"
import { emailCharsMax, emailDomainCharsMax, emailLocalCharsMax } from "../../limits/gate.ts"

/** An address that may name an account. */
export interface EmailAddress {
  /** As it is stored and shown: in Unicode's compatibility form (full-width letters are plain ones), in lower case. */
  readonly text: string
  /** What two spellings of one address have in common; no two accounts have the same one. */
  readonly key: string
}

// Controls, formats, blanks, unassigned and private ones, and what is drawn as nothing (fillers, U+2800).
const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u
const localShape = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u
const domainShape = /^[\p{L}\p{M}\p{N}.-]+$/u
const asciiLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u
const digitsOnly = /^\d+$/u
const latin = /\p{Script=Latin}/u
const likeLatin = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

const composed = (text: string): string => text.normalize("NFKC")
const shown = (text: string): string => composed(composed(text).toLowerCase())
/** Without case in either direction: `ß` and `SS`, `ı` and `I` are the same. */
const folded = (text: string): string => composed(composed(text).toUpperCase().toLowerCase())
const mixes = (word: string): boolean => latin.test(word) && likeLatin.test(word)

/** The domain as DNS knows it; undefined when it cannot be a name there. */
const asciiDomain = (domain: string): string | undefined => {
  // The shape first: what converts names reads `%61` as a letter and a number as an address.
  if (!domainShape.test(domain) || digitsOnly.test(domain.slice(domain.lastIndexOf(".") + 1))) return undefined
  const ascii = domainToASCII(domain)
  const fits = ascii.length <= emailDomainCharsMax && ascii.split(".").every((label) => asciiLabel.test(label))
  return fits ? ascii : undefined
}

/** Reads an address; the failure is what is wrong with it, as the rest of a sentence that begins with it. */
export const readEmailAddress = (given: string): Result.Result<EmailAddress, string> => {
  if (given.length > emailCharsMax) return Result.fail(`has more than ${emailCharsMax} characters`)
  if (unseen.test(given)) return Result.fail("holds a blank, a control character or an invisible one")
  const text = shown(given)
  // some letters have a blank in their compatibility form
  if (unseen.test(text)) return Result.fail("holds a letter that stands for a blank")
  const [local = "", domain = "", ...more] = text.split("@")
  if (local === "" || domain === "" || more.length > 0) return Result.fail("must be a name, one @ and a domain")
  if (local.length > emailLocalCharsMax) {
    return Result.fail(`has more than ${emailLocalCharsMax} characters before the @`)
  }
  if (!localShape.test(local)) return Result.fail("holds a character before the @ that no address has there")
  const ascii = asciiDomain(domain)
  if (ascii === undefined) return Result.fail("has no domain name behind the @")
  if ([local, ...domain.split(".")].some(mixes)) {
    return Result.fail("mixes Latin letters with those of another alphabet that look like them")
  }
  return Result.succeed({ text, key: `${folded(local)}@${ascii}` })
}

/** By what an address is compared, also one that may name no account. */
export const emailKey = (given: string): string =>
  Result.match(readEmailAddress(given), { onSuccess: ({ key }) => key, onFailure: () => given.toLowerCase() })

/**
 * Secrets that a test plants, and the search for them in what a hub writes. Owns the forms in which a secret may be
 * written down (as it is, URL-encoded, base64, base64url, hexadecimal, in parts); judges no place.
 */
import { randomBytes } from "node:crypto"

/** The secrets of a test. */
export interface PlantedSecrets {
  /** A new one under this name: 36 letters and digits. */
  readonly plant: (name: string) => string
  /** Takes one that was made elsewhere, and gives it back. */
  readonly learn: <A extends string | Uint8Array>(name: string, value: A) => A
  /** The names of those of which this text has a part, in whatever form. */
  readonly in: (text: string) => ReadonlyArray<string>
  /** All names. */
  readonly names: () => ReadonlyArray<string>
}

/** So much of a secret is too much: no key's shown prefix is as long, and no chance makes it. */
const partChars = 10
/** A character of a hexadecimal text says half as much. */
const hexPartChars = 2 * partChars
/** Base64 of a text in the middle of another one: what depends on its neighbours is left out. */
const base64Group = 4

const base64Inside = (bytes: Buffer, encoding: "base64" | "base64url"): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString(encoding)
      .replace(/=+$/u, "")
    const from = before === 0 ? 0 : base64Group
    return text.slice(from, (bytes.length + before) % 3 === 0 ? undefined : -1)
  })

const formsOf = (value: string | Uint8Array): ReadonlyArray<readonly [text: string, part: number]> => {
  const bytes = Buffer.from(value)
  const hex = bytes.toString("hex")
  const texts = [
    ...(typeof value === "string" ? [value, encodeURIComponent(value)] : []),
    ...base64Inside(bytes, "base64"),
    ...base64Inside(bytes, "base64url")
  ]
  return [...texts.map((text) => [text, partChars] as const), [hex, hexPartChars], [hex.toUpperCase(), hexPartChars]]
}

/** What is secret of a credential: its kind at the front is not, nor what a signed token says. */
const secretPart = <A extends string | Uint8Array>(value: A): A | string => {
  if (typeof value !== "string") return value
  const text = value.replace(/^(?:hub[a-z]*_|whsec_)/u, "")
  return text.startsWith("eyJ") ? text.slice(text.lastIndexOf(".") + 1) : text
}

/** None yet. */
export const plantedSecrets = (): PlantedSecrets => {
  /** By the length of a part: each part, and whose it is. */
  const parts = new Map<number, Map<string, string>>()
  const names = new Set<string>()

  const learn: PlantedSecrets["learn"] = (name, value) => {
    names.add(name)
    for (const [text, usual] of formsOf(secretPart(value))) {
      const length = Math.min(usual, text.length)
      const known = parts.get(length) ?? new Map<string, string>()
      parts.set(length, known)
      for (let at = 0; at + length <= text.length; at++) known.set(text.slice(at, at + length), name)
    }
    return value
  }
  return {
    learn,
    plant: (name) =>
      learn(
        name,
        randomBytes(64)
          .toString("base64")
          .replace(/[^A-Za-z0-9]/gu, "")
          .slice(0, 36)
      ),
    in: (text) => {
      const found = new Set<string>()
      for (const [length, known] of parts) {
        for (let at = 0; at + length <= text.length; at++) {
          const name = known.get(text.slice(at, at + length))
          if (name !== undefined) found.add(name)
        }
      }
      return [...found].sort()
    },
    names: () => [...names].sort()
  }
}

/**
 * The two codes of a device that asks for an API key: the one it polls with, and the one that its person types. Owns
 * their shapes. Neither is stored but as a hash.
 */
import { randomInt } from "node:crypto"
import { checksummedToken } from "./checksummed-token.ts"

const device = checksummedToken("hubdc_")

/** A new code of a device, with about 178 random bits. */
export const makeDeviceCode = (): string => device.make()

/** Whether a text has the shape of one and a checksum that fits. */
export const isDeviceCode = (text: string): boolean => device.isValid(text)

/** No vowels, so that no word comes out, and no letter is taken for a digit (RFC 8628, 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ"
const half = 4
const shape = new RegExp(`^[${letters}]{${2 * half}}$`, "u")

/** A new code of a person: eight letters of twenty, about 34 bits, shown as `WDJB-MJHT`. */
export const makeUserCode = (): string => {
  let code = ""
  for (let nth = 0; nth < 2 * half; nth++) code += letters[randomInt(letters.length)]
  return `${code.slice(0, half)}-${code.slice(half)}`
}

/** What a person typed, as the code was shown, whatever its case, spaces and dashes; undefined when it is none. */
export const readUserCode = (typed: string): string | undefined => {
  const code = typed.toUpperCase().replace(/[\s\p{Dash}]/gu, "")
  return shape.test(code) ? `${code.slice(0, half)}-${code.slice(half)}` : undefined
}

/** A secret as it goes into a header: trimmed, or refused in words that hold no part of it. Owns which texts fit. */

/** The secret without what surrounds it. Throws a `TypeError` that calls it `name` where no header can carry it. */
export const headerSecret = (name: string, given: unknown): string => {
  if (typeof given !== "string") throw new TypeError(`${name} is not set`)
  const secret = given.trim()
  if (secret === "") throw new TypeError(`${name} is empty`)
  if (/[\r\n]/u.test(secret)) throw new TypeError(`${name} has a line break inside: it must be one line`)
  if (!/^[\x21-\x7e]+$/u.test(secret))
    throw new TypeError(`${name} has a space or another character inside that none has: copy it again`)
  return secret
}

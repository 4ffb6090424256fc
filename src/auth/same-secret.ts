/** Whether a secret that was given is the one that is wanted. Owns that the comparison takes the same time for each. */
import { hash, timingSafeEqual } from "node:crypto"

/** Compares two secrets of any length. */
export const sameSecret = (given: string, wanted: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", wanted, "buffer"))

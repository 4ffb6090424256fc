/**
 * The peers whose requests of this process carried `X-Forwarded-For`, for `hub doctor`. Owns the bounded list of them;
 * believes no header.
 */
import { proxiesLookedFirst, proxiesLookedOneIn, proxiesSeenMax } from "../limits/doctor.ts"

/** A peer that forwards. */
export interface ProxySeen {
  readonly address: string
  /** Whether `HUB_TRUSTED_PROXIES` names it. */
  readonly trusted: boolean
}

/** Keeps the first peers that forwarded. */
export class ProxiesSeen {
  readonly #seen = new Map<string, boolean>()

  #forwarded = 0

  /** Called per forwarded request; whether its peer is to be noted, as reading its address is a system call. */
  isDue(): boolean {
    const forwarded = this.#forwarded++
    return forwarded < proxiesLookedFirst || forwarded % proxiesLookedOneIn === 0
  }
  /** `isTrusted` is asked once per peer. */
  note(address: string, isTrusted: (address: string) => boolean): void {
    if (this.#seen.size < proxiesSeenMax && !this.#seen.has(address)) this.#seen.set(address, isTrusted(address))
  }
  /** Those kept, in the order in which they came first. */
  list(): ReadonlyArray<ProxySeen> {
    return [...this.#seen].map(([address, trusted]) => ({ address, trusted }))
  }
}

/** Those of this process. */
export const proxiesSeen = new ProxiesSeen()

/** M7: wrong passwords from many addresses, each below the limits of one address. */

import type { Attack } from "./attack.ts"
import { askAgain, named } from "./attacker-daemons.ts"

const addresses = 150
const callsOfAddress = 60

/** With an account of its own each time. */
export const passwordChecks: Attack = {
  finding: "M7",
  asks: `wrong passwords from ${addresses} addresses, ${callsOfAddress} of each a minute`,
  logins: true,
  strike: async (target) => {
    const ask = (caller: number, turn: number) => ({
      method: "POST",
      path: "/api/v1/auth/login",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: `unknown-${caller}-${turn}@bench.local`, password: "siege siege siege" })
    })
    const statuses = await askAgain(target, target.tiny ? 8 : addresses, ask, callsOfAddress)
    return named(statuses)
  }
}

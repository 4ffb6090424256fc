/**
 * The regular load as the scenario sees it: its accounts made, its process started, asked and ended. Owns how many
 * there are.
 */
import { type AskedProgram, startAsked } from "../fleet/generator.ts"
import type { Besieged } from "./besieged.ts"
import type { RegularJobs } from "./regular-process.ts"
import { type Holder, makeHolder } from "./site.ts"
import type { RegularKind, StretchFigures } from "./tally.ts"

/** Regular load that runs. */
export interface RegularClient {
  /** One of their accounts. */
  readonly holder: Holder
  /** What is due from now on counts to this stretch. */
  readonly stretch: (name: string) => Promise<void>
  readonly figures: (name: string) => Promise<StretchFigures>
  readonly stop: () => Promise<void>
}

interface Size {
  readonly accounts: number
  readonly keys: number
  readonly daemons: number
  readonly comers: number
  readonly rates: Readonly<Partial<Record<RegularKind, number>>>
  readonly patienceMillis: number
}

/** Each key has 120 requests per minute: enough keys that no limit is met. */
const whole: Size = {
  accounts: 4,
  keys: 10,
  daemons: 4,
  comers: 36,
  rates: { command: 20, list: 10, upload: 2, connect: 3, delivery: 5 },
  patienceMillis: 15_000
}
const small: Size = {
  accounts: 1,
  keys: 16,
  daemons: 2,
  comers: 6,
  rates: { command: 10, list: 5, upload: 2, connect: 2, delivery: 5 },
  patienceMillis: 20_000
}
const loginsPerSecond = 1

/** Makes what the regular load needs at a hub, and starts it; `logins`: people sign in as well. */
export const startRegular = async (
  { hub, route }: Pick<Besieged, "hub" | "route">,
  { tiny, logins, core }: { readonly tiny: boolean; readonly logins: boolean; readonly core?: number | undefined }
): Promise<RegularClient> => {
  const size = tiny ? small : whole
  const program: AskedProgram<RegularJobs> = startAsked<RegularJobs>("siege/regular-process.ts", core)
  try {
    const webhooks = [`http://127.0.0.1:${await program.ask("receiver", null)}/`]
    const { keys, daemons } = size
    const wanted = { plan: "enterprise", keys, daemons, webhooks } as const
    const holders = await Promise.all(Array.from({ length: size.accounts }, () => makeHolder(hub, wanted)))
    // those who come and go have an account of their own: no webhook hears of them
    const comers = await makeHolder(hub, { plan: "enterprise", keys: 0, daemons: size.comers })
    await program.ask("begin", {
      route,
      callers: holders.flatMap((holder) =>
        holder.keys.map((key) => ({ key, daemonIds: holder.daemons.map(({ daemonId }) => daemonId) }))
      ),
      daemons: holders.flatMap((holder) => holder.daemons),
      comers: comers.daemons,
      logins: holders.map(({ email, password }) => ({ email, password })),
      rates: { ...size.rates, ...(logins ? { login: loginsPerSecond } : {}) }
    })
    return {
      holder: comers,
      stretch: async (name) => void (await program.ask("stretch", name)),
      figures: (stretch) => program.ask("figures", { stretch, patienceMillis: size.patienceMillis }),
      stop: async () => {
        await program.ask("end", null)
        await program.stop()
      }
    }
  } catch (error) {
    await program.stop()
    throw error
  }
}

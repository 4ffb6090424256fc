/**
 * The story: each operation of the document is called, and is refused as it declares. Owns the order of the chapters;
 * asserts through fixture.ts.
 */
import { devices, keys, limits, requests, signIn, system, tooOften } from "./account.ts"
import { administration } from "./administration.ts"
import { agents, stream } from "./agents.ts"
import { apps } from "./apps.ts"
import { audit } from "./audit.ts"
import type { Calls } from "./calls.ts"
import { kept } from "./commands.ts"
import { commands, life, read, silence, terminal } from "./daemons.ts"
import { answered, type Connect, logged, type Step, type World } from "./fixture.ts"
import { fleets } from "./fleets.ts"
import { jobs } from "./jobs.ts"
import { people } from "./people.ts"
import { policies } from "./policies.ts"
import { push } from "./push.ts"
import { registry } from "./registry.ts"
import { sessions } from "./sessions.ts"
import { subscribe, turn, webhooks } from "./webhooks.ts"

/** Tells the story; gives every call of it. */
export const tell = async (world: World, connect: Connect): Promise<ReadonlyArray<Step>> => {
  const log: Array<Step> = []
  const as = (bearer?: string): Calls => logged(connect(bearer), log)
  const anyone = as()
  const key = as(world.keys.all)
  const reading = as(world.keys.reading)
  const stale = as(world.sessions.stale)
  const session = as((await answered(anyone["auth.login"]({ body: world.owner }))).token)

  const hookId = await subscribe(world, session)
  const told = async (): Promise<void> => {
    await system(anyone)
    await limits(world, as)
    await keys(session, stale)
    await requests(session, key)
    await audit(session, key)
    await devices(anyone, session, stale, as)
    await apps(world, session, stale)
    await life(session, stale)
    await fleets(session, stale, as)
    await policies(session, stale)
    await push(session, anyone)
    await people(session, stale, as)
    await read(world, key)
    await terminal(world, key, reading)
    await commands(world, key)
    await kept(world, key, reading)
    await jobs(world, key, reading)
    await agents(world, key, reading)
    await stream(world, key, anyone)
    await sessions(world, key, reading)
    await webhooks(world, { session, stale, key, free: as(world.sessions.free) }, hookId)
    await turn(session, key, as(world.sessions.expired))
    await administration(world, as(world.sessions.administrator), session, anyone)
    await registry(anyone, as(world.keys.publishing), reading)
  }
  // What takes as long as a command may take goes on beside the rest; signing in ends the session of both.
  await Promise.all([told(), silence(world, key, session)])
  await signIn(world, as)
  await tooOften(anyone)
  return log
}

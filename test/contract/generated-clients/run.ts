/** Runs a program: reads the world on standard input, tells the story, writes its log on standard output. */
import { text } from "node:stream/consumers"
import type { Connect, World } from "../scenario/fixture.ts"
import { tell } from "../scenario/scenario.ts"

/** Tells the story through this client. */
export const run = async (connect: (world: World) => Connect): Promise<void> => {
  const world = JSON.parse(await text(process.stdin)) as World
  process.stdout.write(JSON.stringify(await tell(world, connect(world))))
}

/** Tests that begin with something of their own. Owns that it is made anew for each; ends nothing. */
import { it } from "vitest"

/** A kind of test that is given what this makes: `given(world)("is read once", async ({ reads }) => …)`. */
export const given =
  <A>(make: () => A | Promise<A>) =>
  (name: string, body: (made: A) => void | Promise<void>): void =>
    it(name, async () => body(await make()))

/** The commands that wait for one daemon: found by id, oldest first, like an ordered map. */
import { expect, test } from "vitest"
import { CommandRegistry, type Pending } from "../../../actors/daemon/command-registry.ts"
import { pendingCommandsMax } from "../../../src/limits.ts"
import { fc, forAll } from "../../support/properties.ts"

const pendingOf = (id: string): Pending => ({
  id,
  type: "read_chat",
  waiter: () => {},
  row: undefined,
  acceptedAt: 0,
  timer: undefined
})

test("the commands that wait are those that were added and not taken, whatever came in between", () => {
  const id = fc.integer({ min: 0, max: pendingCommandsMax - 1 }).map((number) => `c${number}`)
  const step = fc.oneof(
    id.map((id) => ({ do: "add" as const, id })),
    id.map((id) => ({ do: "take" as const, id })),
    fc.constant({ do: "takeOldest" as const, id: "" })
  )
  forAll(fc.array(step, { maxLength: 3 * pendingCommandsMax }), (steps) => {
    const waiting = new CommandRegistry()
    const model = new Map<string, Pending>()
    for (const { do: what, id } of steps) {
      if (what === "add" && !model.has(id)) {
        const pending = pendingOf(id)
        model.set(id, pending)
        waiting.add(pending)
      } else if (what === "take") {
        expect(waiting.take(id)).toBe(model.get(id))
        model.delete(id)
      } else if (what === "takeOldest") {
        const [oldest] = model.values()
        expect(waiting.takeOldest()).toBe(oldest)
        if (oldest !== undefined) model.delete(oldest.id)
      }
      expect(waiting.size).toBe(model.size)
      expect(waiting.has(id)).toBe(model.has(id))
    }
  })
})

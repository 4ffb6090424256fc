/** The checks of paused connections. */
import { expect, it } from "vitest"
import { PausedConnections } from "../../../http/native/paused-connections.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

const made = () => {
  const told: Array<string> = []
  return { told, pause: () => told.push("pause"), resume: () => told.push("resume") }
}

it("a connection that is not read is read for one turn at each look but the first, and is paused again", async () => {
  const unread = new PausedConnections()
  const one = made()
  unread.add(one)
  unread.look()
  expect(one.told).toEqual(["pause"])
  unread.look()
  expect(one.told).toEqual(["pause", "resume"])
  await turns()
  expect(one.told).toEqual(["pause", "resume", "pause"])
})

it("a connection that is not read is left alone once it is read again, or gone, also while it is looked at", async () => {
  const unread = new PausedConnections()
  const [answered, gone] = [made(), made()]
  for (const one of [answered, gone]) unread.add(one)
  unread.look()
  unread.look()
  unread.remove(answered)
  unread.forget(gone)
  await turns()
  unread.look()
  unread.remove(answered)
  expect([answered.told, gone.told]).toEqual([
    ["pause", "resume", "resume"],
    ["pause", "resume"]
  ])
  expect(unread.size).toBe(0)
})

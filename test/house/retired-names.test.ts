/** Words that the project no longer uses, and the one that stands for each. A list of them is kept here. */
import { describe, expect, it } from "vitest"
import { houseFiles, places } from "./project-files.ts"

/** A name of code that is gone, and what the field calls it. */
const names: Readonly<Record<string, string>> = {
  Others: "Cluster",
  Overseer: "Supervisor",
  Surroundings: "SubscriberContext",
  makeResidents: "makeLocalSubscribers",
  spawnDormant: "spawn",
  Keyring: "Authenticator",
  Wheel: "Timers",
  Strangers: "UnauthenticatedSockets",
  Happening: "HubEvent",
  Letter: "SignedPayload",
  Picture: "Snapshot",
  HeldWebhook: "LeasedWebhook",
  picture: "snapshot",
  pictures: "snapshots",
  Soon: "MaybeSync",
  Unfit: "UsageError",
  Misused: "ArgumentError",
  Machine: "Daemon",
  ground: "fixture",
  reap: "endChild"
}
const ours = houseFiles.filter(
  ({ path }) => path !== "test/house/retired-names.test.ts" && !path.includes("/migrations/")
)

/** Pronouns that hide who acts. Comments, log lines and errors name a role, or are in the passive. */
const pronouns = ["nobody", "somebody", "anybody", "whoever"]
const plain = /^(?:src|actors\/(?!daemon\/)|http|bench|daemon|publisher|integrator|console|client)\//u

describe("no text outside the tests says any more", () => {
  it.each(pronouns)("%s: it names a role", (pronoun) => {
    const word = new RegExp(`\\b${pronoun}\\b`, "giu")
    expect(
      ours.filter(({ path }) => plain.test(path)).flatMap((file) => places(file, word, "name the role", "text"))
    ).toEqual([])
  })
})

describe("no code says any more", () => {
  it.each(Object.entries(names))("%s: it is called %s", (name, instead) => {
    const word = new RegExp(`(?<![\\w.])${name}\\b`, "gu")
    expect(ours.flatMap((file) => places(file, word, instead))).toEqual([])
  })
})

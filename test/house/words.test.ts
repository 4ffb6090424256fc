/** Words that the project no longer uses, and the one that stands for each. A list of them is kept here. */
import { describe, expect, it } from "vitest"
import { houseFiles, places } from "../support/source-files.ts"

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
  picture: "snapshot",
  pictures: "snapshots",
  Soon: "MaybeSync",
  Unfit: "UsageError"
}
const ours = houseFiles.filter(({ path }) => path !== "test/house/words.test.ts" && !path.includes("/migrations/"))

describe("no code says any more", () => {
  it.each(Object.entries(names))("%s: it is called %s", (name, instead) => {
    const word = new RegExp(`(?<![\\w.])${name}\\b`, "gu")
    expect(ours.flatMap((file) => places(file, word, instead))).toEqual([])
  })
})

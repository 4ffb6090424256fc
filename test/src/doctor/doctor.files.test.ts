/** What `hub doctor` says of files: certificates, the data folder, the secret key. Real files; the clock is set. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { defaultSettings } from "../../../src/config.ts"
import { checkDataFolder, checkSecretKey } from "../../../src/doctor/data-folder.ts"
import { checkCertificate } from "../../../src/doctor/tls-certificate.ts"
import { it } from "../../support/effect-test.ts"
import { root } from "../../support/root.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const tls = {
  ...defaultSettings,
  tlsCert: join(root, "test/support/tls/cert.pem"),
  tlsKey: join(root, "test/support/tls/key.pem")
}

describe("the doctor on certificates", () => {
  const at = (day: string, settings: object = {}) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(day))
      return yield* checkCertificate({ ...tls, ...settings })
    })

  // The certificate of the tests is good from 2026-11-21 to 2126-10-28, for localhost.
  it.effect.each([
    ["2027-01-01", "ok", "good until 2126-10-28"],
    ["2126-10-15", "warning", "13 days"],
    ["2126-10-27", "error", "(1 days)"],
    ["2126-11-01", "error", "ended on 2126-10-28"],
    ["2026-11-01", "error", "not valid before 2026-11-21"]
  ] as const)("judges its dates on %s", ([day, severity, words]) =>
    Effect.gen(function* () {
      expect((yield* at(day))[0]).toMatchObject({ severity, found: expect.stringContaining(words) })
    })
  )

  it.effect("compares its names with the host of HUB_PUBLIC_URL", function* () {
    const named = (publicUrl: string) => Effect.map(at("2027-01-01", { publicUrl }), ([, name]) => name?.severity)
    expect(yield* named("https://localhost")).toBe("ok")
    expect(yield* named("https://127.0.0.1:8443")).toBe("ok")
    expect(yield* named("https://hub.example.com")).toBe("warning")
  })

  it.effect("names files that are no certificate or no key of it, as the start does", function* () {
    const [missing] = yield* at("2027-01-01", { tlsCert: "/none/cert.pem" })
    expect(missing).toMatchObject({ severity: "error", found: "/none/cert.pem (HUB_TLS_CERT) does not exist" })
    const [swapped] = yield* at("2027-01-01", { tlsKey: tls.tlsCert })
    expect(swapped!.found).toContain("does not hold a private key")
  })
})

describe("the doctor on the data folder", () => {
  it("finds nothing in a folder of the hub's own, or in one that is not there yet", () => {
    const folder = testFolder("doctor")
    expect(checkDataFolder(folder, true)[0]).toMatchObject({ severity: "ok" })
    expect(checkDataFolder(join(folder, "a/b"), true)[0]!.found).toContain("the first start makes it")
  })

  it("warns where other users may enter it", () => {
    const folder = testFolder("doctor-open")
    chmodSync(folder, 0o755)
    expect(checkDataFolder(folder, true)[0]).toMatchObject({ severity: "warning", remedy: `chmod 700 ${folder}` })
  })

  it("calls a file in its place an error, and then looks at no disk", () => {
    const file = join(testFolder("doctor-file"), "data")
    writeFileSync(file, "")
    expect(checkDataFolder(file, true)).toMatchObject([{ severity: "error" }, { check: "disk", severity: "skipped" }])
  })
})

describe("the doctor on the secret key", () => {
  const settings = (name: string) => ({ ...defaultSettings, dataDir: testFolder(name) })
  const put = (dataDir: string, text: string, mode = 0o600): void => {
    writeFileSync(join(dataDir, "secret.key"), text)
    chmodSync(join(dataDir, "secret.key"), mode)
  }
  const key = Buffer.alloc(32, 1).toString("base64")

  it("finds nothing where it is closed to others, given, or not made yet", () => {
    const one = settings("key")
    expect(checkSecretKey(one).severity).toBe("ok")
    put(one.dataDir, key)
    expect(checkSecretKey(one).severity).toBe("ok")
    expect(checkSecretKey({ ...one, secretKey: new Uint8Array(32) }).found).toContain("given by HUB_SECRET_KEY")
  })

  it("calls it an error where others may read it", () => {
    const one = settings("key-open")
    put(one.dataDir, key, 0o644)
    expect(checkSecretKey(one)).toMatchObject({ severity: "error", remedy: expect.stringContaining("chmod 600") })
  })

  it("calls it an error where it is cut short, or missing beside a database", () => {
    const cut = settings("key-cut")
    put(cut.dataDir, key.slice(0, 8))
    expect(checkSecretKey(cut)).toMatchObject({ severity: "error" })
    const missing = settings("key-missing")
    mkdirSync(join(missing.dataDir, "database"))
    expect(checkSecretKey(missing)).toMatchObject({ severity: "error", found: expect.stringContaining("missing") })
  })

  it("never shows it", () => {
    const one = settings("key-shown")
    put(one.dataDir, key)
    expect(JSON.stringify(checkSecretKey(one))).not.toContain(key)
  })
})

/** What the settings promise: defaults, every fault at once, nearest names, no secret in an error. */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { keyInFolder } from "../../../src/config/secret-key.ts"
import { keysOf } from "../../../src/config/secret-keys.ts"
import { defaultSettings, type Environment, loadSettings, settings } from "../../../src/config.ts"
import { secretKeysMax } from "../../../src/limits/secrets.ts"
import { fc, forAll } from "../../support/properties.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const key = Buffer.alloc(32, 7).toString("base64")
const read = (env: Environment) => Result.getOrThrow(loadSettings(env))
const problems = (env: Environment): ReadonlyArray<string> => {
  const result = loadSettings(env)
  return Result.isFailure(result) ? result.failure.problems : []
}

describe("settings", () => {
  it("have the published defaults when the environment is empty", () => {
    expect(defaultSettings).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      dataDir: "./.hub",
      databaseUrl: undefined,
      keyIssuing: "enabled",
      recentLoginSeconds: 900,
      rateKeyPerMinute: 120,
      rateIpPerMinute: 60,
      rateIpScope: "unkeyed",
      disconnectGraceMillis: 15_000,
      commandTimeoutMillis: 60_000,
      webhookRetriesSeconds: [5, 60, 720],
      stunUrls: ["stun:stun.cloudflare.com:3478"]
    })
  })

  it.each([
    ["::", "::"],
    ["[::]", "::"],
    [" [2001:db8::1] ", "2001:db8::1"],
    ["localhost", "localhost"]
  ])("take %s as the address %s to listen on", (HUB_HOST, host) => expect(read({ HUB_HOST }).host).toBe(host))

  it("take a bare number as seconds and know ms, s, m, h and d", () => {
    const grace = (text: string) => read({ HUB_DISCONNECT_GRACE: text }).disconnectGraceMillis
    expect(["3", "250ms", "1.5s", "2m", "1h", "1d"].map(grace)).toEqual([
      3_000, 250, 1_500, 120_000, 3_600_000, 86_400_000
    ])
    expect(read({ HUB_RECENT_LOGIN: "5m" }).recentLoginSeconds).toBe(300)
    expect(read({ HUB_WEBHOOK_RETRIES: "0.1, 1s,2m" }).webhookRetriesSeconds).toEqual([0.1, 1, 120])
  })

  it("report every fault at once", () => {
    const env = { HUB_PORT: "x", HUB_RATE_IP_SCOPE: "some", HUB_DRAIN: "soon", DATABASE_URL: "mysql://h/d" }
    expect([...problems(env)].sort()).toEqual([
      "DATABASE_URL must be a URL (postgres, postgresql)",
      expect.stringContaining('HUB_DRAIN is "soon" but must be a duration'),
      'HUB_PORT is "x" but must be a whole number from 0 to 65535',
      'HUB_RATE_IP_SCOPE is "some" but must be one of unkeyed, all',
      "HUB_SECRET_KEY must be given with DATABASE_URL; make one with: openssl rand -base64 32"
    ])
  })

  it("name the nearest setting for an unknown HUB_ variable and leave other names alone", () => {
    expect(problems({ HUB_PROT: "1" })).toEqual(["HUB_PROT is not a setting; the nearest is HUB_PORT"])
    expect(problems({ HUB_DATA: "/x" })).toEqual(["HUB_DATA is not a setting; the nearest is HUB_DATA_DIR"])
    expect(problems({ HUB_URL: "https://hub.example.com", HUB_KEY: "hub_x" })).toEqual([])
    expect(problems({ HUB_TOKEN: "hubd_x", HUB_JOIN_KEY: "hubj_x" })).toEqual([])
    expect(problems({ PROT: "1", HUB_TEST_DATABASE: "embedded" })).toEqual([])
  })

  it("take only a token for the metrics that nobody guesses", () => {
    expect(read({ HUB_METRICS_TOKEN: "x".repeat(16) }).metricsToken).toBe("x".repeat(16))
    for (const token of ["short", "x".repeat(513), "sixteen letters with spaces"])
      expect(problems({ HUB_METRICS_TOKEN: token })).toEqual([
        expect.stringContaining("HUB_METRICS_TOKEN must be 16 to 512 printable")
      ])
  })

  it("take an empty variable as absent", () =>
    expect(read({ HUB_PORT: " ", DATABASE_URL: "" })).toEqual(defaultSettings))

  it("never repeat a secret in an error", () => {
    for (const row of Object.values(settings)) {
      if (row.secret !== true) continue
      expect(problems({ [row.env]: "hunter2 hunter2" }).join("\n")).not.toContain("hunter2")
    }
  })

  it("need the secret key with DATABASE_URL and take 32 bytes of base64 only", () => {
    const databaseUrl = "postgres://u:p@db.example.com/hub"
    expect(problems({ DATABASE_URL: databaseUrl })[0]).toContain("openssl rand -base64 32")
    expect(read({ DATABASE_URL: databaseUrl, HUB_SECRET_KEY: key }).secretKey).toEqual(new Uint8Array(32).fill(7))
    for (const bad of [
      "short",
      Buffer.alloc(31).toString("base64"),
      Buffer.alloc(33).toString("base64"),
      "ä".repeat(44)
    ]) {
      expect(problems({ HUB_SECRET_KEY: bad })).toHaveLength(1)
    }
  })

  it(`take ${secretKeysMax} secret keys at most, with commas between, the first one first`, () => {
    const keys = Array.from({ length: secretKeysMax }, (_, at) => new Uint8Array(32).fill(at))
    const text = keys.map((one) => Buffer.from(one).toString("base64"))
    expect(keysOf(read({ HUB_SECRET_KEY: text.join(", ") }).secretKey!)).toEqual(keys)
    expect(problems({ HUB_SECRET_KEY: [...text, key].join(",") })).toHaveLength(1)
    expect(problems({ HUB_SECRET_KEY: `${key},` })).toHaveLength(1)
  })

  it.each([
    [{ HUB_TLS_CERT: "a.pem" }, "HUB_TLS_CERT needs HUB_TLS_KEY"],
    [{ HUB_OIDC_CLIENT_ID: "a" }, "HUB_OIDC_CLIENT_ID needs HUB_OIDC_ISSUER"],
    [{ HUB_TURN_URLS: "turn:t.example.com" }, "HUB_TURN_URLS needs HUB_TURN_SECRET"],
    [{ HUB_TURN_CLOUDFLARE_KEY_ID: "k" }, "HUB_TURN_CLOUDFLARE_KEY_ID needs HUB_TURN_CLOUDFLARE_TOKEN"],
    [{ HUB_JWKS_URL: "https://id.example.com/jwks" }, "HUB_JWKS_URL needs HUB_JWKS_ISSUER and HUB_JWKS_AUDIENCE"]
  ])("%o is half of a pair", (env, sentence) => expect(problems(env).join()).toContain(sentence))

  it.each([
    ["HUB_CORS_ORIGINS", "https://a.example.com/path", "https://a.example.com, http://localhost:3000"],
    ["HUB_TRUSTED_PROXIES", "10.0.0.0/33", "10.0.0.0/8, ::1"],
    ["HUB_STUN_URLS", "http://stun", "stun:a:1,stuns:b"],
    ["HUB_WEBHOOK_RETRIES", "1,2,3,4", "1,2,3"],
    ["HUB_RATE_KEY_PER_MINUTE", "0", "1"],
    ["HUB_PUBLIC_URL", "ftp://a", "https://hub.example.com/"]
  ])("%s refuses %s and takes %s", (env, bad, good) => {
    expect(problems({ [env]: bad })).toEqual([expect.stringContaining(env)])
    expect(problems({ [env]: good })).toEqual([])
  })

  it.each([
    ["redis://h", "redis://h/abc"],
    ["redis://h:6379/", "redis://h/1.5"],
    ["redis://h:6379/15", "redis://h/-1"],
    ["rediss://u:p@h:6380/2", "https://h"],
    ["redis://h:26379/0?sentinel=mymaster&hosts=other:26379,third:26379", "redis://h:26379/0?sentinal=mymaster"],
    ["redis://h:26379?sentinel=a", "redis://h?sentinel="],
    ["redis://h:6379?cluster&hosts=other:6379,[::1]:6379", "redis://h:6379?cluster&hosts=other:port"],
    ["redis://h:6379/0?cluster", "redis://h:6379/1?cluster"]
  ])("take %s for a Redis, and refuse %s rather than take it for another", (good, bad) => {
    const beside = { DATABASE_URL: "postgres://h/d", HUB_SECRET_KEY: Buffer.alloc(32, 1).toString("base64") }
    expect(problems({ ...beside, REDIS_URL: good })).toEqual([])
    expect(problems({ ...beside, REDIS_URL: bad })).toEqual([expect.stringMatching(/^REDIS_URL must be redis:/u)])
  })

  it("never fail in any other way than by saying what is wrong", () => {
    const names = fc.constantFrom(...Object.values(settings).map((row) => row.env), "HUB_X")
    forAll(fc.dictionary(names, fc.string()), (env) => {
      const result = loadSettings(env)
      return Result.isSuccess(result) || result.failure.problems.length > 0
    })
  })
})

describe("the secret key of the embedded default", () => {
  const folder = () => testFolder("key")

  it("is made once, kept with mode 0600 and the same ever after", () => {
    const dataDir = join(folder(), "new")
    const first = keyInFolder(dataDir)
    expect(first).toHaveLength(32)
    expect(keyInFolder(dataDir)).toEqual(first)
    expect(statSync(join(dataDir, "secret.key")).mode & 0o777).toBe(0o600)
    expect(keyInFolder(folder())).not.toEqual(first)
  })

  it("is never replaced when its file is damaged", () => {
    const dataDir = folder()
    writeFileSync(join(dataDir, "secret.key"), "damaged")
    expect(() => keyInFolder(dataDir)).toThrow(/restore it from a backup/u)
    expect(readFileSync(join(dataDir, "secret.key"), "utf8")).toBe("damaged")
  })
})

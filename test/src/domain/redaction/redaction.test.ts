/** What never leaves in a text: secrets, however they are written. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeKey } from "../../../../src/auth/api-key.ts"
import { daemonTokens, invitationTokens, joinKeyTokens, pushTokens } from "../../../../src/auth/checksummed-token.ts"
import { makeDeviceCode } from "../../../../src/auth/device-code.ts"
import { accessTokens, authorizationCodes, clientSecrets, refreshTokens } from "../../../../src/auth/oauth/secrets.ts"
import { mark, redactText } from "../../../../src/domain/redaction/redaction.ts"
import { namesCount, namesSecret } from "../../../../src/domain/redaction/secret-shapes.ts"
import { fc, forAll } from "../../../support/properties.ts"
import { root } from "../../../support/root.ts"
import { planted, secret, tokens } from "../../../support/secret-shapes.ts"

describe("a name", () => {
  it.each([
    "password",
    "DB_PASSWORD",
    "apiKey",
    "x-api-key",
    "AWS_SECRET_ACCESS_KEY",
    "refresh_token",
    "Authorization",
    "Set-Cookie",
    "private-key",
    "auth"
  ])("%s holds a secret", (name) => expect(namesSecret(name)).toBe(true))
  it.each(["author", "message", "keyboard", "path", "status", "passed", "constructor"])("%s holds none", (name) =>
    expect(namesSecret(name)).toBe(false)
  )
  it("that counts holds a number", () => {
    expect(namesCount("maxTokens")).toBe(true)
    expect(namesCount("token")).toBe(false)
  })
})

const ofOAuth = [authorizationCodes, accessTokens, refreshTokens, clientSecrets].map(({ make }) => make)
const checksummed = [
  makeKey,
  daemonTokens.make,
  joinKeyTokens.make,
  makeDeviceCode,
  invitationTokens.make,
  pushTokens.make,
  ...ofOAuth
]

it("the hub's own credentials leave in no text, whatever their kind", () => {
  const keyToken = `hubt_${"aB3-_".repeat(20)}`
  for (const one of [...checksummed.map((make) => make()), keyToken])
    expect(redactText(`say ${one}, then`)).toBe(`say ${mark}, then`)
})

it("the hub's own credentials are all of these kinds", () => {
  const folder = join(root, "src/auth")
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
  const sources = files.map((name) => readFileSync(join(folder, name), "utf8"))
  expect(sources.join("").match(/= checksummedToken\("/gu)).toHaveLength(checksummed.length)
})

describe("a text", () => {
  const whole: ReadonlyArray<readonly [text: string, expected: string]> = [
    ["Authorization: Bearer abc.def-ghi", `Authorization: ${mark}`],
    ["run with Bearer abcdefgh now", `run with Bearer ${mark} now`],
    ["GET /x?token=abc&page=2", `GET /x?token=${mark}&page=2`],
    ["https://h/cb?code=abc&x=1#state=xyz", `https://h/cb?code=${mark}&x=1#state=${mark}`],
    ["postgres://joe:hunter2@db:5432/x", `postgres://joe:${mark}@db:5432/x`],
    ['{"apiKey":"abc","n":1}', `{"apiKey":"${mark}","n":1}`],
    ['{\\"apiKey\\":\\"abc\\",\\"n\\":1}', `{\\"apiKey\\":\\"${mark}\\",\\"n\\":1}`],
    ['"credentials": {"a": ["b"]}, "n": 1', `"credentials": ${mark}, "n": 1`],
    ["export DB_PASSWORD='a b' && ls", `export DB_PASSWORD='${mark}' && ls`],
    ["login --password hunter2 --user joe", `login --password ${mark} --user joe`],
    ["Cookie: a=b; c=d\nnext", `Cookie: ${mark}\nnext`],
    ["a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", `a\n${mark}\nb`],
    ["-----BEGIN PRIVATE KEY-----\nMIIE cut here", mark],
    ["DB_PASS=hunter2 DB_PASSAGE=x", `DB_PASS=${mark} DB_PASSAGE=x`],
    ["curl -u joe:hunter2 https://h", `curl -u joe:${mark} https://h`],
    ["curl --user 'joe:hunter 2'", `curl --user 'joe:${mark} 2'`],
    ["sshpass -p hunter2 ssh h", `sshpass -p ${mark} ssh h`],
    ["ls -u a b:c", "ls -u a b:c"],
    ["maxTokens: 4096, tokens=12", "maxTokens: 4096, tokens=12"],
    ["password=[redacted]rest", `password=${mark}`],
    ["a task-manager-component-list at 10:30, key: value", "a task-manager-component-list at 10:30, key: value"]
  ]
  it.each(whole)("%j becomes %j", (text, expected) => expect(redactText(text)).toBe(expected))

  it.each(tokens.map((token) => [token.slice(0, 12), token]))(
    "loses a token like %s… wherever it stands",
    (_, token) => {
      for (const around of [
        ["", ""],
        ["say ", ", then"],
        ["\u001b[31m", "\u001b[0m"],
        ["\\n", "\\n"],
        ["%20", "%20"],
        ["x=", "&"],
        ['"', '"']
      ]) {
        expect(redactText(`${around[0]}${token}${around[1]}`)).not.toContain(token.slice(6))
      }
    }
  )

  it("loses every planted secret, whatever is around it", () =>
    forAll(
      300,
      fc.array(
        fc.oneof(
          planted,
          fc.string().map((text) => ({ text, secret: undefined }))
        ),
        { maxLength: 8 }
      ),
      (pieces) => {
        const clear = redactText(pieces.map((piece) => piece.text).join("\n"))
        for (const piece of pieces) if (piece.secret !== undefined) expect(clear).not.toContain(piece.secret)
      }
    ))
  it("is the same when redacted twice", () =>
    forAll(secret, (value) => {
      const once = redactText(`password=${value} token: "${value}"`)
      expect(redactText(once)).toBe(once)
    }))
})

describe("hostile text", () => {
  const size = 500_000
  // A quadratic pass over any of these takes hours, so that finishing is the proof.
  it.each([
    "eyJ",
    "-----BEGIN ",
    "-----END ",
    "a",
    "-a",
    " --",
    "--a ",
    "password=",
    'password="',
    "password='\n",
    '"token":{',
    '\\"token\\":\\"',
    "bearer ",
    "bearer%20",
    "://",
    "://a@",
    "=",
    "a:",
    "\\",
    "%3D",
    "[0m",
    "[redacted]",
    "1234567890:AA"
  ])("made of %j is read in time that grows with its length", (unit) =>
    expect(redactText(unit.repeat(Math.ceil(size / unit.length))).length).toBeGreaterThan(0)
  )
})

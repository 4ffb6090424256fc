/**
 * The samples of docs/webhooks.md accept what the hub signs, and nothing else. Those whose language is here are run.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeSecret, serviceSignature, signingKey } from "../../src/domain/webhook/signature.ts"
import { root } from "../support/root.ts"

const page = readFileSync(join(root, "docs/webhooks.md"), "utf8")
const sample = (name: string): string => {
  const found = new RegExp(`\`\`\`\\w+ ${name}\\n([\\s\\S]*?)\`\`\``, "u").exec(page)?.[1]
  if (found === undefined) throw new Error(`no sample ${name}`)
  return found
}

const [secret, old] = [makeSecret(), makeSecret()]
const now = 1_790_000_000_000
const body = '{"event":"agent:status","payload":{"hostname":"é😀"},"timestamp":1}'
const header = serviceSignature([signingKey(secret)], now, body)
const both = serviceSignature([signingKey(secret), signingKey(old)], now, body)

/** Secret, header, body, time; and whether it is to be accepted. */
const cases: ReadonlyArray<readonly [string, string, string, string, number, boolean]> = [
  ["what the hub signed", secret, header, body, now, true],
  ["the new secret during a rotation", secret, both, body, now, true],
  ["the old secret during a rotation", old, both, body, now, true],
  ["another secret", old, header, body, now, false],
  ["another body", secret, header, `${body} `, now, false],
  ["another time", secret, header.replace(`t=${now}`, `t=${now + 1}`), body, now, false],
  ["five minutes and a bit", secret, header, body, now + 300_001, false],
  ["no signature", secret, `t=${now}`, body, now, false],
  ["nonsense", secret, "nonsense", body, now, false],
  ["an empty header", secret, "", body, now, false]
]

type Verify = (secret: string, header: string, body: string, now: number) => boolean

describe("the Node sample", async () => {
  const { verify } = (await import(`data:text/javascript,${encodeURIComponent(sample("verify-node"))}`)) as {
    verify: Verify
  }
  it.each(cases)("judges %s", (_, key, signature, text, at, accepted) =>
    expect(verify(key, signature, text, at)).toBe(accepted)
  )
})

const here = (command: string): boolean => spawnSync(command, ["--version"]).status === 0
const given = JSON.stringify(cases.map(([, ...rest]) => rest))
const expected = cases.map((one) => one[5])

it.skipIf(!here("python3"))("the Python sample judges them alike", () => {
  const loop =
    "\nimport json, sys\nprint(json.dumps([verify(s, h, b.encode(), n / 1000) for s, h, b, n, _ in json.load(sys.stdin)]))"
  expect(
    JSON.parse(execFileSync("python3", ["-c", sample("verify-python") + loop], { input: given }).toString())
  ).toEqual(expected)
})

it.skipIf(!here("ruby"))("the Ruby sample judges them alike", () => {
  const loop =
    '\nrequire "json"\nputs JSON.parse(STDIN.read).map { |s, h, b, n, _| verify(s, h, b, Time.at(n / 1000.0)) }.to_json'
  expect(JSON.parse(execFileSync("ruby", ["-e", sample("verify-ruby") + loop], { input: given }).toString())).toEqual(
    expected
  )
})

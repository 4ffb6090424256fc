/** The commands with verbs against a real hub: jobs with the saved key; join keys, tags and webhooks as the owner. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { ownedDaemon } from "../support/connected-daemon.ts"
import { type TestAccount, useHub } from "../support/hub.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { useReceiver } from "../support/use-started.ts"
import { integratorCommands } from "./integrator-commands.ts"

const hub = useHub()
const receiver = useReceiver()
const password = "correct horse battery"

let home: string
let owner: TestAccount
let env: Readonly<Record<string, string>>
let daemon: Awaited<ReturnType<TestAccount["daemonToken"]>>
const { run, start } = integratorCommands(() => home)
/** Runs a command of an owner who answers as often as asked. */
const asked = (line: string, answers: ReadonlyArray<string> = []) => {
  const [command, ...words] = line.split(" ")
  return run(command as "tag", words, env, answers, true)
}
const credentials = () => [owner.email, password]

beforeAll(async () => {
  home = testFolder("sessions")
  owner = await hub.account({ password })
  daemon = await owner.daemonToken()
  env = { HUB_URL: hub.url, HUB_KEY: await owner.key(["ide:read", "terminal:exec", "webhook:manage"]) }
})

it("what wants the owner asks once, keeps the session where only its user may read it, and asks again once it has ended", async () => {
  const made = await asked("joinkey create lab --tag env=lab,gpu --max-uses 2 --expires 1d", credentials())
  expect(made).toMatchObject({ code: 0, said: [expect.stringMatching(/^hubj_/u), expect.stringContaining("once")] })
  expect(statSync(join(home, "hub/sessions.json")).mode & 0o777).toBe(0o600)
  const { said, complained } = await asked("joinkey list --json")
  expect([complained, JSON.parse(said[0]!)]).toMatchObject([[], { name: "lab", tags: { env: "lab", gpu: "" } }])
  const session = await owner.session()
  expect((await hub.request("POST", "/api/v1/auth/logout-others", { session })).status).toBe(200)
  const { id } = JSON.parse(said[0]!)
  expect(await asked(`joinkey remove ${id}`, credentials())).toMatchObject({
    code: 0,
    said: [`${id} is removed`],
    complained: [expect.stringContaining("sign in")]
  })
  expect((await asked("joinkey list")).said).toEqual([])
})

it("what wants the owner is refused where nobody can answer, and by another account than the key's", async () => {
  home = testFolder("nobody")
  expect(await run("joinkey", ["list"], env)).toMatchObject({
    code: 1,
    complained: [expect.stringContaining("its owner signs in at a terminal")]
  })
  expect((await run("login", ["--url", hub.url], {}, [env["HUB_KEY"]!])).code).toBe(0)
  const other = await hub.account({ password })
  const refused = await run("joinkey", ["list"], {}, [other.email, password], true)
  expect([refused.code, refused.complained.at(-1)]).toEqual([1, expect.stringContaining("another account")])
  expect((await run("joinkey", ["list"], {}, credentials(), true)).code).toBe(0)
  expect((await run("logout", [])).complained).toEqual([])
})

it("hub member, invitation and service-account invite, bind and remove people, and give programs keys; a member signs in to the account of the key", async () => {
  home = testFolder("people")
  const [email, role] = ["grace@cli.example", "operator"]
  const { said } = await asked(`invitation create ${email} --role ${role} --expires 1d`, credentials())
  expect(said[0]).toMatch(/^http.*#\/invitation\/hubi_/u)
  expect((await asked("invitation list")).said[0]).toContain(`${email}  ${role}  until`)
  const body = { token: said[0]!.split("/").at(-1), password }
  expect((await hub.request("POST", "/api/v1/auth/invitations/accept", { body })).status).toBe(200)
  expect((await asked(`member change ${email} --selector env=ci`)).said[0]).toContain(`${role}  only env=ci`)
  expect((await asked(`member change ${email} --selector=`)).said[0]).toMatch(new RegExp(`${role}$`, "u"))
  expect((await asked(`invitation create ${email} --selector=`)).complained.at(-1)).toContain("--selector is empty")
  expect((await asked("member change x --role king")).complained.at(-1)).toContain("--role is one of")
  expect((await asked("member list")).said).toHaveLength(2)
  expect((await asked(`member remove ${email}`)).said[0]).toBe(`${email} is removed, with 0 API keys`)
  const made = await asked("service-account create deploy --role viewer --json")
  const { id } = JSON.parse(made.said[0]!)
  expect((await asked(`service-account key ${id}`)).said[0]).toMatch(/^hub_/u)
  expect((await asked(`service-account disable ${id}`)).said[0]).toContain("viewer  disabled")
  expect((await asked(`service-account remove ${id}`)).said[0]).toContain("with 1 API keys")
  const reader = await asked("service-account create reader --scopes ide:read,agent:read")
  expect(reader.said[0]).toContain("  reader  ide:read,agent:read")

  const other = await hub.account({ password })
  const invited = { session: await owner.session(), body: { email: other.email, role: "admin" } }
  const { token } = (await hub.request("POST", "/api/v1/invitations", invited)).body
  const accepted = { session: await other.session(), body: { token } }
  expect((await hub.request("POST", "/api/v1/auth/invitations/accept", accepted)).status).toBe(200)
  home = testFolder("member")
  expect((await run("login", ["--url", hub.url], {}, [env["HUB_KEY"]!])).code).toBe(0)
  const list = await run("member", ["list"], {}, [other.email, password], true)
  expect(list.said).toEqual([expect.stringContaining(owner.email), expect.stringContaining("admin")])
})

it("hub tag sets, removes and replaces the tags of one daemon or of those that a selector means", async () => {
  home = testFolder("tags")
  const { daemonId } = daemon
  const set = await asked(`tag set env=prod gpu --daemon ${daemonId}`, credentials())
  expect(set).toMatchObject({ code: 0, said: ["env=prod", "gpu"] })
  expect((await asked("tag set ring=2 gpu- --selector env=prod")).said).toEqual(["1 daemon changed"])
  expect((await asked(`tag show ${daemonId}`)).said).toEqual(["env=prod", "ring=2"])
  expect((await asked(`tag replace --daemon ${daemonId} env=lab`)).said).toEqual(["env=lab"])
  for (const line of ["tag set a=1", `tag set a=1 --daemon ${daemonId} --selector b`, `tag replace a- --daemon x`])
    expect(await asked(line)).toMatchObject({ code: 2, said: [] })
})

it("hub webhook makes, changes, tests, shows and removes one", async () => {
  home = testFolder("webhooks")
  const url = receiver.url("/verbs")
  const made = await asked(`webhook create ${url} --event daemon:connect,job:completed`, credentials())
  expect(made.said[1]).toMatch(/^secret: whsec_/u)
  const [id] = made.said[0]!.split(" ")
  expect((await asked("webhook list --json")).said.map((line) => JSON.parse(line))).toMatchObject([
    { id, events: ["daemon:connect"], additionalEvents: ["job:completed"] }
  ])
  const selectorNow = async () => JSON.parse((await asked("webhook list --json")).said[0]!).selector
  expect((await asked(`webhook update ${id} --off --selector env=ci`)).code).toBe(0)
  expect(await selectorNow()).toBe("env=ci")
  expect((await asked("webhook list")).said[0]).toMatch(/ off /u)
  expect((await asked(`webhook update ${id} --on --selector=`)).code).toBe(0)
  expect(await selectorNow()).toBeNull()
  expect((await asked(`webhook test ${id}`)).code).toBe(0)
  expect((await asked(`webhook deliveries ${id}`)).said[0]).toMatch(/webhook:test {2}succeeded 200/u)
  const [, deliveryId] = /(dlv_\w+)/u.exec((await asked(`webhook deliveries ${id}`)).said[0]!)!
  expect(JSON.parse((await asked(`webhook delivery ${id} ${deliveryId}`)).said[0]!)).toMatchObject({
    event: "webhook:test"
  })
  expect((await asked(`webhook rotate ${id}`)).said[0]).toMatch(/^secret: whsec_/u)
  expect((await asked(`webhook recover ${id} --since 1h`)).said).toEqual(["0 deliveries are sent again"])
  expect((await asked(`webhook retry ${id} dlv_unknown`)).complained.at(-1)).toContain("NOT_FOUND")
  expect((await asked(`webhook remove ${id}`)).said).toEqual([`${id} is removed`])
  expect((await asked("webhook list")).said).toEqual([])
})

describe("hub job", () => {
  it("starts one, follows it to its end, and says which daemons failed", async () => {
    const owned = await ownedDaemon(hub)
    env = { HUB_URL: hub.url, HUB_KEY: owned.key }
    const peer = await owned.connect({ auth: { capabilities: ["durable_commands"] }, report: [] })
    const { said, complained, ended } = start(
      "job",
      ["start", "npm test", "--all", "--name", "nightly", "--follow"],
      env
    )
    const { payload, succeed } = await peer.nextCommand()
    expect(payload).toEqual({ command: "npm test" })
    succeed({ exitCode: 3, stdout: "red" })
    expect(await ended).toBe(1)
    expect(complained.at(-1)).toBe("1 failed")
    const [, jobId] = /^(job_\w+) completed: 1 failed$/u.exec(said[0]!)!
    expect((await asked("job list")).said[0]).toMatch(/nightly {2}1 daemon$/u)
    expect((await asked(`job targets ${jobId} --exit-code nonzero`)).said).toEqual([
      `${owned.daemonId}  failed     exit 3  exit code 3`
    ])
    const results = await asked(`job results ${jobId} --json`)
    expect(JSON.parse(results.said[0]!)).toMatchObject({ exitCode: 3, result: { stdout: "red" } })
    const again = await asked(`job retry ${jobId} --json`)
    expect(JSON.parse(again.said[0]!)).toMatchObject({ retryOf: jobId, targets: 1 })
    expect((await asked(`job cancel ${JSON.parse(again.said[0]!).jobId}`)).code).toBe(0)
    expect((await asked(`job show ${jobId} --follow`)).code).toBe(1)
  })

  it.each([
    ["job start uname --all --steps ten", "--steps is of COUNT:MINUTES"],
    ["job start uname --all --ok-codes x", "--ok-codes is of exit codes"],
    ["job start --all", "COMMAND is missing"],
    ["job start uname", "give --all, --selector env=prod or --daemon ID"],
    ["job show", "usage: hub job show JOB"],
    ["job stat", "did you mean start"],
    ["tag set =x --daemon d", "has no key"]
  ])("says what is wrong with `hub %s`", async (line, sentence) => {
    const { code, complained } = await asked(line)
    expect([code, complained[0]]).toEqual([2, expect.stringContaining(sentence)])
  })

  it("has its verbs in its help, and the flags of one in its own", async () => {
    expect((await asked("job --help")).said[0]).toContain("hub job retry JOB [--follow]")
    expect((await asked("job start --help")).said[0]).toContain("--abort-after NUMBER")
  })
})

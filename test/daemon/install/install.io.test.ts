/** An installation for one user, from the script that a hub serves: done once, done again, refused, taken away. */
import { type SpawnSyncReturns, spawn } from "node:child_process"
import { hash } from "node:crypto"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { installCommand } from "../../../daemon/install/command.ts"
import { makeFiles } from "../../../daemon/install/files.ts"
import { type Installation, install, uninstall } from "../../../daemon/install/install.ts"
import { layoutOf } from "../../../daemon/install/layout.ts"
import { systemdUnit } from "../../../daemon/install/service-files.ts"
import type { ServiceManager } from "../../../daemon/install/service-manager.ts"
import { installScript } from "../../../http/downloads/install-script.ts"
import type { DaemonRelease } from "../../../src/runtime/daemon-release.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const serve = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const json =
  (status: number, body: object): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
const joins = json(201, { daemonId: "dmn_1", token: "hubd_1" })

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .sort()

const machine = (url: string) => {
  const home = testFolder("home")
  const layout = layoutOf(false, home)
  const program = join(testFolder("program"), "hub-daemon.mjs")
  writeFileSync(program, "// the program\n")
  const did: Array<string> = []
  const manager: ServiceManager = {
    name: "systemd",
    file: layout.unitFile,
    text: systemdUnit,
    start: () => ({ code: did.push("start") * 0, text: "" }),
    stop: () => void did.push("stop"),
    forget: () => void did.push("forget"),
    state: () => "running",
    logs: () => []
  }
  const installation: Installation = {
    layout,
    manager,
    program,
    node: process.execPath,
    digest: "0123456789abcdef",
    url: `${url.replace("http", "ws")}/api/v1/daemons/connect`,
    joinKey: "hubj_1",
    isCopy: false,
    name: undefined,
    user: undefined,
    usualUser: "hub-daemon",
    options: { tags: "env=prod" },
    interrupted: new AbortController().signal,
    isDry: false,
    restartSeconds: 7,
    say: (line) => void did.push(line),
    log: () => undefined
  }
  return { home, layout, did, installation }
}

const installed = [
  "/.config/hub-daemon.env",
  "/.config/systemd/user/hub-daemon.service",
  "/.local/bin/hub-daemon",
  "/.local/share/hub-daemon/current",
  "/.local/share/hub-daemon/current/hub-daemon.mjs",
  "/.local/share/hub-daemon/launch.sh",
  "/.local/share/hub-daemon/options.json",
  "/.local/share/hub-daemon/releases/0123456789abcdef/hub-daemon.mjs",
  "/.local/share/hub-daemon/state/daemon.json"
]

describe("an installation", () => {
  it("writes its files, each said before, joins the hub and starts the service", async () => {
    const { home, layout, did, installation } = machine(await serve(joins))
    expect(await install(installation)).toMatch(/this machine is dmn_1 at http:\/\/127/u)
    expect(filesOf(home)).toEqual(installed)
    for (const file of [layout.unitFile, layout.command]) expect(did).toContain(`writes ${file}`)
    expect(did.at(-1)).toBe("start")
    for (const file of [layout.stateFile, layout.environmentFile]) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(layout.unitFile, "utf8")).toContain('"--tags" "env=prod"')
    expect(readFileSync(layout.unitFile, "utf8")).not.toContain("hubj_1")
  })

  it("of a copied disk joins as a machine of its own; where it may not, it stays what it was", async () => {
    let answer = joins
    const { layout, installation } = machine(await serve((...call) => answer(...call)))
    await install(installation)
    answer = json(401, { reason: "AUTH_INVALID" })
    const copy = { ...installation, isCopy: true }
    for (const joinKey of ["hubj_1", undefined])
      await expect(install({ ...copy, joinKey })).rejects.toThrow(/does not know this join key|needs a join key/u)
    expect(readFileSync(layout.stateFile, "utf8")).toContain("hubd_1")
    answer = json(201, { daemonId: "dmn_2", token: "hubd_2" })
    expect(await install(copy)).toContain("this machine is dmn_2")
  })

  it("runs twice without harm: the machine stays what it is, and keeps the options that are not given anew", async () => {
    const { home, layout, installation } = machine(await serve(joins))
    await install(installation)
    writeFileSync(layout.environmentFile, "HTTPS_PROXY=http://p\n")
    await install({ ...installation, joinKey: undefined, options: { name: "seven" } })
    expect(filesOf(home)).toEqual(installed)
    expect(readFileSync(layout.environmentFile, "utf8")).toBe("HTTPS_PROXY=http://p\n")
    expect(readFileSync(layout.unitFile, "utf8")).toContain('"--tags" "env=prod" "--name" "seven"')
  })

  it.each([
    ["the hub refuses the key", json(401, { reason: "AUTH_INVALID" }), "hubj_1", /does not know this join key/u],
    ["there is no key", joins, undefined, /give a join key by --join, or HUB_JOIN_KEY/u]
  ])("leaves nothing behind where %s, and says so", async (_, answer, joinKey, sentence) => {
    const { home, installation } = machine(await serve(answer))
    await expect(install({ ...installation, joinKey })).rejects.toThrow(sentence)
    expect(filesOf(home)).toEqual([])
  })

  it("leaves nothing behind where it is interrupted while the hub does not answer", async () => {
    const giveUp = new AbortController()
    const url = await serve(() => giveUp.abort())
    const { home, installation } = machine(url)
    await expect(install({ ...installation, interrupted: giveUp.signal })).rejects.toThrow("it was interrupted")
    expect(filesOf(home)).toEqual([])
  })

  it("leaves nothing half-made where a file cannot be written, and keeps the token that the machine has got", async () => {
    const { home, layout, installation } = machine(await serve(joins))
    mkdirSync(layout.unitFile, { recursive: true })
    await expect(install(installation)).rejects.toThrow()
    expect(filesOf(home)).toEqual(["/.config/hub-daemon.env", "/.local/share/hub-daemon/state/daemon.json"])
  })

  it("says what it would do and writes nothing in a dry run", async () => {
    const { home, did, installation } = machine("http://127.0.0.1:1")
    expect(await install({ ...installation, isDry: true })).toMatch(/nothing was written/u)
    expect(did.filter((line) => line.startsWith("writes"))).toHaveLength(6)
    expect(filesOf(home)).toEqual([])
  })

  it("is taken away, its token only where that is asked for", async () => {
    const { home, did, installation } = machine(await serve(joins))
    await install(installation)
    await uninstall(installation, false)
    expect([did.indexOf("stop") > 0, did.at(-1)]).toEqual([true, "forget"])
    expect(filesOf(home)).toEqual(["/.config/hub-daemon.env", "/.local/share/hub-daemon/state/daemon.json"])
    await uninstall(installation, true)
    expect(filesOf(home)).toEqual([])
    await install(installation)
    await uninstall({ ...installation, manager: undefined }, true)
    expect(did.join()).toContain("the service runs on")
  })
})

describe.skipIf(process.getuid?.() !== 0)("an installation by root", () => {
  const nobody = 65_534
  /** The machine's own, whose service runs as nobody. */
  const systemMachine = (url: string) => {
    const { home, installation, did } = machine(url)
    for (let folder = home; folder !== "/"; folder = dirname(folder))
      chmodSync(folder, (statSync(folder).mode & 0o7777) | 0o001)
    mkdirSync(join(home, "var/lib"), { recursive: true })
    const layout = layoutOf(true, home, home)
    const run = () => ({ code: 0, text: String(nobody) })
    return { home, layout, did, installation: { ...installation, layout, run } }
  }

  it("gives the machine's token to the service's user, and to be installed again leaves it to that user", async () => {
    const { layout, installation } = systemMachine(await serve(joins))
    await install({ ...installation, user: "joe" })
    mkdirSync(layout.updates)
    chownSync(layout.updates, nobody, nobody)
    await install({ ...installation, joinKey: undefined })
    expect(readFileSync(installation.manager!.file, "utf8")).toContain("User=joe\n")
    const owned = [dirname(layout.stateFile), layout.stateFile, layout.command].map((path) => statSync(path).uid)
    expect([...owned, existsSync(layout.updates), process.geteuid?.()]).toEqual([nobody, nobody, 0, false, 0])
    process.seteuid!(nobody)
    await expect(uninstall(installation, true).finally(() => process.seteuid!(0))).rejects.toThrow("it may not write")
    await uninstall(installation, true)
    expect(existsSync(dirname(layout.stateFile))).toBe(false)
  })

  it("follows no link of that user to a file which only root may read, and gives none away", async () => {
    const { home, layout, installation } = systemMachine(await serve(joins))
    await install(installation)
    const [secret, second] = [join(home, "secret.json"), join(home, "second")]
    renameSync(layout.stateFile, secret)
    chownSync(secret, 0, 0)
    symlinkSync(secret, layout.stateFile)
    await expect(install(installation)).rejects.toThrow(/daemon\.json cannot be read: EACCES/u)
    linkSync(secret, second)
    const { give } = makeFiles(() => undefined, false)
    for (const path of [layout.stateFile, second])
      expect(() => give(path, nobody, nobody)).toThrow(/is a link, or has a second name/u)
    expect([statSync(secret).uid, process.geteuid?.()]).toEqual([0, 0])
  })
})

it.each([
  ["a line break, which would be a line of the unit", ["--name", "a\nExecStartPre=/bin/false"], 2],
  ["a list of agents that cannot be read", ["--providers", "/nowhere.json"], 1]
])("the options of an installation with %s are refused before anything is written", async (_, words, code) => {
  const all = ["--url", "http://hub", "--join", "hubj_1", "--dry-run", ...words]
  expect(await installCommand("install", all)).toBe(code)
})

describe("install.sh", () => {
  const program = "console.log(['called', ...process.argv.slice(2)].join(' '))"
  let tools: string
  beforeAll(() => {
    tools = testFolder("tools")
    for (const name of ["sh", "curl", "mktemp", "rm"]) symlinkSync(`/usr/bin/${name}`, join(tools, name))
  })
  const release: DaemonRelease = { version: "1.2.3", sha256: "", minNode: "20.12", program: Buffer.from(program) }

  const script = async (
    words: ReadonlyArray<string>,
    {
      hub,
      node = process.execPath,
      sha256 = "",
      cut = 0
    }: { hub?: string; node?: string; sha256?: string; cut?: number } = {}
  ): Promise<Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr">> => {
    const url = await serve((_, response) => void response.end(program))
    const whole = installScript(hub ?? url, { ...release, sha256: sha256 || hash("sha256", program, "hex") })
    const folder = testFolder("bin")
    if (node !== "") symlinkSync(node, join(folder, "node"))
    const child = spawn("/bin/sh", ["-s", "--", ...words], { env: { PATH: `${folder}:${tools}` } })
    child.stdin.end(cut === 0 ? whole : whole.slice(0, -cut))
    const ended = once(child, "close")
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    const [status] = await ended
    return { status, stdout: stdout.replace(url, "HUB"), stderr }
  }

  it("downloads the program, compares it, and has it install itself with the words that were given", async () => {
    const { stdout, status } = await script(["--tags", "a b", "--dry-run"])
    expect([stdout, status]).toEqual(["called install --url HUB --tags a b --dry-run\n", 0])
    expect((await script(["--uninstall", "--purge"])).stdout).toBe("called uninstall --purge\n")
  })

  it("takes the program from the address that is given, where the hub does not know its own", async () => {
    const url = await serve((_, response) => void response.end(program))
    for (const words of [["--url", `${url}/`], [`--url=${url}`]])
      expect((await script([...words, "--dry-run"], { hub: "http://127.0.0.1:1" })).stdout).toBe(
        `called install ${words.join(" ")} --dry-run\n`
      )
  })

  it("runs nothing of a program that is not the one of this script", async () => {
    const { stdout, stderr, status } = await script([], { sha256: "0".repeat(64) })
    expect([stdout, status]).toEqual(["", 1])
    expect(stderr).toMatch(
      /^hub-daemon: the program that came is not the one of this script .*nothing was installed\n$/u
    )
  })

  it("says what to install where Node is missing or too old", async () => {
    const old = join(testFolder("old"), "node")
    writeFileSync(old, '#!/bin/sh\n[ "$1" = --version ] && echo v18.1.0 && exit\nexit 1\n')
    chmodSync(old, 0o755)
    const { stderr } = await script([], { node: old })
    // a machine may have another one where installers put it
    if (!existsSync("/usr/bin/node") && !existsSync("/usr/local/bin/node"))
      expect(stderr).toMatch(/needs Node 20\.12 or later, found v18\.1\.0: install it/u)
  })

  it("does nothing where it was cut off on its way", async () => {
    for (const cut of [2, 12, 400]) expect((await script([], { cut })).stdout, String(cut)).not.toContain("called")
  })
})

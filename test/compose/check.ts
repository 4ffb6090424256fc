/**
 * `node test/compose/check.ts`, called by deploy/compose/check.sh: runs every role of compose.yaml with podman, uses
 * them as a person would, and says of each what checks. Ends with 1 if anything did not. Owns the order of it all, and
 * that nothing is left behind, also when it is interrupted.
 */
import { randomBytes } from "node:crypto"
import { networkInterfaces } from "node:os"
import { manifests } from "../support/deployment-files.ts"
import { until } from "../support/until.ts"
import { CheckList, same } from "./check-list.ts"
import { Person, useHub } from "./client-calls.ts"
import { checkConfinement } from "./confinement.ts"
import { Containers } from "./containers.ts"
import { composeProject, type Role } from "./podman-options.ts"
import { checkStores } from "./stores.ts"
import { checkRelay } from "./turn-relay.ts"

const name = `hub-compose-${process.pid}`
const checks = new CheckList()
/** What a container ends with that podman kills, as it did not end within its time. */
const killedCode = 137

/** The first address of this machine that others can reach. */
const ownAddress = (): string => {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? [])
  const own = all.find(({ family, internal }) => family === "IPv4" && !internal)
  if (own === undefined) throw new Error("this machine has no address but its loopback")
  return own.address
}

const file = manifests("compose.yaml")[0]!
const port = process.env["PORT"]
if (port !== undefined) {
  const { proxy } = file["services"]
  proxy.ports = [proxy.ports[0].replace(/^\d+/u, port)]
}
const published = `http://127.0.0.1:${file["services"].proxy.ports[0].split(":")[0]}`
const hex = (): string => randomBytes(24).toString("hex")
const secrets = {
  HUB_SECRET_KEY: randomBytes(32).toString("base64"),
  POSTGRES_PASSWORD: hex(),
  REDIS_PASSWORD: hex(),
  TURN_SECRET: hex()
}
const given = { ...secrets, TURN_HOST: ownAddress(), HUB_PUBLIC_URL: published }
const project = composeProject(given, name, file)

const hubImage = process.env["IMAGE"]
const standIns = process.env["STAND_INS"]
const imageOf = ({ image, isBuilt }: Role): string => {
  if (isBuilt) return hubImage ?? image
  // the last word of the repository's name: coturn/coturn is coturn
  return standIns === undefined ? image : `${standIns}/${/([^/:]+)(?::|$)/u.exec(image)![1]}`
}

const containers = new Containers(project, name, imageOf)
const person = new Person(published, containers)

const cleanUp = async (): Promise<void> => {
  await person.end()
  const left = await containers.remove([`${name}-peer`], [`${name}-outside`])
  if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`)
}
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)))

/** Starts each role; the rest is of use only when all run. */
const startAll = async (): Promise<boolean> => {
  const isPrepared = await checks.check("engine", "it makes the networks and volumes", () =>
    containers.prepare().then(() => true)
  )
  if (isPrepared === undefined) return false
  for (const role of project.roles) {
    await checks.check(role.name, `it starts, from ${imageOf(role)}`, async () => {
      await containers.start(role)
      const isRunning = async () => (await containers.inspect(role.name, "{{.State.Running}}")) === "true"
      await until("it runs", isRunning, 30_000)
      if (role.isBuilt) await containers.becomesHealthy(role.name)
    })
  }
  return checks.failed === 0
}

const endAll = async (): Promise<void> => {
  for (const role of project.roles.toReversed()) {
    await checks.check(role.name, `it ends within ${role.stopSeconds} s when it is told to`, async () => {
      const code = await containers.stop(role)
      const isExcepted = standIns !== undefined && role.name === "coturn"
      if (code === killedCode && !isExcepted) throw new Error("it had to be killed")
      if (role.isBuilt) same("its exit code", String(code), "0")
    })
  }
}

const notChecked = (): void => {
  if (standIns !== undefined) {
    const named = project.roles.filter(({ isBuilt }) => !isBuilt).map(({ image }) => image)
    checks.leftOut("coturn", "that SIGTERM ends it: Debian's version does not hear it as process 1, and was killed")
    checks.leftOut("images", `those that compose.yaml names, ${named.join(", ")}; Debian's packages took their place`)
  }
  checks.leftOut("restart", "that a container that fails is started again, which is the engine's; its policy was")
  const flags = process.env["RUN_FLAGS"]
  if (flags !== undefined)
    checks.leftOut("limits", `those that the engine gives by itself; this machine wanted ${flags}`)
}

try {
  if (await startAll()) {
    for (const role of project.roles) await checkConfinement(role, containers, checks)
    const signed = await useHub(project.roles, containers, person, checks)
    const coturn = project.roles.find((role) => role.name === "coturn")!
    const inner = file["services"].hub1.networks.inside.ipv4_address
    if (signed !== undefined) await checkRelay(imageOf(coturn), name, inner, signed, containers, person, checks)
    await checkStores(project.roles, Object.values(secrets), containers, person, checks)
    await checks.check("daemon", "SIGTERM ends it with 0", async () => {
      const code = await person.end()
      if (code !== 0) throw new Error(`it ends with ${code}`)
    })
    await endAll()
  } else {
    for (const { name: role } of project.roles)
      process.stdout.write(`${role}:\n${await containers.logs(role).catch(String)}\n`)
  }
  notChecked()
} finally {
  await checks.check("engine", "no container, network or volume is left behind", cleanUp)
}
process.stdout.write(`${checks.failed} failed\n`)
process.exit(checks.failed === 0 ? 0 : 1)

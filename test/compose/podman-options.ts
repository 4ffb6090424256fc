/**
 * compose.yaml as words for podman. Owns the translation: each member of a role becomes options of `podman run`, and
 * one that it does not know is an error, so that nothing the file says is silently left out. Starts nothing.
 */
import { join } from "node:path"
import { type Manifest, manifests, spanMillis } from "../support/deployment-files.ts"
import { root } from "../support/root.ts"

/** What runs under one name of compose.yaml. */
export interface Role {
  readonly name: string
  /** The image as compose.yaml names it. */
  readonly image: string
  readonly isBuilt: boolean
  /** What must be healthy before it starts. */
  readonly after: ReadonlyArray<string>
  /** Options of `podman run`; values of settings come from the environment, so that they stand in no list. */
  readonly options: ReadonlyArray<string>
  readonly settings: Readonly<Record<string, string>>
  /** What follows the image. */
  readonly words: ReadonlyArray<string>
  readonly stopSeconds: number
  readonly hasHealthCheck: boolean
  readonly definition: Manifest
}

/** A whole compose.yaml, its names begun with that of the project. */
export interface ComposeProject {
  /** In an order in which they may be started. */
  readonly roles: ReadonlyArray<Role>
  readonly networks: ReadonlyArray<{ readonly name: string; readonly options: ReadonlyArray<string> }>
  readonly volumes: ReadonlyArray<string>
}

/** Puts settings into a text as compose does: `${A:?why}`, `${A:-default}`, and `$$` for a dollar sign. */
export const interpolated = (text: string, given: Readonly<Record<string, string>>): string =>
  text.replace(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/gu, (whole, name?: string, how?: string, rest?: string) => {
    if (whole === "$$") return "$"
    const value = given[name!]
    if (value !== undefined && value !== "") return value
    if (how === "-") return rest!
    throw new Error(`${name} is wanted: ${rest ?? "it has no default"}`)
  })

const deep = (value: unknown, given: Readonly<Record<string, string>>): unknown => {
  if (typeof value === "string") return interpolated(value, given)
  if (Array.isArray(value)) return value.map((one) => deep(one, given))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, deep(one, given)]))
}

/** What a member of a role is as options. */
type Translation = (value: Manifest[string], project: string) => ReadonlyArray<string>

const each =
  (option: string): Translation =>
  (values: ReadonlyArray<string>) =>
    values.flatMap((one) => [option, one])
const none: Translation = () => []

const volume = (text: string, project: string): string => {
  const [from, ...rest] = text.split(":")
  return [/^[./]/u.test(from!) ? join(root, from!) : `${project}-${from}`, ...rest].join(":")
}

const network = (name: string, at: Manifest | null, role: string, project: string): string => {
  const { ipv4_address: address, ...unknown } = at ?? {}
  for (const one of Object.keys(unknown)) throw new Error(`networks: ${one} is not known here`)
  return `${project}-${name}:alias=${role}${address === undefined ? "" : `,ip=${address}`}`
}

const quoted = (word: string): string => (/^[\w./:=-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

const healthCheck: Translation = ({ test, interval, timeout, retries, ...unknown }) => {
  for (const one of Object.keys(unknown)) throw new Error(`healthcheck: ${one} is not known here`)
  const words = ["--health-interval", interval, "--health-timeout", timeout, "--health-retries", String(retries)]
  const [kind, ...command] = test as ReadonlyArray<string>
  if (kind !== "CMD" && kind !== "CMD-SHELL") throw new Error(`healthcheck: ${kind} is not known here`)
  // for a shell either way: not every podman takes a list
  return ["--health-cmd", kind === "CMD" ? command.map(quoted).join(" ") : command.join(" "), ...words]
}

const translations: Readonly<Record<string, Translation>> = {
  image: none,
  build: none,
  command: none,
  depends_on: none,
  stop_grace_period: none,
  networks: none,
  restart: (value) => ["--restart", value],
  // podman would give a root that cannot be written folders of its own that can
  read_only: (value) => (value === true ? ["--read-only", "--read-only-tmpfs=false"] : []),
  cap_drop: each("--cap-drop"),
  security_opt: (values: ReadonlyArray<string>) =>
    values.flatMap((one) => ["--security-opt", one.replace(/^no-new-privileges:true$/u, "no-new-privileges")]),
  tmpfs: each("--tmpfs"),
  environment: (value) => Object.keys(value).flatMap((name) => ["--env", name]),
  ports: each("--publish"),
  volumes: (values: ReadonlyArray<string>, project) => values.flatMap((one) => ["--volume", volume(one, project)]),
  shm_size: (value) => ["--shm-size", value],
  user: (value) => ["--user", value],
  entrypoint: (value) => ["--entrypoint", JSON.stringify(value)],
  network_mode: (value) => ["--network", value],
  healthcheck: healthCheck
}

const roleOf = (name: string, definition: Manifest, project: string): Role => {
  const options = Object.entries(definition).flatMap(([member, value]) => {
    const translation = translations[member]
    if (translation === undefined) throw new Error(`${name}: ${member} is not known here`)
    return translation(value, project)
  })
  const networks: Manifest = Array.isArray(definition["networks"])
    ? Object.fromEntries(definition["networks"].map((one: string) => [one, null]))
    : (definition["networks"] ?? {})
  const joined = Object.entries(networks).flatMap(([one, at]) => ["--network", network(one, at, name, project)])
  const dependencies: Manifest = definition["depends_on"] ?? {}
  for (const { condition } of Object.values(dependencies)) {
    if (condition !== "service_healthy") throw new Error(`${name}: the condition ${condition} is not known here`)
  }
  return {
    name,
    image: definition["image"],
    isBuilt: definition["build"] !== undefined,
    after: Object.keys(dependencies),
    options: [...options, ...joined],
    settings: Object.fromEntries(
      Object.entries(definition["environment"] ?? {}).map(([setting, value]) => [setting, String(value)])
    ),
    words: definition["command"] ?? [],
    // compose's own when nothing is said
    stopSeconds: spanMillis(definition["stop_grace_period"] ?? "10s") / 1_000,
    hasHealthCheck: definition["healthcheck"] !== undefined,
    definition
  }
}

/** Each after what it waits for. */
const inOrder = (roles: ReadonlyArray<Role>): ReadonlyArray<Role> => {
  const ordered: Array<Role> = []
  while (ordered.length < roles.length) {
    const next = roles.find((one) => {
      const isPlaced = (name: string): boolean => ordered.some((placed) => placed.name === name)
      return !isPlaced(one.name) && one.after.every(isPlaced)
    })
    if (next === undefined) throw new Error("the roles wait for each other")
    ordered.push(next)
  }
  return ordered
}

/** Reads a compose file with the settings a person would have put into .env. */
export const composeProject = (
  given: Readonly<Record<string, string>>,
  project: string,
  file: Manifest = manifests("compose.yaml")[0]!
): ComposeProject => {
  const { services, networks, volumes, ...more } = deep(file, given) as Manifest
  for (const one of Object.keys(more)) if (!one.startsWith("x-")) throw new Error(`${one} is not known here`)
  return {
    roles: inOrder(Object.entries(services as Manifest).map(([name, one]) => roleOf(name, one, project))),
    networks: Object.entries((networks ?? {}) as Record<string, Manifest>).map(([name, { ipam }]) => ({
      name: `${project}-${name}`,
      options: ipam.config.flatMap(({ subnet }: { subnet: string }) => ["--subnet", subnet])
    })),
    volumes: Object.keys((volumes ?? {}) as Manifest).map((name) => `${project}-${name}`)
  }
}

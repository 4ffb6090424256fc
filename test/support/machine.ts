/**
 * What this machine has of the programs that tests start. Owns the list and what is left out without each; starts none.
 * The test command says what is missing, once, and in CI ends there: a test file only asks `has`.
 */
import { accessSync, constants, existsSync, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"

const isRoot = process.getuid?.() === 0
const isLinux = process.platform === "linux"
const postgresFolder = "/usr/lib/postgresql"

const searched = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"]

/** Where an executable of one of these names is. */
const executable = (...names: ReadonlyArray<string>): string | undefined =>
  searched
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })

/** The folder of the newest Postgres' programs. */
export const postgresPrograms: string | undefined = (existsSync(postgresFolder) ? readdirSync(postgresFolder) : [])
  .sort((a, b) => Number(b) - Number(a))
  .map((version) => join(postgresFolder, version, "bin"))
  .find((folder) => existsSync(join(folder, "postgres")))

/** The browser of this machine. */
export const browserProgram = executable("chromium", "chromium-browser", "google-chrome")

const fiuLibraries = ["/usr/lib/fiu/fiu_run_preload.so", "/usr/lib/fiu/fiu_posix_preload.so"]

const needs = {
  postgres: { is: postgresPrograms !== undefined, brings: "postgresql", without: "Postgres and of several nodes" },
  redis: {
    is: executable("redis-server") !== undefined,
    brings: "redis-server",
    without: "Redis and of several nodes"
  },
  chromium: { is: browserProgram !== undefined, brings: "chromium", without: "the pages in a browser" },
  coturn: {
    is: executable("turnserver") !== undefined && executable("turnutils_uclient") !== undefined,
    brings: "coturn",
    without: "a TURN server"
  },
  nginx: { is: executable("nginx") !== undefined, brings: "nginx", without: "the proxy of compose.yaml" },
  tinyproxy: { is: executable("tinyproxy") !== undefined, brings: "tinyproxy", without: "a company's proxy" },
  promtool: { is: executable("promtool") !== undefined, brings: "prometheus", without: "Prometheus' checker" },
  python: { is: executable("python3") !== undefined, brings: "python3", without: "the samples in Python" },
  fiu: {
    is: executable("fiu-run") !== undefined && fiuLibraries.every((path) => existsSync(path)),
    brings: "fiu-utils",
    without: "a disk whose fsync fails"
  },
  // what no package brings
  smallDisk: {
    is: isLinux && (isRoot || process.env["CI"] === "true"),
    brings: "root on Linux",
    without: "a full disk"
  },
  slowNetwork: {
    is: isLinux && isRoot && executable("nft") !== undefined && executable("ip") !== undefined,
    brings: isRoot ? "nftables, iproute2" : "root on Linux, nftables",
    without: "a slow network"
  },
  namespaces: { is: isLinux && isRoot, brings: "root on Linux", without: "a hub as in a container" }
} as const

/** A program, or a right, that some tests need. */
export type Need = keyof typeof needs

/** Whether this machine has it. */
export const has = Object.fromEntries(Object.entries(needs).map(([name, { is }]) => [name, is])) as Record<
  Need,
  boolean
>

/** A sentence for each that is missing; a right of this user's is none that CI must have. */
export const missing = (inCi: boolean): ReadonlyArray<string> =>
  Object.values(needs)
    .filter(({ is, brings }) => !is && !(inCi && brings.startsWith("root")))
    .map(({ brings, without }) => `the tests of ${without} need ${brings}`)

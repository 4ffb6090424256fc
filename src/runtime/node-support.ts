/**
 * The versions of Node on which the hub runs, until when each is maintained, and the C library that the native part of
 * its server needs there. Owns the table and its sentences; loads nothing.
 */

import { processReport } from "./process-report.ts"

/** What a process runs on. `glibc`: the version of the system's GNU C library; undefined where there is none. */
export interface Runtime {
  readonly platform: string
  readonly arch: string
  readonly node: string
  readonly glibc: string | undefined
}

/** A supported version. `ends`: its last day of maintenance (https://nodejs.org/en/about/previous-releases). */
export interface NodeSupport {
  readonly leastMinor: number
  readonly ends: string
  readonly glibc: string
}

export const supportedNodes: Readonly<Record<number, NodeSupport>> = {
  22: { leastMinor: 19, ends: "2027-04-30", glibc: "2.27" },
  24: { leastMinor: 0, ends: "2028-04-30", glibc: "2.38" },
  26: { leastMinor: 0, ends: "2029-04-30", glibc: "2.38" }
}

const [firstNode] = Object.keys(supportedNodes)
const wanted = "run it on Node 22.19 or later, 24 or 26"

/** Major and minor version, as numbers. */
const versionOf = (text: string): readonly [major: number, minor: number] => {
  const [major, minor] = text.split(".")
  return [Number(major), Number(minor ?? 0)]
}

/** The major version of Node. */
export const majorOf = ({ node }: Pick<Runtime, "node">): number => versionOf(node)[0]

const olderThan = (one: string, other: string): boolean => {
  const [major, minor] = versionOf(one)
  const [otherMajor, otherMinor] = versionOf(other)
  return major === otherMajor ? minor < otherMinor : major < otherMajor
}

/** Why this Node or this system is not one of ours and what to do, in one sentence; undefined where it is. */
export const systemFault = (runtime: Omit<Runtime, "glibc">): string | undefined => {
  const { platform, arch, node } = runtime
  const support = supportedNodes[majorOf(runtime)]
  if (support === undefined || versionOf(node)[1] < support.leastMinor) return `this is Node ${node}: ${wanted}`
  if (platform === "linux" && arch === "x64") return undefined
  return `the native part of the server is there for linux-x64, this is ${platform}-${arch}: build it and name it by HUB_UWS_BINARY`
}

/** Why the hub does not run here and what to do, in one sentence; undefined where it does. */
export const runtimeFault = (runtime: Runtime): string | undefined => {
  const fault = systemFault(runtime)
  if (fault !== undefined) return fault
  const { glibc } = runtime
  const support = supportedNodes[majorOf(runtime)]!
  if (glibc === undefined)
    return "the native part of the server needs glibc, this system has none (Alpine has musl): use a Debian, Ubuntu or Fedora"
  if (!olderThan(glibc, support.glibc)) return undefined
  const instead = olderThan(glibc, supportedNodes[Number(firstNode)]!.glibc) ? "a later system" : `Node ${firstNode}`
  return `on Node ${majorOf(runtime)} the native part of the server needs glibc ${support.glibc} or later, this system has ${glibc}: use ${instead}, or build it and name it by HUB_UWS_BINARY`
}

/** What this process runs on. */
export const thisRuntime = (): Runtime => {
  const { platform, arch, versions } = process
  return { platform, arch, node: versions.node, glibc: processReport().header.glibcVersionRuntime }
}

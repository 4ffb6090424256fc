/**
 * Target ids: `<daemon>:ide|cli|acp:<name>`, `<daemon>:session:<id>`, or a daemon's bare id. Owns their parsing and
 * writing; target-resolution.ts finds the sessions.
 */
import { targetCharsMax } from "../../limits.ts"

/** What follows the daemon's id. */
export const targetKinds = ["ide", "cli", "acp", "session"] as const

/** One kind of target. */
export type TargetKind = (typeof targetKinds)[number]

/** A target id, read. `daemon`: a bare daemon id, which means every agent of it. */
export type Target =
  | { readonly daemonId: string; readonly kind: TargetKind; readonly name: string }
  | { readonly daemonId: string; readonly kind: "daemon" }

const marker = /:(ide|cli|acp|session):/u

/** Reads a target id; undefined when malformed. The daemon's id is what stands before the first marker. */
export const parseTarget = (text: string): Target | undefined => {
  if (text === "" || text.length > targetCharsMax) return undefined
  const found = marker.exec(text)
  if (found === null) return { daemonId: text, kind: "daemon" }
  const daemonId = text.slice(0, found.index)
  const name = text.slice(found.index + found[0].length)
  if (daemonId === "" || name === "") return undefined
  return { daemonId, kind: found[1] as TargetKind, name }
}

/** Writes a target id. */
export const targetId = (daemonId: string, kind: TargetKind, name: string): string => `${daemonId}:${kind}:${name}`

/**
 * A worker as its supervisor sees it, and how its end is put in words. Owns the port only: process.ts makes workers of
 * processes, supervisor.ts keeps them.
 */
import type { Effect } from "effect"

/** How a worker ended: its exit code, or the signal that killed it, or why it could not even be started. */
export interface WorkerEnd {
  readonly code: number | null
  readonly signal: string | null
  readonly fault?: string
}

export interface Worker {
  /** 1 for the first; a worker that replaces another has its number. */
  readonly number: number
  /** The process; undefined when it could not be started. */
  readonly pid: number | undefined
  /** Ends once it serves; gives the address. Never ends if the worker ends before. */
  readonly serving: Effect.Effect<string>
  readonly ended: Effect.Effect<WorkerEnd>
  /** Orders it to drain and end; says whether another one has taken its place. */
  readonly end: (replaced: boolean) => Effect.Effect<void>
  /** Its metrics as it tells them; never ends if it does not answer. */
  readonly metrics: Effect.Effect<string>
  /** Ends it at once. */
  readonly kill: Effect.Effect<void>
}

/** Starts a worker of this number. Must not suspend: its starter is responsible for its end from that moment. */
export type Launch = (number: number) => Effect.Effect<Worker>

/** An end in words, to follow the worker's name. */
export const endInWords = ({ code, signal, fault }: WorkerEnd): string => {
  if (fault !== undefined) return `could not be started: ${fault}`
  return signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`
}

/** Whether it ended as one that was asked to. */
export const endedWell = ({ code }: WorkerEnd): boolean => code === 0

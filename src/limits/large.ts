/** Bounds of what is large: frames that are read in a thread of their own, and lists that are made in slices. */
import assert from "node:assert/strict"

/** From this size a frame, and with it a result, is large: it is read off the loop, or passed on unchanged. */
export const largeFrameBytes = 65_536
/**
 * Bytes that wait for the thread or are in it, for one account; more: a result fails its command with
 * `RESULT_NOT_READ`.
 */
export const workerTaskBytesPerAccountMax = 67_108_864
/** The same of all accounts together. */
export const workerTaskBytesMax = 268_435_456
/** What the smallest task counts for, so that small ones are bounded too. */
export const workerTaskBytesMin = 65_536
/** How long the thread may take for one task; longer: it is ended, and the task fails. */
export const workerTaskMillisMax = 10_000
/**
 * After this long without a task the thread ends, as what large tasks left of its heap is not given back before; the
 * next task starts another.
 */
export const workerThreadIdleMillis = 5_000
/** Characters of a list of daemons that are made in one step (edge.ts has how many one turn of the event loop does). */
export const listSliceChars = 65_536
/** Daemons in one such slice. */
export const listSliceDaemonsMax = 125

/** A piece of a body from this size has a buffer of its own; smaller ones share those of Node. */
export const ownBufferBytesMin = 8_192
/** A body that has brought so much is held in blocks from there on, each of as much, `pooledBufferBytesMin` at most. */
export const bodyBlocksFromBytes = 32_768
/** Buffers of frames and bodies from this size are used again; smaller ones cost the kernel little. */
export const pooledBufferBytesMin = 262_144
/** Bytes of them that wait for their next use; more are given up. */
export const bufferPoolBytesMax = 33_554_432
/** A buffer is used for what leaves at most this share of it free. */
export const pooledBufferSpareShare = 1 / 4
/** Bytes behind a large frame in its buffer, where the end of the answer is written that its result is passed on in. */
export const frameSpareBytes = 256

assert(workerTaskBytesPerAccountMax < workerTaskBytesMax, "one account must not shut out all others")

/**
 * The thread of the embedded database. Owns the PGlite instance and feeds it whole protocol messages, one after
 * another, from the newest connection; a new connection gets a clean session. Of the hub it imports only the opening
 * and the form of a fault.
 */
import { constants, cpSync, existsSync } from "node:fs"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { type MessagePort, parentPort } from "node:worker_threads"
import type { PGlite } from "@electric-sql/pglite"
import { type Fault, faultOf } from "./instance-fault.ts"
import { openInstance } from "./open-instance.ts"

/** The first message to the thread. Without a folder the database lives in memory. */
export interface OpenDatabase {
  readonly folder: string | undefined
}
/** Ends the thread, which may have no database yet. */
export interface CloseDatabase {
  readonly close: true
}
/** Later messages to the thread. */
export type ToWorker =
  | { readonly connect: MessagePort }
  | { readonly copy: { readonly to: string; readonly answer: MessagePort } }
  | CloseDatabase
/** Messages from the thread. */
export type FromWorker = "ready" | Fault
/** How a copy ended. */
export type CopyAnswer = "copied" | Fault

const terminate = 0x58

const parent = parentPort!
const tell = (message: FromWorker): void => parent.postMessage(message)

/** Cuts a byte stream into whole protocol messages: the startup packet first, then tagged ones. */
const cutter = (): ((chunk: Uint8Array) => Buffer | undefined) => {
  let rest: Buffer = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    rest = rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk])
    let end = 0
    for (;;) {
      const header = started ? 1 : 0
      if (rest.length - end < header + 4) break
      const length = rest.readUInt32BE(end + header) + header
      if (rest.length - end < length) break
      started = true
      end += length
    }
    const whole = rest.subarray(0, end)
    rest = rest.subarray(end)
    return end === 0 ? undefined : whole
  }
}

const serve = (db: PGlite, folder: string | undefined): void => {
  let turn: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<unknown>, failed: () => void): void => {
    turn = turn.then(work).then(() => {}, failed)
  }

  const connect = (port: MessagePort): void => {
    const cut = cutter()
    let open = true
    port.on("close", () => {
      open = false
    })
    const onRawData = (bytes: Uint8Array): void => {
      if (!open) return
      const copy = bytes.slice()
      port.postMessage(copy, [copy.buffer as ArrayBuffer])
    }
    // One session outlives its connections: what the last one left open or prepared must not meet the next. What fails
    // here is no statement but the instance itself: it ends, and the next connection opens the database again. One in
    // memory would not come back with its rows.
    const fail = (): void => {
      if (folder === undefined) port.close()
      else process.exit(1)
    }
    inTurn(async () => {
      await db.exec("rollback")
      await db.exec("discard all")
    }, fail)
    port.on("message", (chunk: Uint8Array) => {
      const messages = cut(chunk)
      if (messages === undefined) return
      if (messages[0] === terminate) port.close()
      else inTurn(() => db.execProtocolRawStream(messages, { onRawData }), fail)
    })
  }

  const copy = (to: string, answer: MessagePort): void => {
    const tellEnd = (end: CopyAnswer): void => answer.postMessage(end)
    inTurn(
      async () => {
        try {
          cpSync(folder!, to, { recursive: true, mode: constants.COPYFILE_FICLONE })
          tellEnd("copied")
        } catch (cause) {
          tellEnd(faultOf(cause))
        }
      },
      () => {}
    )
  }

  parent.on("message", (message: ToWorker) => {
    if ("connect" in message) return connect(message.connect)
    if ("copy" in message) return copy(message.copy.to, message.copy.answer)
    const end = (): never => process.exit(0)
    inTurn(async () => {
      await db.close()
      end()
    }, end)
  })
}

/** Collects what this thread holds no more. */
const collect = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

const open = async ({ folder }: OpenDatabase): Promise<void> => {
  // Without it this thread's loop has nothing to wait for while the database opens, and ends its round: Node then has
  // V8 finish all compiling, a third of a second of it, before the first statement (`./hub bench start`).
  parent.ref()
  const isNew = folder !== undefined && !existsSync(join(folder, "PG_VERSION"))
  try {
    const db = await openInstance(folder)
    serve(db, folder)
    tell("ready")
    // the making takes 400 MB, which nothing here would collect for hours
    if (isNew) collect()
  } catch (cause) {
    tell(faultOf(cause))
    parent.close()
  }
}

parent.once("message", (first: OpenDatabase | CloseDatabase) => ("close" in first ? parent.close() : open(first)))

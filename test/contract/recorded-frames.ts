/** Sees every frame of the daemons of this process, both ways. Owns that; changes none. */
import { vi } from "vitest"
import { WebSocket } from "ws"

/** Frames as they were written, each text once. */
export interface FrameTap {
  readonly fromDaemons: ReadonlySet<string>
  readonly fromHub: ReadonlySet<string>
  readonly close: () => void
}

/** Begins to look. */
export const tapFrames = (): FrameTap => {
  const fromDaemons = new Set<string>()
  const fromHub = new Set<string>()
  const { send, emit } = WebSocket.prototype
  const sent = vi.spyOn(WebSocket.prototype, "send").mockImplementation(function (
    this: WebSocket,
    ...args: Array<unknown>
  ) {
    fromDaemons.add(String(args[0]))
    return Reflect.apply(send, this, args)
  })
  const came = vi.spyOn(WebSocket.prototype, "emit").mockImplementation(function (
    this: WebSocket,
    ...args: Array<unknown>
  ) {
    if (args[0] === "message") fromHub.add(String(args[1]))
    return Reflect.apply(emit, this, args)
  })
  return {
    fromDaemons,
    fromHub,
    close: () => {
      sent.mockRestore()
      came.mockRestore()
    }
  }
}

/** Waits for the end of a command that outlives its call. Owns the pauses between two looks. */
import type { Transport } from "./transport.ts"
import type { CallOptions, Output } from "./types.ts"

const pauseFirstMillis = 250
const pauseLastMillis = 5_000

type Command = Output<"commands.get">

/** How long to wait. */
export interface WaitOptions {
  readonly signal?: AbortSignal
}

/** Reads until the command has ended; every command has a deadline, so this ends too. */
export const waitForCommand = async (
  transport: Transport,
  read: (options: CallOptions) => Promise<Command>,
  { signal }: WaitOptions
): Promise<Command> => {
  for (let pause = pauseFirstMillis; ; pause = Math.min(pauseLastMillis, pause * 1.5)) {
    const command = await read(signal === undefined ? {} : { signal })
    if (command.state !== "pending") return command
    await transport.wait(pause, signal)
  }
}

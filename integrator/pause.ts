/** Waits between two questions to a hub. Ends early when the command is interrupted; fails never. */

/** Waits so long, or until the signal. */
export const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, millis)
    signal.addEventListener("abort", end)
    if (signal.aborted) end()
  })

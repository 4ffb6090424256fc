/** Has a Node process with an open inspector collect its garbage. Owns how it is opened and that one conversation. */
import { WebSocket } from "ws"

/** The arguments of a Node process whose inspector is open at this port. */
export const inspectedAt = (port: number): ReadonlyArray<string> => [
  `--inspect=127.0.0.1:${port}`,
  "--inspect-publish-uid=http"
]

/** Collects twice: what the first pass only unlinked, the second frees. */
export const collect = async (port: number): Promise<void> => {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as [{ webSocketDebuggerUrl: string }]
  const socket = new WebSocket(target.webSocketDebuggerUrl, { perMessageDeflate: false })
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  for (const id of [1, 2]) {
    const answered = new Promise<void>((resolve) =>
      socket.on("message", (bytes: Buffer) => {
        if ((JSON.parse(bytes.toString()) as { id?: number }).id === id) resolve()
      })
    )
    socket.send(JSON.stringify({ id, method: "HeapProfiler.collectGarbage" }))
    await answered
  }
  socket.close()
}

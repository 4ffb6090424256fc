/**
 * A reader of Server-Sent Events over a raw socket that looks for the times in what it gets. Owns one connection; the
 * histogram is its caller's.
 */
import { connect, type Socket } from "node:net"

const mark = '"at":'
const tailChars = 64

/** One reader. */
export class StreamReader {
  private socket: Socket | undefined
  private rest = ""
  private readonly arrived: (at: number) => void

  /** `arrived` is given each time that an event bears. */
  constructor(arrived: (at: number) => void) {
    this.arrived = arrived
  }

  /** Opens the stream; ends when it has begun. */
  open(url: string, path: string, key: string): Promise<void> {
    const { hostname, port, host } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    this.socket = socket
    socket.setNoDelay(true)
    socket.setEncoding("latin1")
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    return new Promise((resolve, reject) => {
      let head = ""
      const begin = (text: string): void => {
        head += text
        if (!head.includes("\r\n\r\n") || !head.includes("retry:")) return
        socket.off("data", begin)
        socket.on("data", (more: string) => this.take(more))
        if (head.startsWith("HTTP/1.1 200")) resolve()
        else reject(new Error(`a stream was refused: ${head.slice(0, head.indexOf("\r\n"))}`))
      }
      socket.on("data", begin)
      socket.on("error", reject)
      socket.on("close", () => reject(new Error(`a stream ended: ${head.slice(0, head.indexOf("\r\n"))}`)))
    })
  }

  /** Leaves. */
  close(): void {
    this.socket?.destroy()
  }

  private take(text: string): void {
    const all = this.rest + text
    let from = 0
    for (let at = all.indexOf(mark); at >= 0; at = all.indexOf(mark, from)) {
      const end = all.indexOf("}", at)
      if (end < 0) break
      this.arrived(Number(all.slice(at + mark.length, end)))
      from = end
    }
    const open = all.indexOf(mark, from)
    this.rest = open >= 0 ? all.slice(open) : all.slice(Math.max(from, all.length - tailChars))
  }
}

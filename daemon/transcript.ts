/** The chat of one agent. Owns how much of it is kept; knows neither agent nor hub. */
import { chatCharactersMax, messageCharactersMax, messagesMax } from "./limits.ts"

/** One message of a chat. */
export interface Message {
  readonly id: string
  readonly role: "user" | "assistant" | "tool"
  readonly text: string
  readonly timestamp: number
}

/** Messages, oldest first, within bounds. */
export class Transcript {
  #messages: Array<Message> = []
  #characters = 0
  #made = 0
  #dropped = 0

  /** Adds a message; the oldest go when there are too many or too much. Gives back its id. */
  add(role: Message["role"], text: string, timestamp: number): string {
    const id = `msg_${++this.#made}`
    const cut = text.slice(0, messageCharactersMax)
    this.#messages.push({ id, role, text: cut, timestamp })
    this.#characters += cut.length
    this.#trim()
    return id
  }

  /** Goes on with the last message when it is the assistant's, else begins one. */
  stream(text: string, timestamp: number): void {
    const last = this.#messages.at(-1)
    if (last === undefined || last.role !== "assistant") {
      this.add("assistant", text, timestamp)
      return
    }
    const more = text.slice(0, messageCharactersMax - last.text.length)
    this.#messages[this.#messages.length - 1] = { ...last, text: last.text + more }
    this.#characters += more.length
    this.#trim()
  }

  #trim(): void {
    while (this.#messages.length > 1 && (this.#messages.length > messagesMax || this.#characters > chatCharactersMax)) {
      this.#characters -= this.#messages.shift()!.text.length
      this.#dropped++
    }
  }

  /** What is kept. */
  get messages(): ReadonlyArray<Message> {
    return [...this.#messages]
  }

  /** How many messages are no longer kept. */
  get dropped(): number {
    return this.#dropped
  }
}

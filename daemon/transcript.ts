/** The chat of one agent. Owns how much of it is kept; knows neither agent nor hub. */
import { cutToChars } from "../src/domain/text/truncate.ts"
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
    const cut = cutToChars(text, messageCharactersMax)
    this.#messages.push({ id, role, text: cut, timestamp })
    this.#characters += cut.length
    this.#trim()
    return id
  }

  /** Goes on with a message of the assistant's when it is the last one, else begins one. Gives back its id. */
  stream(id: string | undefined, text: string, timestamp: number): string {
    const last = this.#messages.at(-1)
    if (last === undefined || last.id !== id) return this.add("assistant", text, timestamp)
    const more = cutToChars(text, messageCharactersMax - last.text.length)
    this.#messages[this.#messages.length - 1] = { ...last, text: last.text + more }
    this.#characters += more.length
    this.#trim()
    return last.id
  }

  #trim(): void {
    while (this.#messages.length > 1 && (this.#messages.length > messagesMax || this.#characters > chatCharactersMax)) {
      this.#characters -= this.#messages.shift()!.text.length
      this.#dropped++
    }
  }

  /** The text of a message; empty when it is not kept. */
  textOf(id: string): string {
    return this.#messages.findLast((message) => message.id === id)?.text ?? ""
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

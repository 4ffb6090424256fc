/** Keys that do something by themselves, while no text is written and no other key is held. */
import { useEffect } from "preact/hooks"

const isWriting = (): boolean => /^(?:input|textarea|select)$/iu.test(document.activeElement?.tagName ?? "")

/** Has a view hear them; undefined: not now. */
export const useKeys = (pressed: ((key: string) => void) | undefined): void =>
  useEffect(() => {
    if (pressed === undefined) return
    const heard = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isWriting()) return
      pressed(event.key)
    }
    addEventListener("keydown", heard)
    return () => removeEventListener("keydown", heard)
  })

/**
 * Ctrl-K, or Cmd-K: goes to a view or a machine by its name; `/` goes to the search of the view. Owns the keys and the
 * choice; does nothing else, so that no key changes anything.
 */
import { useEffect, useId, useState } from "preact/hooks"
import { paletteMachinesMax, paletteWaitMillis } from "../limits.ts"
import { menu } from "../navigation.ts"
import { linkTo } from "../routing.ts"
import { nameOf } from "../state/daemon-list.ts"
import { client } from "../state/session.ts"
import { Dialog } from "./dialog.tsx"

interface Place {
  readonly href: string
  readonly title: string
  readonly says: string
}

const views: ReadonlyArray<Place> = menu.map(({ word, title }) => ({ href: linkTo(word), title, says: "view" }))

const machines = async (q: string, signal: AbortSignal): Promise<ReadonlyArray<Place>> => {
  const asked = { q, include: "offline" as const, limit: paletteMachinesMax }
  const { daemons } = await client.daemons.list(asked, { signal })
  return daemons.map((one) => ({
    href: linkTo("daemons", one.id),
    title: nameOf(one),
    says: one.online ? "online" : "offline"
  }))
}

/** The machines that are meant, asked for once the typing rests. */
const useMachines = (typed: string): ReadonlyArray<Place> => {
  const [found, setFound] = useState<ReadonlyArray<Place>>([])
  useEffect(() => {
    const q = typed.trim()
    if (q === "") return setFound([])
    const over = new AbortController()
    const timer = setTimeout(() => {
      machines(q, over.signal).then(setFound, () => {
        // the views are still there to be chosen
        if (!over.signal.aborted) setFound([])
      })
    }, paletteWaitMillis)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [typed])
  return found
}

const Palette = ({ close }: { readonly close: () => void }) => {
  const [typed, setTyped] = useState("")
  const [at, setAt] = useState(0)
  const id = useId()
  const words = typed.trim().toLowerCase()
  const places = [...views.filter(({ title }) => title.toLowerCase().includes(words)), ...useMachines(typed)]
  const chosen = Math.min(at, places.length - 1)
  const go = (place: Place | undefined): void => {
    if (place === undefined) return
    location.hash = place.href
    close()
  }
  const key = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step !== 0) setAt((chosen + step + places.length) % Math.max(1, places.length))
    else if (event.key === "Enter" && !event.isComposing) go(places[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" close={close}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen < 0 ? undefined : `${id}-${chosen}`}
        aria-label="A view or a machine"
        autofocus
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={key}
      />
      <div id={id} class="places" role="listbox" aria-label="Places">
        {places.map(({ href, title, says }, nth) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box above
          <div
            key={href}
            id={`${id}-${nth}`}
            class="row"
            role="option"
            tabIndex={-1}
            aria-selected={nth === chosen}
            onClick={() => go(places[nth])}
          >
            <span class="grow break">{title}</span>
            <small class="soft">{says}</small>
          </div>
        ))}
      </div>
      {places.length === 0 && <p class="soft">Nothing is called so.</p>}
    </Dialog>
  )
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"))

/** The palette, while it is open. */
export const CommandPalette = () => {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") setOpen(true)
      else if (event.key === "/" && !isTyping(event.target)) {
        const search = document.querySelector<HTMLInputElement>('main input[type="search"]')
        if (search === null) setOpen(true)
        else search.focus()
      } else return
      event.preventDefault()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [])
  return open ? <Palette close={() => setOpen(false)} /> : null
}

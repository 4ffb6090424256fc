/** A list of thousands of rows of one height: only those in sight are in the page. Owns which these are. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { rowPixels, rowsBeyondSight } from "../limits.ts"

interface Sight {
  readonly first: number
  readonly end: number
}

const sightOf = (list: HTMLElement, count: number): Sight => {
  const above = -list.getBoundingClientRect().top
  const first = Math.max(0, Math.floor(above / rowPixels) - rowsBeyondSight)
  const end = Math.ceil((above + innerHeight) / rowPixels) + rowsBeyondSight
  return { first: Math.min(first, count), end: Math.max(0, Math.min(end, count)) }
}

interface VirtualListProps {
  readonly label: string
  readonly count: number
  /** The row at a place, with a key of its own. */
  readonly row: (at: number) => ComponentChildren
  /** Told whenever other rows come into sight. */
  readonly seen?: (end: number) => void
}

/** The list. Each row is an `li` of `rowPixels` height. */
export const VirtualList = ({ label, count, row, seen }: VirtualListProps) => {
  const list = useRef<HTMLUListElement>(null)
  const [{ first, end }, setSight] = useState<Sight>({ first: 0, end: Math.min(count, 2 * rowsBeyondSight) })
  useEffect(() => {
    const look = (): void => {
      if (list.current === null) return
      const next = sightOf(list.current, count)
      setSight((before) => (before.first === next.first && before.end === next.end ? before : next))
    }
    look()
    addEventListener("scroll", look, { passive: true })
    addEventListener("resize", look)
    return () => {
      removeEventListener("scroll", look)
      removeEventListener("resize", look)
    }
  }, [count])
  useEffect(() => seen?.(end), [end, count])
  const last = Math.min(end, count)
  const from = Math.min(first, last)
  return (
    <ul
      ref={list}
      class="list virtual"
      aria-label={label}
      style={{ paddingTop: `${from * rowPixels}px`, paddingBottom: `${(count - last) * rowPixels}px` }}
    >
      {Array.from({ length: last - from }, (_, nth) => row(from + nth))}
    </ul>
  )
}

/** The frame of a view: heading, links above, actions beside. Owns the tab's title and where the focus begins. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { inbox } from "../state/approvals.ts"
import { useStore } from "../state/store.ts"

interface PageProps {
  readonly title: string
  /** What the title is set beside: a state, say. */
  readonly beside?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly above?: ComponentChildren
  readonly children: ComponentChildren
}

let visits = 0

/** A view. */
export const Page = ({ title, beside, actions, above, children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const waiting = useStore(inbox).total
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Console`
  }, [title, waiting])
  useEffect(() => {
    // at the first view the browser's own beginning is right
    if (visits++ > 0) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <>
      {above !== undefined && (
        <nav class="above" aria-label="Up">
          {above}
        </nav>
      )}
      <header class="heading">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {beside}
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly says?: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of a view. */
export const Section = ({ title, says, actions, children }: SectionProps) => (
  <section class="section">
    <div class="heading">
      <h2>{title}</h2>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </div>
    {says !== undefined && <p class="soft">{says}</p>}
    {children}
  </section>
)

/** A button that reads a view anew. */
export const Refresh = ({ act }: { readonly act: () => void }) => (
  <button type="button" class="quiet" onClick={act}>
    Refresh
  </button>
)

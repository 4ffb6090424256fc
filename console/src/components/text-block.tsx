/** Text as a program wrote it. Owns that a long one scrolls within itself, by key too. */
import { useEffect, useRef } from "preact/hooks"

interface TextBlockProps {
  readonly label: string
  readonly text: string
  /** Keeps the end in sight as the text grows. */
  readonly growing?: boolean
}

/** The text. */
export const TextBlock = ({ label, text, growing = false }: TextBlockProps) => {
  const block = useRef<HTMLElement>(null)
  // what was written last is looked for
  useEffect(() => {
    if (growing) block.current?.scrollTo(0, block.current.scrollHeight)
  }, [text, growing])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
    <section ref={block} class="text" aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  )
}

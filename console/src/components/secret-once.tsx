/** Text to be copied: a secret that is shown once, a command to paste. Owns the copying. */
import { useState } from "preact/hooks"
import { TextBlock } from "./text-block.tsx"

interface CopyProps {
  readonly label: string
  readonly text: string
}

/** Text with a button that copies it. */
export const Copyable = ({ label, text }: CopyProps) => {
  const [said, setSaid] = useState("")
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid("Copied")
    } catch {
      // without https a page may not write there
      setSaid("Select the text and copy it")
    }
  }
  return (
    <div class="copy">
      <TextBlock label={label} text={text} />
      <button type="button" class="quiet" onClick={copy}>
        Copy
      </button>
      <span class="soft" role="status">
        {said}
      </span>
    </div>
  )
}

/** A secret that the hub shows once. */
export const SecretOnce = ({ label, text, done }: CopyProps & { readonly done: () => void }) => (
  <section class="note warn" aria-label={label}>
    <p>
      <strong>{label}</strong> It is shown once: the hub keeps no copy that could be shown again.
    </p>
    <Copyable label={label} text={text} />
    <button type="button" onClick={done}>
      I have stored it
    </button>
  </section>
)

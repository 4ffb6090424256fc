/** A dialog over the page, the platform's own: it holds the focus and closes with Escape. Owns its opening. */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"

interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
}

/** A dialog that is open as long as it is rendered. */
export const Dialog = ({ title, close, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  /** What the button says, and what is asked. */
  readonly label: string
  readonly question: string
  readonly says: string
  readonly busy: boolean
  readonly act: () => void
}

/** A button for what cannot be undone: it asks first. */
export const Confirm = ({ label, question, says, busy, act }: ConfirmProps) => {
  const [asked, setAsked] = useState(false)
  return (
    <>
      <button type="button" class="danger" disabled={busy} onClick={() => setAsked(true)}>
        {label}
      </button>
      {asked && (
        <Dialog title={question} close={() => setAsked(false)}>
          <p>{says}</p>
          <div class="actions">
            <button
              type="button"
              class="danger"
              onClick={() => {
                setAsked(false)
                act()
              }}
            >
              {label}
            </button>
            <button type="button" class="quiet" onClick={() => setAsked(false)}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

/** Labelled inputs of a form. Owns that each has its label and its hint. */
import type { InputHTMLAttributes } from "preact"
import { useId } from "preact/hooks"

interface FieldProps {
  readonly label: string
  readonly hint?: string
  readonly type?: "text" | "url" | "email" | "password"
  readonly inputMode?: "email" | "numeric"
  readonly autoComplete?: "username" | "current-password" | "new-password" | "off"
  readonly placeholder?: string
  readonly required?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly value: string
  readonly put: (value: string) => void
}

/** One line of text. */
export const Field = ({ label, hint, put, ...input }: FieldProps) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...(input as InputHTMLAttributes<HTMLInputElement>)}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => put(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <small id={`${id}-hint`} class="soft">
          {hint}
        </small>
      )}
    </div>
  )
}

interface LifeProps {
  readonly lives: ReadonlyArray<{ readonly days: number; readonly says: string }>
  readonly days: number
  readonly put: (days: number) => void
}

/** When a credential expires; 0 days: never. */
export const Life = ({ lives, days, put }: LifeProps) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>It expires</label>
      <select id={id} value={days} onChange={({ currentTarget }) => put(Number(currentTarget.value))}>
        {lives.map((life) => (
          <option key={life.days} value={life.days}>
            {life.says}
          </option>
        ))}
      </select>
    </div>
  )
}

interface ChoicesProps {
  readonly label: string
  readonly all: ReadonlyArray<{ readonly name: string; readonly says: string }>
  readonly chosen: ReadonlyArray<string>
  readonly put: (chosen: ReadonlyArray<string>) => void
}

/** Any number of these. */
export const Choices = ({ label, all, chosen, put }: ChoicesProps) => (
  <fieldset class="choices">
    <legend>{label}</legend>
    {all.map(({ name, says }) => (
      <label key={name}>
        <input
          type="checkbox"
          checked={chosen.includes(name)}
          onChange={(event) =>
            put(event.currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
          }
        />
        <span>
          <code>{name}</code> <small class="soft">{says}</small>
        </span>
      </label>
    ))}
  </fieldset>
)

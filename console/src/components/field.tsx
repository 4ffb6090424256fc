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
        // what is no number would be sent as none
        pattern={input.inputMode === "numeric" ? "[0-9]+" : undefined}
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

interface ChoiceProps<A> {
  readonly label: string
  readonly of: ReadonlyArray<readonly [value: A, says: string]>
  readonly value: A
  readonly put: (value: A) => void
}

interface OptionsProps<A> extends Omit<ChoiceProps<A>, "label"> {
  readonly id?: string
  readonly "aria-label"?: string
}

const Options = <A extends string | number>({ of, put, ...select }: OptionsProps<A>) => (
  <select {...select} onChange={({ currentTarget }) => put(of[currentTarget.selectedIndex]![0])}>
    {of.map(([value, says]) => (
      <option key={value} value={value}>
        {says}
      </option>
    ))}
  </select>
)

/** One of these, in a line of others: its label is for who does not see that. */
export const Choice = <A extends string | number>({ label, ...options }: ChoiceProps<A>) => (
  <Options aria-label={label} {...options} />
)

/** One of these, in a form. */
export const ChoiceField = <A extends string | number>({ label, ...options }: ChoiceProps<A>) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Options id={id} {...options} />
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

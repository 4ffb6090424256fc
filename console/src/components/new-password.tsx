/** A new password, typed twice. Owns that both are the same. */
import { useState } from "preact/hooks"
import { passwordCharsMin } from "../limits.ts"
import { Field } from "./field.tsx"

/** The two fields. `read` gives the password, and throws where both differ. */
export const useNewPassword = () => {
  const [password, setPassword] = useState("")
  const [again, setAgain] = useState("")
  const of = { type: "password", autoComplete: "new-password", required: true, minLength: passwordCharsMin } as const
  return {
    fields: (
      <>
        <Field
          {...of}
          label="New password"
          hint={`${passwordCharsMin} characters or more.`}
          value={password}
          put={setPassword}
        />
        <Field {...of} label="Again" value={again} put={setAgain} />
      </>
    ),
    read: (): string => {
      if (password !== again) throw new Error("Both must be the same.")
      return password
    },
    clear: (): void => {
      setPassword("")
      setAgain("")
    }
  }
}

/** The policies of the account: rules for what agents may do, written as lines and tried before they are kept. */
import type { Input, Output } from "@hub/client"
import { useId, useState } from "preact/hooks"
import { Field } from "../components/field.tsx"
import { Failure } from "../components/notices.tsx"
import { Page, Section } from "../components/page.tsx"
import { queryOf } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { client } from "../state/session.ts"

type Policy = Output<"policies.list">["policies"][number]
type Action = Input<"policies.evaluate">["action"]
type Rule = Input<"policies.set">["rules"][number]

const form = /^(allow|ask|deny)\s+(\S+)\s+(.*?)(?:\s+@provider=(\S+))?(?:\s+@cwd=(\S+))?$/u

/** Text for one line: in an agent's words, what stands behind a line's end would be a rule of its own. */
const inOneLine = (text: string): string => text.replaceAll(/[\r\n]/gu, "?")

/** The line of a rule: `deny execute git push *`. */
const lineOf = ({ effect, action, resource, provider, cwd }: Policy["rules"][number]): string =>
  inOneLine(
    [
      `${effect} ${action} ${resource}`,
      ...(provider === undefined ? [] : [`@provider=${provider}`]),
      ...(cwd === undefined ? [] : [`@cwd=${cwd}`])
    ].join(" ")
  )

/** Reads lines; throws with the number of the first that is none. */
const rulesOf = (text: string): Array<Rule> =>
  text
    .split("\n")
    .map((line, at) => [line.trim(), at + 1] as const)
    .filter(([line]) => line !== "")
    .map(([line, number]) => {
      const [, effect, action, resource, provider, cwd] = form.exec(line) ?? []
      if (effect === undefined || action === undefined || resource === undefined)
        throw new Error(`Line ${number} is none of: allow, ask or deny, what is asked for, and a pattern.`)
      return {
        effect: effect as Rule["effect"],
        action,
        resource,
        ...(provider !== undefined && { provider }),
        ...(cwd !== undefined && { cwd })
      }
    })

const Tester = ({ rules }: { readonly rules: string }) => {
  const [action, setAction] = useState("execute")
  const [resource, setResource] = useState("")
  const [verdict, setVerdict] = useState("")
  const { busy, failure, run } = useAction()
  const ask = () =>
    run(async () => {
      const said = { policyId: "draft", action: action as Action, resource, rules: rulesOf(rules) }
      const { effect, rule } = await client.policies.evaluate(said)
      setVerdict(`${effect}: ${rule === null ? "no rule matches, the default holds" : lineOf(rule)}`)
    })
  return (
    <>
      <Field label="What is asked for" value={action} put={setAction} />
      <Field label="Command, path or address" placeholder="git push" value={resource} put={setResource} />
      <Failure text={failure} />
      <button type="button" class="quiet" disabled={busy} onClick={() => void ask()}>
        Try these rules
      </button>
      <p role="status">{verdict}</p>
    </>
  )
}

const Editor = ({ policy, line, saved }: { policy: Policy | undefined; line: string; saved: () => void }) => {
  const [id, setId] = useState(policy?.id ?? "everyday")
  const [selector, setSelector] = useState(policy?.selector ?? "")
  const [rules, setRules] = useState([...(policy?.rules.map(lineOf) ?? []), ...(line === "" ? [] : [line])].join("\n"))
  const [seconds, setSeconds] = useState(String(policy?.timeoutSeconds ?? ""))
  const [warnings, setWarnings] = useState<ReadonlyArray<string>>([])
  const { busy, failure, submit } = useAction()
  const field = useId()
  const save = submit(async () => {
    const { version, default: byDefault, onTimeout } = policy ?? {}
    const body = {
      policyId: id,
      selector,
      rules: rulesOf(rules),
      ...(byDefault !== undefined && { default: byDefault, onTimeout }),
      ...(seconds !== "" && { timeoutSeconds: Number(seconds) })
    }
    const headers: Record<string, string> =
      version === undefined ? { "if-none-match": "*" } : { "if-match": `"${version}"` }
    const kept = await client.policies.set(body, { headers })
    setWarnings(kept.warnings ?? [])
    saved()
  })
  return (
    <form onSubmit={save}>
      {policy === undefined && <Field label="Name" required maxLength={63} value={id} put={setId} />}
      <Field label="On the machines with these tags" hint="Empty: on all." value={selector} put={setSelector} />
      <div class="field">
        <label for={field}>Rules</label>
        <textarea
          id={field}
          rows={8}
          aria-describedby={`${field}-hint`}
          placeholder={"allow read *\nallow execute npm test *\ndeny execute git push *"}
          value={rules}
          onInput={({ currentTarget }) => setRules(currentTarget.value)}
        />
        <small id={`${field}-hint`} class="soft">
          One a line: allow, ask or deny, what is asked for (execute, read, edit, fetch, …), and a pattern.
        </small>
      </div>
      <Field
        label="Seconds until a question is rejected"
        inputMode="numeric"
        hint="Empty: never."
        value={seconds}
        put={setSeconds}
      />
      <Tester rules={rules} />
      <Failure text={failure} />
      {warnings.map((warning) => (
        <p key={warning} class="note warn">
          {warning}
        </p>
      ))}
      <button type="submit" disabled={busy}>
        Save the policy
      </button>
    </form>
  )
}

/** The view. */
export const Policies = () => {
  const line = inOneLine(queryOf(location.hash).get("rule") ?? "")
  const { value, failure, reload } = useFetched((signal) => client.policies.list({}, { signal }), [])
  const first = value?.policies[0]
  return (
    <Page title="Policies">
      <p class="soft">
        What agents may do without asking, and what never. Machines decide by them, also while they are cut off.
      </p>
      <Failure text={failure} />
      {value?.policies.map((policy, at) => (
        <Section key={`${policy.id} ${policy.version}`} title={policy.id}>
          <Editor policy={policy} line={at === 0 ? line : ""} saved={reload} />
        </Section>
      ))}
      {value !== undefined && (
        <Section title="New policy">
          <Editor policy={undefined} line={first === undefined ? line : ""} saved={reload} />
        </Section>
      )}
    </Page>
  )
}

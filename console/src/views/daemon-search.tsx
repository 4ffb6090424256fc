/** What is looked for in the list of daemons, and its boxes. Owns how it stands in the address. */
import type { Input } from "@hub/client"
import { useEffect, useState } from "preact/hooks"
import { Choice } from "../components/field.tsx"
import { queryOf } from "../routing.ts"

/** What is looked for, and in which order. Empty: anything, by name. */
export interface Search {
  readonly q: string
  readonly status: string
  readonly update: string
  readonly selector: string
  readonly sort: string
}

/** Whether every daemon is meant. */
export const isAll = ({ q, status, update, selector }: Search): boolean => q + status + update + selector === ""

/** The question to the hub. */
export const questionOf = ({ q, status, update, selector, sort }: Search): Input<"daemons.list"> => ({
  sort: sort === "" ? "name" : (sort as "lastSeen"),
  ...(status === ""
    ? { include: "offline" as const }
    : { status: status as NonNullable<Input<"daemons.list">["status"]> }),
  ...(update === "" ? {} : { update: update as NonNullable<Input<"daemons.list">["update"]> }),
  ...(q === "" ? {} : { q }),
  ...(selector === "" ? {} : { selector })
})

/** As the address has it. */
export const searchOfAddress = (): Search => {
  const query = queryOf(location.hash)
  const of = (name: string): string => query.get(name) ?? ""
  return { q: of("q"), status: of("status"), update: of("update"), selector: of("selector"), sort: of("sort") }
}

type Words = ReadonlyArray<readonly [word: string, says: string]>

const statuses: Words = [
  ["", "In any state"],
  ["online", "Online"],
  ["offline", "Offline"],
  ["waiting", "Waiting for you"],
  ["generating", "At work"],
  ["error", "With an error"]
]
const updates: Words = [
  ["", "Any update"],
  ["pending", "Update pending"],
  ["updating", "Updating"],
  ["failed", "Update failed"],
  ["held", "Version held"],
  ["current", "Up to date"]
]
const orders: Words = [
  ["", "By name"],
  ["lastSeen", "Seen last first"],
  ["version", "By version"]
]

interface SearchBoxProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly put: (value: string) => void
}

/** What is typed counts once it is done; events of the hub that come meanwhile leave it alone. */
const SearchBox = ({ label, placeholder, value, put }: SearchBoxProps) => {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  return (
    <input
      class="grow"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => put(currentTarget.value.trim())}
    />
  )
}

interface FilterProps {
  readonly search: Search
  readonly put: (search: Search) => void
}

/** The boxes. */
export const DaemonSearch = ({ search, put }: FilterProps) => (
  <search class="row">
    <SearchBox
      label="Search machines"
      placeholder="Name, host, id, version, tag…"
      value={search.q}
      put={(q) => put({ ...search, q })}
    />
    <Choice label="State" of={statuses} value={search.status} put={(status) => put({ ...search, status })} />
    <Choice label="Update" of={updates} value={search.update} put={(update) => put({ ...search, update })} />
    <SearchBox
      label="Filter by tags"
      placeholder="Tags: env=prod,gpu"
      value={search.selector}
      put={(selector) => put({ ...search, selector })}
    />
    <Choice label="Order" of={orders} value={search.sort} put={(sort) => put({ ...search, sort })} />
  </search>
)

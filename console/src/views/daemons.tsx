/** The daemons of the account, as they come and go. */
import type { Input } from "@hub/client"
import { useEffect, useRef, useState } from "preact/hooks"
import { Empty, Failure, Reading } from "../components/notices.tsx"
import { OnlineBadge } from "../components/online-badge.tsx"
import { Page } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { daemonsPage, daemonsShownMax, gatherMillis } from "../limits.ts"
import { keepQuery, linkTo, queryOf } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { afterEvent, bringsUnknown, type Daemon, joinedDaemons, nameOf, tagWords } from "../state/daemon-list.ts"
import { useFetched } from "../state/fetched.ts"
import { liveState, useEvents } from "../state/live-events.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"

interface Listed {
  readonly daemons: ReadonlyArray<Daemon>
  readonly next: string | undefined
  readonly total: number | undefined
  readonly online: number | undefined
}

/** What is looked for. Empty: anything. */
interface Search {
  readonly q: string
  readonly status: string
  readonly selector: string
}
type Status = NonNullable<Input<"daemons.list">["status"]>

const statuses = [
  { word: "", says: "In any state" },
  { word: "online", says: "Online" },
  { word: "offline", says: "Offline" },
  { word: "waiting", says: "Waiting for you" },
  { word: "generating", says: "At work" },
  { word: "error", says: "With an error" }
]

const isAll = ({ q, status, selector }: Search): boolean => q + status + selector === ""

const read = async ({ q, status, selector }: Search, signal?: AbortSignal, cursor?: string): Promise<Listed> => {
  const asked = {
    limit: daemonsPage,
    sort: "name" as const,
    ...(status === "" ? { include: "offline" as const } : { status: status as Status }),
    ...(q === "" ? {} : { q }),
    ...(selector === "" ? {} : { selector }),
    ...(cursor === undefined ? {} : { cursor })
  }
  const page = await client.daemons.list(asked, signal === undefined ? {} : { signal })
  return { daemons: page.daemons, next: page.nextCursor, total: page.total, online: page.onlineTotal }
}

const agentsOf = ({ ides, clis, acps }: Daemon): string => {
  const all = [...ides, ...clis, ...acps].map(({ type }) => type)
  return all.length === 0 ? "no agents" : all.length > 3 ? `${all.length} agents` : all.join(", ")
}

const Row = ({ daemon }: { readonly daemon: Daemon }) => (
  <li>
    <a class="row" href={linkTo("daemons", daemon.id)}>
      <span class="grow">
        <strong>{nameOf(daemon)}</strong>
        <small class="soft">
          {[daemon.hostname, daemon.platform, agentsOf(daemon)].filter((word) => word !== "").join(" · ")}
        </small>
        {Object.keys(daemon.tags).length > 0 && <small class="soft break">{tagWords(daemon.tags)}</small>}
      </span>
      <small class="soft">
        <RelativeTime at={daemon.online ? daemon.connectedAt : daemon.lastSeenAt} none="never connected" />
      </small>
      <OnlineBadge online={daemon.online} />
    </a>
  </li>
)

const List = ({ list, search }: { readonly list: Listed; readonly search: Search }) => {
  if (list.daemons.length === 0 && !isAll(search)) return <Empty>No machine is like this.</Empty>
  if (list.daemons.length === 0) {
    return (
      <Empty>
        No machine is enrolled yet. <a href={linkTo("enrol")}>Enrol the first one</a>
      </Empty>
    )
  }
  return (
    <ul class="list" aria-label="Daemons">
      {list.daemons.map((one) => (
        <Row key={one.id} daemon={one} />
      ))}
    </ul>
  )
}

/** Reads a little later, once for all who ask meanwhile. */
const useGathered = (reload: () => void): (() => void) => {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      reload()
    }, gatherMillis)
  }
}

interface FilterProps {
  readonly search: Search
  readonly put: (search: Search) => void
}

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

const Filter = ({ search, put }: FilterProps) => (
  <search class="row">
    <SearchBox
      label="Search machines"
      placeholder="Name, host, id, version, tag…"
      value={search.q}
      put={(q) => put({ ...search, q })}
    />
    <select
      aria-label="State"
      value={search.status}
      onChange={({ currentTarget }) => put({ ...search, status: currentTarget.value })}
    >
      {statuses.map(({ word, says }) => (
        <option key={word} value={word}>
          {says}
        </option>
      ))}
    </select>
    <SearchBox
      label="Filter by tags"
      placeholder="Tags: env=prod,gpu"
      value={search.selector}
      put={(selector) => put({ ...search, selector })}
    />
  </search>
)

const searchOfAddress = (): Search => {
  const query = queryOf(location.hash)
  const of = (name: string): string => query.get(name) ?? ""
  return { q: of("q"), status: of("status"), selector: of("selector") }
}

/** The daemons, by what is looked for. Events change those of all; of a part the hub says who belongs to it. */
const useDaemons = (search: Search) => {
  const fetched = useFetched((signal) => read(search, signal), [search.q, search.status, search.selector])
  const { reload, set, value } = fetched
  const readSoon = useGathered(reload)
  useEvents((event) => {
    if (event === "gap") return reload()
    const isOnlyOfTags = search.q + search.status === "" && !bringsUnknown(value?.daemons ?? [], event)
    if (!isAll(search) && !isOnlyOfTags) return readSoon()
    set((list) => ({ ...list, daemons: afterEvent(list.daemons, event) }))
    if (event.event.startsWith("daemon:")) readSoon()
  })
  return fetched
}

/** The view. */
export const Daemons = () => {
  const [search, setSearch] = useState(searchOfAddress)
  // a link of the menu, or Back, leads here too
  useEffect(() => {
    const follow = (): void => setSearch(searchOfAddress())
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }, [])
  const { value, failure, reload, set } = useDaemons(search)
  const more = useAction()
  const put = (next: Search): void => {
    keepQuery({ ...next })
    setSearch(next)
  }
  const readMore = (cursor: string) =>
    more.run(async () => {
      const page = await read(search, undefined, cursor)
      set((list) => ({ ...list, next: page.next, daemons: joinedDaemons(list.daemons, page.daemons) }))
    })
  const live = useStore(liveState)
  const next = value?.next
  return (
    <Page
      title="Daemons"
      beside={
        value !== undefined && (
          <span class="soft" role="status">
            {live === "lost" ? "not known" : `${value.online ?? 0} of ${value.total ?? value.daemons.length} online`}
          </span>
        )
      }
      actions={
        <a class="button" href={linkTo("enrol")}>
          Enrol a machine
        </a>
      }
    >
      <Filter search={search} put={put} />
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value !== undefined && <List list={value} search={search} />}
      <Failure text={more.failure} />
      {next !== undefined && (value?.daemons.length ?? 0) < daemonsShownMax && (
        <button type="button" class="quiet" disabled={more.busy} onClick={() => readMore(next)}>
          Show more
        </button>
      )}
      {value?.daemons.length === daemonsShownMax && (
        <p class="soft">{`The first ${daemonsShownMax} are shown: look for the others by name, state or tag.`}</p>
      )}
    </Page>
  )
}

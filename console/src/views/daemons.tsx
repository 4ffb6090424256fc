/** The daemons of the account, as they come and go. */
import { useEffect, useRef, useState } from "preact/hooks"
import { Empty, Failure, Reading } from "../components/notices.tsx"
import { OnlineBadge } from "../components/online-badge.tsx"
import { Page } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { daemonsPage, daemonsShownMax, gatherMillis } from "../limits.ts"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { afterEvent, bringsUnknown, type Daemon, nameOf, ordered, tagWords } from "../state/daemon-list.ts"
import { useFetched } from "../state/fetched.ts"
import { liveState, useEvents } from "../state/live-events.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"

interface Listed {
  readonly daemons: ReadonlyArray<Daemon>
  readonly next: string | undefined
}

const read = async (selector: string, cursor?: string): Promise<Listed> => {
  const page = await client.daemons.list({
    include: "offline",
    limit: daemonsPage,
    ...(selector === "" ? {} : { selector }),
    ...(cursor === undefined ? {} : { cursor })
  })
  return { daemons: page.daemons, next: page.nextCursor }
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

interface ListProps {
  readonly list: Listed
  readonly filter: string
  readonly selector: string
}

const List = ({ list, filter, selector }: ListProps) => {
  const wanted = filter.trim().toLowerCase()
  const shown = list.daemons.filter((one) => `${one.nickname} ${one.hostname} ${one.id}`.toLowerCase().includes(wanted))
  if (list.daemons.length === 0 && selector !== "") return <Empty>No machine has these tags.</Empty>
  if (list.daemons.length === 0) {
    return (
      <Empty>
        No machine is enrolled yet. <a href={linkTo("enrol")}>Enrol the first one</a>
      </Empty>
    )
  }
  return (
    <>
      <ul class="list" aria-label="Daemons">
        {shown.map((one) => (
          <Row key={one.id} daemon={one} />
        ))}
      </ul>
      {shown.length === 0 && <Empty>None of them is called so.</Empty>}
    </>
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

/** The view. */
export const Daemons = () => {
  const [filter, setFilter] = useState("")
  const [selector, setSelector] = useState("")
  const { value, failure, reload, set } = useFetched(async () => {
    const page = await read(selector)
    return { ...page, daemons: ordered(page.daemons) }
  }, [selector])
  const more = useAction()
  const readSoon = useGathered(reload)
  useEvents((event) => {
    if (event === "gap") return reload()
    if (selector !== "" && bringsUnknown(value?.daemons ?? [], event)) return readSoon()
    set((list) => ({ ...list, daemons: afterEvent(list.daemons, event) }))
  })
  const readMore = (cursor: string) =>
    more.run(async () => {
      const page = await read(selector, cursor)
      set((list) => ({ next: page.next, daemons: ordered([...list.daemons, ...page.daemons]) }))
    })
  const online = value?.daemons.filter((one) => one.online).length ?? 0
  const live = useStore(liveState)
  const next = value?.next
  return (
    <Page
      title="Daemons"
      beside={
        value !== undefined && (
          <span class="soft" role="status">
            {live === "lost" ? "not known" : `${online} online`}
          </span>
        )
      }
      actions={
        <a class="button" href={linkTo("enrol")}>
          Enrol a machine
        </a>
      }
    >
      <input
        type="search"
        aria-label="Filter by tags"
        placeholder="Filter by tags: env=prod,gpu"
        onChange={(event) => setSelector(event.currentTarget.value.trim())}
      />
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value !== undefined && value.daemons.length > 8 && (
        <input
          type="search"
          aria-label="Filter by name"
          placeholder="Filter by name"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      {value !== undefined && <List list={value} filter={filter} selector={selector} />}
      <Failure text={more.failure} />
      {next !== undefined && (value?.daemons.length ?? 0) < daemonsShownMax && (
        <button type="button" class="quiet" disabled={more.busy} onClick={() => readMore(next)}>
          Show more
        </button>
      )}
      {value?.daemons.length === daemonsShownMax && <p class="soft">{`The first ${daemonsShownMax} are shown.`}</p>}
    </Page>
  )
}

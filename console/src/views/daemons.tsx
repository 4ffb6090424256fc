/** The daemons of the account, as they come and go. */
import { useEffect, useRef, useState } from "preact/hooks"
import { OnlineBadge, UpdateBadge } from "../components/badge.tsx"
import { Empty, Failure, Reading } from "../components/notices.tsx"
import { Page } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { VirtualList } from "../components/virtual-list.tsx"
import { daemonsPage, daemonsShownMax, gatherMillis } from "../limits.ts"
import { keepQuery, linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { choose, chosenDaemons } from "../state/chosen-daemons.ts"
import {
  afterEvent,
  bringsUnknown,
  type Daemon,
  joinedDaemons,
  nameOf,
  type Order,
  tagWords,
  withFirstPage
} from "../state/daemon-list.ts"
import { useFetched } from "../state/fetched.ts"
import { liveState, useEvents } from "../state/live-events.ts"
import { may, me } from "../state/membership.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { useGathered } from "../state/throttled-state.ts"
import { ChosenDaemons } from "./chosen-daemons.tsx"
import { DaemonSearch, isAll, questionOf, type Search, searchOfAddress } from "./daemon-search.tsx"

interface Listed {
  readonly daemons: ReadonlyArray<Daemon>
  readonly next: string | undefined
  readonly total: number | undefined
  readonly online: number | undefined
}

const read = async (search: Search, signal?: AbortSignal, cursor?: string): Promise<Listed> => {
  const asked = { ...questionOf(search), limit: daemonsPage, ...(cursor === undefined ? {} : { cursor }) }
  const page = await client.daemons.list(asked, signal === undefined ? {} : { signal })
  return { daemons: page.daemons, next: page.nextCursor, total: page.total, online: page.onlineTotal }
}

const agentsOf = ({ ides, clis, acps }: Daemon): string => {
  const all = [...ides, ...clis, ...acps].map(({ type }) => type)
  return all.length === 0 ? "no agents" : all.length > 3 ? `${all.length} agents` : all.join(", ")
}

interface RowProps {
  readonly daemon: Daemon
  /** Undefined: who is signed in may do nothing with what is chosen. */
  readonly chosen: boolean | undefined
}

const Row = ({ daemon, chosen }: RowProps) => {
  const facts = [daemon.hostname, daemon.platform, daemon.version, agentsOf(daemon), tagWords(daemon.tags)]
  return (
    <li class="choosable">
      {chosen !== undefined && (
        <input
          type="checkbox"
          aria-label={`Choose ${nameOf(daemon)}`}
          checked={chosen}
          onChange={({ currentTarget }) => choose([daemon.id], currentTarget.checked)}
        />
      )}
      <a class="row" href={linkTo("daemons", daemon.id)}>
        <span class="grow">
          <strong>{nameOf(daemon)}</strong>
          <small class="soft">{facts.filter((word) => word !== "").join(" · ")}</small>
        </span>
        <small class="soft">
          <RelativeTime at={daemon.online ? daemon.connectedAt : daemon.lastSeenAt} none="never connected" />
        </small>
        {daemon.update !== undefined && daemon.update.state !== "current" && (
          <UpdateBadge state={daemon.update.state} />
        )}
        <OnlineBadge online={daemon.online} />
      </a>
    </li>
  )
}

interface ListProps {
  readonly list: Listed
  readonly search: Search
  readonly seen: (end: number) => void
}

const List = ({ list, search, seen }: ListProps) => {
  const chosen = useStore(chosenDaemons)
  const mayChoose = may(useStore(me), "operator")
  if (list.daemons.length === 0 && !isAll(search)) return <Empty>No machine is like this.</Empty>
  if (list.daemons.length === 0) {
    return (
      <Empty>
        No machine is enrolled yet. <a href={linkTo("enrol")}>Enrol the first one</a>
      </Empty>
    )
  }
  const row = (at: number) => {
    const daemon = list.daemons[at]!
    return <Row key={daemon.id} daemon={daemon} chosen={mayChoose ? chosen.has(daemon.id) : undefined} />
  }
  return <VirtualList label="Daemons" count={list.daemons.length} row={row} seen={seen} />
}

/** The daemons, by what is looked for. Events change those of all; of a part the hub says who belongs to it. */
const useDaemons = (search: Search) => {
  const missed = useRef(false)
  const order: Order = search.q + search.status + search.update + search.sort === "" ? "by event" : "by hub"
  const join = (before: Listed, first: Listed): Listed => {
    const isAnew = missed.current || first.next === undefined
    missed.current = false
    const daemons = isAnew ? first.daemons : withFirstPage(before.daemons, first.daemons, order)
    return { ...first, daemons, next: daemons.length > first.daemons.length ? before.next : first.next }
  }
  const { reload, ...fetched } = useFetched((signal) => read(search, signal), Object.values(search), join)
  const { set, value } = fetched
  const readAnew = (): void => {
    missed.current = true
    reload()
  }
  const readSoon = useGathered(reload, gatherMillis)
  useEvents((event) => {
    if (event === "gap") return readAnew()
    // whether a new one has the tags that are looked for
    const asksHub = search.selector !== "" && bringsUnknown(value?.daemons ?? [], event)
    set((list) => ({ ...list, daemons: afterEvent(list.daemons, event, asksHub ? "by hub" : order) }))
    if (order === "by hub" || event.event.startsWith("daemon:")) readSoon()
  })
  return { ...fetched, reload: readAnew }
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
  const who = useStore(me)
  const next = value?.next
  const shown = value?.daemons.length ?? 0
  // the next page is read before the last row is in sight
  const seen = (end: number): void => {
    if (next !== undefined && shown < daemonsShownMax && end > shown - daemonsPage / 2 && !more.busy)
      void readMore(next)
  }
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
        may(who, "admin") ? (
          <a class="button" href={linkTo("enrol")}>
            Enrol a machine
          </a>
        ) : undefined
      }
    >
      <DaemonSearch search={search} put={put} />
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value !== undefined && <List list={value} search={search} seen={seen} />}
      <Failure text={more.failure} />
      {shown > 0 && may(who, "operator") && (
        <p class="inline">
          <button
            type="button"
            class="quiet"
            onClick={() =>
              choose(
                (value?.daemons ?? []).map(({ id }) => id),
                true
              )
            }
          >
            {`Choose all ${shown} shown`}
          </button>
        </p>
      )}
      {shown === daemonsShownMax && (
        <p class="soft">{`The first ${daemonsShownMax} are shown: look for the others by name, state or tag.`}</p>
      )}
      <ChosenDaemons changed={reload} />
    </Page>
  )
}

/** Whether a daemon is online, as far as this page knows: without the hub it does not. */
import { liveState } from "../state/live-events.ts"
import { useStore } from "../state/store.ts"
import { Badge } from "./badge.tsx"

/** The state of a daemon that was online, or not, when it was last heard of. */
export const OnlineBadge = ({ online }: { readonly online: boolean }) => (
  <Badge state={useStore(liveState) === "lost" ? "not_known" : online ? "online" : "offline"} />
)

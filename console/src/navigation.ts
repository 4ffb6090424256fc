/**
 * The views, by the first word of their route, and which of them the menu names. Owns the list: a view is added here,
 * and its component in app.tsx.
 */

import type { Role } from "./state/membership.ts"

/** An entry of the menu. */
export interface MenuEntry {
  readonly word: string
  readonly title: string
  /** The least role of whom it is for; absent: everyone. */
  readonly role?: Role
}

/** The menu, in its order. */
export const menu: ReadonlyArray<MenuEntry> = [
  { word: "daemons", title: "Daemons" },
  { word: "approvals", title: "Approvals" },
  { word: "policies", title: "Policies", role: "admin" },
  { word: "jobs", title: "Jobs", role: "operator" },
  { word: "webhooks", title: "Webhooks", role: "admin" },
  { word: "keys", title: "API keys" },
  { word: "apps", title: "Connected apps" },
  { word: "join-keys", title: "Join keys", role: "admin" },
  { word: "people", title: "People" },
  { word: "service-accounts", title: "Service accounts", role: "admin" },
  { word: "requests", title: "Requests" },
  { word: "audit", title: "Audit log", role: "admin" },
  { word: "usage", title: "Usage" },
  { word: "settings", title: "Settings" },
  { word: "enrol", title: "Enrol a machine", role: "admin" }
]

/**
 * The views, by the first word of their route, and which of them the menu names. Owns the list: a view is added here,
 * and its component in app.tsx.
 */

/** An entry of the menu. */
export interface MenuEntry {
  readonly word: string
  readonly title: string
}

/** The menu, in its order. */
export const menu: ReadonlyArray<MenuEntry> = [
  { word: "daemons", title: "Daemons" },
  { word: "jobs", title: "Jobs" },
  { word: "webhooks", title: "Webhooks" },
  { word: "keys", title: "API keys" },
  { word: "apps", title: "Connected apps" },
  { word: "join-keys", title: "Join keys" },
  { word: "requests", title: "Requests" },
  { word: "audit", title: "Audit log" },
  { word: "usage", title: "Usage" },
  { word: "settings", title: "Settings" },
  { word: "enrol", title: "Enrol a machine" }
]

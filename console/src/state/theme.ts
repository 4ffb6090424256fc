/** Light, dark, or as the system has it. Owns where the choice is kept and the page's mark of it. */
import { Store } from "./store.ts"

/** What may be chosen. */
export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const place = "hub.console.theme"

const read = (): Theme => {
  try {
    return themes.find((one) => one === localStorage.getItem(place)) ?? "system"
  } catch {
    return "system"
  }
}

const show = (theme: Theme): void => {
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

/** The theme of the page. */
export const theme = new Store<Theme>(read())

/** Chooses a theme, for later visits too. */
export const choose = (next: Theme): void => {
  theme.set(next)
  try {
    localStorage.setItem(place, next)
  } catch {
    // chosen for this visit only
  }
}

theme.listen(show)
show(theme.value)

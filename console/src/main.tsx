/** The console's beginning: follows the account's events and draws the page. */
import { render } from "preact"
import { App } from "./app.tsx"
import { followEvents } from "./state/live-events.ts"

followEvents()
render(<App />, document.getElementById("app")!)

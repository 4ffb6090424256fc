/** The console's beginning: follows the account's events and draws the page. */
import { render } from "preact"
import { App } from "./app.tsx"
import { followInbox } from "./state/approvals.ts"
import { backFromProvider } from "./state/federated-sign-in.ts"
import { followEvents } from "./state/live-events.ts"
import { followPush } from "./state/push.ts"
import { resume, session } from "./state/session.ts"

void resume()
// another tab may have signed in meanwhile
addEventListener("focus", () => {
  if (session.value === undefined) void resume()
})
void backFromProvider()
followEvents()
followInbox()
followPush()
render(<App />, document.getElementById("app")!)

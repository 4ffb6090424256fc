/**
 * The composition root: joins the command line to the programs behind it. Sees everything, is seen by nothing, and
 * holds no logic. What it makes is for this user only.
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import meta from "../../package.json" with { type: "json" }
import { ignoreClosedOutput } from "../cli/print.ts"
import { teardown } from "../cli/teardown.ts"
import { cli } from "../cli.ts"
import { addressMillisMax } from "../limits/delivery.ts"

const umask = process.umask(0o077)
// for all that connects, drivers included: a name with an address that leads nowhere is usual, and so are slow networks
setDefaultAutoSelectFamilyAttemptTimeout(addressMillisMax)
ignoreClosedOutput()

// Each program is loaded when it is asked for: a command need not wait for what it does not use.
NodeRuntime.runMain(
  cli(process.argv.slice(2), {
    version: meta.version,
    serve: (settings, beside, how) =>
      Effect.flatMap(
        Effect.promise(() => import("./node.ts")),
        (node) => node.serve(settings, beside, how)
      ),
    daemon: async (args) => {
      // its commands and agents make files as they do in its user's shell
      process.umask(umask)
      return (await import("../../daemon/main.ts")).daemon(args)
    },
    demo: async (args) => (await import("../../daemon/demo.ts")).demo(args),
    integrator: async (command, args) => (await import("../../integrator/main.ts")).integrator(command, args),
    registry: async (args) => (await import("../../publisher/main.ts")).registry(args),
    bench: async (args) => (await import("../../bench/bench.ts")).bench(args)
  }),
  { disableErrorReporting: true, teardown }
)

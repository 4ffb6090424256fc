/**
 * The files that a system's service manager reads: a unit for systemd, a property list for launchd, and the environment
 * of both. Owns their text; writes none of them.
 */
import { finalExit } from "../limits.ts"
import { type Layout, launchdLabel } from "./layout.ts"

/** What the service runs. */
export interface Service {
  readonly layout: Layout
  /** The very Node that the installation was made with: another one of the same name may be too old. */
  readonly node: string
  /** Whose commands it runs; undefined: the user's own service. */
  readonly user: string | undefined
  /** The words behind `hub-daemon run`, to which the launcher passes them. */
  readonly words: ReadonlyArray<string>
  /** Seconds before a daemon that failed is started again; drawn per machine, so that a fleet does not come at once. */
  readonly restartSeconds: number
}

/** A word of a unit, quoted: no specifier and no variable is meant (systemd.service(5), "Command lines"). */
const unitWord = (word: string): string =>
  `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$")}"`

/** What a service runs. */
const launched = ({ launcher, current, updates }: Layout, node: string, words: ReadonlyArray<string>) => [
  "/bin/sh",
  launcher,
  node,
  current,
  updates,
  ...words
]

/** The unit. Commands may use sudo, so nothing in it takes away new privileges. */
export const systemdUnit = ({ layout, node, user, words, restartSeconds }: Service): string => {
  const command = launched(layout, node, words).map(unitWord).join(" ")
  return `[Unit]
Description=Connects this machine to its hub
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=${command}
${user === undefined ? "" : `User=${user}\nStateDirectory=hub-daemon\nStateDirectoryMode=0700\n`}EnvironmentFile=-${layout.environmentFile.replaceAll("%", "%%")}
WorkingDirectory=${user === undefined ? "%h" : "~"}
Restart=on-failure
RestartSec=${restartSeconds}
RestartPreventExitStatus=${finalExit}
KillMode=mixed
TimeoutStopSec=20
OOMPolicy=continue
LimitNOFILE=65536
${user === undefined ? "" : "ProtectControlGroups=yes\n"}
[Install]
WantedBy=${user === undefined ? "default.target" : "multi-user.target"}
`
}

/** As whom the service of such a file runs; undefined: the user's own. */
export const serviceUser = (text: string): string | undefined =>
  /^User=(.+)$|<key>UserName<\/key>\s*<string>(.+)<\/string>/mu
    .exec(text)
    ?.slice(1)
    .find((name) => name !== undefined)

const xml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/**
 * The property list. launchd reads no file of an environment, so a shell does; and it starts again whatever does not
 * end with 0.
 */
export const launchdPlist = ({ layout, node, user, words, restartSeconds }: Service): string => {
  const script = 'cd ~; set -a; HUB_DAEMON_FINAL_EXIT=0; [ ! -r "$0" ] || . "$0"; set +a; exec "$@"'
  const command = ["/bin/sh", "-c", script, layout.environmentFile, ...launched(layout, node, words)]
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${launchdLabel}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${xml(word)}</string>`).join("\n")}
  </array>
${user === undefined ? "" : `  <key>UserName</key>\n  <string>${xml(user)}</string>\n`}  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>${restartSeconds}</integer>
  <key>StandardErrorPath</key>
  <string>${xml(layout.logFile)}</string>
</dict>
</plist>
`
}

/** The environment that the service begins with: comments alone. */
export const environmentText = `# The environment of the daemon and of the agents it runs; read at its start. For example:
# HTTPS_PROXY=http://proxy.example:3128
# NODE_EXTRA_CA_CERTS=/etc/ssl/company.pem
# ANTHROPIC_API_KEY=
`

/**
 * The shapes of secrets: names of members that hold one, and the common vendors' tokens. Owns both lists; redacts
 * nothing. Every expression is linear: a fixed prefix, then one run that nothing must follow.
 */

const within = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "apikey",
  "accesskey",
  "accountkey",
  "privatekey",
  "signingkey",
  "encryptionkey",
  "sharedkey",
  "credential",
  "authorization",
  "cookie",
  "bearer",
  "connectionstring",
  "clientassertion",
  "mnemonic",
  "jwt"
]
const exact = new Set(["auth", "pwd", "pass", "otp", "totp", "pin", "dsn", "sas", "sig", "xauth", "pgpass", "netrc"])
/** `DB_PASS`, `dbPass`; not `bypass`. */
const endsInPass = /(?:[_.-](?:pass|pwd)|[a-z]P(?:ass|wd))$|[_.-]P(?:ASS|WD)$/u
const inQuery = new Set(["key", "code", "sig", "signature", "auth", "sas", "assertion", "ticket", "state"])
const counts = /(?:tokens|count|limit|usage|budget|used|max|min|length|size)$/u

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/gu, "")

/** Whether a member or assignment of this name holds a secret. */
export const namesSecret = (name: string): boolean => {
  const word = plain(name.length > 256 ? name.slice(-256) : name)
  return exact.has(word) || endsInPass.test(name) || within.some((part) => word.includes(part))
}

/** Whether a parameter of a URL's query holds a secret. */
export const namesQuerySecret = (name: string): boolean => inQuery.has(plain(name)) || namesSecret(name)

/** Whether such a name counts something (`maxTokens`), so that a number under it is none. */
export const namesCount = (name: string): boolean => counts.test(plain(name.slice(-256)))

/** Names whose value may contain spaces: it goes to the end of its line. */
export const namesWholeLine = (name: string): boolean => /(?:authorization|cookie)2?$/u.test(plain(name.slice(-256)))

const anywhere = [
  "ghp_",
  "gho_",
  "ghu_",
  "ghs_",
  "ghr_",
  "github_pat_",
  "glpat-",
  "gldt-",
  "glrt-",
  "glcbt-",
  "glptt-",
  "xox[abeoprs]-",
  "xapp-",
  "xwfp-",
  "AIza",
  "GOCSPX-",
  "ya29\\.",
  "npm_",
  "pypi-",
  "dckr_pat_",
  "dckr_oat_",
  "glsa_",
  "dop_v1_",
  "shpat_",
  "shpss_",
  "sq0atp-",
  "sq0csp-",
  "lin_api_",
  "AGE-SECRET-KEY-1",
  "whsec_",
  "sk_live_",
  "sk_test_",
  "rk_live_",
  "rk_test_",
  "sk-ant-",
  "sk-proj-",
  "sk-or-",
  "tskey-",
  "figd_",
  "hub[acdijprst]_",
  "hubdc_",
  "sbp_",
  "glc_",
  "doo_v1_",
  "dor_v1_",
  "shpca_",
  "shppa_",
  "PMAK-",
  "nvapi-",
  "pplx-",
  "pscale_",
  "rubygems_",
  "hooks\\.slack\\.com/services/[A-Z0-9/]{0,32}",
  "discord(?:app)?\\.com/api/webhooks/\\d{1,24}/"
]
const atWordStart = ["sk-", "eyJ", "hf_", "r8_", "gsk_", "xai-", "SG\\.", "hvs\\.", "hvb\\.", "hub_", "ntn_"]

// A word may also start after a colour code, an escape written out, or a percent code.
const wordStart =
  "(?:(?<![A-Za-z0-9])|(?<=\\[[0-9;]{0,16}m)|(?<=\\\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\\\u[0-9a-fA-F]{4}))"

/** A vendor's token: its prefix and all that may belong to it. */
export const vendorToken = new RegExp(
  `(?:AKIA|ASIA)[A-Z0-9]{12,}|(?:${anywhere.join("|")}|${wordStart}(?:${atWordStart.join("|")}))[A-Za-z0-9_.\\-]{14,}`,
  "gu"
)

/** A credential after its scheme's name. */
export const schemed = /\b(bearer|basic)((?:[ \t+]|%20){1,8})[A-Za-z0-9._~+/-]{6,}=*/giu

/** A user and a password for `curl`, `wget` or the like. */
export const loginOption = /((?:^|\s)(?:-u|--user|--proxy-user)(?:[ =]|(?=\S))["']?[^\s:"']{1,64}:)[^\s"']{1,256}/gu
/** The same for `sshpass`. */
export const sshpass = /(\bsshpass\s{1,8}-p\s{0,8})[^\s]{1,256}/gu

/** A Telegram bot's token, and what else has two halves around a colon. */
export const twoHalves = /\d{8,10}:AA[A-Za-z0-9_-]{30,}/gu

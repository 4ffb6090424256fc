/**
 * Files that look like a secret: by their name, or by a private key in them. Owns both lists; a package is public and
 * cannot be taken back.
 */

/** The last part of a path, or the folder that it lies in. */
const names: ReadonlyArray<RegExp> = [
  /^\.env(?:\.(?!(?:example|sample|template|dist)$).+)?$/u,
  /^\.(?:npmrc|yarnrc\.yml|netrc|pypirc|pgpass|git-credentials|htpasswd|dockercfg)$/u,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/u,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/iu,
  /^(?:credentials|service[-_]?account.*|client_secret.*)\.json$/iu
]
const folders = new Set([".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure"])

/** A private key in PEM, the token of a package registry, a credential of the hub, or the secret of a webhook. */
const content =
  /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|_authToken\s*=\s*[^\s$]|\bhub(?:[acdijprst]|dc)?_[A-Za-z0-9_.-]{30,}|\bwhsec_[A-Za-z0-9+/]{30,}/u

/** Why a file looks like a secret; undefined: it does not. `start`: the beginning of its content. */
export const looksSecret = (path: string, start: string): string | undefined => {
  const parts = path.split("/")
  const name = parts.at(-1) ?? ""
  if (parts.slice(0, -1).some((folder) => folders.has(folder))) return "lies in a folder of credentials"
  if (names.some((one) => one.test(name))) return "has the name of a secret"
  return content.test(start) ? "holds a key or token" : undefined
}

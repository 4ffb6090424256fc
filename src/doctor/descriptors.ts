/** Whether a hub may open enough files and connections. Owns the judgement; src/runtime/descriptors.ts reads. */
import { descriptorsEnough, descriptorsFew, descriptorsShareFull, descriptorsShareHigh } from "../limits/doctor.ts"
import { error, type Finding, grouped, ok, warning } from "./finding.ts"

const check = "file descriptors"

const raise =
  "raise the limit of the process (systemd LimitNOFILE=1048576, docker --ulimit nofile=1048576, ulimit -n), then start the hub anew"

/** `used` of a hub that runs; undefined: none does, and the limit is that of this shell. */
export const judgeDescriptors = (max: number, used: number | undefined): Finding => {
  const whose = used === undefined ? "a hub started from here may open" : "the hub that runs may open"
  const limit = `${whose} ${max === Number.POSITIVE_INFINITY ? "any number of" : grouped(max)} files and connections`
  if (max < descriptorsFew) return error(check, limit, raise)
  const said = used === undefined ? limit : `${limit} and has ${grouped(used)} open`
  if (used !== undefined && used >= max * descriptorsShareFull) return error(check, said, raise)
  if (used !== undefined && used >= max * descriptorsShareHigh) return warning(check, said, raise)
  return max < descriptorsEnough ? warning(check, said, raise) : ok(check, said)
}

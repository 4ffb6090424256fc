/**
 * Node's report of this process: what it says of the system and of the limits that hold here. Owns that it is made
 * once, as it costs 25 ms.
 */

/** The parts that are read; Node's types lack them. */
interface Report {
  readonly header: { readonly glibcVersionRuntime?: string }
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
}

let made: Report | undefined

/** The report, as of the first time that it is asked for. */
export const processReport = (): Report => {
  if (made !== undefined) return made
  const report = process.report as unknown as { excludeNetwork: boolean; readonly getReport: () => Report }
  // otherwise the names of all peers and of this computer's addresses are looked up
  report.excludeNetwork = true
  made = report.getReport()
  return made
}

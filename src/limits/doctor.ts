/** The bounds of `hub doctor`: how long a check may take, and from where on a finding is a warning or an error. */

/** How long one check may take, its connection included; longer: an error that says so. */
export const doctorCheckMillisMax = 10_000
/** How long it waits for a connection to Postgres or Redis; longer: they count as out of reach. */
export const doctorConnectMillisMax = 4_000
/** Tables with dead rows that are named; the rest is left out. */
export const doctorTablesMax = 10
/** Proxies of which it is kept that requests came through them; a further one is not. */
export const proxiesSeenMax = 32
/** Forwarded requests whose peer is looked at. */
export const proxiesLookedFirst = 1_000
/** Of later ones one in so many. */
export const proxiesLookedOneIn = 256
/** Certificates of a chain that are read; the rest is left out. */
export const chainCertificatesMax = 16

/** Below it a process has so few places that it is an error. */
export const descriptorsFew = 1_024
/** Below it a warning. */
export const descriptorsEnough = 65_536
/** The part of its descriptors that a process may use before it is a warning. */
export const descriptorsShareHigh = 0.75
/** The part from which on it is an error. */
export const descriptorsShareFull = 0.95
/** How many connections the server lets wait until they are accepted; what the system allows less of is lost. */
export const listenBacklog = 512
/** Outgoing connections need as many local ports. */
export const localPortsEnough = 10_000
/** A difference of clocks that is worth a word. */
export const clockApartMillis = 1_000
/** A difference up to which nothing is harmed; more: an error. */
export const clockApartMillisMax = 30_000
/** Connections of Postgres that must be free beside those of the pool: the claim, and a command. */
export const freeConnectionsBeside = 3
/** Dead rows of a table from which on vacuum does not follow. */
export const deadRowsMany = 10_000
/** And their part of all its rows. */
export const deadRowsShareHigh = 0.2
/** How long a transaction may be open before it keeps vacuum from its work. */
export const transactionMillisLong = 3_600_000
/** The part of `maxmemory` from which on it is a warning. */
export const redisMemoryShareHigh = 0.8
/** How long before its end a certificate is a warning. */
export const certificateDaysShort = 21
export const certificateDaysFew = 3
/** Free bytes of the data folder's disk below which it is an error. */
export const diskBytesFew = 67_108_864
/** Free bytes below which it is a warning. */
export const diskBytesShort = 1_073_741_824
/** Free files (inodes) below which it is an error. */
export const diskFilesFew = 1_000
/** Making the embedded database takes up to 800 MB; with less the system kills the hub at its first start. */
export const embeddedMemoryBytesFew = 805_306_368
/** Below it an export of the embedded database may end the hub. */
export const embeddedMemoryBytesEnough = 1_073_741_824
/** On Postgres a hub with 300 daemons at work took all of this. */
export const memoryBytesFew = 201_326_592
/** Enough on Postgres for some hundred daemons that send nothing large. */
export const memoryBytesEnough = 536_870_912
/** Days before the end of the maintenance of a version of Node from which on it is a warning. */
export const nodeEndDaysWarned = 90

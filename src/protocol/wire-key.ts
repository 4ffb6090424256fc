/** Owns the name of one annotation. */

/** The annotation of a schema whose values are written otherwise than it reads them: the JSON schema to show for it. */
export const wireKey = "x-wire"

/** The id of this node among the nodes of the hub. Owns that it is new at each start. */
import { randomBytes } from "node:crypto"
import { Context, Layer } from "effect"

/** The id, in characters that fit a Redis channel. */
export class NodeId extends Context.Service<NodeId, string>()("hub/NodeId") {
  /** A new layer per call, so that two nodes of one process never share an id. */
  static readonly layer = (): Layer.Layer<NodeId> => Layer.sync(NodeId, () => `node_${randomBytes(9).toString("hex")}`)
}

/** What the server says, frame by frame: types only. `docs/protocol.md` tells their order and meaning. */

/** @typedef {"acknowledgement" | "status" | "response"} MessageKind */
/** @typedef {"ok" | "empty" | "failed" | "timed_out" | "cancelled" | "denied" | "unknown"} Outcome */

/**
 * @typedef {object} Assistant Who is speaking, from the company's own words.
 * @property {string} name
 * @property {string} [greeting]
 * @property {string[]} [starters] first messages on offer, as buttons
 * @property {string} [disclosure] that this is an automated assistant
 * @property {string | null} [note] what the footer says, such as "demo model, English only"
 */

/** @typedef {{type: "welcome", conversation_id: string, token: string, expires_at: number, epoch: string, seq: number, resumed: "new" | "replay" | "snapshot", max_text?: number, assistant: Assistant}} Welcome */
/** @typedef {{type: "accepted", id: string, text: string, seq?: number}} Accepted */
/** @typedef {{type: "rejected", id: string, code: string, message: string}} Rejected */
/** @typedef {{type: "turn.started", turn_id: string, client_id?: string | null, seq?: number}} TurnStarted */
/** @typedef {{type: "turn.completed", turn_id: string, how: string, seq?: number}} TurnCompleted */
/** @typedef {{type: "message.started", message_id: string, turn_id: string, seq?: number}} MessageStarted */
/** @typedef {{type: "message.delta", message_id: string, text: string, seq?: number}} MessageDelta */
/** @typedef {{type: "message.completed", message_id: string, kind: MessageKind, text: string, call_ids?: string[], interrupted?: boolean, seq?: number}} MessageCompleted */
/** @typedef {{type: "tool.started", call_id: string, hint?: string | null, seq?: number}} ToolStarted */
/** @typedef {{type: "tool.finished", call_id: string, outcome: Outcome, ms?: number, seq?: number}} ToolFinished */
/** @typedef {{call_id: string, hint?: string | null}} AskedCall */
/** @typedef {{type: "confirmation.requested", confirmation_id: string, read_back: string, calls: AskedCall[], expires_at?: number, seq?: number}} ConfirmationRequested */
/** @typedef {{message_id: string, from: "customer" | "assistant", kind?: MessageKind | null, text: string, interrupted?: boolean}} ToldMessage */
/** @typedef {{message_id: string, text: string, turn_id?: string}} OpenMessage */
/** @typedef {Omit<ConfirmationRequested, "type" | "seq">} OpenConfirmation */
/** @typedef {{type: "snapshot", messages: ToldMessage[], open_message?: OpenMessage | null, tools?: AskedCall[], confirmation?: OpenConfirmation | null, turn_id?: string | null, omitted?: number, seq: number}} Snapshot */
/** @typedef {{type: "error", code: string, retryable: boolean, message: string}} ErrorFrame */
/** @typedef {{type: "pong"}} Pong */

/** @typedef {Welcome | Accepted | Rejected | TurnStarted | TurnCompleted | MessageStarted | MessageDelta | MessageCompleted | ToolStarted | ToolFinished | ConfirmationRequested | Snapshot | ErrorFrame | Pong} Frame */

export {};

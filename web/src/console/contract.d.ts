/** What the server's console routes answer, and what a screen gets from the console. */

import type { TemplateResult } from "lit";
import type { Api, ApiProblem } from "./api.js";
import type { Live } from "./live.js";
import type { Strings } from "./strings/index.js";

export type Role = "agent" | "editor" | "analyst" | "admin";

export interface Account {
  readonly id: string;
  readonly login: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly language: string | null;
}

/** `GET session`, and what signing in answers. */
export interface Session {
  readonly account: Account;
  /** The permissions of the account. What it may not do is not shown. */
  readonly may: readonly string[];
  /** Goes with every request that changes something. */
  readonly csrf: string;
  readonly company: string;
  /** The company's colour, such as `#7a2e5c`; null: the console's own. */
  readonly accent: string | null;
  /** The installation has example conversations. */
  readonly sample: boolean;
  /** People may sign in with a password. */
  readonly passwords: boolean;
}

/** The identity provider of the company, and an address of this server that leads there. */
export interface Provider {
  readonly name: string;
  readonly href: string;
}

/** `DELETE session`: where the person is still signed in; null: nowhere, or it is not known. */
export interface SignedOut {
  readonly elsewhere: Provider | null;
}

/** `GET sign-in`: how people sign in here. */
export interface SignInWays {
  readonly password: boolean;
  readonly oidc: Provider | null;
  readonly company: string;
  readonly accent: string | null;
  readonly locales: readonly string[];
}

/** One of `GET people`. */
export interface Person extends Account, Partial<WorkProfile> {
  readonly disabled: boolean;
  /** Without a password the person signs in by a link or with OpenID Connect. */
  readonly has_password: boolean;
  /** Unix milliseconds of the last use; null: never signed in. */
  readonly last_seen_at: number | null;
}

/** `POST people/{id}/link`. */
export interface OneTimeLink {
  readonly url: string;
  /** Unix milliseconds. */
  readonly expires_at: number;
}

/** One of `GET audit`. */
export interface AuditRecord {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** Null: the account is unknown, as after a wrong login. */
  readonly account: { readonly id: string; readonly login: string; readonly name: string } | null;
  /** Such as `people.change`. */
  readonly action: string;
  /** What it was done to, such as `conversation:k1`. */
  readonly object: string | null;
  /** The customer whose data it is. */
  readonly customer: string | null;
  /** What was asked for, such as `disabled: True`. */
  readonly detail: string | null;
  /** The network address of the browser; null: the server itself. */
  readonly address: string | null;
  /** `begun`: the server stopped before the end. */
  readonly outcome: "begun" | "ok" | "refused" | "failed";
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** Where the next page begins; null: this is the last one. */
  readonly before: string | null;
}

export type PausedKind = "assistant" | "channel" | "tool" | "version";

/** One of what is paused. */
export interface Pause {
  readonly kind: PausedKind;
  /** The channel, the tool, or the version; empty for the whole assistant. */
  readonly name: string;
  /** The name of the person who paused it. */
  readonly by: string;
  /** Unix milliseconds. */
  readonly since: number;
  readonly why: string | null;
}

/** `GET pauses`, and what each change of it answers: what can be paused, and what is. */
export interface Pauses {
  readonly paused: readonly Pause[];
  readonly channels: readonly ("chat" | "voice" | "phone")[];
  readonly tools: readonly { readonly name: string; readonly does: string; readonly writes: boolean }[];
  readonly versions: readonly { readonly id: string; readonly first_used_at: number; readonly newest: boolean }[];
  /** Customers can be handed over to people. */
  readonly people: boolean;
  readonly launch: Launch;
}

export type LaunchMode = "usual" | "shadow" | "approval";
export type Level = "anonymous" | "verified" | "signed_in";

/** How the assistant answers, and whom. */
export interface Launch {
  readonly mode: LaunchMode;
  /** The share of customers that get the assistant. */
  readonly percent: number;
  /** Only these get it; empty: all do. */
  readonly levels: readonly Level[];
  readonly locales: readonly string[];
  /** How long a reply waits for a colleague. */
  readonly wait_s: number;
  /** Who has chosen it; null in the usual mode. */
  readonly chosen: { readonly by: string; readonly since: number; readonly why: string | null } | null;
}

/** One of `GET approvals`: a change that waits for a decision of staff. */
export interface Approval {
  readonly conversation: string;
  readonly turn: string;
  readonly call: string;
  readonly customer: Customer;
  readonly level: "anonymous" | "verified" | "signed_in";
  readonly tool: string;
  /** In a few words; empty: the tool has none. */
  readonly does: string;
  /** Exactly those with which it will run. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The condition that made it wait; empty: each call of the tool waits. */
  readonly rule: string;
  /** What the customer was asked, and what they answered; null: they were not asked. */
  readonly question: string | null;
  readonly answer: string | null;
  /** Unix milliseconds. */
  readonly since: number;
}

/** One of `GET replies`: what agents insert. `{name}` and `{agent}` are filled in. */
export interface CannedReply {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Its language; empty: any. */
  readonly locale: string;
  /** Who changed it last, and when, in Unix milliseconds. */
  readonly by: string;
  readonly changed_at: number;
}

/** One of `GET approvals`: a reply of the assistant that waits for a colleague, the most urgent first. */
export interface WaitingReply {
  readonly conversation: string;
  readonly turn: string;
  readonly customer: Customer;
  readonly level: Level;
  /** Null: no message of the customer began the turn. */
  readonly question: string | null;
  /** What the reply rests on. */
  readonly calls: readonly { readonly tool: string; readonly arguments: unknown; readonly outcome: string; readonly result: unknown }[];
  readonly text: string;
  /** Unix milliseconds. */
  readonly since: number;
  /** Until then it waits; then the conversation goes to the inbox. */
  readonly until: number;
}

/** What waits for staff. */
export interface Waiting {
  readonly approvals: readonly Approval[];
  readonly replies: readonly WaitingReply[];
}

/** A customer as lists and side panels show them. */
export interface Customer {
  readonly id: string;
  /** Null: the customer gave none. */
  readonly name: string | null;
}

/** A row of the inbox, or of a list of conversations. */
export interface ListedConversation {
  readonly id: string;
  /** It is an example: no customer had it. */
  readonly sample?: boolean;
  readonly customer: Customer;
  /** `assistant`: the assistant answers. */
  readonly state: "waiting" | "taken" | "ticket" | "assistant" | "closed";
  /** The name of the person who has it, or who closed it. */
  readonly by: string | null;
  /** Why a person is needed, in a few words. */
  readonly why: string;
  /** Since when it is so, in Unix milliseconds. */
  readonly since: number;
  /** What was said last by the customer or a person. */
  readonly last_text?: string;
  /** Since when the customer waits for the person who has it; null: they do not. */
  readonly unanswered_since?: number | null;
  readonly priority?: Priority;
  /** What people have promised to do next, and by when, in Unix milliseconds; null: nothing. */
  readonly due?: { readonly kind: "first_response" | "resolution"; readonly at: number } | null;
  /** The names of those who are available for it and have room, if it waits. */
  readonly could_take?: readonly string[];
}

export type Priority = "low" | "normal" | "high" | "urgent";

/** How a person works. */
export interface WorkProfile {
  readonly teams: readonly string[];
  readonly skills: readonly string[];
  /** The most conversations at a time. */
  readonly capacity: number;
  readonly away: boolean;
  readonly availability: "available" | "away" | "offline";
}

/** One of `GET inbox/colleagues`. */
export interface Colleague extends WorkProfile {
  readonly id: string;
  readonly name: string;
  /** How many conversations they have. */
  readonly open: number;
}

export interface Colleagues {
  readonly people: readonly Colleague[];
  readonly teams: readonly string[];
  /** Conversations are assigned automatically. */
  readonly assigns: boolean;
}

/** One of `GET inbox`. */
export interface InboxRow extends ListedConversation {
  readonly level: "anonymous" | "verified" | "signed_in";
  readonly locale: string;
  /** The rule that brought it to people, and what matched; null: no rule did. */
  readonly rule: { readonly name: string; readonly why: string } | null;
  /** Whom it is for; null: anyone. */
  readonly team: string | null;
  readonly skill: string | null;
  readonly priority: Priority;
  /** Who is responsible. */
  readonly assigned: { readonly id: string; readonly name: string } | null;
  readonly tags: readonly string[];
  /** The number of the entry with which the row became so. */
  readonly seq: number;
  readonly last_at: number;
  /** What a model or a rule wrote about a long conversation; only of the one that is open. */
  readonly summary?: string | null;
}

export interface InboxPage {
  readonly rows: readonly InboxRow[];
  /** Where the list goes on; null: this is its end. */
  readonly after: string | null;
  /** All of the list, also what is not among `rows`. */
  readonly total: number;
  readonly waiting: number;
}

/** What a person has begun to write. */
export interface Draft {
  /** Of the message that will be sent. */
  readonly id: string;
  readonly text: string;
  readonly kind: "reply" | "note";
}

export interface ToolCall {
  readonly tool: string;
  readonly ms: number;
  /** Such as `ok` or `timed_out`; null: it is running. */
  readonly outcome: string | null;
  /** What the customer may be told about a failure. */
  readonly say?: string;
  /** Only for those who may see it. */
  readonly arguments?: unknown;
  readonly result?: unknown;
}

/** What is shown of a conversation, in order. A later item with the same key replaces an earlier one. */
export type TranscriptItem = { readonly key: string; readonly at: number } & (
  | {
      /** `note`: for colleagues. `hint`: for the assistant. */
      readonly kind: "customer" | "assistant" | "person" | "note" | "hint";
      readonly name?: string;
      readonly text: string;
      readonly interrupted?: boolean;
      /** The kind of an assistant's message; null: it is still being said. */
      readonly how?: "acknowledgement" | "status" | "response" | null;
      readonly files?: readonly string[];
    }
  | {
      /** An answer of the assistant that was not sent, or that waits for a colleague. */
      readonly kind: "proposal";
      readonly name?: string;
      readonly text: string;
      readonly state: "shadow" | "waiting" | "approved" | "edited" | "rejected" | "expired" | "withdrawn";
    }
  | { readonly kind: "tools"; readonly calls: readonly ToolCall[] }
  | {
      readonly kind: "event";
      /** Its code; without one the text says everything. */
      readonly event?: string;
      readonly name?: string;
      readonly text: string;
    }
);

/** What the live line brings of a topic that is followed. */
export type LiveFrame = { readonly topic: string; readonly id: string } & (
  | {
      readonly type: "following";
      /** `replay`: what was missed comes next. `snapshot`: too much was missed, read everything again. */
      readonly resumed: "new" | "replay" | "snapshot";
      readonly epoch: string;
      readonly seq: number;
      readonly [more: string]: unknown;
    }
  | { readonly type: "news"; readonly seq: number; readonly [more: string]: unknown }
  /** The customer of a conversation is typing; it comes again every few seconds. */
  | { readonly type: "typing" }
  | { readonly type: "refused"; readonly code: string; readonly message: string }
);

export interface LiveListener {
  following?(frame: Extract<LiveFrame, { type: "following" }>): void;
  news?(frame: Extract<LiveFrame, { type: "news" }>): void;
  typing?(): void;
  refused?(frame: Extract<LiveFrame, { type: "refused" }>): void;
}

export type ListedOutcome =
  | "running"
  | "answered"
  | "confirmed"
  | "unresolved"
  | "abandoned"
  | "handed_over"
  | "ticket";

/** One of `GET conversations`. Times are Unix milliseconds. */
export interface FoundConversation {
  readonly id: string;
  /** It is an example: no customer had it. */
  readonly sample: boolean;
  readonly customer: string;
  readonly name: string | null;
  readonly level: string;
  readonly locale: string;
  readonly turns: number;
  /** What the customer asked first. */
  readonly request: string;
  readonly rating: "up" | "down" | null;
  /** The tools that failed in it. */
  readonly failed: readonly string[];
  readonly handoff: string | null;
  readonly outcome: ListedOutcome;
  readonly opened_ms: number;
  readonly last_ms: number;
  readonly cost_usd: number | null;
}

export interface FoundPage {
  readonly conversations: readonly FoundConversation[];
  /** Where the next page begins; null: this is the last one. */
  readonly after: string | null;
}

/** A message on the customer's screen. Times of a turn are in milliseconds after its beginning. */
export interface ShownMessage {
  readonly message_id: string;
  readonly kind: "acknowledgement" | "status" | "response" | null;
  readonly text: string;
  readonly start_ms: number;
  readonly end_ms: number | null;
  readonly interrupted: boolean;
  readonly asks: boolean;
  /** When the customer had seen or heard how many characters. */
  readonly reached: Readonly<Partial<Record<"seen" | "heard", readonly [number, number]>>>;
}

export interface RequestSpan {
  readonly seq: number;
  readonly role: "decider" | "narrator" | "summariser";
  readonly round: number;
  readonly attempt: number;
  readonly model: string;
  readonly start_ms: number;
  readonly first_ms: number | null;
  readonly end_ms: number | null;
  readonly error: string | null;
  readonly stopped: boolean;
  readonly deleted: boolean;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly cost_usd: number | null;
}

export interface CallSpan {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly requested_ms: number;
  /** Null: it has not run. */
  readonly start_ms: number | null;
  readonly end_ms: number | null;
  readonly outcome: string | null;
  readonly late: boolean;
  readonly reused_from: string;
  readonly result: unknown;
  readonly why: string;
}

export interface Usage {
  readonly models: readonly string[];
  readonly requests: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly cost_usd: number | null;
}

export interface TurnTimeline {
  readonly turn_id: string;
  readonly cause: "message" | "confirmation" | "late_result" | "handoff";
  readonly bundle: string;
  readonly began_ms: number;
  readonly started_ms: number;
  readonly end_ms: number | null;
  readonly length_ms: number;
  readonly how: "answered" | "awaiting_confirmation" | "interrupted" | "apologised" | null;
  readonly spoken: boolean;
  readonly messages: readonly ShownMessage[];
  readonly requests: readonly RequestSpan[];
  readonly calls: readonly CallSpan[];
  readonly held: readonly { readonly at_ms: number; readonly round: number; readonly guardrail: string; readonly text: string }[];
  readonly usage: Usage;
}

/** `GET conversations/{id}/requests/{seq}`. */
export interface InspectedRequest {
  readonly seq: number;
  /** Null: it cannot be rebuilt; `problem` says why. */
  readonly rebuilt: {
    readonly sections: readonly { readonly name: string; readonly text: string; readonly tokens: number }[];
    readonly same_prompts: boolean;
    readonly counted_by: string;
  } | null;
  readonly problem: string;
  readonly reply: readonly {
    readonly at_ms: number;
    readonly kind: "text" | "call" | "arguments" | "opaque" | "end";
    readonly text: string;
    readonly call: number | null;
  }[];
  readonly held: readonly { readonly at_ms: number; readonly round: number; readonly guardrail: string; readonly text: string }[];
}

/** `POST conversations/{id}/test`. */
export interface CopiedTest {
  /** The text of the file. */
  readonly text: string;
  /** With the prompts and tools of today. */
  readonly passes: boolean;
  readonly failure: string;
  /** What went otherwise than in the conversation; empty: nothing. */
  readonly difference: string;
  /** How many pieces of personal data were replaced. */
  readonly masked: number;
  readonly left_out: readonly string[];
}

/** What was said, done or decided, in order. */
export type DetailItem = { readonly at_ms: number } & (
  | {
      readonly kind: "customer" | "assistant" | "person";
      readonly message_id: string;
      readonly text: string;
      readonly name: string;
      readonly message_kind: "acknowledgement" | "status" | "response" | null;
      readonly interrupted: boolean;
      readonly files: readonly string[];
      readonly how: "" | "spoken" | "button";
      readonly rating: "up" | "down" | null;
      readonly rating_text: string;
    }
  | {
      readonly kind: "tools";
      readonly calls: readonly { readonly call_id: string; readonly tool: string; readonly outcome: string; readonly ms: number }[];
    }
  | { readonly kind: "event"; readonly event: string; readonly about: Readonly<Record<string, string>> }
);

/** `GET conversations/{id}`. */
export interface ConversationDetail {
  readonly conversation: string;
  readonly sample: boolean;
  readonly customer: string;
  readonly began_as: string;
  readonly name: string | null;
  readonly level: string;
  readonly locale: string;
  readonly opened_ms: number;
  readonly last_ms: number;
  readonly turns: number;
  readonly handoff: string | null;
  readonly bundles: readonly string[];
  readonly usage: Usage;
  readonly sections: readonly DetailSection[];
}

/** What belongs to one turn, or what happened between turns. */
export interface DetailSection {
  readonly turn: TurnTimeline | null;
  readonly items: readonly DetailItem[];
}

/** A message with its turns, as they were and as they are in a trial. */
export interface ReplayedTurn {
  readonly turn_id: string;
  readonly before: readonly DetailSection[];
  readonly now: readonly DetailSection[];
  readonly changes: readonly {
    readonly part: "said" | "calls" | "held" | "ended";
    readonly before: readonly string[];
    readonly now: readonly string[];
  }[];
}

/** `POST conversations/{id}/replay`. */
export interface ReplayedConversation {
  readonly turns: readonly ReplayedTurn[];
  /** Requests and calls for which the log has nothing, and what was not used. */
  readonly unscripted: readonly string[];
  readonly left_out: readonly string[];
  readonly same_version: boolean;
}

/** `GET conversations/{id}/what-if`. */
export interface AskedModels {
  readonly models: readonly string[];
  /** Both are the embedded model, which costs nothing. */
  readonly embedded: boolean;
}

/** `POST conversations/{id}/what-if`. */
export interface ForkedTurn {
  readonly turn: ReplayedTurn;
  readonly models: readonly string[];
  readonly tokens: number;
  /** Null: a provider told none. */
  readonly cost_usd: number | null;
  /** Turns before it that go otherwise today. */
  readonly earlier: readonly string[];
  readonly unscripted: readonly string[];
}

export type Theme = "light" | "dark" | "system";
export type Density = "compact" | "comfortable";

/** The part of the address that a screen reads. */
export interface Route {
  /** The name of the view, such as `people`; empty: the console's own address. */
  readonly view: string;
  /** What is shown of the view, such as the id of a conversation; empty: the view itself. */
  readonly item: string;
  readonly query: URLSearchParams;
  /** The secret of a one-time link, which is in the fragment. */
  readonly fragment: string;
}

/** What is drawn where the account goes to. It lives until another view is shown. */
export interface Screen {
  /** The heading, which is also in the title of the window. */
  heading(): string;
  view(): TemplateResult;
  /** The address has another query now. */
  routeChanged?(): void;
  /** Another view is shown now. */
  left?(): void;
  /** Keys that this screen knows, and what they do. */
  shortcuts?(): readonly Shortcut[];
}

export interface Shortcut {
  /** Such as `/` or `g i`. */
  readonly keys: string;
  readonly label: string;
  run(): void;
}

/** What is drawn in the dialog. It has a heading with the id `dialog-title`. */
export interface Dialog {
  view(): TemplateResult;
  /** It was closed, by a button or by the Escape key. */
  closed?(): void;
}

/** What a screen gets. */
export interface Context {
  readonly api: Api;
  readonly session: Session;
  readonly strings: Strings;
  readonly locale: string;
  readonly route: Route;
  readonly live: Live;
  /** How many customers wait for a person. */
  readonly waiting: number;
  may(permission: string): boolean;
  /** Something that is drawn has changed. */
  changed(): void;
  /** Tells a screen reader. */
  announce(text: string): void;
  /** Shows a message for some seconds, with an offer to undo. */
  toast(text: string, undo?: () => void): void;
  /** The address of a view. */
  address(view: string, query?: Readonly<Record<string, string>>): string;
  go(address: string): void;
  open(dialog: Dialog): void;
  close(): void;
}

export type { Api, ApiProblem, Live, Strings };

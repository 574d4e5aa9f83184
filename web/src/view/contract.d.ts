/**
 * What the two halves of the widget owe each other.
 *
 * The moving half (`element.js`, `client/`) decides what there is to show and hands over one immutable
 * `ViewState`; the drawing half (`view/`, `styles/`, `strings/`, `markdown/`) draws it and calls `Actions`. All strings
 * belong to the drawing half: the state says what happened, never how it is put.
 */

import type { TemplateResult, html, nothing } from "lit";
import type { State } from "../client/state.js";
import type { PendingFile } from "../client/uploads.js";
import type { Strings } from "../strings/index.js";
import type { icon } from "./icons.js";

export type {
  AssistantItem,
  Attachment,
  CallItem,
  CustomerItem,
  Delivery,
  Handoff,
  Item,
  Link,
  NumberedAnnouncement,
  PersonItem,
  Question,
  SentFile,
  ServerNotice,
  State,
  ToolsItem,
} from "../client/state.js";

export type Theme = "light" | "dark" | "auto";

/** Everything there is to show. A part that did not change is the same object as before. */
export interface ViewState extends State {
  /** Whether the panel is. */
  readonly open: boolean;
  /** Complete messages of the assistant that nobody has seen. */
  readonly unread: number;
  /** The server's own address, which those of attachments are seen from. */
  readonly server: string;
  /** What stands in the field. The view reports each change with `draft`; sending empties it. */
  readonly draft: string;
  /** What is to go with the next message, on its way or there. */
  readonly files: readonly PendingFile[];
  /** A language tag such as `de-AT`: what the widget's own strings are in. */
  readonly locale: string;
  readonly theme: Theme;
  readonly microphone: MicrophoneState;
}

/** Speaking, which is fetched when it is first asked for. */
export interface MicrophoneState {
  /** It is on, or about to be. */
  readonly on: boolean;
  /** It was asked for, and is not to be had here or just now. */
  readonly failed: boolean;
  /** What the assistant says is spoken. */
  readonly speaksAnswers: boolean;
  /** It is being spoken just now. */
  readonly sounds: boolean;
  /** Draws itself: what goes on, and what the customer is understood to say. */
  readonly voice: { bar(context: ViewContext): unknown; draftMessage(context: ViewContext): unknown } | null;
}

/** What a customer can do. Each may be called at any time; what makes no sense just then does nothing. */
export interface Actions {
  open(): void;
  close(): void;
  /**
   * Says `text`, trimmed, with the files that are there; nothing when there is neither, when the text is longer than
   * `maxText`, or while a file is on its way. Empties the draft.
   */
  send(text: string): void;
  /** Switches the microphone on or off. */
  toggleVoice(): void;
  /** Puts files with the next message. */
  attach(files: readonly File[]): void;
  /** Takes one of them back. */
  detach(id: string): void;
  /** Sends a refused message again. */
  retry(id: string): void;
  /** Answers the open question; `label` is what stands on the button, for the history. */
  answer(answer: "yes" | "no", label: string): void;
  /** Asks for the running turn to be stopped, and for what is still being spoken. */
  stop(): void;
  /** Asks for the assistant back, where a person has the conversation. */
  endHandoff(): void;
  /** Rates a complete message; null takes it back. */
  rate(messageId: string, rating: "up" | "down" | null): void;
  draft(text: string): void;
  /** The end of the conversation has come into sight, or left it. While it is in sight, messages count as seen. */
  follow(atEnd: boolean): void;
  /** Hands the customer a text file. */
  download(name: string, text: string): void;
}

/**
 * `view/chat.js` exports these two.
 *
 * `chatView` is drawn into the shadow root after every change, at most once a frame. `afterRender`, if there is one, is
 * called after each drawing, with the state drawn before (null the first time): the place for what a template cannot
 * say, such as showing the dialog, focus and scrolling.
 */
export type ChatView = (state: ViewState, actions: Actions) => TemplateResult;
export type AfterRender = (root: ShadowRoot, state: ViewState, before: ViewState | null) => void;

/** `styles/index.js` exports `sheets`: constructed style sheets, made when first asked for, shared by all elements. */
export type Sheets = () => CSSStyleSheet[];

/** What every view is handed: what there is to show, what can be done about it, and in which strings. */
export interface ViewContext {
  readonly state: ViewState;
  readonly actions: Actions;
  readonly strings: Strings;
}

/** What the chat draws with, handed to what is fetched later: that need not bring its own. */
export interface RenderKit {
  readonly html: typeof html;
  readonly nothing: typeof nothing;
  readonly icon: typeof icon;
}

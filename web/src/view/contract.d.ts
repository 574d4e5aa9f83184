/**
 * What the view gets, and which actions it calls.
 *
 * `element.js` builds one immutable `ViewState` from the client's state and passes it to `chatView`. All texts of the
 * widget are in `strings/` and belong to the view: the state says what happened, in codes and kinds.
 */

import type { TemplateResult, html, nothing } from "lit";
import type { Item, ItemOf } from "../client/items.js";
import type { State } from "../client/state.js";
import type { PendingFile } from "../client/uploads.js";
import type { Strings } from "../strings/index.js";
import type { icon } from "./icons.js";

export type {
  AssistantItem,
  Attachment,
  CallItem,
  CustomerItem,
  Item,
  PersonItem,
  SentFile,
  ToolsItem,
} from "../client/items.js";
export type { NumberedAnnouncement } from "../client/state.js";

export type Theme = "light" | "dark" | "auto";

/** Everything that the view shows. A part that did not change is the same object as before. */
export interface ViewState extends State {
  /** Whether the panel is open. */
  readonly open: boolean;
  /** How many messages from the company are unread. */
  readonly unread: number;
  /** The address of the server: addresses of attachments are relative to it. */
  readonly server: string;
  /** The text in the input field. The view reports each change with `draft`; sending empties it. */
  readonly draft: string;
  /** The files for the next message, uploaded or still on the way. */
  readonly files: readonly PendingFile[];
  /** A language tag such as `de-AT`, for the widget's own texts. */
  readonly locale: string;
  readonly theme: Theme;
  readonly microphone: MicrophoneState;
}

/** The state of voice, whose code is loaded when the customer first asks for it. */
export interface MicrophoneState {
  /** It is on, or starting. */
  readonly on: boolean;
  /** The customer asked for it, and it is not available. */
  readonly failed: boolean;
  /** Answers of the assistant are spoken. */
  readonly speaksAnswers: boolean;
  /** The assistant is speaking now. */
  readonly sounds: boolean;
  /** Draws the voice controls, and what the customer is understood to say. */
  readonly voice: { bar(context: ViewContext): unknown; draftMessage(context: ViewContext): unknown } | null;
}

/** What the customer can do. An action that does not apply at the moment does nothing. */
export interface Actions {
  open(): void;
  close(): void;
  /**
   * Sends `text`, trimmed, with the uploaded files, and empties the draft. Does nothing if both are missing, if the text
   * is longer than `maxText`, or while a file is uploading.
   */
  send(text: string): void;
  /** Switches the microphone on or off. */
  toggleVoice(): void;
  /** Adds files to the next message. */
  attach(files: readonly File[]): void;
  /** Removes one of these files. */
  detach(id: string): void;
  /** Sends a refused message again. */
  retry(id: string): void;
  /** Answers the open question; `label` is the text of the button, for the history. */
  answer(answer: "yes" | "no", label: string): void;
  /** Stops the running turn, and what is still being spoken. */
  stop(): void;
  /** Asks for the assistant again while a human agent has the conversation. */
  endHandoff(): void;
  /** Rates a complete message; null removes the rating. */
  rate(messageId: string, rating: "up" | "down" | null): void;
  draft(text: string): void;
  /** The end of the conversation became visible, or is hidden now. While it is visible, messages count as seen. */
  follow(atEnd: boolean): void;
  /** Saves a text file on the customer's device. */
  download(name: string, text: string): void;
}

/** What each template gets. */
export interface ViewContext {
  readonly state: ViewState;
  readonly actions: Actions;
  readonly strings: Strings;
}

/** A paragraph of the transcript. */
export interface TranscriptEntry {
  readonly speaker?: string;
  readonly at?: number | null;
  readonly text: string;
}

/** How a kind of item is shown in the panel and in the transcript; null: the transcript leaves it out. */
export type ItemViews = {
  readonly [K in Item["kind"]]: {
    render(item: ItemOf<K>, context: ViewContext): unknown;
    transcript(item: ItemOf<K>, context: ViewContext): TranscriptEntry | null;
  };
};

/** `chatView` is rendered into the shadow root after every change, at most once per animation frame. */
export type ChatView = (state: ViewState, actions: Actions) => TemplateResult;

/**
 * Called after each rendering, with the state rendered before (null the first time). It does what a template cannot:
 * showing the dialog, focus, scrolling and announcements.
 */
export type AfterRender = (root: ShadowRoot, state: ViewState, before: ViewState | null) => void;

/** Constructed style sheets, made at the first call and shared by all elements. */
export type Sheets = () => CSSStyleSheet[];

/** The parts of lit and the icons that the voice bundle gets from the chat, so that it does not contain its own. */
export interface RenderKit {
  readonly html: typeof html;
  readonly nothing: typeof nothing;
  readonly icon: typeof icon;
}

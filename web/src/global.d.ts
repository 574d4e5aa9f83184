/** Global names, which need no import. */

/** The functions of the chat that a page may call; the loader sets it, after reading what the page had put there. */
declare var Meanwhile: any;

/** The integrity hash of the chat file for this loader; the build sets it. */
declare const CHAT_INTEGRITY: string;

/** Of what speaking takes, which this chat was built with; set by the build. */
declare const VOICE_INTEGRITY: string;

/** Of all files of texts, which this chat was built with; set by the build. */
declare const STRINGS_HASH: string;

/** Tells the worklet of this release from that of another; set by the build. */
declare const CAPTURE_HASH: string;

/** A style sheet, imported as text; the build makes it smaller. */
declare module "*.css" {
  const css: string;
  export default css;
}

// What is there without being imported where sound is made and heard.

/** Samples a second of the device. */
declare const sampleRate: number;

declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

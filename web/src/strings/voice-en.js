/** The widget's texts about voice in English. Every other language has the same keys. */

export const voiceEn = {
  locale: "en",
  voice: "Speaking",
  on: "The microphone is on. You can speak now.",
  off: "The microphone is off.",
  mode: "How to talk",
  handsFree: "Hands-free",
  pushToTalk: "Push to talk",
  tempo: "How fast answers are spoken",
  mute: "Mute the microphone",
  talk: {
    no: "Hold to talk",
    held: "Let go when you are done",
    tapped: "Tap when you are done",
  },
  activities: {
    asking: "Please allow the microphone",
    starting: "One moment…",
    waiting: "Ready",
    muted: "Muted",
    listening: "Listening",
    hearing: "Hearing you",
    thinking: "Thinking",
    speaking: "Speaking",
  },
  problems: {
    insecure: "The microphone can only be used on a secure page (https).",
    unsupported: "The microphone cannot be used in this browser. You can go on in writing.",
    denied: "The microphone is not allowed here. You can allow it in your browser's settings for this page.",
    none: "No microphone was found. Connect one and try again.",
    busy: "The microphone cannot be used just now. Perhaps another program is using it.",
    lost: "The microphone was disconnected. You can go on in writing, or connect it and try again.",
    elsewhere: "The microphone is on in another window. You can go on there, or in writing.",
    unavailable: "Speaking does not work just now. You can go on in writing.",
  },
};

/** The widget's texts about voice in German. */

/** @type {import("./index.js").VoiceStrings} */
export const voiceDe = {
  locale: "de",
  voice: "Sprechen",
  on: "Das Mikrofon ist an. Sie können jetzt sprechen.",
  off: "Das Mikrofon ist aus.",
  mode: "Wie Sie sprechen",
  handsFree: "Freihändig",
  pushToTalk: "Sprechtaste",
  tempo: "Wie schnell gesprochen wird",
  mute: "Mikrofon stumm schalten",
  talk: {
    no: "Zum Sprechen halten",
    held: "Loslassen, wenn Sie fertig sind",
    tapped: "Antippen, wenn Sie fertig sind",
  },
  activities: {
    asking: "Bitte das Mikrofon erlauben",
    starting: "Einen Moment…",
    waiting: "Bereit",
    muted: "Stumm",
    listening: "Hört zu",
    hearing: "Hört Sie",
    thinking: "Denkt nach",
    speaking: "Spricht",
  },
  problems: {
    insecure: "Das Mikrofon geht nur auf einer sicheren Seite (https).",
    unsupported: "Das Mikrofon geht in diesem Browser nicht. Sie können weiter schreiben.",
    denied: "Das Mikrofon ist hier nicht erlaubt. Sie können es in den Einstellungen des Browsers für diese Seite erlauben.",
    none: "Es wurde kein Mikrofon gefunden. Schließen Sie eins an und versuchen Sie es noch einmal.",
    busy: "Das Mikrofon geht gerade nicht. Vielleicht benutzt es ein anderes Programm.",
    lost: "Das Mikrofon ist nicht mehr da. Sie können weiter schreiben, oder es anschließen und es noch einmal versuchen.",
    elsewhere: "Das Mikrofon ist in einem anderen Fenster an. Sie können dort weiter sprechen, oder hier schreiben.",
    unavailable: "Sprechen geht gerade nicht. Sie können weiter schreiben.",
  },
};

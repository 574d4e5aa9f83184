/** What the newest servers also say and hear; goes when `frames.d.ts` is generated with it. */

import type { AssistantsMessage, Hello, Welcome, ServerFrame } from "./frames.js";
import type { Customer, Rating } from "./state.js";

declare module "./frames.js" {
  interface AssistantsMessage {
    rating?: Rating | null;
  }
  interface Hello {
    user?: string | null;
  }
  interface Welcome {
    customer?: Customer | null;
  }
}

export interface Rated {
  type: "rated";
  seq: number;
  message_id: string;
  rating: Rating;
}

export interface Notice {
  type: "notice";
  problem: string;
  message: string;
}

export type Heard = ServerFrame | Rated | Notice;

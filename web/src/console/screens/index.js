/** The screens of the places that are built. To add one, see "Add a screen to the console" in CONTRIBUTING.md. */

import { ApprovalsScreen } from "./approvals.js";
import { AuditScreen } from "./audit.js";
import { ConversationsScreen } from "./conversations.js";
import { InboxScreen } from "./inbox.js";
import { PeopleScreen } from "./people.js";
import { RepliesScreen } from "./replies.js";
import { StopScreen } from "./stop.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Screen} Screen */

/** @type {Readonly<Partial<Record<import("../places.js").PlaceName, (context: Context) => Screen>>>} */
export const SCREENS = {
  conversations: (context) => new ConversationsScreen(context),
  inbox: (context) => new InboxScreen(context),
  approvals: (context) => new ApprovalsScreen(context),
  replies: (context) => new RepliesScreen(context),
  people: (context) => new PeopleScreen(context),
  audit: (context) => new AuditScreen(context),
  stop: (context) => new StopScreen(context),
};

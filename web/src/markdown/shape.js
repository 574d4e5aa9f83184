/** What each kind of Markdown looks like in the page. */

import { Token } from "streaming-markdown";

/** @type {Readonly<Record<number, string>>} */
const TAGS = {
  [Token.Paragraph]: "p",
  [Token.Blockquote]: "blockquote",
  [Token.Rule]: "hr",
  [Token.Line_Break]: "br",
  [Token.Italic_Ast]: "em",
  [Token.Italic_Und]: "em",
  [Token.Strong_Ast]: "strong",
  [Token.Strong_Und]: "strong",
  [Token.Strike]: "s",
  [Token.Code_Inline]: "code",
  [Token.Equation_Inline]: "code",
  [Token.Equation_Block]: "code",
  [Token.List_Unordered]: "ul",
  [Token.List_Ordered]: "ol",
  [Token.List_Item]: "li",
  [Token.Table_Row]: "tr",
};

/**
 * @param {Token} token
 * @param {Element} parent where it will stand
 * @param {string} tableName what a table is called; it can be scrolled, so it can be reached by keyboard
 * @returns {{outer: Element, inner: Element}} what is to be put into `parent`, and what its content goes into
 */
export function shape(token, parent, tableName) {
  switch (token) {
    case Token.Heading_1:
    case Token.Heading_2:
    case Token.Heading_3:
    case Token.Heading_4:
    case Token.Heading_5:
    case Token.Heading_6: {
      // A real heading would be one of the host page's outline.
      const outer = make("p", "heading");
      return { outer, inner: outer };
    }
    case Token.Code_Block:
    case Token.Code_Fence: {
      const inner = make("code");
      const outer = make("pre");
      outer.append(inner);
      return { outer, inner };
    }
    case Token.Table: {
      const inner = make("table");
      const outer = make("div", "table");
      outer.tabIndex = 0;
      outer.setAttribute("role", "group");
      outer.setAttribute("aria-label", tableName);
      outer.append(inner);
      return { outer, inner };
    }
    case Token.Table_Cell: {
      const inFirstRow = parent === parent.parentElement?.firstElementChild;
      const inner = make(inFirstRow ? "th" : "td");
      if (inFirstRow) inner.setAttribute("scope", "col");
      return { outer: inner, inner };
    }
    case Token.Checkbox: {
      const inner = make("span");
      inner.textContent = "☐ ";
      return { outer: inner, inner };
    }
    default: {
      const inner = make(TAGS[token] ?? "span");
      return { outer: inner, inner };
    }
  }
}

/** @param {string} tag @param {string} [name] of its class */
function make(tag, name) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  return made;
}

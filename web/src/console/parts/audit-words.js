/** Puts the detail of an audit record into words: the server writes names of fields, roles and reasons. */

/** @typedef {import("../strings/index.js").Strings} Strings */

/**
 * @param {string} action such as `people.change`
 * @param {string} detail such as `roles: agent, editor; disabled: yes`
 * @param {Strings} strings
 * @returns {string}
 */
export function detailWords(action, detail, strings) {
  if (action === "session.begin_by_provider") return signInWords(detail, strings);
  if (action === "account.change") return detail.split(", ").map((field) => fieldWords(field, strings)).join(", ");
  if (!action.startsWith("people.")) return detail;
  return detail
    .split("; ")
    .map((part) => {
      const [name = "", value] = part.split(/: (.*)/);
      return value === undefined ? part : `${fieldWords(name, strings)}: ${valueWords(value, strings)}`;
    })
    .join("; ");
}

/** @param {string} detail such as `no_role eva@example.com` @param {Strings} strings */
function signInWords(detail, strings) {
  const { audit, signIn } = strings;
  const [code = "", login = ""] = detail.split(/ (.*)/);
  if (code === "roles:") return `${fieldWords("roles", strings)}: ${valueWords(login, strings)}`;
  if (code === "new_account") return audit.newAccount(login);
  const words = signIn.refused[code]?.title ?? code;
  return login ? `${login}: ${words}` : words;
}

/** @param {string} field @param {Strings} strings */
function fieldWords(field, { audit }) {
  return audit.fields[field] ?? field;
}

/** @param {string} value @param {Strings} strings */
function valueWords(value, { audit, roles }) {
  const words = /** @type {Readonly<Record<string, string>>} */ ({ ...audit.values, ...roles });
  return value
    .split(", ")
    .map((one) => words[one] ?? one)
    .join(", ");
}

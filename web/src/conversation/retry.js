/** What to do after a websocket has closed: `docs/protocol.md` tells what the codes mean. */

const FIRST_MS = 400;
const LONGEST_MS = 20_000;
const TOO_MANY_MS = 60_000;

/**
 * @param {number | undefined} code the close code, where there was a close
 * @param {number} attempt how often it was tried since the last success
 * @param {number} [chance] from 0 to 1; spreads many clients that lost the same server at once
 * @returns {number | null} milliseconds until the next attempt; null where it is of no use
 */
export function retryAfter(code, attempt, chance = Math.random()) {
  // Our hello was not understood, and would not be the next time.
  if (code === 4400) return null;
  if (code === 4429) return TOO_MANY_MS;
  // We read too slowly; the server is well and waits for us.
  if (code === 4409 && attempt === 0) return 0;
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return (longest / 2) * (1 + chance);
}

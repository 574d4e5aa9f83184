/** How long to wait before trying to connect again. */

const FIRST_MS = 400;
const LONGEST_MS = 20_000;

/**
 * @param {number} attempt counts from 0
 * @param {number} [chance] from 0 to 1; spreads many clients that lost the same server at once
 * @returns {number} milliseconds: doubled each time, of which between half and all
 */
export function backoff(attempt, chance = Math.random()) {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return (longest / 2) * (1 + chance);
}
